"""What a seat remembers about Missio cards: its own, the scored ones, and those that it put under the deck."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, Final

from palio.engine.chance import Stream
from palio.games.fidelitas.guesses import (
    UNKNOWN,
    Guesses,
    MissioGuess,
    Tokens,
    minus,
    name_tokens,
    plus,
    put_at,
    taken_from,
)


class MissioMemory:
    """Kept up to date event by event.

    Attributes:
        own: the seat's Missio cards.
        scored: everybody's scored ones.
        guesses: the possibilities that it cannot rule out.
    """

    def __init__(self, seat: int, cards: int, limit: int) -> None:
        """
        Args:
            cards: how many there are in all.
        """
        self._seat = seat
        self._all = range(1, cards + 1)
        self.own: set[int] = set()
        self.scored: set[int] = set()
        self.guesses = Guesses(limit, MissioGuess((), ()))

    def sizes(self) -> list[int]:
        """Per seat how many it holds, 0 for the own seat; last, the size of the deck."""
        guess = next(iter(self.guesses))
        return [*map(len, guess.held), len(guess.deck)]

    def deal(self, stream: Stream) -> tuple[list[Tokens], Tokens]:
        """One possibility by weight, the unknown dealt at random: per seat its cards (not the own), and the deck."""
        guess = self.guesses.pick(stream.uniform(1 << 32) / (1 << 32))
        known = self.scored | self.own | guess.named()
        unknown = [number for number in self._all if number not in known]
        stream.shuffle(unknown)
        held = [name_tokens(tokens, {UNKNOWN: unknown}) for tokens in guess.held]
        return held, tuple([token or unknown.pop() for token in guess.deck])

    # --- events -------------------------------------------------------------------------------------------------

    def take(self, name: str, values: Sequence[Any]) -> None:
        """
        Raises:
            Contradiction: no possibility is left.
        """
        handler = _HANDLERS.get(name)
        if handler is not None:
            handler(self, *values)

    def on_set_up(
        self,
        _stacks: object,
        _discard: object,
        _virtus: int,
        missio: int,
        _hands: object,
        counts: Tokens,
        scored: Sequence[Tokens],
    ) -> None:
        self.scored.update(number for numbers in scored for number in numbers)
        held = [() if seat == self._seat else (UNKNOWN,) * count for seat, count in enumerate(counts)]
        self.guesses = Guesses(self.guesses.limit, MissioGuess(tuple(held), (UNKNOWN,) * missio))

    def on_hand_dealt(self, seat: int, _cards: Tokens, missio: Tokens) -> None:
        if seat == self._seat:
            self.own.update(missio)

    def on_missio_exchanged(self, seat: int) -> None:
        if seat == self._seat:
            return  # the private events tell more

        def follow(guess: MissioGuess) -> Iterator[tuple[MissioGuess, float]]:
            top, *rest = guess.deck
            for token, chance in taken_from(guess.held[seat]):
                held = plus(minus(guess.held[seat], token), top)
                yield MissioGuess(put_at(guess.held, seat, held), (*rest, token)), chance

        self.guesses.update_each(follow)

    def on_missio_returned(self, seat: int, number: int) -> None:
        if seat == self._seat:
            self.own.discard(number)
            self.guesses.update_each(lambda guess: ((guess._replace(deck=(*guess.deck, number)), 1.0),))

    def on_missio_drawn(self, seat: int, count: int) -> None:
        if seat != self._seat:
            self.guesses.update_each(
                lambda guess: (
                    (
                        MissioGuess(
                            put_at(guess.held, seat, plus(guess.held[seat], *guess.deck[:count])), guess.deck[count:]
                        ),
                        1.0,
                    ),
                )
            )

    def on_missio_received(self, seat: int, numbers: Tokens) -> None:
        if seat == self._seat:
            for number in numbers:
                self._top_is(number)
                self.own.add(number)

    def _top_is(self, number: int) -> None:
        self.guesses.update_each(
            lambda guess: ((guess._replace(deck=guess.deck[1:]), float(_can_be(guess, guess.deck[0], number))),)
        )

    def on_missio_scored(self, seat: int, number: int, _points: int) -> None:
        self.scored.add(number)
        if seat == self._seat:
            self.own.discard(number)
            return

        def follow(guess: MissioGuess) -> Iterator[tuple[MissioGuess, float]]:
            held = guess.held[seat]
            token = number if number in held else UNKNOWN
            if token in held and _can_be(guess, token, number):
                yield guess._replace(held=put_at(guess.held, seat, minus(held, token))), 1.0

        self.guesses.update_each(follow)


_HANDLERS: Final[dict[str, Callable[..., None]]] = {
    "set_up": MissioMemory.on_set_up,
    "hand_dealt": MissioMemory.on_hand_dealt,
    "missio_exchanged": MissioMemory.on_missio_exchanged,
    "missio_returned": MissioMemory.on_missio_returned,
    "missio_drawn": MissioMemory.on_missio_drawn,
    "missio_received": MissioMemory.on_missio_received,
    "missio_scored": MissioMemory.on_missio_scored,
}
"""What each event changes; the others move no Missio card."""


def _can_be(guess: MissioGuess, token: int, number: int) -> bool:
    """Whether that token can be that Missio card."""
    return token == number or (token == UNKNOWN and number not in guess.named())
