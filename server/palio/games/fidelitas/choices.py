"""Every option of every decision, made once: listing options then only looks tuples up.

The order in the tables is the order in which the rules offer options: by the fields' numbers, PASS and "deck" first
(F-17).
"""

from __future__ import annotations

from typing import Any, Final, TypeAlias

from palio.games.fidelitas.cards import (
    CHARACTERS,
    COMMERCE_LOCATIONS,
    LOCATIONS,
    PLAYED_ON,
    SOLO_LOCATIONS,
    SWINDLER,
    TAVERN_SIDES,
)

Choice: TypeAlias = tuple[Any, ...]
"""An option as the rules read it: the shape's name first, then numbers."""
Choices: TypeAlias = tuple[Choice, ...]

PLAY_CARD: Final = "PLAY_CARD"
PICK_CARD: Final = "PICK_CARD"
PICK_DESTINATION: Final = "PICK_DESTINATION"
BROKER_MODE: Final = "BROKER_MODE"
DISCARD_CARD: Final = "DISCARD_CARD"
KEEP_CARD: Final = "KEEP_CARD"
CLERK_CHOICE: Final = "CLERK"
PRIEST_CHOICE: Final = "PRIEST"
EXCHANGE_MISSIO: Final = "EXCHANGE_MISSIO"
SCORE_MISSIO: Final = "SCORE_MISSIO"
DRAW_CARD: Final = "DRAW_CARD"
PLACE_THIEF: Final = "PLACE_THIEF"
KINDS: Final = (
    "",
    PLAY_CARD,
    PICK_CARD,
    PICK_DESTINATION,
    BROKER_MODE,
    DISCARD_CARD,
    KEEP_CARD,
    CLERK_CHOICE,
    PRIEST_CHOICE,
    EXCHANGE_MISSIO,
    SCORE_MISSIO,
    DRAW_CARD,
    PLACE_THIEF,
)
"""Kinds of decisions, in the order of their numbers in ``DecisionKind``."""

MAX_MISSIO: Final = 60
"""Most Missio cards that a deck may have (F-05)."""
OUT: Final = 1
INTO: Final = 2

PASS: Final[Choice] = ("pass",)
DECK: Final[Choice] = ("deck",)
DRAW_TWO: Final[Choice] = ("draw_two",)
DRAW_MISSIO: Final[Choice] = ("priest", 1)
DRAW_VIRTUS: Final[Choice] = ("priest", 2)
ONLY_DECK: Final[Choices] = (DECK,)
NONE: Final[Choices] = ()

HAND_CARD: Final[Choices] = (NONE, *(("hand_card", character) for character in CHARACTERS))
DESTINATION: Final[Choices] = (NONE, *(("destination", location) for location in LOCATIONS))
MISSIO: Final[Choices] = (NONE, *(("missio", number) for number in range(1, MAX_MISSIO + 1)))
PLAY: Final[tuple[Choices, ...]] = (
    NONE,
    *((NONE, *(("play", character, location) for location in LOCATIONS)) for character in CHARACTERS),
)
CARD: Final[tuple[Choices, ...]] = (
    NONE,
    *((NONE, *(("card", location, character) for character in CHARACTERS)) for location in LOCATIONS),
)
BROKER: Final[tuple[dict[int, Choice], ...]] = (
    {},
    *({location: ("broker", direction, location) for location in COMMERCE_LOCATIONS} for direction in (OUT, INTO)),
)
PAIR: Final[dict[tuple[int, int, int], Choice]] = {
    (location, a, b): ("pair", location, a, b) for location in LOCATIONS for a in CHARACTERS for b in CHARACTERS
}


def bits_of(mask: int) -> tuple[int, ...]:
    """The numbers whose bit is set, ascending."""
    return tuple(n for n in range(mask.bit_length()) if mask >> n & 1)


class _Picked(dict[int, Choices]):
    """Choices out of a row of the tables above, by the bits of the wanted columns; filled as they come up."""

    def __init__(self, row: Choices) -> None:
        super().__init__()
        self._row = row

    def __missing__(self, mask: int) -> Choices:
        self[mask] = found = tuple(self._row[n] for n in bits_of(mask))
        return found


CARDS_AT: Final = tuple(_Picked(row) for row in CARD)
"""``CARDS_AT[location][characters as bits]``: card options of a location."""
DESTINATIONS: Final = _Picked(DESTINATION)
"""``DESTINATIONS[locations as bits]``."""
HAND_CARDS: Final = _Picked(HAND_CARD)
"""``HAND_CARDS[characters as bits]``."""


class _Plays(dict[int, Choices]):
    """Play options by the characters in hand as bits. A Swindler's are not here: they depend on the City."""

    def __init__(self, *, solo: bool) -> None:
        super().__init__()
        allowed = SOLO_LOCATIONS if solo else LOCATIONS
        self._locations = [
            [n for n in allowed if n in PLAYED_ON[character] or n in TAVERN_SIDES] for character in (0, *CHARACTERS)
        ]

    def __missing__(self, mask: int) -> Choices:
        self[mask] = found = tuple(PLAY[c][n] for c in bits_of(mask) if c != SWINDLER for n in self._locations[c])
        return found


PLAYS: Final = _Plays(solo=False)
SOLO_PLAYS: Final = _Plays(solo=True)
SWINDLER_PLAYS: Final = _Picked(PLAY[SWINDLER])
"""``SWINDLER_PLAYS[locations as bits]``."""
