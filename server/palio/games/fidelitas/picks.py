"""Steps that several actions share: picking cards of the City and where they go."""

from __future__ import annotations

from typing import Protocol

from palio.games.fidelitas.choices import CARDS_AT, DESTINATIONS, NONE, PICK_CARD, PICK_DESTINATION, Choice, Choices
from palio.games.fidelitas.piles import without
from palio.games.fidelitas.table import Table


class Step(Protocol):
    """One thing to pick."""

    @property
    def kind(self) -> str:
        """The kind of decision."""

    def options(self, table: Table) -> Choices:
        """What may be picked; nothing if the step falls away."""


def bits(cards: tuple[int, ...]) -> int:
    """Bit ``1 << character`` for every character among the cards."""
    found = 0
    for card in cards:
        found |= 1 << card
    return found


def cards_of(table: Table, skipped: int = 0) -> Choices:
    """All unlocked cards of the City, except those of the locations whose bits are given."""
    found: Choices = NONE
    piles = table.piles
    for location in table.setup.locations:
        free = piles[location].free
        if free and not skipped >> location & 1:
            found += CARDS_AT[location][free]
    return found


def free_after(table: Table, picked: Choice) -> int:
    """The characters unlocked at the location of a picked card when that card is left out, as bits."""
    location: int = picked[1]
    character: int = picked[2]
    pile = table.piles[location]
    if pile.cards.count(character) == 1:
        return pile.free & ~(1 << character)
    return bits(without(pile.cards, character)[pile.locked :])


class PickAny:
    """Any card of the City; from the second time on, any other one."""

    kind = PICK_CARD

    def options(self, table: Table) -> Choices:
        if not table.picks:
            return cards_of(table)
        picked = table.picks[0]
        found: Choices = NONE
        for location in table.setup.locations:
            free = free_after(table, picked) if location == picked[1] else table.piles[location].free
            if free:
                found += CARDS_AT[location][free]
        return found


def sources(table: Table) -> list[int]:
    """The locations with an unlocked card."""
    return [location for location in table.setup.locations if table.piles[location].free]


class PickAt:
    """A card at a certain location."""

    kind = PICK_CARD

    def __init__(self, location: int) -> None:
        self._location = location

    def options(self, table: Table) -> Choices:
        return CARDS_AT[self._location][table.piles[self._location].free]


class Destination:
    """Where the card just picked goes: anywhere else, or, where ``apart`` is set, not where the first one goes."""

    kind = PICK_DESTINATION

    def __init__(self, *, apart: bool = False) -> None:
        self._apart = apart

    def options(self, table: Table) -> Choices:
        picks = table.picks
        if not picks or picks[-1][0] != "card":
            return NONE
        allowed = table.setup.location_bits & ~(1 << picks[-1][1])
        if self._apart:
            for pick in picks:
                if pick[0] == "destination":
                    allowed &= ~(1 << pick[1])
        return DESTINATIONS[allowed]


def picked_moves(table: Table) -> list[tuple[int, int, int]]:
    """Picks that alternate between a card and its destination, as moves."""
    moves = []
    character = origin = 0
    for pick in table.picks:
        if pick[0] == "card":
            _, origin, character = pick
        elif pick[0] == "destination":
            moves.append((character, origin, pick[1]))
    return moves


def move_picked(table: Table) -> None:
    """Baker (F-24), Dockmaster (F-35)."""
    moves = picked_moves(table)
    if moves:
        table.move(moves)
