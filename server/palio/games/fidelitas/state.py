"""A game of Fidelitas in progress: asks, takes choices, runs on to the next real decision."""

from __future__ import annotations

from typing import NamedTuple, Self

from palio.engine.chance import Stream
from palio.engine.errors import IllegalAction, InvalidAction, MatchOver, QuotaExceeded
from palio.engine.game import Decision, Event, Outcome
from palio.games.fidelitas.cards import CHARACTERS, GUILDS, LOCATIONS, THIEF
from palio.games.fidelitas.piles import pile_of
from palio.games.fidelitas.setup import Setup
from palio.games.fidelitas.table import FIELDS, Table
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

    def __init__(self, setup: Setup, seed: bytes, original: State | None = None) -> None:
        """
        Args:
            original: the state to copy; ``None`` for an empty table.
        """
        if original is None:
            super().__init__(setup, seed)
            self._pending: Decision | None = None
        else:
            self._copy(original)

    def _copy(self, original: State) -> None:
        """Become a copy that records no events. Written out, since search does this more often than anything else."""
        self.setup = original.setup
        self.seed = original.seed
        self.log = None
        self.turn = original.turn
        self.active = original.active
        self.asked = original.asked
        self.stage = original.stage
        self.picks = original.picks
        self.at = original.at
        self.resume = original.resume
        self.phase = original.phase
        self.played = original.played
        self.played_on = original.played_on
        self.draws_left = original.draws_left
        self.barred = original.barred
        self.final_round = original.final_round
        self.ended_by = original.ended_by
        self.piles = original.piles.copy()
        self.hands = original.hands.copy()
        self.student = original.student
        self.missio = original.missio.copy()
        self.scored = original.scored.copy()
        self.scored_now = original.scored_now.copy()
        self.points = original.points.copy()
        self.virtus = original.virtus
        self.drawn = original.drawn
        self.reshuffled = original.reshuffled
        self.discard = original.discard
        self.missio_deck = original.missio_deck
        self.signals = original.signals.copy()
        self._pending = original._pending

    def __reduce__(self) -> tuple[object, ...]:
        return _restored, (self.setup, self.seed, tuple([getattr(self, name) for name in FIELDS]))

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

    def choose(self, index: object) -> None:
        pending = self._pending
        if pending is None:
            raise MatchOver("the game has ended")
        if not isinstance(index, int) or isinstance(index, bool):
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
        return type(self)(self.setup, self.seed, self)

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


def _restored(setup: Setup, seed: bytes, values: tuple[object, ...]) -> State:
    """A pickled state. Its question is asked anew, so that its options are those of the tables again."""
    state = State(setup, seed)
    for name, value in zip(FIELDS, values, strict=True):
        setattr(state, name, value)
    state.go_on()
    return state


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
