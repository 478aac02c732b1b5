"""The golden wire files: what was once written stays readable, and means the same."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from google.protobuf import json_format, message_factory
from google.protobuf.message import Message
from tests.vectors.make_wire import WIRE, files

from palio.v1 import play_pb2

BROKEN = "the protocol broke; if that was meant (before a release), run python -m tests.vectors.make_wire"


def message_class(path: Path) -> type[Message]:
    """The class that a file's name begins with."""
    pool = play_pb2.DESCRIPTOR.pool
    return message_factory.GetMessageClass(pool.FindMessageTypeByName(f"palio.v1.{path.name.split('.')[0]}"))


@pytest.mark.parametrize("path", sorted(WIRE.glob("*.binpb")), ids=lambda path: path.stem)
def test_a_golden_message_reads_and_writes_the_same(path: Path) -> None:
    message = message_class(path).FromString(path.read_bytes())
    assert message.SerializeToString(deterministic=True) == path.read_bytes(), BROKEN
    assert json_format.MessageToDict(message) == json.loads(path.with_suffix(".json").read_bytes()), BROKEN


def test_every_kind_of_message_has_its_golden_file() -> None:
    assert set(files()) == {path.name for path in WIRE.iterdir()}, "run python -m tests.vectors.make_wire"
