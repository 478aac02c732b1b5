"""The caretaker plays on for seats that fell out: each of its choices is a uniformly random option."""

from __future__ import annotations

from palio.engine.chance import Stream


class Caretaker:
    """Chooses from the stream ``caretaker/<seat>`` of the match seed.

    Attributes:
        seed: of the match.
    """

    __slots__ = ("_streams", "seed")

    def __init__(self, seed: bytes) -> None:
        self.seed = seed
        self._streams: dict[int, Stream] = {}

    def preview(self, seat: int, offered: int) -> int:
        """The option that it takes next of so many. The stream moves on only in :meth:`took`."""
        stream = self._stream(seat)
        position = stream.position
        option = stream.uniform(offered)
        stream.position = position
        return option

    def took(self, seat: int, offered: int) -> None:
        """The choice is made. A match that is taken up after a restart says so too, and so goes on where it was."""
        self._stream(seat).uniform(offered)

    def _stream(self, seat: int) -> Stream:
        if seat not in self._streams:
            self._streams[seat] = Stream(self.seed, f"caretaker/{seat}")
        return self._streams[seat]
