"""Fidelitas: the rules, without any input or output. ``RULES`` is what the registry finds."""

from palio.games.fidelitas.decks import Deck
from palio.games.fidelitas.positions import Position
from palio.games.fidelitas.rules import FidelitasRules
from palio.games.fidelitas.setup import Options
from palio.games.fidelitas.state import State, Words
from palio.games.fidelitas.view import Asking, Own, View

RULES = FidelitasRules()

__all__ = ["RULES", "Asking", "Deck", "Options", "Own", "Position", "State", "View", "Words"]
