"""What one seat can tell about hidden cards: every possibility it cannot rule out, with a weight.

Nearly all movements of cards are public, so most of another seat's hand is often known: what a Barrister took, what was
drawn from the Tavern, what a Thief took from us. Three things branch into possibilities: which card an unseen theft
moved, which Missio card another seat returned, and from which deck a card comes that a hand shows (the second deck is
made of known cards).

A *token* stands for a hidden card: its number where that is known, else :data:`UNKNOWN`, or for Virtus cards from the
second deck :data:`UNKNOWN_NEW`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Final, NamedTuple, TypeAlias, TypeVar

from palio.games.fidelitas.cards import CHARACTERS

UNKNOWN: Final = 0
UNKNOWN_NEW: Final = -1
KINDS: Final = len(CHARACTERS) + 1

Tokens: TypeAlias = tuple[int, ...]
Counts: TypeAlias = tuple[int, ...]
"""How many of each character; index 0 is unused."""
G = TypeVar("G")


class Contradiction(Exception):
    """No possibility is left: too many were dropped, or the events are not this match's."""


class Guesses(dict[G, float]):
    """Possibilities and their weights.

    Attributes:
        limit: how many are kept; the lightest go first.
    """

    def __init__(self, limit: int, first: G) -> None:
        super().__init__({first: 1.0})
        self.limit = limit

    def update_each(self, follow: Callable[[G], Iterable[tuple[G, float]]]) -> None:
        """Replace every possibility by those that follow from it, with factors for the weights; 0 rules one out.

        Raises:
            Contradiction: none is left.
        """
        found: dict[G, float] = {}
        for guess, weight in self.items():
            for later, factor in follow(guess):
                if factor > 0:
                    found[later] = found.get(later, 0.0) + weight * factor
        if not found:
            raise Contradiction
        if len(found) > self.limit:
            found = dict(sorted(found.items(), key=lambda item: -item[1])[: self.limit])
        total = sum(found.values())
        self.clear()
        for guess, weight in found.items():
            self[guess] = weight / total

    def pick(self, share: float) -> G:
        """The possibility at a place between 0 and 1 of all weight."""
        for guess, weight in self.items():
            share -= weight
            if share < 0:
                return guess
        return next(reversed(self))


def minus(tokens: Tokens, token: int) -> Tokens:
    """The tokens without one of that value."""
    place = tokens.index(token)
    return tokens[:place] + tokens[place + 1 :]


def plus(tokens: Tokens, *more: int) -> Tokens:
    """The tokens with more, ascending."""
    return tuple(sorted(tokens + more))


def put_at(hands: tuple[Tokens, ...], seat: int, hand: Tokens) -> tuple[Tokens, ...]:
    """The hands with another one for a seat."""
    return (*hands[:seat], hand, *hands[seat + 1 :])


def taken_from(hand: Tokens) -> Iterator[tuple[int, float]]:
    """Each kind of token that a random card of the hand can be, with its probability."""
    for token in sorted(set(hand)):
        yield token, hand.count(token) / len(hand)


def name_tokens(tokens: Tokens, sources: dict[int, list[int]]) -> Tokens:
    """The tokens with cards from the sources for the unknown ones, ascending; the sources lose those cards."""
    return tuple(sorted([token if token > 0 else sources[token].pop() for token in tokens]))


class VirtusGuess(NamedTuple):
    """Where the hidden Virtus cards may be.

    Attributes:
        hands: per seat, ascending; empty for the seat that guesses.
        limbo: another seat's Student cards.
        old: after the reshuffle, what the tokens ``UNKNOWN`` stand for together; empty before.
    """

    hands: tuple[Tokens, ...]
    limbo: Tokens = ()
    old: Counts = ()

    def deck_pool(self, hidden: Counts) -> list[int]:
        """What the current deck and the unknown cards drawn from it hold together.

        Args:
            hidden: all cards that the seat does not see.
        """
        pool = list(hidden)
        for tokens in (*self.hands, self.limbo):
            for token in tokens:
                if token > 0:
                    pool[token] -= 1
        for character, count in enumerate(self.old):
            pool[character] -= count
        return pool

    def shown(self, tokens: Tokens, character: int, hidden: Counts) -> Iterator[tuple[VirtusGuess, Tokens, float]]:
        """How one of these tokens can turn out to be the character: the guess and the tokens then, and the weight."""
        if character in tokens:
            yield self, minus(tokens, character), 1.0
            return
        if self.old:
            if UNKNOWN in tokens and self.old[character]:
                share = self.old[character] / sum(self.old)
                yield (
                    self._replace(old=_less(self.old, character)),
                    minus(tokens, UNKNOWN),
                    tokens.count(UNKNOWN) * share,
                )
            unknown = UNKNOWN_NEW
        else:
            unknown = UNKNOWN
        if unknown in tokens:
            pool = self.deck_pool(hidden)
            if pool[character] > 0:
                yield self, minus(tokens, unknown), tokens.count(unknown) * pool[character] / sum(pool)


def _less(counts: Counts, character: int) -> Counts:
    return (*counts[:character], counts[character] - 1, *counts[character + 1 :])


class MissioGuess(NamedTuple):
    """Where the hidden Missio cards may be.

    Attributes:
        held: per seat, ascending; empty for the seat that guesses.
        deck: top first.
    """

    held: tuple[Tokens, ...]
    deck: Tokens

    def named(self) -> set[int]:
        """The cards whose place is known."""
        return {token for tokens in (*self.held, self.deck) for token in tokens if token}
