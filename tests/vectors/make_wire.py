"""Makes ``wire/NAME.binpb`` and ``wire/NAME.json``: messages of each kind with every field set, as bytes and as JSON.

    python -m tests.vectors.make_wire

The files are golden: what an old program has written must be readable for ever, so a change of these bytes means that
the protocol broke. Fields and messages may be added; then run this and commit what is new. The tests of all SDKs decode
the bytes, encode them again and compare both with what is here (where a language does not write fields in the order of
their numbers: what it reads from what it wrote). NAME begins with the message's name in ``palio.v1``.

``PlayResponse.future`` is what a server of a later version may send: fields and values of enumerations that nobody
knows yet. They do not show in its JSON, apart from the numbers of the values.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Final, TypeAlias

from google.protobuf import any_pb2, duration_pb2, json_format, timestamp_pb2
from google.protobuf.descriptor import FieldDescriptor
from google.protobuf.message import Message

from palio.v1 import catalog_pb2, match_pb2, play_pb2, replay_pb2, simulation_pb2

Descriptor: TypeAlias = Any  # of a message; the stubs differ between protobuf's implementations
Field: TypeAlias = Any

WIRE: Final = Path(__file__).parent / "wire"
GAMES: Final = ("fidelitas", "feudum", "other")
ROOTS: Final[tuple[type[Message], ...]] = (
    play_pb2.PlayRequest,
    play_pb2.PlayResponse,
    catalog_pb2.GetGameRequest,
    catalog_pb2.GetGameResponse,
    catalog_pb2.ListGamesResponse,
    match_pb2.CreateMatchRequest,
    match_pb2.WatchMatchResponse,
    replay_pb2.ReplayRecord,
    simulation_pb2.ApplyRequest,
    simulation_pb2.ApplyResponse,
    simulation_pb2.SampleStateResponse,
)


def cases(root: type[Message]) -> Iterator[tuple[str, Message]]:
    """Names and messages: one for each alternative of the root's oneof, and where a game's payload is in it, for each
    game."""
    name = root.DESCRIPTOR.name
    inner = play_pb2.Update.DESCRIPTOR if root is play_pb2.PlayResponse else root.DESCRIPTOR
    for field in next((oneof.fields for oneof in inner.oneofs if len(oneof.fields) > 1), [None]):
        start = field.message_type if field is not None else inner
        for game in GAMES if holds_game(start, ()) else ("",):
            message = root()
            chosen = "" if field is None else field.name
            fill(message, game, chosen, ())
            yield ".".join(filter(None, (name, chosen, game))), message


def holds_game(descriptor: Descriptor, above: tuple[str, ...]) -> bool:
    """Whether a payload of a game is somewhere inside."""
    if "game" in descriptor.oneofs_by_name:
        return True
    return any(
        field.message_type is not None
        and field.message_type.full_name not in above
        and holds_game(field.message_type, (*above, descriptor.full_name))
        for field in descriptor.fields
    )


def fill(message: Message, game: str, chosen: str, above: tuple[str, ...]) -> None:
    """Set every field. Of a oneof: the chosen alternative, else the game's, else the first.

    A repeated message with a oneof gets an element for each alternative. A message of a type that contains itself is
    nested once.

    Args:
        above: names of the types that the message is inside of.
    """
    inside = (*above, message.DESCRIPTOR.full_name)
    for field in message.DESCRIPTOR.fields:
        if field.message_type is not None and inside.count(field.message_type.full_name) > 1:
            continue
        oneof = field.containing_oneof
        if oneof is not None and len(oneof.fields) > 1 and field.name != alternative(oneof.fields, game, chosen):
            continue
        put(message, field, game, chosen, inside)


def alternative(fields: Sequence[Field], game: str, chosen: str) -> str:
    """Name of the field to set of a oneof."""
    names = [field.name for field in fields]
    return next((name for name in (chosen, game) if name in names), names[0])


def put(message: Message, field: Field, game: str, chosen: str, inside: tuple[str, ...]) -> None:
    """Set one field."""
    if field.message_type is None:
        value = scalar(field)
        if field.is_repeated:
            getattr(message, field.name).extend([value])
        else:
            setattr(message, field.name, value)
    elif field.message_type.GetOptions().map_entry:
        getattr(message, field.name)["key"] = scalar(field.message_type.fields_by_name["value"])
    elif not field.is_repeated:
        inner = getattr(message, field.name)
        inner.SetInParent()
        fill_inner(inner, game, chosen, inside)
    else:
        for name in alternatives(field.message_type, game, chosen):
            fill_inner(getattr(message, field.name).add(), game, name, inside)


def alternatives(descriptor: Descriptor, game: str, chosen: str) -> list[str]:
    """What the elements of a repeated field of this type choose: each alternative of its oneof, or of the payload's."""
    if "game" in descriptor.oneofs_by_name:
        descriptor = descriptor.fields_by_name[game].message_type
    names = [field.name for oneof in descriptor.oneofs if len(oneof.fields) > 1 for field in oneof.fields]
    return [chosen] if chosen in names or not names else names


