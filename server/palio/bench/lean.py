"""``PlayResponse`` as a bot reads it that looks at nothing: match, decision and how many options there are.

What is not declared here stays unread bytes, so that reading a message costs a few microseconds.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from google.protobuf import descriptor_pb2, descriptor_pool, message_factory
from google.protobuf.descriptor import Descriptor

from palio.v1 import play_pb2

_PACKAGE: Final = "palio.bench"
_MESSAGE: Final = descriptor_pb2.FieldDescriptorProto.TYPE_MESSAGE
_BYTES: Final = descriptor_pb2.FieldDescriptorProto.TYPE_BYTES


def _declare(file: descriptor_pb2.FileDescriptorProto, descriptor: Descriptor, **fields: str) -> None:
    """Declare a message with some of its fields: by name, and the message that each of them holds; none stands for a
    simple field, or for a message that stays bytes."""
    whole = descriptor_pb2.DescriptorProto()
    descriptor.CopyToProto(whole)
    part = file.message_type.add(name=whole.name)
    for field in whole.field:
        if field.name not in fields:
            continue
        copied = part.field.add()
        copied.CopyFrom(field)
        copied.ClearField("type_name")
        if fields[field.name]:
            copied.type_name = f".{_PACKAGE}.{fields[field.name]}"
        elif field.type == _MESSAGE:
            copied.type = _BYTES
        if field.HasField("oneof_index") and not part.oneof_decl:
            part.oneof_decl.add(name=whole.oneof_decl[field.oneof_index].name)


def _reader() -> Callable[[bytes], Any]:
    file = descriptor_pb2.FileDescriptorProto(name="palio/bench/lean.proto", package=_PACKAGE, syntax="proto3")
    _declare(file, play_pb2.PlayResponse.DESCRIPTOR, updates="Update")
    kinds = {"decision": "Decision", "ping": "Ping", "match_started": "", "match_ended": ""}
    _declare(file, play_pb2.Update.DESCRIPTOR, match_id="", **kinds)
    _declare(file, play_pb2.Decision.DESCRIPTOR, decision_id="", options="")
    _declare(file, play_pb2.Ping.DESCRIPTOR, nonce="")
    pool = descriptor_pool.DescriptorPool()
    pool.Add(file)
    parsed = message_factory.GetMessageClass(pool.FindMessageTypeByName(f"{_PACKAGE}.PlayResponse"))
    read: Callable[[bytes], Any] = parsed.FromString
    return read


parse: Final = _reader()
"""A serialised ``PlayResponse`` as such a message."""
