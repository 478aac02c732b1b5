"""What a seat remembers about Virtus cards: which ones it does not see, and in whose hands they may be."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, Final

from palio.engine.chance import Stream
from palio.games.fidelitas.cards import CHARACTERS, STUDENT, TAVERN_SIDES
from palio.games.fidelitas.guesses import (
    KINDS,
    UNKNOWN,
    UNKNOWN_NEW,
    Counts,
    Guesses,
    Tokens,
    VirtusGuess,
    minus,
    name_tokens,
    plus,
    put_at,
    taken_from,
)

_NOBODY: Final = -1
STUDENTS_CARDS: Final = 4


class HandMemory:
    """Kept up to date event by event.

    Attributes:
        hidden: per character how many cards the seat does not see: in the deck, in others' hands, in a Student's four.
        guesses: the possibilities that it cannot rule out.
    """

    def __init__(self, seat: int, copies: Counts, limit: int) -> None:
        self._seat = seat
        self._discard = [0] * KINDS
        self._student = _NOBODY
        self._reshuffled = False
        self.hidden = list(copies)
        self.guesses = Guesses(limit, VirtusGuess(()))

    def sizes(self) -> list[int]:
        """Per seat the size of its hand; 0 for the own one."""
        return [len(hand) for hand in next(iter(self.guesses)).hands]

    def student_size(self) -> int:
        """How many cards of another seat's Student are out."""
        return len(next(iter(self.guesses)).limbo)

    def deal(self, stream: Stream) -> tuple[list[Tokens], Tokens, Tokens]:
        """One possibility by weight, the unknown dealt at random: hands (the own one empty), a Student's four, deck."""
        guess = self.guesses.pick(stream.uniform(1 << 32) / (1 << 32))
        fresh = _spread(guess.deck_pool(tuple(self.hidden)))
        stream.shuffle(fresh)
        old = _spread(guess.old)
        stream.shuffle(old)
        sources = {UNKNOWN: old if guess.old else fresh, UNKNOWN_NEW: fresh}
        hands = [name_tokens(tokens, sources) for tokens in guess.hands]
        student = name_tokens(guess.limbo, sources)
        return hands, student, tuple(fresh)

    def await_student(self, seat: int) -> None:
        """What that seat draws next are the four cards of a Student."""
        self._student = seat

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
        self, stacks: Sequence[Tokens], discard: Tokens, _virtus: int, _missio: int, hand_sizes: Tokens, *_: object
    ) -> None:
        for cards in (*stacks, discard):
            for card in cards:
                self.hidden[card] -= 1
        for card in discard:
            self._discard[card] += 1
        hands = [() if seat == self._seat else (UNKNOWN,) * size for seat, size in enumerate(hand_sizes)]
        self.guesses = Guesses(self.guesses.limit, VirtusGuess(tuple(hands)))

    def on_hand_dealt(self, seat: int, cards: Tokens, _missio: Tokens) -> None:
        if seat == self._seat:
            for card in cards:
                self.hidden[card] -= 1

    def on_deck_drawn(self, seat: int, count: int) -> None:
        if seat == self._seat:
            return
        drawn = (UNKNOWN_NEW if self._reshuffled else UNKNOWN,) * count
        if seat == self._student:
            self._each(lambda guess: guess._replace(limbo=plus(guess.limbo, *drawn)))
        else:
            self._gain(seat, drawn)

    def on_cards_drawn(self, seat: int, cards: Tokens) -> None:
        if seat == self._seat:
            for card in cards:
                self._left_deck(card)

    def on_card_turned_up(self, character: int, _location: int) -> None:
        self._left_deck(character)

    def on_card_played(self, seat: int, character: int, location: int) -> None:
        self._student = seat if character == STUDENT and location not in TAVERN_SIDES else _NOBODY
        if seat != self._seat:
            self._shows(seat, character)

    def on_card_came(self, seat: int, character: int, _location: int) -> None:
        """From the City into a hand, for all to see."""
        if seat != self._seat:
            self.hidden[character] += 1
            self._gain(seat, (character,))

    def on_cards_discarded(self, seat: int, cards: Tokens) -> None:
        for card in cards:
            self._discard[card] += 1
        if seat == self._seat:
            return
        if seat != self._student:
            for card in cards:
                self._shows(seat, card)
            return
        for card in cards:
            self._limbo_shows(card)
        self._student = _NOBODY
        self._each(
            lambda guess: guess._replace(
                hands=put_at(guess.hands, seat, plus(guess.hands[seat], *guess.limbo)), limbo=()
            )
        )

    def on_cards_removed(self, _seat: int, cards: Sequence[tuple[int, int]]) -> None:
        for _, character in cards:
            self._discard[character] += 1

    def on_location_cleared(self, _location: int, cards: Tokens) -> None:
        for card in cards:
            self._discard[card] += 1

    def on_card_stolen(self, thief: int, victim: int) -> None:
        if self._seat in (thief, victim):
            return  # the private event tells more

        def follow(guess: VirtusGuess) -> Iterator[tuple[VirtusGuess, float]]:
            for token, chance in taken_from(guess.hands[victim]):
                hands = put_at(guess.hands, victim, minus(guess.hands[victim], token))
                yield guess._replace(hands=put_at(hands, thief, plus(hands[thief], token))), chance

        self.guesses.update_each(follow)

    def on_stolen_card(self, thief: int, victim: int, character: int) -> None:
        if thief == self._seat:
            self._shows(victim, character)
        elif victim == self._seat:
            self.hidden[character] += 1
            self._gain(thief, (character,))

    def on_deck_reshuffled(self, _size: int) -> None:
        hidden = tuple(self.hidden)
        self._each(lambda guess: guess._replace(old=tuple(guess.deck_pool(hidden))))
        self._reshuffled = True
        for character in CHARACTERS:
            self.hidden[character] += self._discard[character]
        self._discard = [0] * KINDS

    def _each(self, change: Callable[[VirtusGuess], VirtusGuess]) -> None:
        self.guesses.update_each(lambda guess: ((change(guess), 1.0),))

    def _gain(self, seat: int, tokens: Tokens) -> None:
        self._each(lambda guess: guess._replace(hands=put_at(guess.hands, seat, plus(guess.hands[seat], *tokens))))

    def _left_deck(self, character: int) -> None:
        """A card of the deck became visible to the seat."""
        hidden = tuple(self.hidden)
        self.guesses.update_each(lambda guess: ((guess, float(guess.deck_pool(hidden)[character])),))
        self.hidden[character] -= 1

    def _shows(self, seat: int, character: int) -> None:
        """A card of another hand became visible to the seat."""
        hidden = tuple(self.hidden)

        def follow(guess: VirtusGuess) -> Iterator[tuple[VirtusGuess, float]]:
            for later, tokens, weight in guess.shown(guess.hands[seat], character, hidden):
                yield later._replace(hands=put_at(later.hands, seat, tokens)), weight

        self.guesses.update_each(follow)
        self.hidden[character] -= 1

    def _limbo_shows(self, character: int) -> None:
        hidden = tuple(self.hidden)

        def follow(guess: VirtusGuess) -> Iterator[tuple[VirtusGuess, float]]:
            for later, tokens, weight in guess.shown(guess.limbo, character, hidden):
                yield later._replace(limbo=tokens), weight

        self.guesses.update_each(follow)
        self.hidden[character] -= 1


_HANDLERS: Final[dict[str, Callable[..., None]]] = {
    "set_up": HandMemory.on_set_up,
    "hand_dealt": HandMemory.on_hand_dealt,
    "deck_drawn": HandMemory.on_deck_drawn,
    "cards_drawn": HandMemory.on_cards_drawn,
    "card_turned_up": HandMemory.on_card_turned_up,
    "card_played": HandMemory.on_card_played,
    "card_taken": HandMemory.on_card_came,
    "tavern_drawn": HandMemory.on_card_came,
    "cards_discarded": HandMemory.on_cards_discarded,
    "cards_removed": HandMemory.on_cards_removed,
    "location_cleared": HandMemory.on_location_cleared,
    "card_stolen": HandMemory.on_card_stolen,
    "stolen_card": HandMemory.on_stolen_card,
    "deck_reshuffled": HandMemory.on_deck_reshuffled,
}
"""What each event changes; the others move no Virtus card, or only ones that everybody sees."""


def _spread(counts: Sequence[int]) -> list[int]:
    return [character for character, count in enumerate(counts) for _ in range(count)]
