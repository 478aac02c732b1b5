"""Events of Fidelitas as messages and back, by one table: which values of a fact go into which field."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Any, Final, NamedTuple

from palio.codec.wire import nested, number, packed, tag
from palio.engine.errors import InvalidAction
from palio.engine.game import Value
from palio.fidelitas.v1 import fidelitas_pb2 as pb
from palio.v1 import game_pb2

REASONS: Final = ("", "exhaustion", "target", "turn_limit", "all_scored")
"""The rules' words for how a game ends, by their numbers in ``EndReason``."""


class _Kind(NamedTuple):
    """How values of a fact stand in a message's field.

    Attributes:
        width: how many values of the fact the field holds.
        write: (field number, values) to bytes.
        read: the field's content to the values.
    """

    width: int
    write: Callable[[int, Sequence[Any]], bytes]
    read: Callable[[Any], tuple[Any, ...]]


def _numbers(*values: int) -> bytes:
    return b"".join(number(field, value) for field, value in enumerate(values, 1))


def _messages(field: int, payloads: Sequence[bytes]) -> bytes:
    return b"".join(nested(tag(field), payload) for payload in payloads)


_NUMBER = _Kind(1, lambda field, values: number(field, values[0]), lambda content: (int(content),))
_LIST = _Kind(1, lambda field, values: packed(field, values[0]), lambda content: (tuple(map(int, content)),))
_CARD = _Kind(
    2,
    lambda field, values: nested(tag(field), _numbers(values[1], values[0])),
    lambda content: (content.character, content.location),
)
"""A character and its location."""
_CARDS = _Kind(
    1,
    lambda field, values: _messages(field, [_numbers(*card) for card in values[0]]),
    lambda content: (tuple((card.location, card.character) for card in content),),
)
"""Pairs of a location and a character."""
_MOVES = _Kind(
    1,
    lambda field, values: _messages(field, [_numbers(*move) for move in values[0]]),
    lambda content: (tuple((move.character, move.origin, move.destination) for move in content),),
)
_STACKS = _Kind(
    1,
    lambda field, values: _messages(field, [packed(1, stack) for stack in values[0]]),
    lambda content: (tuple(tuple(stack.cards) for stack in content),),
)
_IDS = _Kind(
    1,
    lambda field, values: _messages(field, [packed(1, ids) for ids in values[0]]),
    lambda content: (tuple(tuple(entry.ids) for entry in content),),
)
_WORDS = _Kind(
    2,
    lambda field, values: nested(tag(field), packed(1, values[0]) + packed(2, values[1])),
    lambda content: (tuple(content.guilds), tuple(content.locations)),
)
_REASON = _Kind(
    1, lambda field, values: number(field, REASONS.index(values[0])), lambda content: (REASONS[int(content)],)
)

_SEAT: Final = ("seat", _NUMBER)
_FACTS: Final[dict[str, tuple[tuple[str, _Kind], ...]]] = {
    "set_up": (
        ("stacks", _STACKS),
        ("discard", _LIST),
        ("virtus_deck_size", _NUMBER),
        ("missio_deck_size", _NUMBER),
        ("hand_sizes", _LIST),
        ("missio_counts", _LIST),
        ("scored", _IDS),
    ),
    "hand_dealt": (_SEAT, ("cards", _LIST), ("missio", _LIST)),
    "turn_started": (("turn", _NUMBER), ("round", _NUMBER), _SEAT),
    "card_played": (_SEAT, ("character", _NUMBER), ("location", _NUMBER)),
    "nothing_played": (_SEAT,),
    "cards_moved": (_SEAT, ("moves", _MOVES)),
    "cards_swapped": (_SEAT, ("first", _CARD), ("second", _CARD)),
    "cards_removed": (_SEAT, ("cards", _CARDS)),
    "location_cleared": (("location", _NUMBER), ("cards", _LIST)),
    "card_taken": (_SEAT, ("card", _CARD)),
    "card_turned_up": (("card", _CARD),),
    "deck_drawn": (_SEAT, ("count", _NUMBER)),
    "cards_drawn": (_SEAT, ("cards", _LIST)),
    "tavern_drawn": (_SEAT, ("card", _CARD)),
    "cards_discarded": (_SEAT, ("cards", _LIST)),
    "card_kept": (_SEAT, ("character", _NUMBER)),
    "missio_exchanged": (_SEAT,),
    "missio_returned": (_SEAT, ("id", _NUMBER)),
    "missio_drawn": (_SEAT, ("count", _NUMBER)),
    "missio_received": (_SEAT, ("ids", _LIST)),
    "missio_scored": (_SEAT, ("id", _NUMBER), ("points", _NUMBER)),
    "card_stolen": (("thief", _NUMBER), ("victim", _NUMBER)),
    "stolen_card": (("thief", _NUMBER), ("victim", _NUMBER), ("character", _NUMBER)),
    "deck_reshuffled": (("size", _NUMBER),),
    "thief_placed": (_SEAT, ("location", _NUMBER)),
    "final_round": (_SEAT,),
    "signalled": (_SEAT, ("words", _WORDS)),
    "game_over": (("reason", _REASON),),
}

_GAME: Final = tag(game_pb2.Event.FIDELITAS_FIELD_NUMBER)


def _fields_of(name: str) -> tuple[int, ...]:
    message = pb.Event.DESCRIPTOR.fields_by_name[name].message_type
    assert message is not None, f"{name} is a message"
    return tuple(message.fields_by_name[field].number for field, _ in _FACTS[name])


_FACT: Final = {name: tag(pb.Event.DESCRIPTOR.fields_by_name[name].number) for name in _FACTS}
_FIELD_NUMBERS: Final = {name: _fields_of(name) for name in _FACTS}


@lru_cache(maxsize=1 << 14)
def event_bytes(fact: tuple[Value, ...]) -> bytes:
    """The serialised ``palio.v1.Event``."""
    name = str(fact[0])
    parts = []
    at = 1
    for (_, kind), field in zip(_FACTS[name], _FIELD_NUMBERS[name], strict=True):
        parts.append(kind.write(field, fact[at : at + kind.width]))
        at += kind.width
    return nested(_GAME, nested(_FACT[name], b"".join(parts)))


def read_event(message: pb.Event) -> tuple[Value, ...]:
    """
    Raises:
        InvalidAction: an event that this version does not know.
    """
    name = message.WhichOneof("fact")
    if name is None:
        raise InvalidAction("the event is of no kind that Fidelitas has")
    content = getattr(message, name)
    values: tuple[Any, ...] = (name,)
    for field, kind in _FACTS[name]:
        values += kind.read(getattr(content, field))
    return values
