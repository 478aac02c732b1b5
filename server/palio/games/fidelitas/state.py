"""A game of Fidelitas in progress: asks, takes choices, runs on to the next real decision."""

from __future__ import annotations

from typing import NamedTuple, Self

from palio.engine.chance import Stream
from palio.engine.errors import IllegalAction, InvalidAction, MatchOver, QuotaExceeded
from palio.engine.game import Decision, Event, Outcome
from palio.games.fidelitas.cards import CHARACTERS, GUILDS, LOCATIONS, THIEF
from palio.games.fidelitas.piles import pile_of
from palio.games.fidelitas.setup import Setup
from palio.games.fidelitas.table import Table
from palio.games.fidelitas.turns import NEXT_TURN, STAGES, THIEF_ENTERS, start_turn
from palio.games.fidelitas.view import View, view_of

MAX_SIGNALS = 4
"""Signals that a seat may send in one turn (F-42)."""
MAX_WORDS = 3
"""Guilds, and locations, that one signal may name."""


class Words(NamedTuple):
    """Team talk: guilds and locations by number."""

    guilds: tuple[int, ...] = ()
    locations: tuple[int, ...] = ()


class State(Table):
    """See :class:`palio.engine.game.State`."""

    __slots__ = ("_pending",)

    def __init__(self, setup: Setup, seed: bytes) -> None:
        super().__init__(setup, seed)
        self._pending: Decision | None = None

    @property
    def players(self) -> int:
        return self.setup.players

    @property
    def sides(self) -> tuple[int, ...]:
        return self.setup.sides

    def deal(self) -> None:
        """Shuffle, lay out the City, deal (F-07)."""
        setup = self.setup
        copies = setup.deck.copies
        virtus = [character for character in CHARACTERS for _ in range(copies[character])]
        Stream(self.seed, "virtus/1").shuffle(virtus)
        missio = list(range(1, len(setup.deck.missio) + 1))
        Stream(self.seed, "missio").shuffle(missio)
        players = setup.players
        laid = len(setup.locations)
        for location, card in zip(setup.locations, virtus, strict=False):
            self.piles[location] = pile_of((card,))
        for seat in range(players):
            first, second = laid + seat, laid + players + seat
            self.hands[seat] = tuple(sorted((virtus[first], virtus[second])))
            self.missio[seat] = tuple(sorted((missio[seat], missio[players + seat])))
        self.virtus = tuple(virtus)
        self.drawn = laid + 2 * players
        self.missio_deck = tuple(missio[2 * players :])

    def begin(self, turn: int) -> None:
        """Tell what is on the table and go on to the first decision; the dealt or given cards must be in place."""
        self.tell(
            "set_up",
            tuple([pile.cards for pile in self.piles[1:]]),
            tuple(sorted(self.discard)),
            len(self.virtus) - self.drawn,
            len(self.missio_deck),
            tuple([len(hand) for hand in self.hands]),
            tuple([len(missio) for missio in self.missio]),
            tuple(self.scored),
        )
        for seat, hand in enumerate(self.hands):
            self.tell_seats((seat,), "hand_dealt", seat, hand, self.missio[seat])
        if self.setup.solo and THIEF in self.hands[0]:
            self.stage, self.resume, self.turn = THIEF_ENTERS, NEXT_TURN, turn - 1
        else:
            start_turn(self, turn)
        self.go_on()

    def decision(self) -> Decision | None:
        return self._pending

    def choose(self, index: int) -> None:
        pending = self._pending
        if pending is None:
            raise MatchOver("the game has ended")
        if type(index) is not int:
            raise InvalidAction(f"an option is chosen by its index, not by {index!r}")
        options = pending.options
        if not 0 <= index < len(options):
            raise IllegalAction(f"there is no option {index}; there are {len(options)}, counted from 0")
        self.picks += (options[index],)
        self.at += 1
        self.go_on()

    def go_on(self) -> None:
        """Run to the next decision with at least two options, or to the end of the game (F-17)."""
        while not self.ended_by:
            stage = STAGES[self.stage]
            steps = stage.steps
            at = self.at
            if at < len(steps):
                step = steps[at]
                options = step.options(self)
                if len(options) > 1:
                    self._pending = Decision(self.asked, step.kind, options)
                    return
                self.picks += options
                self.at = at + 1
            else:
                self.stage = stage.finish(self)
                self.picks = ()
                self.at = 0
                begin = STAGES[self.stage].begin
                if begin is not None and not self.ended_by:
                    begin(self)
        self._pending = None

    def signal(self, seat: int, words: Words) -> None:
        """Team talk (F-42)."""
        if self.ended_by:
            raise MatchOver("the game has ended")
        if not self.setup.teams:
            raise IllegalAction("signals are for team matches only")
        if type(seat) is not int or not 0 <= seat < self.setup.players:
            raise IllegalAction(f"there is no seat {seat!r}")
        check_words(words)
        if self.signals[seat] >= MAX_SIGNALS:
            raise QuotaExceeded(f"seat {seat} has sent {MAX_SIGNALS} signals in this turn, which is all it may")
        self.signals[seat] += 1
        self.tell("signalled", seat, words.guilds, words.locations)

    def take_events(self) -> list[Event]:
        events = self.log
        if not events:
            return []
        self.log = []
        return events

    def clone(self) -> Self:
        cls = type(self)
        copy = cls.__new__(cls)
        copy.setup = self.setup
        copy.seed = self.seed
        copy.log = None
        copy.turn = self.turn
        copy.active = self.active
        copy.asked = self.asked
        copy.stage = self.stage
        copy.picks = self.picks
        copy.at = self.at
        copy.resume = self.resume
        copy.phase = self.phase
        copy.played = self.played
        copy.played_on = self.played_on
        copy.draws_left = self.draws_left
        copy.barred = self.barred
        copy.final_round = self.final_round
        copy.ended_by = self.ended_by
        copy.piles = self.piles.copy()
        copy.hands = self.hands.copy()
        copy.student = self.student
        copy.missio = self.missio.copy()
        copy.scored = self.scored.copy()
        copy.scored_now = self.scored_now.copy()
        copy.points = self.points.copy()
        copy.virtus = self.virtus
        copy.drawn = self.drawn
        copy.reshuffled = self.reshuffled
        copy.discard = self.discard
        copy.missio_deck = self.missio_deck
        copy.signals = self.signals.copy()
        copy._pending = self._pending  # noqa: SLF001
        return copy

    def view(self, seat: int | None) -> View:
        pending = self._pending
        return view_of(self, seat, pending.kind if pending else "")

    def outcome(self) -> Outcome | None:
        """Most points, then fewest scored cards; teams by their sums (F-40)."""
        if not self.ended_by:
            return None
        sides = self.setup.sides
        standing = {
            side: (-self.side_points(side), sum(len(self.scored[s]) for s, own in enumerate(sides) if own == side))
            for side in sides
        }
        ranks = [1 + sum(other < standing[side] for other in standing.values()) for side in sides]
        return Outcome(tuple(ranks), tuple(self.points), self.ended_by)


def check_words(words: Words) -> None:
    """
    Raises:
        IllegalAction: not words that may be said; the message says what may.
    """
    for name, given, known in (("guilds", words.guilds, GUILDS), ("locations", words.locations, LOCATIONS)):
        if len(given) > MAX_WORDS:
            raise IllegalAction(f"a signal names at most {MAX_WORDS} {name}, not {len(given)}")
        if any(word not in known for word in given):
            raise IllegalAction(f"{name} of a signal are numbers from 1 to {known[-1]}, not {list(given)}")
        if len(set(given)) < len(given):
            raise IllegalAction(f"a signal names none of its {name} twice")
    if not words.guilds and not words.locations:
        raise IllegalAction("a signal names at least one guild or location")
