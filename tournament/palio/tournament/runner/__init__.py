"""Runs a tournament: a server, the bots, and what they play, into the ledger."""
