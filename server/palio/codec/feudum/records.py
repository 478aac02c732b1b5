"""Options and events as messages and back, straight from the rules' tables of their fields."""

from __future__ import annotations

from functools import lru_cache
from typing import Any, Final

from palio.codec.feudum.fields import Get, Put, handlers
from palio.codec.wire import nested, tag
from palio.engine.errors import InvalidAction
from palio.engine.game import Option, Value
from palio.feudum.v1 import feudum_pb2 as pb
from palio.games.feudum import RULES
from palio.games.feudum.events import EVENTS
from palio.games.feudum.options import SHAPES
from palio.v1 import game_pb2

Fields = tuple[tuple[str, Put, Get], ...]

_GAME: Final = tag(game_pb2.Option.FEUDUM_FIELD_NUMBER)
_TEXT: Final = tag(game_pb2.Option.TEXT_FIELD_NUMBER)
_EVENT: Final = tag(game_pb2.Event.FEUDUM_FIELD_NUMBER)

_OPTION_FIELDS: Final[dict[str, Fields]] = {
    shape: tuple((field, *handlers(kind)) for field, kind in fields) for shape, fields in SHAPES.items()
}
_EVENT_FIELDS: Final[dict[str, Fields]] = {
    name: tuple((field, *handlers(kind)) for field, kind in fields) for name, fields in EVENTS.items()
}


def option_message(option: Option) -> pb.Option:
    """An option's record: shapes with one field are that field, shapes without any are ``true``."""
    shape, *values = option
    name = str(shape)
    message = pb.Option()
    fields = _OPTION_FIELDS[name]
    if not fields:
        setattr(message, name, True)
    elif len(fields) == 1:
        fields[0][1](message, name, values[0])
    else:
        record: Any = getattr(message, name)
        record.SetInParent()
        for (field, put, _), value in zip(fields, values, strict=True):
            put(record, field, value)
    return message


def read_option_message(message: pb.Option) -> Option:
    """The inverse of :func:`option_message`.

    Raises:
        InvalidAction: no record is set.
    """
    name = message.WhichOneof("record")
    if name is None:
        raise InvalidAction("the option holds no record")
    fields = _OPTION_FIELDS[name]
    if not fields:
        return (name,)
    if len(fields) == 1:
        return (name, fields[0][2](message, name))
    record = getattr(message, name)
    return (name, *(get(record, field) for field, _, get in fields))


@lru_cache(maxsize=1 << 14)
def option_bytes(option: Option) -> bytes:
    """A serialised ``palio.v1.Option``."""
    text = RULES.describe_option(option).encode()
    return nested(_GAME, option_message(option).SerializeToString()) + nested(_TEXT, text)


def event_message(fact: tuple[Value, ...]) -> pb.Event:
    message = pb.Event()
    name, *values = fact
    record: Any = getattr(message, str(name))
    record.SetInParent()
    for (field, put, _), value in zip(_EVENT_FIELDS[str(name)], values, strict=True):
        put(record, field, value)
    return message


@lru_cache(maxsize=1 << 12)
def event_bytes(fact: tuple[Value, ...]) -> bytes:
    """A serialised ``palio.v1.Event``; kept, since it goes to every seat."""
    return nested(_EVENT, event_message(fact).SerializeToString())


def read_event_message(message: pb.Event) -> tuple[Value, ...]:
    """The inverse of :func:`event_message`.

    Raises:
        InvalidAction: no fact is set.
    """
    name = message.WhichOneof("fact")
    if name is None:
        raise InvalidAction("the event holds no fact")
    record = getattr(message, name)
    return (name, *(get(record, field) for field, _, get in _EVENT_FIELDS[name]))
