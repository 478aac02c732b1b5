"""Which match to start next. Pure: no input or output, no clock."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Final

from palio.tournament.pairing import Block

_LOOKAHEAD: Final = 1000
"""How far down the schedule a match is looked for while the first ones cannot start."""


@dataclass(frozen=True, slots=True)
class Seating:
    """One match to be played.

    Attributes:
        block: the block that it belongs to.
        number: which of the block's seatings.
        players: names by seat.
    """

    block: Block
    number: int
    players: tuple[str, ...]

    @property
    def key(self) -> tuple[int, int]:
        return self.block.index, self.number


class Queue:
    """The matches that wait and those that run.

    Matches start in the order of the schedule, except that no bot may fill the whole window: as long as others have
    something to play among themselves, one place is kept for them. A match that takes far longer than the rest gives
    its place up. So a slow bot delays only its own matches.

    Args:
        window: matches at the same time.
        bots: how many compete.
    """

    def __init__(self, window: int, bots: int) -> None:
        self.window = window
        self._bots = bots
        self._waiting: dict[tuple[int, int], Seating] = {}
        self._running: dict[tuple[int, int], Seating] = {}
        self._aside: set[tuple[int, int]] = set()
        self._load: Counter[str] = Counter()
        self._finished: Counter[str] = Counter()

    @property
    def running(self) -> int:
        return len(self._running)

    @property
    def waiting(self) -> int:
        return len(self._waiting)

    def add(self, block: Block, numbers: Iterable[int]) -> None:
        """Seatings that can be played from now on."""
        seatings = block.seatings
        for number in numbers:
            seating = Seating(block, number, seatings[number])
            self._waiting[seating.key] = seating

    def take(self, ready: Callable[[str], bool]) -> Seating | None:
        """The match to start now; ``None`` if there is none or the window is full.

        Args:
            ready: whether that bot can play at the moment.
        """
        if len(self._running) - len(self._aside) >= self.window:
            return None
        beyond: list[Seating] = []
        for looked, seating in enumerate(self._waiting.values()):
            if looked >= _LOOKAHEAD:
                break
            if not all(ready(name) for name in seating.players):
                continue
            if all(self._load[name] < self._share(len(seating.players)) for name in seating.players):
                return self._start(seating)
            beyond.append(seating)
        # Every match that could start involves a bot that has its share, perhaps only because a slow opponent keeps it
        # waiting. The place goes to those who wait least and finish most.
        best = min(beyond, key=self._burden, default=None)
        return self._start(best) if best is not None else None

    def _burden(self, seating: Seating) -> tuple[int, int, int]:
        running = [self._load[name] for name in seating.players]
        return max(running), sum(running), -sum(self._finished[name] for name in seating.players)

    def _share(self, seats: int) -> int:
        """Matches that one bot may have running while others could play without it."""
        if self._bots <= seats or self.window == 1:
            return self.window
        fair = math.ceil(self.window * seats / self._bots) + 1
        return max(1, min(self.window - 1, fair))

    def _start(self, seating: Seating) -> Seating:
        del self._waiting[seating.key]
        self._running[seating.key] = seating
        self._load.update(seating.players)
        return seating

    def put_aside(self, seating: Seating) -> bool:
        """This match takes far longer than others: it gives its place in the window to another one.

        Returns:
            False if as many matches as the window has places are aside already.
        """
        if seating.key not in self._aside and len(self._aside) >= self.window:
            return False
        self._aside.add(seating.key)
        return True

    def done(self, seating: Seating) -> None:
        """It is over, or was not started after all."""
        del self._running[seating.key]
        self._aside.discard(seating.key)
        self._load.subtract(seating.players)
        self._finished.update(seating.players)

    def drop(self, name: str) -> list[Seating]:
        """Take out what waits for that bot; returns it."""
        dropped = [seating for seating in self._waiting.values() if name in seating.players]
        for seating in dropped:
            del self._waiting[seating.key]
        return dropped
