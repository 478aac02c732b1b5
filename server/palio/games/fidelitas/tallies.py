"""What to count in many games: which Missio cards were ever held, and which were scored."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from palio.games.fidelitas.setup import Options
from palio.games.fidelitas.text import describe_condition

TITLE: Final = "Missio card"
STAGES: Final = ("held", "scored")
"""What can happen to a card in a game, by somebody and at least once."""


def things(options: Options) -> Mapping[int, str]:
    """Every Missio card by its id, with what it asks for."""
    return {
        number: f"{describe_condition(card.condition)}, {card.points} point{'' if card.points == 1 else 's'}"
        for number, card in enumerate(options.deck.missio, 1)
    }


def marks(fact: tuple[Any, ...]) -> Iterator[tuple[str, int]]:
    """The (stage, card) pairs that an event brings about."""
    match fact:
        case ("hand_dealt", _, _, numbers) | ("missio_received", _, numbers):
            yield from (("held", number) for number in numbers)
        case ("missio_scored", _, number, _):
            yield "scored", number
