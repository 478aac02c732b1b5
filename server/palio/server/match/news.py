"""What happened in a match and was not told yet.

A waiting seat learns it only at the steps of ``State.turn``, when it is asked itself, and at the end: sending events
one by one would tell, by their grouping, which hidden decisions another seat was asked.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Final

from palio.codec.base import GameCodec
from palio.codec.wire import nested, tag
from palio.engine.game import Event
from palio.v1 import play_pb2

_EVENT: Final = tag(play_pb2.Events.EVENTS_FIELD_NUMBER)


class News:
    """Events by who has still to be told of them, serialised as fields of ``Events``.

    Attributes:
        trace: told every event when it happens, hidden ones too, for transcripts.
    """

    __slots__ = ("_event", "_private", "_public", "trace")

    def __init__(self, codec: GameCodec, seats: int) -> None:
        self._event = codec.event
        self._private: list[list[bytes]] = [[] for _ in range(seats)]
        self._public: list[bytes] = []
        self.trace: Callable[[Event], None] | None = None

    def add(self, events: Iterable[Event]) -> None:
        """Take in what happened, each event for those who may see it."""
        for event in events:
            if self.trace is not None:
                self.trace(event)
            fact, viewers = event
            message = nested(_EVENT, self._event(fact))
            if viewers is None:
                self._public.append(message)
                for private in self._private:
                    private.append(message)
            else:
                for seat in viewers:
                    self._private[seat].append(message)

    def take(self, seat: int) -> bytes:
        """A serialised ``Events`` of all that this seat has to be told; empty if there is nothing."""
        private = self._private[seat]
        if not private:
            return b""
        told = b"".join(private)
        private.clear()
        return told

    def take_public(self) -> list[bytes]:
        """What everybody may see since the last call."""
        public = self._public
        self._public = []
        return public
