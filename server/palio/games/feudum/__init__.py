"""Feudum, guild edition: 2 to 5 players, six guilds, eight rounds of four turns. Pure rules."""

from palio.games.feudum.game import RULES

__all__ = ["RULES"]
