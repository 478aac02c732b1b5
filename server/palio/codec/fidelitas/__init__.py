"""Fidelitas between rules and protobuf: see :class:`palio.codec.base.GameCodec`."""

from __future__ import annotations

from palio.codec.fidelitas.events import event_bytes, read_event
from palio.codec.fidelitas.observations import observation_bytes, read_observation
from palio.codec.fidelitas.options import option_bytes, read_inner
from palio.codec.fidelitas.setups import (
    catalogue_message,
    options_from,
    options_message,
    position_from,
    position_message,
)
from palio.engine.errors import InvalidAction, InvalidSetup
from palio.engine.game import Option, Value
from palio.fidelitas.v1 import fidelitas_pb2 as pb
from palio.games.fidelitas.positions import Position
from palio.games.fidelitas.setup import Options
from palio.games.fidelitas.state import Words
from palio.games.fidelitas.view import View
from palio.v1 import game_pb2


class FidelitasCodec:
    """The codec that the server and the SDK find."""

    def observation(self, view: View) -> bytes:
        return observation_bytes(view)

    def option(self, option: Option) -> bytes:
        return option_bytes(option)

    def event(self, fact: tuple[Value, ...]) -> bytes:
        return event_bytes(fact)

    def read_observation(self, message: game_pb2.Observation) -> View:
        return read_observation(message.fidelitas)

    def read_option(self, message: game_pb2.Option) -> Option:
        return read_inner(message.fidelitas)

    def read_event(self, message: game_pb2.Event) -> tuple[Value, ...]:
        return read_event(message.fidelitas)

    def game_options(self, options: Options) -> game_pb2.GameOptions:
        return game_pb2.GameOptions(fidelitas=options_message(options))

    def read_game_options(self, message: game_pb2.GameOptions) -> Options:
        if message.WhichOneof("game") not in (None, "fidelitas"):
            raise InvalidSetup("options", "these are options of another game than Fidelitas")
        return options_from(message.fidelitas)

    def position(self, position: Position) -> game_pb2.Position:
        return game_pb2.Position(fidelitas=position_message(position))

    def read_position(self, message: game_pb2.Position) -> Position:
        if message.WhichOneof("game") != "fidelitas":
            raise InvalidSetup("position", "this is not a position of Fidelitas")
        return position_from(message.fidelitas)

    def words(self, words: Words) -> game_pb2.Words:
        return game_pb2.Words(
            fidelitas=pb.Words(
                guilds=[pb.Guild.ValueType(n) for n in words.guilds],
                locations=[pb.Location.ValueType(n) for n in words.locations],
            )
        )

    def read_words(self, message: game_pb2.Words) -> Words:
        if message.WhichOneof("game") != "fidelitas":
            raise InvalidAction("these are not words of Fidelitas")
        return Words(tuple(message.fidelitas.guilds), tuple(message.fidelitas.locations))

    def catalogue(self) -> game_pb2.Catalogue:
        return game_pb2.Catalogue(fidelitas=catalogue_message())


CODEC = FidelitasCodec()