def fill_inner(message: Message, game: str, chosen: str, inside: tuple[str, ...]) -> None:
    """Fill a message that is a field's value."""
    match message:
        case any_pb2.Any():
            message.Pack(duration_pb2.Duration(seconds=1))
        case duration_pb2.Duration() | timestamp_pb2.Timestamp():
            message.seconds, message.nanos = 3, 500_000_000
        case _:
            fill(message, game, chosen, inside)


def scalar(field: Field) -> object:
    """A value that is not the default and differs among the fields of a message."""
    match field.cpp_type:
        case FieldDescriptor.CPPTYPE_BOOL:
            return True
        case FieldDescriptor.CPPTYPE_STRING:
            return field.name if field.type == FieldDescriptor.TYPE_STRING else bytes([field.number])
        case FieldDescriptor.CPPTYPE_DOUBLE | FieldDescriptor.CPPTYPE_FLOAT:
            return field.number / 2
        case FieldDescriptor.CPPTYPE_ENUM:
            values = field.enum_type.values
            return values[1 + field.number % (len(values) - 1)].number
        case FieldDescriptor.CPPTYPE_INT64 | FieldDescriptor.CPPTYPE_UINT64:
            return 2**53 + field.number  # more than a double can hold
        case _:
            return 1000 + field.number


def future() -> Message:
    """What a later server may send."""
    unknown = b"\x82\x7d\x05later"  # field 2000, a string
    rejected = play_pb2.ChoiceRejected(decision_id=1, text="why")
    rejected.MergeFromString(b"\x10\x63")  # reason 99
    option = play_pb2.Decision(decision_id=2, kind="NEW_KIND")
    option.options.add().fidelitas.MergeFromString(unknown)
    option.options.add().fidelitas.hand_card.MergeFromString(b"\x08\x63")  # character 99
    option.options.add().MergeFromString(unknown)
    response = play_pb2.PlayResponse()
    response.updates.add(match_id="m", seq=1, choice_rejected=rejected)
    response.updates.add(match_id="m", seq=2, decision=option)
    response.updates.add(match_id="m", seq=3).MergeFromString(unknown)
    response.MergeFromString(unknown)
    return response


def files() -> dict[str, bytes]:
    """All files by name."""
    made = [case for root in ROOTS for case in cases(root)]
    made.append(("PlayResponse.future", future()))
    found: dict[str, bytes] = {}
    for name, message in made:
        found[f"{name}.binpb"] = message.SerializeToString(deterministic=True)
        found[f"{name}.json"] = json_format.MessageToJson(message, indent=1).encode() + b"\n"
    return found


if __name__ == "__main__":
    WIRE.mkdir(exist_ok=True)
    for name, content in files().items():
        (WIRE / name).write_bytes(content)
