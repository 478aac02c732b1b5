"""Game payloads as proto3 JSON, for the command line and files; works for every game, plug-ins included."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Final, cast

from google.protobuf import any_pb2, descriptor_pool, json_format
from google.protobuf.descriptor import Descriptor
from google.protobuf.message import Message
from google.protobuf.message_factory import GetMessageClass

from palio.codec import codec_of
from palio.codec.spelling import spelt_out
from palio.engine.errors import InvalidSetup
from palio.games import rules_of
from palio.v1 import game_pb2

_OTHER: Final = "other"


def to_json(message: Message) -> dict[str, Any]:
    """A message as proto3 JSON, fields with their default value included (so that seat 0 is not missing)."""
    return json_format.MessageToDict(message, always_print_fields_with_no_presence=True)


def payload_of(wrapper: Message) -> Message:
    """The game's own message inside a ``palio.v1`` one; a plug-in's is unpacked."""
    kind = wrapper.WhichOneof("game")
    assert kind is not None, "a wrapper without a game"
    inner: Message = getattr(wrapper, kind)
    return _unpacked(inner) if isinstance(inner, any_pb2.Any) else inner


def read_game_options(game_id: str, given: Mapping[str, object]) -> game_pb2.GameOptions:
    """Options of a game by name, as a message with every field set.

    Args:
        given: values as in proto3 JSON, or as TOML has them; enum values may go without their prefix.

    Raises:
        InvalidSetup: no such game or option, or a value that is not allowed; ``field`` is the option's name, or the
            path within it.
    """
    rules, codec = rules_of(game_id), codec_of(game_id)
    known = [field.name for field in rules.option_fields]
    message = codec.game_options(rules.options())
    payload = payload_of(message)
    for name, value in given.items():
        if name not in known:
            listed = f"its options are {', '.join(known)}" if known else "it has none"
            raise InvalidSetup(name, f"{rules.title} has no such option; {listed}")
        _clear(payload, name)
        parse({name: value}, payload, name)
    if message.WhichOneof("game") == _OTHER:
        message.other.Pack(payload)
    return codec.game_options(codec.read_game_options(message))


def read_position(game_id: str, data: object) -> game_pb2.Position:
    """A position of a game from proto3 JSON: of the game's own message, or of ``palio.v1.Position``; enum values may
    go without their prefix.

    Raises:
        InvalidSetup: no such game, or it cannot be read. Whether the rules accept it is for them to say.
    """
    rules_of(game_id)
    if not isinstance(data, dict):
        raise InvalidSetup("position", "should be a JSON object")
    wrapper = game_pb2.Position()
    if game_id not in wrapper.DESCRIPTOR.fields_by_name or data.keys() <= {game_id, _OTHER}:
        parse(data, wrapper, "position")
    else:
        payload: Message = getattr(wrapper, game_id)
        payload.SetInParent()
        parse(data, payload, "position")
    return wrapper


def _clear(payload: Message, name: str) -> None:
    """Forget a default, so that a list which is given replaces it instead of being added to it."""
    if name in payload.DESCRIPTOR.fields_by_name:
        payload.ClearField(name)


def parse(data: Mapping[str, object], message: Message, field: str, path: str = "") -> None:
    """Merge proto3 JSON into a message; enum values may go without their prefix.

    Args:
        field: what is named where the parser does not say more exactly what is wrong.
        path: where the data lies, for the paths of what is misspelt.

    Raises:
        InvalidSetup: it cannot be read.
    """
    try:
        json_format.ParseDict(spelt_out(data, cast(Descriptor, message.DESCRIPTOR), path), message)
    except json_format.ParseError as error:
        raise InvalidSetup(field, _plain(str(error))) from None


def _plain(error: str) -> str:
    """The parser's words without its way down to the fault, which they name again at their end."""
    return re.sub(r"^(Failed to parse \w+ field: )+", "", error).rstrip(".")


def _unpacked(packed: any_pb2.Any) -> Message:
    descriptor = descriptor_pool.Default().FindMessageTypeByName(packed.TypeName())
    message = GetMessageClass(descriptor)()
    packed.Unpack(message)
    return message
