"""Sticks on the wire: plug-ins put their payloads into ``other``; this one uses ``google.protobuf.Struct``."""

from __future__ import annotations

from google.protobuf import any_pb2, struct_pb2

from palio.engine.errors import InvalidAction, InvalidSetup
from palio.engine.game import Opaque, Option, Value
from palio.v1 import game_pb2
from palio_sticks import RULES, TAKES, Options, View


def _packed(**fields: Value) -> any_pb2.Any:
    payload = struct_pb2.Struct()
    payload.update(fields)
    packed = any_pb2.Any()
    packed.Pack(payload, deterministic=True)
    return packed


def _unpacked(packed: any_pb2.Any) -> dict[str, int]:
    payload = struct_pb2.Struct()
    packed.Unpack(payload)
    return {name: int(value.number_value) for name, value in payload.fields.items()}


class SticksCodec:
    def observation(self, view: View) -> bytes:
        return game_pb2.Observation(other=_packed(**view._asdict())).SerializeToString()

    def option(self, option: Option) -> bytes:
        return game_pb2.Option(other=_packed(take=option[1]), text=RULES.describe_option(option)).SerializeToString()

    def event(self, fact: tuple[Value, ...]) -> bytes:
        name, *numbers = fact
        return game_pb2.Event(other=_packed(**{f"{name}_{i}": n for i, n in enumerate(numbers)})).SerializeToString()

    def read_observation(self, message: game_pb2.Observation) -> View:
        return View(**_unpacked(message.other))

    def read_option(self, message: game_pb2.Option) -> Option:
        return TAKES[_unpacked(message.other)["take"]]

    def read_event(self, message: game_pb2.Event) -> tuple[Value, ...]:
        fields = _unpacked(message.other)
        return (next(iter(fields)).rpartition("_")[0], *(fields[name] for name in sorted(fields)))

    def game_options(self, options: Options) -> game_pb2.GameOptions:
        return game_pb2.GameOptions(other=_packed(heap=options.heap))

    def read_game_options(self, message: game_pb2.GameOptions) -> Options:
        kind = message.WhichOneof("game")
        if kind is None:
            return RULES.options()
        if kind != "other":
            raise InvalidSetup("options", f"these are options of {kind}, not of sticks")
        options: Options = RULES.options(**_unpacked(message.other))
        return options

    def position(self, position: Opaque) -> game_pb2.Position:
        raise InvalidSetup("position", "this game has no positions")

    def read_position(self, message: game_pb2.Position) -> Opaque:
        raise InvalidSetup("position", "this game has no positions")

    def words(self, words: Opaque) -> game_pb2.Words:
        raise InvalidAction("there are no signals in this game")

    def read_words(self, message: game_pb2.Words) -> Opaque:
        raise InvalidAction("there are no signals in this game")

    def catalogue(self) -> game_pb2.Catalogue:
        return game_pb2.Catalogue(other=_packed())


CODEC = SticksCodec()
