"""Joining serialised protobuf messages by hand.

A message inside a message is its tag, its length and its bytes, and concatenated messages merge. So what repeats
(options, cards, names) is serialised once and joined here; building such messages anew in Python costs 5 to 20 times
as much (``palio bench server``).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final, TypeVar

Key = TypeVar("Key")

_MORE: Final = 0x80
_SMALL: Final = 1 << 14
_LOW: Final = _SMALL - 1
_VARINTS: Final = tuple(bytes([n]) if n < _MORE else bytes([n & 0x7F | _MORE, n >> 7]) for n in range(_SMALL))
_LOW_BYTES: Final = tuple(bytes([n & 0x7F | _MORE, n >> 7 | _MORE]) for n in range(_SMALL))
"""The lowest 14 bits of a number that has more: two bytes, others follow."""
_LENGTH_DELIMITED: Final = 2
_NOT_ASCII: Final = b"\xff"


def varint(n: int) -> bytes:
    """An unsigned number, 0 <= n < 2**64, as protobuf writes it."""
    if n < _SMALL:
        return _VARINTS[n]
    if n < 1 << 28:
        return _LOW_BYTES[n & _LOW] + _VARINTS[n >> 14]
    return _LOW_BYTES[n & _LOW] + _LOW_BYTES[n >> 14 & _LOW] + varint(n >> 28)


def tag(field: int) -> bytes:
    """The tag of a length-delimited field: a message, a string, bytes or a packed list."""
    return varint(field << 3 | _LENGTH_DELIMITED)


def nested(field_tag: bytes, payload: bytes) -> bytes:
    """A length-delimited field. ``field_tag`` comes from :func:`tag`, made once per field."""
    size = len(payload)
    return field_tag + (_VARINTS[size] if size < _SMALL else varint(size)) + payload


def number(field: int, value: int) -> bytes:
    """A field of an unsigned integer type or enum; empty for 0, as proto3 leaves it out."""
    if not value:
        return b""
    return _VARINTS[field << 3] + (_VARINTS[value] if value < _SMALL else varint(value))


def packed(field: int, values: Sequence[int]) -> bytes:
    """A packed list of unsigned numbers; empty if the list is."""
    if not values:
        return b""
    try:
        content = bytes(values)
    except ValueError:  # over 255
        content = _NOT_ASCII
    # Up to 127 a number is one byte, and so are nearly all numbers of a game.
    if not content.isascii():
        content = b"".join(map(varint, values))
    return nested(_VARINTS[field << 3 | _LENGTH_DELIMITED], content)


def zigzag(n: int) -> int:
    """A signed number as protobuf's ``sint`` types write it: as an unsigned one."""
    return n << 1 if n >= 0 else ~(n << 1)


class Kept(dict[Key, bytes]):
    """Serialised parts by what they are made from, each made when it is wanted first.

    Half as dear as :func:`functools.lru_cache`, and ``map(kept.__getitem__, keys)`` calls no Python for what is there.

    Args:
        write: makes a part.
        most: parts that are kept; with one more, all are forgotten and begin anew.
    """

    __slots__ = ("_most", "_write")

    def __init__(self, write: Callable[[Key], bytes], most: int = 1 << 12) -> None:
        super().__init__()
        self._write = write
        self._most = most

    def __missing__(self, key: Key) -> bytes:
        if len(self) >= self._most:
            self.clear()
        part = self[key] = self._write(key)
        return part
