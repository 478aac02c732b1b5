"""Strategies for Fidelitas, one module each: ``palio.bots.fidelitas.<name>``."""
