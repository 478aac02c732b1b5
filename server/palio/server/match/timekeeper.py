"""The clocks of a match, and the one timer that watches them."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from palio.server.match import encode
from palio.server.match.attendance import Attendance
from palio.server.match.clock import TimeControl
from palio.server.match.deadline import Deadline, Timers


class Timekeeper:
    """Starts and stops the clocks of a match's seats, of which one runs at a time.

    Args:
        seats: whose clocks they are.
        too_late: called when the running one has run out.
        wall: the wall clock, for what is shown.

    Attributes:
        cause: when what goes on now began, monotonic seconds: the server's own time counts from then.
        stopped: nobody is asked really: the match is being restored.
    """

    def __init__(
        self,
        seats: Attendance,
        control: TimeControl,
        timers: Timers,
        too_late: Callable[[], None],
        wall: Callable[[], float],
    ) -> None:
        self._places = seats.places
        self._increment = control.increment
        self._now = timers.time
        self._wall = wall
        self._deadline = Deadline(timers, too_late)
        self._running = -1
        self._handed_over = [partial(self._on_its_way, seat) for seat in range(len(seats.places))]
        self.cause = 0.0
        self.stopped = False

    def start(self, seat: int) -> bytes:
        """A seat is asked. Returns the serialised ``Clock`` that goes out with the decision."""
        place = self._places[seat]
        clock = place.clock
        if not self.stopped:
            now = self._now()
            clock.served = now - self.cause
            self._running = seat
            self._deadline.set(clock.start(now))
            if place.session is not None:
                place.session.outbox.when_taken(self._handed_over[seat])
        return encode.clock(clock.limit, self._increment, self._wall())

    def _on_its_way(self, seat: int) -> None:
        """The decision has left the queue: that it lay there was not the bot's time."""
        if self._running == seat:
            self._deadline.set(self._places[seat].clock.handed_over(self._now()))

    def renew(self, seat: int) -> bytes:
        """The pending decision of a seat is sent again. Returns its ``Clock`` as it stands now."""
        place = self._places[seat]
        now = self._now()
        if place.awaited:
            # The time until here was the server's.
            self._running = seat
            self._deadline.set(place.clock.start(now))
        return encode.clock(place.clock.left(now), self._increment, self._wall())

    def clear(self) -> None:
        """The decision is answered, or nobody needs to answer it any more."""
        self._running = -1
        self._deadline.clear()

    def cancel(self) -> None:
        """No clock will run any more."""
        self._running = -1
        self._deadline.cancel()
