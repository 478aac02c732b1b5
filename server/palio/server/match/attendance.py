"""Who of a match's players is connected, and how long the others may be away."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from palio.server.match.clock import SeatClock, TimeControl, seconds_of
from palio.server.match.contact import Bot
from palio.server.match.deadline import Timer, Timers
from palio.v1 import replay_pb2


class Place:
    """What a room knows of one seat besides the game.

    Attributes:
        session: the bot's connection, ``None`` while it has none.
        credential_id: of the token that the bot came with last.
        clock: its time.
        tries: rejected choices at the pending decision.
        noise: notices that it caused since its last choice that counted.
        answered: the last decision that it answered: its number, the option and the seconds charged.
        awaited: the server was down, and the bot has not come back since.
        present: its part in the match goes on: connections matter.
    """

    __slots__ = ("answered", "awaited", "clock", "credential_id", "noise", "present", "session", "timer", "tries")

    def __init__(self, control: TimeControl) -> None:
        self.session: Bot | None = None
        self.credential_id = ""
        self.clock = SeatClock(control)
        self.tries = 0
        self.noise = 0
        self.answered = (0, 0, 0.0)
        self.awaited = False
        self.present = True
        self.timer: Timer | None = None

    def has_chosen(self, decision_id: int, option: int, charged: float) -> None:
        """Its choice counts."""
        self.clock.charge(charged)
        self.answered = (decision_id, option, charged)
        self.tries = self.noise = 0

    def take(self, session: Bot) -> None:
        """A bot of that session sits here now."""
        self.session = session
        self.credential_id = session.credential_id

    def stop_waiting(self) -> None:
        """The bot is back, or need not come back any more."""
        if self.timer is not None:
            self.timer.cancel()
            self.timer = None


class Attendance:
    """The places of a match.

    Args:
        seats: how many.
        control: everybody's time control.
        grace: seconds that a seat may be away.
        away: called with a seat that was away for longer.
        changed: called with (seat, connected, grace left) for what the others should know.
    """

    def __init__(
        self,
        seats: int,
        control: TimeControl,
        timers: Timers,
        grace: float,
        away: Callable[[int], None],
        changed: Callable[[int, bool, float], None],
    ) -> None:
        self.places = [Place(control) for _ in range(seats)]
        self._timers = timers
        self._grace = grace
        self._away = away
        self._changed = changed

    def __getitem__(self, seat: int) -> Place:
        return self.places[seat]

    def __iter__(self) -> Iterator[Place]:
        return iter(self.places)

    def back(self, seat: int) -> None:
        """A seat has a connection again."""
        place = self.places[seat]
        place.stop_waiting()
        place.awaited = False
        if place.present:
            self._changed(seat, True, 0.0)

    def lost(self, seat: int, session: Bot) -> None:
        """A seat's connection is gone; its grace begins. Nothing happens if another session took the seat over."""
        place = self.places[seat]
        if place.session is not session:
            return
        place.session = None
        if place.present:
            self._wait(seat, self._grace)
            self._changed(seat, False, self._grace)

    def remember(self, record: replay_pb2.ReplayRecord, illegal_tries: int) -> None:
        """Take in what a record of the journal says about a place.

        Args:
            illegal_tries: that a decision bears.
        """
        match record.WhichOneof("record"):
            case "ready":
                self.places[record.ready.seat].credential_id = record.ready.credential_id
            case "choice" if not record.choice.caretaker:
                choice = record.choice
                self.places[choice.seat].has_chosen(choice.decision_id, choice.option, seconds_of(choice.charged))
            case "notice" if not record.notice.HasField("seat_status"):
                place = self.places[record.notice.seat]
                place.noise += 1
                if record.notice.HasField("choice_rejected"):
                    place.tries = illegal_tries - record.notice.choice_rejected.tries_left
            case _:
                pass

    def await_all(self, seconds: float) -> None:
        """The server was down: nobody is connected, and that is nobody's fault."""
        for seat, place in enumerate(self.places):
            if place.present:
                place.awaited = True
                self._wait(seat, seconds)

    def gone(self, seat: int) -> None:
        """A seat fell out; whether it is connected matters to nobody any more."""
        self.places[seat].present = False
        self.places[seat].stop_waiting()

    def _wait(self, seat: int, seconds: float) -> None:
        self.places[seat].timer = self._timers.call_at(self._timers.time() + seconds, self._over, seat)

    def _over(self, seat: int) -> None:
        self.places[seat].timer = None
        self._away(seat)
