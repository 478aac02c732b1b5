"""Fidelitas as the rest of Palio sees it."""

from __future__ import annotations

from palio.engine.errors import InvalidSetup
from palio.engine.game import Opaque, Option, OptionField, Value
from palio.games.fidelitas.positions import Position, position_of, state_from
from palio.games.fidelitas.setup import OPTION_FIELDS, SEATS, Options, Setup, read_options
from palio.games.fidelitas.state import State
from palio.games.fidelitas.text import describe_event, describe_option
from palio.games.fidelitas.tracker import Tracker

VERSION = 1


class FidelitasRules:
    """See :class:`palio.engine.game.Rules`."""

    @property
    def game_id(self) -> str:
        return "fidelitas"

    @property
    def title(self) -> str:
        return "Fidelitas"

    @property
    def version(self) -> int:
        return VERSION

    @property
    def seats(self) -> tuple[int, ...]:
        return SEATS

    @property
    def option_fields(self) -> tuple[OptionField, ...]:
        return OPTION_FIELDS

    def options(self, **given: Opaque) -> Options:
        return read_options(**given)

    def start(self, seed: bytes, players: int, options: Options) -> State:
        state = State(Setup(players, options), seed)
        state.deal()
        state.begin(1)
        return state

    def from_position(self, position: Position) -> State:
        if not isinstance(position, Position):
            raise InvalidSetup("", f"not a position of Fidelitas: {position!r}")
        return state_from(position)

    def options_of(self, position: Position) -> Options:
        return Options(position.teams, position.max_turns, position.deck)

    def position(self, state: State) -> Position | None:
        return position_of(state)

    def describe_option(self, option: Option) -> str:
        return describe_option(option)

    def describe_event(self, fact: tuple[Value, ...]) -> str:
        return describe_event(fact)

    def tracker(self, seat: int, players: int, options: Options) -> Tracker:
        return Tracker(seat, Setup(players, options))
