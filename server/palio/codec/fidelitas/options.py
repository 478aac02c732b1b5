"""Options of Fidelitas as messages and back."""

from __future__ import annotations

from functools import cache
from typing import Any, Final

from palio.codec.wire import nested, number, tag
from palio.engine.errors import InvalidAction
from palio.engine.game import Option
from palio.fidelitas.v1 import fidelitas_pb2 as pb
from palio.games.fidelitas.text import describe_option
from palio.v1 import game_pb2

_SHAPES: Final = {
    "play": ("character", "location"),
    "card": ("location", "character"),
    "destination": ("location",),
    "broker": ("direction", "location"),
    "hand_card": ("character",),
    "pair": ("location", "character_a", "character_b"),
    "draw_two": (),
    "priest": ("choice",),
    "missio": ("id",),
    "pass": (),
    "deck": (),
}
"""Per shape the fields of its message, in the order of the option's numbers, which is that of the fields' numbers."""

_GAME: Final = tag(game_pb2.Option.FIDELITAS_FIELD_NUMBER)
_TEXT: Final = tag(game_pb2.Option.TEXT_FIELD_NUMBER)
_CHOICE: Final = {shape: tag(pb.Option.DESCRIPTOR.fields_by_name[shape].number) for shape in _SHAPES}


@cache
def inner_bytes(option: Option) -> bytes:
    """The serialised ``palio.fidelitas.v1.Option``."""
    shape, *values = option
    fields = [number(field, value) for field, value in enumerate(values, 1) if isinstance(value, int)]
    return nested(_CHOICE[str(shape)], b"".join(fields))


@cache
def option_bytes(option: Option) -> bytes:
    """The serialised ``palio.v1.Option``, with its text. There are some thousand different ones at most."""
    return nested(_GAME, inner_bytes(option)) + nested(_TEXT, describe_option(option).encode())


def read_inner(message: pb.Option) -> Option:
    """
    Raises:
        InvalidAction: a shape that this version does not know.
    """
    shape = message.WhichOneof("choice")
    if shape is None:
        raise InvalidAction("the option is of no shape that Fidelitas has")
    choice: Any = getattr(message, shape)
    return (shape, *(int(getattr(choice, field)) for field in _SHAPES[shape]))
