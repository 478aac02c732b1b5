"""The built-in bots of Feudum; see ``docs/feudum.md``."""
