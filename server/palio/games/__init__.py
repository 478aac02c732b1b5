"""The registry: one line a game. Plug-ins register through the entry point group ``palio.games``."""

from __future__ import annotations

from functools import cache
from importlib import import_module
from importlib.metadata import entry_points
from typing import Final

from palio.engine.errors import InvalidSetup
from palio.engine.game import Rules

BUILT_IN: Final = ("palio.games.fidelitas", "palio.games.feudum")
"""Packages whose ``RULES`` is a game."""


@cache
def all_rules() -> dict[str, Rules]:
    """Every game by its id: the built-in ones first, then installed plug-ins."""
    found: list[Rules] = [import_module(name).RULES for name in BUILT_IN]
    found += [point.load() for point in entry_points(group="palio.games")]
    games: dict[str, Rules] = {}
    for rules in found:
        games.setdefault(rules.game_id, rules)
    return games


def rules_of(game_id: str) -> Rules:
    """The rules of one game.

    Raises:
        InvalidSetup: no such game; the message lists those there are.
    """
    try:
        return all_rules()[game_id]
    except KeyError:
        known = ", ".join(all_rules())
        raise InvalidSetup("game", f"there is no game {game_id!r}; known games: {known}") from None
