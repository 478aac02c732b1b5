"""Feudum as the engine sees it: the state machine, and the rules object that starts games."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

from palio.engine.errors import IllegalAction, InvalidSetup, MatchOver
from palio.engine.game import Decision, Event, Option, OptionField, Outcome, Value
from palio.engine.record import Record
from palio.games.feudum import machine, text
from palio.games.feudum.data import knight_colours
from palio.games.feudum.flow import start_of_turn
from palio.games.feudum.positions import Position, complete, position_of
from palio.games.feudum.scoring import places
from palio.games.feudum.setup import set_up
from palio.games.feudum.state import FIELDS, OVER, Table
from palio.games.feudum.tracker import FeudumTracker
from palio.games.feudum.view import View, view_of


@dataclass(frozen=True, slots=True)
class FeudumOptions(Record):
    """What an organiser can set.

    Attributes:
        advanced: reeves and feasts are in the game (G-02).
    """

    advanced: bool = True


class Feudum(Table):
    """A game in progress; see :class:`palio.engine.game.State`."""

    __slots__ = ()

    @property
    def players(self) -> int:
        return self.n

    @property
    def sides(self) -> tuple[int, ...]:
        return tuple(range(self.n))

    @property
    def turn(self) -> int:
        return self.turns

    def decision(self) -> Decision | None:
        if not self.stack:
            return None
        frame = self.stack[-1]
        return Decision(frame[1], frame[0], self.offered)

    def choose(self, index: int) -> None:
        if not self.stack:
            raise MatchOver("the game is over")
        if not 0 <= index < len(self.offered):
            raise IllegalAction(f"there is no option {index}; the options are 0 to {len(self.offered) - 1}")
        machine.answer(self, self.offered[index])

    def signal(self, seat: int, words: Any) -> None:  # noqa: ARG002 (the protocol's signature)
        if not self.stack:
            raise MatchOver("the game is over")
        raise IllegalAction(f"{TITLE} has no signals")

    def take_events(self) -> list[Event]:
        events = self.log or []
        if events:
            self.log = []
        return events

    def view(self, seat: int | None) -> View:
        return view_of(self, seat)

    def outcome(self) -> Outcome | None:
        if self.phase != OVER:
            return None
        return Outcome(places(self), tuple(self.scores), "rounds")


TITLE: Final = "Feudum, guild edition"


class FeudumRules:
    """The game; see :class:`palio.engine.game.Rules`."""

    game_id: Final = "feudum"
    title: Final = TITLE
    version: Final = 1
    seats: Final = (2, 3, 4, 5)
    option_fields: Final = (OptionField("advanced", "bool", "true", "Reeves and feasts are in the game."),)

    def options(self, **given: Any) -> FeudumOptions:
        for name, value in given.items():
            if name != "advanced":
                raise InvalidSetup(name, f"{TITLE} has no such option; it has: advanced")
            if value is not None and not isinstance(value, bool):
                raise InvalidSetup(name, f"must be true or false, not {value!r}")
        advanced = given.get("advanced")
        return FeudumOptions(True if advanced is None else advanced)

    def start(self, seed: bytes, players: int, options: FeudumOptions) -> Feudum:
        if players not in self.seats:
            raise InvalidSetup("players", f"{TITLE} is for 2 to 5 players, not {players}")
        state = Feudum(seed, players, options.advanced, knight_colours(players))
        state.log = []
        set_up(state)
        machine.run(state)
        return state

    def from_position(self, position: Position) -> Feudum:
        given = position.table
        state = Feudum(given.seed, given.n, given.advanced, 0)
        for name in FIELDS:
            value = getattr(given, name)
            setattr(state, name, value[:] if isinstance(value, list) else value)
        complete(state)
        state.log = []
        machine.run(state)
        return state

    def options_of(self, position: Position) -> FeudumOptions:
        return FeudumOptions(position.table.advanced)

    def position(self, state: Feudum) -> Position | None:
        return position_of(state) if start_of_turn(state) else None

    def describe_option(self, option: Option) -> str:
        return text.describe_option(option)

    def describe_event(self, fact: tuple[Value, ...]) -> str:
        return text.describe_event(fact)

    def tracker(self, seat: int, players: int, options: FeudumOptions) -> FeudumTracker[Feudum]:
        return FeudumTracker(Feudum, seat, players, options.advanced)


RULES: Final = FeudumRules()
