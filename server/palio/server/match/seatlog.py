"""What one seat of a match was told, numbered and ready to be sent."""

from __future__ import annotations

from typing import Final

from palio.codec.wire import nested, number, tag
from palio.v1 import play_pb2

_UPDATES: Final = tag(play_pb2.PlayResponse.UPDATES_FIELD_NUMBER)
_MATCH_ID: Final = tag(play_pb2.Update.MATCH_ID_FIELD_NUMBER)
_SEQ: Final = play_pb2.Update.SEQ_FIELD_NUMBER


class SeatLog:
    """The messages to one seat, numbered 1, 2, 3 ...; those that it has surely seen are forgotten.

    Args:
        match_id: stands in each of them.
        whole: see there.

    Attributes:
        seq: number of the last message.
        kept: the messages that were not forgotten, each a serialised ``PlayResponse`` of one update.
        first: number of the first of them.
        whole: whether it forgets nothing; so it is of a match that is told from its records, and after :meth:`fill`.
    """

    __slots__ = ("_head", "first", "kept", "seq", "whole")

    def __init__(self, match_id: str, *, whole: bool = False) -> None:
        self._head = nested(_MATCH_ID, match_id.encode())
        self.seq = 0
        self.kept: list[bytes] = []
        self.first = 1
        self.whole = whole

    def add(self, field_tag: bytes, payload: bytes) -> bytes:
        """The next message: that field of ``Update``, serialised."""
        self.seq = seq = self.seq + 1
        message = self._frame(seq, field_tag, payload)
        self.kept.append(message)
        return message

    def replace(self, seq: int, field_tag: bytes, payload: bytes) -> None:
        """Say something else in a message that is still kept."""
        self.kept[seq - self.first] = self._frame(seq, field_tag, payload)

    def forget(self, seq: int) -> None:
        """The seat has proved that it saw everything up to ``seq``."""
        if seq >= self.first:
            del self.kept[: seq + 1 - self.first]
            self.first = seq + 1

    def fill(self, forgotten: list[bytes]) -> None:
        """Take back the messages before :attr:`first`, and keep all of them from now on."""
        self.kept = forgotten + self.kept
        self.first = 1
        self.whole = True

    def since(self, seq: int) -> list[bytes]:
        """The messages after ``seq`` that are still kept."""
        return self.kept[max(0, seq + 1 - self.first) :]

    def _frame(self, seq: int, field_tag: bytes, payload: bytes) -> bytes:
        return nested(_UPDATES, self._head + number(_SEQ, seq) + nested(field_tag, payload))
