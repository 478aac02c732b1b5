"""A timer that is put off all the time."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, Protocol


class Timer(Protocol):
    """Something that was put off and can be cancelled."""

    def cancel(self) -> None: ...


class Timers(Protocol):
    """Where a room gets its time from; an asyncio loop is one."""

    def time(self) -> float:
        """Monotonic seconds."""

    def call_at(self, when: float, callback: Callable[..., Any], *args: Any) -> Timer:
        """Call back at that time."""


class Deadline:
    """Calls back once the time that was set last is there.

    One timer serves for all: it is set anew when it rings too early, since making and cancelling one for each decision
    costs more than the decision's clock.

    Args:
        timers: the event loop.
        missed: called when a deadline passes.
    """

    __slots__ = ("_due", "_missed", "_rings", "_timer", "_timers")

    def __init__(self, timers: Timers, missed: Callable[[], object]) -> None:
        self._timers = timers
        self._missed = missed
        self._due = math.inf
        self._rings = math.inf
        self._timer: Timer | None = None

    def set(self, when: float) -> None:
        """From now on this is the deadline."""
        self._due = when
        if self._timer is None:
            self._timer = self._timers.call_at(when, self._ring)
        elif when < self._rings:
            self._timer.cancel()
            self._timer = self._timers.call_at(when, self._ring)
        else:
            return
        self._rings = when

    def clear(self) -> None:
        """There is no deadline now."""
        self._due = math.inf

    def cancel(self) -> None:
        """There will be none any more."""
        self._due = math.inf
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _ring(self) -> None:
        self._timer = None
        if self._due == math.inf:
            return
        if self._timers.time() < self._due:
            self.set(self._due)
            return
        self._due = math.inf
        self._missed()
