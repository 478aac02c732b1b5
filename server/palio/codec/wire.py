"""Joining serialised protobuf messages by hand.

A message inside a message is its tag, its length and its bytes, and concatenated messages merge. So what repeats
(options, cards, names) is serialised once and joined here; building such messages anew in Python costs 5 to 20 times
as much (``palio bench server``).
"""

from __future__ import annotations

from typing import Final

_MORE: Final = 0x80
_SMALL: Final = 1 << 14
_VARINTS: Final = tuple(bytes([n]) if n < _MORE else bytes([n & 0x7F | _MORE, n >> 7]) for n in range(_SMALL))
_FIVE_BYTES: Final = 1 << 35
_LENGTH_DELIMITED: Final = 2


def varint(n: int) -> bytes:
    """An unsigned number, 0 <= n < 2**64, as protobuf writes it."""
    if n < _SMALL:
        return _VARINTS[n]
    if 1 << 28 <= n < _FIVE_BYTES:  # seconds since 1970 and most nanoseconds
        return bytes((n & 0x7F | _MORE, n >> 7 & 0x7F | _MORE, n >> 14 & 0x7F | _MORE, n >> 21 & 0x7F | _MORE, n >> 28))
    out = bytearray()
    while n >= _MORE:
        out.append(n & 0x7F | _MORE)
        n >>= 7
    out.append(n)
    return bytes(out)


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
