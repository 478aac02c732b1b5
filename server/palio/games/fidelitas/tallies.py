"""What to count in many games: which Missio cards were scored, by whomever."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from palio.games.fidelitas.setup import Options
from palio.games.fidelitas.text import describe_condition

TITLE: Final = "Missio card"
DONE: Final = "scored"
"""What happens to a card, at most once a game."""


def things(options: Options) -> Mapping[int, str]:
    """Every Missio card by its id, with what it asks for."""
    return {
        number: f"{describe_condition(card.condition)}, {card.points} point{'' if card.points == 1 else 's'}"
        for number, card in enumerate(options.deck.missio, 1)
    }


def mark(fact: tuple[Any, ...]) -> int:
    """The card that an event scores, 0 for none."""
    match fact:
        case ("missio_scored", _, int(number), _):
            return number
    return 0
