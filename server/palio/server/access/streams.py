"""How many streams are open, all together and of each player."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from palio.codec.status import LimitReached


class Streams:
    """Counts the streams of Play and of whoever watches.

    Args:
        most: all together.
        per_player: of one player.
    """

    def __init__(self, most: int, per_player: int) -> None:
        self._most = most
        self._per_player = per_player
        self._open: dict[str, int] = {}
        self.total = 0

    @contextmanager
    def one(self, player: str, *, bounded: bool = True) -> Iterator[None]:
        """One more stream while this lasts.

        Args:
            bounded: whether the player's own bound holds: not for organisers, and not for a bot that takes the place
                of its older session.

        Raises:
            LimitReached: there are too many.
        """
        if self.total >= self._most:
            raise LimitReached(f"{self._most} streams are open already; try again later")
        if bounded and self._open.get(player, 0) >= self._per_player:
            raise LimitReached(f"{self._per_player} streams of {player or 'yours'} are open already")
        self.total += 1
        self._open[player] = self._open.get(player, 0) + 1
        try:
            yield
        finally:
            self.total -= 1
            self._open[player] -= 1
            if not self._open[player]:
                del self._open[player]
