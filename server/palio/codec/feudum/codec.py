"""The codec object; see :class:`palio.codec.base.GameCodec`."""

from __future__ import annotations

from typing import Any, Final, NoReturn

from palio.codec.feudum import observations, positions, records
from palio.codec.feudum.catalogue import catalogue
from palio.engine.errors import InvalidAction, InvalidSetup
from palio.engine.game import Option, Value
from palio.games.feudum import RULES
from palio.games.feudum.game import FeudumOptions
from palio.games.feudum.positions import Position
from palio.games.feudum.view import View
from palio.v1 import game_pb2

_NAME: Final = "feudum"


def _check(message: Any, what: str) -> None:
    given = message.WhichOneof("game")
    if given != _NAME:
        raise InvalidSetup(what, f"must be of the game {_NAME}, not {given or 'unset'}")


class FeudumCodec:
    """Feudum between rules and protobuf."""

    def observation(self, view: View) -> bytes:
        return observations.observation_bytes(view)

    def option(self, option: Option) -> bytes:
        return records.option_bytes(option)

    def event(self, fact: tuple[Value, ...]) -> bytes:
        return records.event_bytes(fact)

    def read_observation(self, message: game_pb2.Observation) -> View:
        return observations.read_observation(message.feudum)

    def read_option(self, message: game_pb2.Option) -> Option:
        return records.read_option_message(message.feudum)

    def read_event(self, message: game_pb2.Event) -> tuple[Value, ...]:
        return records.read_event_message(message.feudum)

    def game_options(self, options: FeudumOptions) -> game_pb2.GameOptions:
        message = game_pb2.GameOptions()
        message.feudum.advanced = options.advanced
        return message

    def read_game_options(self, message: game_pb2.GameOptions) -> FeudumOptions:
        if message.WhichOneof("game") is None:
            return RULES.options()
        _check(message, "options")
        given = message.feudum
        return RULES.options(advanced=given.advanced if given.HasField("advanced") else None)

    def position(self, position: Position) -> game_pb2.Position:
        return game_pb2.Position(feudum=positions.position_message(position))

    def read_position(self, message: game_pb2.Position) -> Position:
        _check(message, "position")
        return positions.read_position(message.feudum)

    def words(self, words: Any) -> NoReturn:  # noqa: ARG002 (there are none)
        raise InvalidAction(f"{RULES.title} has no signals")

    def read_words(self, message: game_pb2.Words) -> NoReturn:  # noqa: ARG002
        raise InvalidAction(f"{RULES.title} has no signals")

    def catalogue(self) -> game_pb2.Catalogue:
        return game_pb2.Catalogue(feudum=catalogue())


CODEC: Final = FeudumCodec()
