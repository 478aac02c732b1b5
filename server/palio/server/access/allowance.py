"""How often somebody may do something."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

_KEPT: Final = 10_000


class Allowance:
    """A token bucket: ``rate`` times a second in the long run, ``burst`` at once."""

    __slots__ = ("_burst", "_left", "_rate", "_seen")

    def __init__(self, rate: float, burst: int, now: float) -> None:
        self._rate, self._burst = rate, burst
        self._left, self._seen = float(burst), now

    def take(self, now: float) -> bool:
        """Whether once more is allowed now."""
        self._refill(now)
        if self._left < 1:
            return False
        self._left -= 1
        return True

    def full(self, now: float) -> bool:
        """Whether it is as if nothing had ever been taken."""
        self._refill(now)
        return self._left >= self._burst

    def _refill(self, now: float) -> None:
        self._left = min(self._burst, self._left + (now - self._seen) * self._rate)
        self._seen = now


class Allowances:
    """One allowance for each name that comes up; those that are full are forgotten when there are many.

    Args:
        now: monotonic seconds.
    """

    def __init__(self, rate: float, burst: int, now: Callable[[], float]) -> None:
        self.rate = rate
        self._burst = burst
        self._now = now
        self._by_name: dict[str, Allowance] = {}
        self._many = _KEPT

    def take(self, name: str) -> bool:
        """Whether that name may do it once more now."""
        return self._of(name).take(self._now())

    def _of(self, name: str) -> Allowance:
        if name not in self._by_name:
            now = self._now()
            if len(self._by_name) >= self._many:
                self._by_name = {name: kept for name, kept in self._by_name.items() if not kept.full(now)}
                self._many = max(_KEPT, 2 * len(self._by_name))
            self._by_name[name] = Allowance(self.rate, self._burst, now)
        return self._by_name[name]
