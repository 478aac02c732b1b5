"""Everything that lies on the table, and the few movements of cards that all rules are made of."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from palio.engine.chance import Stream
from palio.engine.game import Event, Value
from palio.games.fidelitas.cards import TAVERN_NORTH, TAVERN_SOUTH
from palio.games.fidelitas.choices import Choice
from palio.games.fidelitas.piles import EMPTY, Pile, pile_of, without
from palio.games.fidelitas.setup import Setup

PLAY_PHASE: Final = 1
ACTION_PHASE: Final = 2
END_PHASE: Final = 3

TAVERN_BITS: Final = 1 << TAVERN_NORTH | 1 << TAVERN_SOUTH

FIELDS: Final = (
    "active",
    "asked",
    "at",
    "barred",
    "discard",
    "drawn",
    "draws_left",
    "ended_by",
    "final_round",
    "hands",
    "log",
    "missio",
    "missio_deck",
    "phase",
    "picks",
    "piles",
    "played",
    "played_on",
    "points",
    "reshuffled",
    "resume",
    "scored",
    "scored_now",
    "seed",
    "setup",
    "signals",
    "stage",
    "student",
    "turn",
    "virtus",
)
"""All that a :class:`Table` consists of, by name."""


class Table:
    """The full state of a game; :class:`~palio.games.fidelitas.state.State` adds how it goes on.

    What changes is replaced rather than changed (stacks, hands and decks are tuples), so a copy shares nearly all.

    Attributes:
        setup: the match's constants.
        seed: 32 bytes that all chance follows from.
        log: events since they were last taken; ``None`` in copies made for searching.
        turn: number of the turn, from 1; 0 before the first one.
        active: whose turn it is.
        asked: who is to decide: the active seat, or its partner while that one scores (F-41).
        stage: what is going on: a character's number during its action, else one of the stages in ``turns``.
        picks: the options chosen in this stage so far.
        at: how many steps of the stage are behind us.
        resume: the stage that follows when a solo player's Thieves are placed (F-43).
        phase: the public part of the turn.
        played, played_on: this turn's card and its location; 0 before and without it.
        draws_left: cards to draw in this turn's DRAW step.
        barred: bits of the Tavern sides that nobody may draw from this turn (F-16).
        final_round: whether the target is reached.
        ended_by: why the game is over; empty while it is not.
        piles: the City, by location number; index 0 is empty.
        hands: per seat its Virtus cards, ascending.
        student: the four cards of a Student while one is being chosen, ascending.
        missio: per seat its Missio cards, ascending.
        scored: per seat its scored Missio cards, oldest first.
        scored_now: per seat how many of them were scored this turn.
        points: per seat.
        virtus: the current Virtus deck as it was shuffled, top first.
        drawn: how many cards of it are gone.
        reshuffled: whether it is the second one.
        discard: in the order of discarding.
        missio_deck: top first.
        signals: per seat how many signals it sent this turn.
    """

    __slots__ = FIELDS

    def __init__(self, setup: Setup, seed: bytes) -> None:
        players = setup.players
        self.setup = setup
        self.seed = seed
        self.log: list[Event] | None = []
        self.turn = 0
        self.active = 0
        self.asked = 0
        self.stage = 0
        self.picks: tuple[Choice, ...] = ()
        self.at = 0
        self.resume = 0
        self.phase = PLAY_PHASE
        self.played = 0
        self.played_on = 0
        self.draws_left = 0
        self.barred = 0
        self.final_round = False
        self.ended_by = ""
        self.piles: list[Pile] = [EMPTY] * 11
        self.hands: list[tuple[int, ...]] = [()] * players
        self.student: tuple[int, ...] = ()
        self.missio: list[tuple[int, ...]] = [()] * players
        self.scored: list[tuple[int, ...]] = [()] * players
        self.scored_now = [0] * players
        self.points = [0] * players
        self.virtus: tuple[int, ...] = ()
        self.drawn = 0
        self.reshuffled = False
        self.discard: tuple[int, ...] = ()
        self.missio_deck: tuple[int, ...] = ()
        self.signals = [0] * players

    # --- events -------------------------------------------------------------------------------------------------

    def tell(self, *fact: Value) -> None:
        """Everybody sees it."""
        if self.log is not None:
            self.log.append(Event(fact))

    def tell_seats(self, viewers: tuple[int, ...], *fact: Value) -> None:
        """Only these seats see it."""
        if self.log is not None:
            self.log.append(Event(fact, viewers))

    def end(self, reason: str) -> None:
        """The game is over."""
        self.ended_by = reason
        self.tell("game_over", reason)

    # --- the City -----------------------------------------------------------------------------------------------

    def put(self, character: int, location: int) -> None:
        """A card on top of a stack."""
        self.piles[location] = pile_of((*self.piles[location].cards, character))

    def lift(self, location: int, character: int) -> None:
        """Take the topmost copy of a character off a stack; it must be unlocked."""
        self.piles[location] = pile_of(without(self.piles[location].cards, character))

    def clear_full(self, locations: Sequence[int]) -> None:
        """Clear each of these locations that holds three Soldiers (F-13)."""
        for location in locations:
            pile = self.piles[location]
            if pile.soldiers >= 3:
                self.discard += pile.cards
                self.piles[location] = EMPTY
                self.tell("location_cleared", location, pile.cards)

    def move(self, moves: Sequence[tuple[int, int, int]]) -> None:
        """Carry out an action's moves (character, origin, destination) together (F-14), then check the City."""
        for character, origin, _ in moves:
            self.lift(origin, character)
        self.tell("cards_moved", self.active, tuple(moves))
        self.land([(character, destination) for character, _, destination in moves])

    def land(self, cards: Sequence[tuple[int, int]]) -> None:
        """Put lifted cards (character, destination) down, bar Tavern sides (F-16), then check the City."""
        for character, destination in cards:
            self.put(character, destination)
            self.bar(destination)
        self.clear_full(sorted({destination for _, destination in cards}))

    def bar(self, location: int) -> None:
        """A card came onto this location by playing or moving."""
        self.barred |= 1 << location & TAVERN_BITS

    # --- hands --------------------------------------------------------------------------------------------------

    def gain(self, seat: int, cards: tuple[int, ...]) -> None:
        """Cards into a hand."""
        self.hands[seat] = tuple(sorted(self.hands[seat] + cards))

    def lose(self, seat: int, character: int) -> None:
        """A card out of a hand."""
        self.hands[seat] = without(self.hands[seat], character)

    def discard_from_hand(self, seat: int, character: int) -> None:
        """A card from a hand to the discard pile."""
        self.lose(seat, character)
        self.discard += (character,)
        self.tell("cards_discarded", seat, (character,))

    # --- decks --------------------------------------------------------------------------------------------------

    def take_top(self) -> int:
        """The top card of the Virtus deck, which is never empty. The caller calls :meth:`check_deck` when the card has
        arrived."""
        card = self.virtus[self.drawn]
        self.drawn += 1
        return card

    def check_deck(self) -> None:
        """If the last card has just left the Virtus deck: shuffle the discard pile, or end the game (F-37)."""
        if self.drawn < len(self.virtus):
            return
        if self.reshuffled or self.setup.solo or not self.discard:
            self.end("exhaustion")
            return
        cards = sorted(self.discard)
        Stream(self.seed, "virtus/2").shuffle(cards)
        self.virtus = tuple(cards)
        self.drawn = 0
        self.discard = ()
        self.reshuffled = True
        self.tell("deck_reshuffled", len(cards))

    def draw(self, seat: int, count: int) -> tuple[int, ...]:
        """Up to ``count`` cards off the deck for a seat, in their order; fewer only if the game ends with the last."""
        cards: tuple[int, ...] = ()
        while count > 0 and not self.ended_by:
            taken = self.virtus[self.drawn : self.drawn + count]
            self.drawn += len(taken)
            count -= len(taken)
            cards += taken
            if self.log is not None:
                self.tell("deck_drawn", seat, len(taken))
                self.tell_seats((seat,), "cards_drawn", seat, taken)
            self.check_deck()
        return cards

    def draw_missio(self, seat: int, count: int) -> None:
        """Up to ``count`` Missio cards for a seat, fewer if the deck does not have them."""
        taken = self.missio_deck[:count]
        if taken:
            self.missio_deck = self.missio_deck[count:]
            self.missio[seat] = tuple(sorted(self.missio[seat] + taken))
            self.tell("missio_drawn", seat, len(taken))
            self.tell_seats((seat,), "missio_received", seat, taken)

    # --- points -------------------------------------------------------------------------------------------------

    def score(self, seat: int, number: int) -> None:
        """A Missio card is scored (F-15, F-38)."""
        setup = self.setup
        points = setup.missio[number].points
        self.missio[seat] = tuple(held for held in self.missio[seat] if held != number)
        self.scored[seat] += (number,)
        self.scored_now[seat] += 1
        self.points[seat] += points
        self.tell("missio_scored", seat, number, points)
        if setup.target and not self.final_round and self.side_points(setup.sides[seat]) >= setup.target:
            self.final_round = True
            self.tell("final_round", seat)
        if setup.solo and len(self.scored[0]) == len(setup.deck.missio):
            self.end("all_scored")

    def side_points(self, side: int) -> int:
        """Points of a player, or of a team."""
        return sum(points for points, own in zip(self.points, self.setup.sides, strict=True) if own == side)
