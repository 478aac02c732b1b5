"""Labelled chance streams (rule F-06): all randomness of a match, reproducible in any language.

``block(label, i) = SHA-256(seed || "/" || label || "/" || decimal(i))``; the blocks joined are read as unsigned 64-bit
big-endian numbers. A stream is a label and a position in that sequence, so it can be copied with two integers.
"""

from __future__ import annotations

import hashlib
import struct
from collections.abc import MutableSequence, Sequence
from typing import Final, TypeVar

T = TypeVar("T")

SEED_BYTES: Final = 32
_WORDS_PER_BLOCK: Final = 4
_RANGE: Final = 1 << 64
_unpack = struct.Struct(">4Q").unpack


def seed_from_text(text: str) -> bytes:
    """The 32-byte seed that a seed given as text stands for: SHA-256 of its UTF-8 bytes."""
    return hashlib.sha256(text.encode()).digest()


def commitment(seed: bytes) -> str:
    """What is published before a match so that the seed cannot be changed later: hexadecimal SHA-256."""
    return hashlib.sha256(b"palio-seed" + seed).hexdigest()


def mixed_seed(secret: bytes, entropy: Sequence[bytes]) -> bytes:
    """The seed of a match to which every seat contributed: no single contributor can choose it.

    Args:
        secret: 32 bytes that were committed to before anybody contributed.
        entropy: per seat up to 255 bytes; empty for a seat that contributed nothing.
    """
    parts = b"".join(bytes([len(part)]) + part for part in entropy)
    return hashlib.sha256(b"palio-mix" + secret + parts).digest()


class Stream:
    """One labelled sequence of numbers.

    Args:
        seed: 32 bytes.
        label: names the purpose, e.g. ``virtus/1``. Streams with different labels are independent.
        position: how many 64-bit numbers were taken already.
    """

    __slots__ = ("_index", "_prefix", "_words", "position")

    def __init__(self, seed: bytes, label: str, position: int = 0) -> None:
        self._prefix = seed + b"/" + label.encode() + b"/"
        self.position = position
        self._index = -1
        self._words: tuple[int, ...] = ()

    def next(self) -> int:
        """The next number, 0 <= x < 2**64."""
        index, offset = divmod(self.position, _WORDS_PER_BLOCK)
        if index != self._index:
            self._words = _unpack(hashlib.sha256(self._prefix + str(index).encode()).digest())
            self._index = index
        self.position += 1
        return self._words[offset]

    def uniform(self, n: int) -> int:
        """A number 0 <= x < n, each equally likely (by rejection, so without bias).

        Raises:
            ValueError: n < 1.
        """
        if n < 1:
            raise ValueError("uniform() needs at least one value to choose from")
        limit = _RANGE - _RANGE % n
        while (x := self.next()) >= limit:
            pass
        return x % n

    def shuffle(self, items: MutableSequence[T]) -> None:
        """Shuffle in place (Fisher-Yates from the last item down); item 0 is then the top."""
        for i in range(len(items) - 1, 0, -1):
            j = self.uniform(i + 1)
            items[i], items[j] = items[j], items[i]
