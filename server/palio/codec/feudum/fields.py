"""Reading and writing single fields by the types that the rules' tables of options and events use.

An enumeration's number on the wire is one more than in the rules, 0 being "unspecified" there and -1 here.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any, Final

from palio.feudum.v1 import feudum_pb2 as pb
from palio.games.feudum.events import TO_COFFER, TO_PURSE, TO_SUPPLY

Put = Callable[[Any, str, Any], None]
Get = Callable[[Any, str], Any]

_POTS: Final = {TO_SUPPLY: pb.POT_SUPPLY, TO_COFFER: pb.POT_COFFER, TO_PURSE: pb.POT_PURSE}
_RECEIVERS: Final = {pot: receiver for receiver, pot in _POTS.items()}


def goods(counts: Sequence[int]) -> pb.Goods:
    """Five counts as a message."""
    saltpeter, sulfur, iron, wood, food = counts
    return pb.Goods(saltpeter=saltpeter, sulfur=sulfur, iron=iron, wood=wood, food=food)


def read_goods(message: pb.Goods) -> list[int]:
    return [message.saltpeter, message.sulfur, message.iron, message.wood, message.food]


def vessels(counts: Sequence[int]) -> pb.Vessels:
    """Three counts as a message."""
    sailing_ships, submarines, flying_machines = counts
    return pb.Vessels(sailing_ships=sailing_ships, submarines=submarines, flying_machines=flying_machines)


def read_vessels(message: pb.Vessels) -> list[int]:
    return [message.sailing_ships, message.submarines, message.flying_machines]


def up(values: Iterable[int]) -> list[Any]:
    """Enumeration numbers of the rules as those of the wire."""
    return [value + 1 for value in values]


def down(values: Iterable[int]) -> tuple[int, ...]:
    return tuple(value - 1 for value in values)


def bits(mask: int) -> list[int]:
    """The numbers whose bits are set, ascending."""
    return [n for n in range(mask.bit_length()) if mask >> n & 1]


TOO_LARGE: Final = 1000


def mask(numbers: Iterable[int]) -> int:
    # Whatever is too large for every such field stays so, without becoming a number of 2 to the 31 binary digits.
    return sum({1 << min(n, TOO_LARGE) for n in numbers if n >= 0})


def seat_or_none(message: Any, field: str) -> int:
    """An optional seat, -1 where it is unset."""
    return int(getattr(message, field)) if message.HasField(field) else -1


# One pair of functions a type. ---------------------------------------------------------------------------------------


def _put_number(message: Any, field: str, value: int) -> None:
    setattr(message, field, value)


def _get_number(message: Any, field: str) -> int:
    return int(getattr(message, field))


def _put_seat(message: Any, field: str, value: int) -> None:
    if value >= 0:
        setattr(message, field, value)


def _get_seat(message: Any, field: str) -> int:
    presence = message.DESCRIPTOR.fields_by_name[field].has_presence
    return -1 if presence and not message.HasField(field) else int(getattr(message, field))


def _put_enum(message: Any, field: str, value: int) -> None:
    setattr(message, field, value + 1)


def _get_enum(message: Any, field: str) -> int:
    return int(getattr(message, field)) - 1


def _put_goods(message: Any, field: str, value: Sequence[int]) -> None:
    getattr(message, field).CopyFrom(goods(value))


def _get_goods(message: Any, field: str) -> tuple[int, ...]:
    return tuple(read_goods(getattr(message, field)))


def _put_list(message: Any, field: str, value: Sequence[int]) -> None:
    getattr(message, field).extend(value)


def _get_list(message: Any, field: str) -> tuple[int, ...]:
    return tuple(getattr(message, field))


def _put_writs(message: Any, field: str, value: Sequence[int]) -> None:
    getattr(message, field).extend(up(value))


def _get_writs(message: Any, field: str) -> tuple[int, ...]:
    return down(getattr(message, field))


def _put_receivers(message: Any, field: str, value: Sequence[int]) -> None:
    for receiver in value:
        coin = getattr(message, field).add()
        if receiver >= 0:
            coin.seat = receiver
        else:
            coin.pot = _POTS[receiver]


def _get_receivers(message: Any, field: str) -> tuple[int, ...]:
    return tuple(
        coin.seat if coin.HasField("seat") else _RECEIVERS.get(coin.pot, TO_SUPPLY) for coin in getattr(message, field)
    )


def _put_shares(message: Any, field: str, value: Sequence[tuple[int, int]]) -> None:
    for seat, shillings in value:
        getattr(message, field).add(seat=seat, shillings=shillings)


def _get_shares(message: Any, field: str) -> tuple[tuple[int, int], ...]:
    return tuple((share.seat, share.shillings) for share in getattr(message, field))


def _put_hands(message: Any, field: str, value: Sequence[Sequence[int]]) -> None:
    for hand in value:
        getattr(message, field).add(cards=up(hand))


def _get_hands(message: Any, field: str) -> tuple[tuple[int, ...], ...]:
    return tuple(down(hand.cards) for hand in getattr(message, field))


def _put_tallies(message: Any, field: str, value: Sequence[Sequence[int]]) -> None:
    for points in value:
        getattr(message, field).add(points=points)


def _get_tallies(message: Any, field: str) -> tuple[tuple[int, ...], ...]:
    return tuple(tuple(tally.points) for tally in getattr(message, field))


_NUMBER: Final = (_put_number, _get_number)
_ENUM: Final = (_put_enum, _get_enum)
_LIST: Final = (_put_list, _get_list)

TYPES: Final[dict[str, tuple[Put, Get]]] = {
    "int": _NUMBER,
    "bool": (lambda message, field, value: setattr(message, field, bool(value)), _get_number),
    "location": _NUMBER,
    "cell": _NUMBER,
    "seat": (_put_seat, _get_seat),
    "optional": (_put_seat, _get_seat),
    "amounts": (_put_goods, _get_goods),
    "counts": _LIST,
    "seats": _LIST,
    "writs": (_put_writs, _get_writs),
    "receivers": (_put_receivers, _get_receivers),
    "shares": (_put_shares, _get_shares),
    "hands": (_put_hands, _get_hands),
    "tallies": (_put_tallies, _get_tallies),
}
"""How a type that is not an enumeration is written and read."""


def handlers(name: str) -> tuple[Put, Get]:
    """Writer and reader of a type; whatever is not listed is an enumeration."""
    return TYPES.get(name, _ENUM)
