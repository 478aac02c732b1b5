"""Sticks, a game in a hundred lines: the plug-in that tests and ``docs/games.md`` use.

A heap of sticks lies on the table; each seat in turn takes one to three of them; who takes the last one loses and
the game is over. Each seat holds a secret number from the start: hidden information with no effect, for leak tests.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from palio.engine.chance import Stream
from palio.engine.errors import IllegalAction, InvalidSetup, MatchOver
from palio.engine.game import Decision, Event, Opaque, Option, OptionField, Outcome, Value

TAKES: tuple[Option, ...] = tuple(("take", count) for count in range(4))


@dataclass(frozen=True, slots=True)
class Options:
    heap: int = 21


class View(NamedTuple):
    """What a seat sees; ``secret`` is 0 for a spectator."""

    heap: int
    mover: int
    secret: int


class Sticks:
    """The state."""

    __slots__ = ("events", "heap", "mover", "players", "secrets", "seed", "sides", "turn")

    def __init__(self, seed: bytes, players: int, heap: int) -> None:
        self.seed = seed
        self.players = players
        self.sides = tuple(range(players))
        self.heap = heap
        self.mover = 0
        self.turn = 1
        self.secrets = [1 + Stream(seed, f"secret/{seat}").uniform(1_000_000_000) for seat in range(players)]
        self.events: list[Event] | None = [Event(("dealt", self.secrets[seat]), (seat,)) for seat in range(players)]

    def decision(self) -> Decision | None:
        # With one stick left the only option is forced, so the game ends before that.
        if self.heap <= 1:
            return None
        return Decision(self.mover, "TAKE", TAKES[1 : min(3, self.heap) + 1])

    def choose(self, index: int) -> None:
        decision = self.decision()
        if decision is None:
            raise MatchOver("the game is over")
        if not 0 <= index < len(decision.options):
            raise IllegalAction(f"option {index} is not between 0 and {len(decision.options) - 1}")
        self.heap -= index + 1
        if self.events is not None:
            self.events.append(Event(("took", self.mover, index + 1)))
        self.mover = (self.mover + 1) % self.players
        self.turn += 1

    def signal(self, seat: int, words: Opaque) -> None:
        raise IllegalAction("there are no signals in this game")

    def take_events(self) -> list[Event]:
        taken = self.events or []
        if self.events is not None:
            self.events = []
        return taken

    def clone(self) -> Sticks:
        copy = object.__new__(Sticks)
        for name in self.__slots__:
            setattr(copy, name, getattr(self, name))
        copy.events = None
        return copy

    def view(self, seat: int | None) -> View:
        return View(self.heap, self.mover, 0 if seat is None else self.secrets[seat])

    def outcome(self) -> Outcome | None:
        if self.heap > 1:
            return None
        # Whoever faces the last stick loses; with none left, who took it did.
        loser = self.mover if self.heap == 1 else (self.mover - 1) % self.players
        ranks = tuple(self.players if seat == loser else 1 for seat in range(self.players))
        return Outcome(ranks, tuple(int(seat != loser) for seat in range(self.players)), "last stick")


class SticksTracker:
    """Nothing can be learnt in this game."""

    def __init__(self, seat: int, players: int) -> None:
        self._seat, self._players = seat, players

    def observe(self, events: Sequence[Event]) -> None:
        pass

    def sample(self, view: View, seed: bytes) -> Sticks:
        state = Sticks(seed, self._players, view.heap)
        state.mover = view.mover
        state.secrets[self._seat] = view.secret
        return state


class SticksRules:
    game_id = "sticks"
    title = "Sticks"
    version = 1
    seats = (1, 2, 3, 4)
    option_fields = (OptionField("heap", "int", "21", "Sticks at the start.", 2, 10_000),)

    def options(self, **given: Opaque) -> Options:
        options = Options(**given)
        if not 2 <= options.heap <= 10_000:
            raise InvalidSetup("heap", f"{options.heap} is not between 2 and 10000")
        return options

    def start(self, seed: bytes, players: int, options: Options) -> Sticks:
        return Sticks(seed, players, options.heap)

    def from_position(self, position: Opaque) -> Sticks:
        raise InvalidSetup("position", "this game has no positions")

    def options_of(self, position: Opaque) -> Options:
        raise InvalidSetup("position", "this game has no positions")

    def position(self, state: Opaque) -> None:
        return None

    def describe_option(self, option: Option) -> str:
        return f"take {option[1]}"

    def describe_event(self, fact: tuple[Value, ...]) -> str:
        return " ".join(map(str, fact))

    def tracker(self, seat: int, players: int, options: Options) -> SticksTracker:
        return SticksTracker(seat, players)


RULES = SticksRules()
