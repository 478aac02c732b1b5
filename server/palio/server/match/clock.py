"""Time control: what a seat may still think, measured by the server's monotonic clock alone.

All times here are seconds as floats. Nothing here reads a clock: callers say what time it is.
"""

from __future__ import annotations

from dataclasses import dataclass

from google.protobuf import duration_pb2, timestamp_pb2

from palio.engine.errors import InvalidSetup
from palio.v1 import match_pb2

LONGEST = 7 * 24 * 3600.0


@dataclass(frozen=True, slots=True)
class TimeControl:
    """How long a player may think (seconds; ``None`` means no such limit).

    Attributes:
        per_decision: limit of each single decision.
        bank: time for all decisions of a match together.
        increment: added to the bank after each decision.
        lag_allowance: measured network time per decision that is not charged, at most.
        init_budget: between MatchStarted and Ready.
        idle_limit: longest silence at a decision when neither limit is set.
    """

    per_decision: float | None = None
    bank: float | None = None
    increment: float = 0.0
    lag_allowance: float = 0.1
    init_budget: float = 30.0
    idle_limit: float = 600.0

    def message(self) -> match_pb2.TimeControl:
        """As a message, every field that holds set."""
        message = match_pb2.TimeControl()
        for name in TIME_FIELDS:
            value = getattr(self, name)
            if value is not None:
                getattr(message, name).CopyFrom(duration(value))
        return message

    @classmethod
    def read(cls, message: match_pb2.TimeControl, default: TimeControl) -> TimeControl:
        """From a message; an unset message means ``default``, an unset field this class's own default.

        Raises:
            InvalidSetup: a duration is negative, longer than a week, or contradicts another.
        """
        if not message.ListFields():
            return default
        given: dict[str, float] = {}
        for name in TIME_FIELDS:
            if message.HasField(name):  # type: ignore[arg-type] # one of TIME_FIELDS
                given[name] = checked_seconds(getattr(message, name), f"time_control.{name}")
        control = cls(**given)
        if control.increment and control.bank is None:
            raise InvalidSetup("time_control.increment", "an increment needs a bank")
        for name in ("per_decision", "init_budget", "idle_limit"):
            if given.get(name) == 0:
                raise InvalidSetup(f"time_control.{name}", "must be more than 0 seconds")
        return control


TIME_FIELDS = ("per_decision", "bank", "increment", "lag_allowance", "init_budget", "idle_limit")


def duration(seconds: float) -> duration_pb2.Duration:
    """Seconds as a message."""
    nanos = round(seconds * 1e9)
    return duration_pb2.Duration(seconds=nanos // 10**9, nanos=nanos % 10**9)


def timestamp(seconds: float) -> timestamp_pb2.Timestamp:
    """Seconds since 1970 as a message."""
    nanos = round(seconds * 1e9)
    return timestamp_pb2.Timestamp(seconds=nanos // 10**9, nanos=nanos % 10**9)


def seconds_of(message: duration_pb2.Duration) -> float:
    """A message as seconds."""
    return message.seconds + message.nanos / 1e9


def checked_seconds(message: duration_pb2.Duration, field: str) -> float:
    """A duration that somebody sent, 0 <= seconds <= one week.

    Raises:
        InvalidSetup: it is out of these bounds.
    """
    seconds = seconds_of(message)
    if not 0 <= seconds <= LONGEST:
        raise InvalidSetup(field, f"{seconds} seconds is not between 0 and one week")
    return seconds


class SeatClock:
    """The clock of one seat.

    Attributes:
        bank: seconds left for all decisions together, if that is limited.
        limit: seconds that a decision may take if it is asked now.
        served: what the server itself took for the pending decision, which is not charged, in seconds.
    """

    __slots__ = ("_lag_allowance", "_started", "bank", "control", "limit", "served")

    def __init__(self, control: TimeControl) -> None:
        self.control = control
        self.bank = control.bank
        self.served = 0.0
        self.limit = self._limit()
        self._lag_allowance = control.lag_allowance
        self._started = 0.0

    def _limit(self) -> float:
        limits = [limit for limit in (self.control.per_decision, self.bank) if limit is not None]
        return min(limits) if limits else self.control.idle_limit

    def start(self, now: float) -> float:
        """A decision is asked at ``now``. Returns the time at which it must be answered, lag allowance included."""
        self._started = now
        return now + self.limit + self._lag_allowance

    def handed_over(self, now: float) -> float:
        """The decision left the server only ``now``: until then its time was the server's. Returns as ``start``."""
        self.served += max(0.0, now - self._started)
        return self.start(now)

    def left(self, now: float) -> float:
        """Seconds that are left for the pending decision."""
        return max(0.0, self.limit - (now - self._started))

    def stop(self, now: float, network: float) -> tuple[float, float]:
        """It is answered at ``now``; ``network`` is the measured round trip.

        Returns:
            Seconds charged, and seconds of network time that were not.
        """
        elapsed = max(0.0, now - self._started)
        if not network:
            return elapsed, 0.0
        uncharged = min(max(0.0, network), self._lag_allowance, elapsed)
        return elapsed - uncharged, uncharged

    def overrun(self, charged: float) -> bool:
        """Whether a decision that took ``charged`` seconds came too late."""
        return charged > self.limit

    def charge(self, charged: float) -> None:
        """Take the time of an answered decision off the bank and add the increment."""
        if self.bank is not None:
            self.bank = max(0.0, self.bank - charged) + self.control.increment
            self.limit = self._limit()
