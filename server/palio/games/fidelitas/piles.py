"""Stacks of Virtus cards as immutable values, with what the rules keep asking about them worked out once.

A stack changes by being replaced, so that copies of a state share all stacks. Equal stacks are usually one object.
"""

from __future__ import annotations

from typing import Final

from palio.games.fidelitas.cards import GUILD_OF, SOLDIER, SWINDLER

_REMEMBERED: Final = 1 << 14
_GUILD_BIT: Final = tuple(1 << guild for guild in GUILD_OF)


class Pile:
    """The cards at one location.

    Attributes:
        cards: bottom to top.
        locked: how many cards, from the bottom, an active Swindler locks, itself included (F-12).
        present: bit ``1 << character`` for every character there, locked or not.
        free: the same for the unlocked cards.
        guilds: bit ``1 << guild`` for every guild there.
        soldiers: how many Soldiers there are.
        pair: whether two cards are of one guild (as Missio cards count: locked or not).
    """

    __slots__ = ("cards", "free", "guilds", "locked", "pair", "present", "soldiers")

    def __init__(self, cards: tuple[int, ...]) -> None:
        present = guilds = 0
        pair = False
        for card in cards:
            guild = _GUILD_BIT[card]
            if guilds & guild:
                pair = True
            guilds |= guild
            present |= 1 << card
        locked = 0
        free = present
        if SWINDLER in cards[1:]:
            locked = len(cards)
            while cards[locked - 1] != SWINDLER:
                locked -= 1
            free = 0
            for card in cards[locked:]:
                free |= 1 << card
        self.cards = cards
        self.locked = locked
        self.present = present
        self.free = free
        self.guilds = guilds
        self.soldiers = cards.count(SOLDIER)
        self.pair = pair

    def __reduce__(self) -> tuple[object, ...]:
        return pile_of, (self.cards,)

    def __repr__(self) -> str:
        return f"pile_of({self.cards})"


_piles: dict[tuple[int, ...], Pile] = {}


def pile_of(cards: tuple[int, ...]) -> Pile:
    """The pile of these cards, bottom to top."""
    pile = _piles.get(cards)
    if pile is None:
        if len(_piles) >= _REMEMBERED:
            _piles.clear()
        pile = _piles[cards] = Pile(cards)
    return pile


EMPTY: Final = pile_of(())


def place_of(cards: tuple[int, ...], character: int) -> int:
    """The index of the topmost copy of a character (F-14), which must be among the cards."""
    place = len(cards) - 1
    while cards[place] != character:
        place -= 1
    return place


def without(cards: tuple[int, ...], character: int) -> tuple[int, ...]:
    """The cards without the topmost copy of a character."""
    place = place_of(cards, character)
    return cards[:place] + cards[place + 1 :]
