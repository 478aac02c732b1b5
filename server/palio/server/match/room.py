"""A running match: what bots do and fail to do becomes the records of a :class:`~palio.server.match.ledger.Ledger`.

The room is synchronous and does no waiting; time comes from :class:`~palio.server.match.deadline.Timers` so that tests
can drive it. Whatever goes wrong inside, in the rules too, voids this match and harms no other.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from typing import Final

import structlog

from palio.codec.wire import nested, tag
from palio.engine.errors import GameError, IllegalAction, InvalidAction
from palio.server.match import encode
from palio.server.match.attendance import Attendance
from palio.server.match.clock import TimeControl, duration, seconds_of, timestamp
from palio.server.match.contact import Bot
from palio.server.match.containment import contained
from palio.server.match.deadline import Timer, Timers
from palio.server.match.history import told_since
from palio.server.match.journal import Journal
from palio.server.match.ledger import Keeper, Ledger
from palio.server.match.objections import Objection, objection
from palio.server.match.observer import Observer
from palio.server.match.refusals import Refusals
from palio.server.match.results import final_result
from palio.server.match.timekeeper import Timekeeper
from palio.v1 import game_pb2, match_pb2, play_pb2, replay_pb2

_READY_DEADLINE: Final = tag(play_pb2.MatchStarted.READY_DEADLINE_FIELD_NUMBER)
_RUNNING: Final = match_pb2.MATCH_STATE_RUNNING
MAX_ENTROPY: Final = 64


class Room(Ledger):
    """One match from its creation to its end.

    Args:
        header: the first record; already in the journal.
        journal: where the further records go.
        timers: the event loop.
        keeper: told when the match is over, and when its journal fails.
        observer: told what happens.
        wall: the wall clock, for what is shown and recorded.

    Attributes:
        control: everybody's time control.
        seats: the bots, their connections and clocks.
    """

    def __init__(
        self,
        header: replay_pb2.ReplayHeader,
        journal: Journal,
        timers: Timers,
        keeper: Keeper,
        observer: Observer,
        wall: Callable[[], float] = time.time,
    ) -> None:
        super().__init__(header, journal, keeper, observer, wall)
        self.control = TimeControl.read(header.time_control, TimeControl())
        grace = seconds_of(header.policies.disconnection_grace)
        self.seats = Attendance(len(self.players), self.control, timers, grace, self._away, self._status)
        self._clocks = Timekeeper(self.seats, self.control, timers, self._too_late, wall)
        self._refusals = Refusals(self.match_id, self.seats, header.policies.illegal_tries, self._commit)
        self._places = self.seats.places
        self._timers = timers
        self._ready_timer: Timer | None = None

    @property
    def no_show_after(self) -> float:
        """Seconds that it waits for players who are not connected."""
        return seconds_of(self.header.policies.no_show)

    def seat_log(self, seat: int) -> structlog.typing.FilteringBoundLogger:
        """Writes lines that bear the match, the seat and its player."""
        bound: structlog.typing.FilteringBoundLogger = self.log.bind(seat=seat, player=self.players[seat])
        return bound

    # --- what the ledger asks for ---

    def _tell(self, seat: int, message: bytes) -> None:
        session = self._places[seat].session
        if session is not None:
            session.send(message)

    def _ask(self, seat: int) -> bytes:
        return self._clocks.start(seat)

    def _stop(self) -> None:
        self._clocks.cancel()
        if self._ready_timer is not None:
            self._ready_timer.cancel()
        for seat in range(len(self.players)):
            self.seats.gone(seat)

    def _leave(self) -> None:
        for place in self.seats:
            if place.session is not None:
                place.session.left(self)

    # --- beginning ---

    @contained
    def start(self, sessions: Mapping[int, Bot]) -> None:
        """All players who will come are there: tell them. Seats without a session are no-shows."""
        self.state = _RUNNING
        self._observer.started(self.match_id, self.game, self.players)
        budget = self.control.init_budget
        deadline = nested(_READY_DEADLINE, timestamp(self._wall() + budget).SerializeToString())
        for seat, session in sessions.items():
            self.seats[seat].take(session)
            session.join(self, seat)
            if self.course.logs[seat].seq == 0:
                self.course.start(seat, deadline)
        for seat in range(len(self.players)):
            if seat not in sessions:
                self._fall(seat, match_pb2.TERMINATION_FORFEIT_NO_SHOW)
        if not self.over and not self.course.begun:
            self._ready_timer = self._timers.call_at(self._timers.time() + budget, self._not_ready)

    @contained
    def ready(self, seat: int, entropy: bytes = b"") -> None:
        """A bot is prepared. Saying so again changes nothing."""
        if seat in self.course.ready or self.over:
            return
        if len(entropy) > MAX_ENTROPY:
            error = InvalidAction(f"entropy has {len(entropy)} bytes; at most {MAX_ENTROPY} are allowed")
            self._refusals.refuse(seat, error)
            return
        self._clocks.cause = self._timers.time()
        credential = self.seats[seat].credential_id
        record = replay_pb2.ReplayReady(
            seat=seat, entropy=entropy, time=timestamp(self._wall()), credential_id=credential
        )
        self._commit(replay_pb2.ReplayRecord(ready=record))
        self._after_step()

    @contained
    def _not_ready(self) -> None:
        for seat in range(len(self.players)):
            if seat not in self.course.ready and not self.over:
                self._fall(seat, match_pb2.TERMINATION_FORFEIT_NO_SHOW)

    # --- playing ---

    @contained
    def choose(self, seat: int, decision_id: int, option: int, network: float) -> None:
        """A seat answers; it is always told whether that counts.

        Args:
            network: measured round trip to that bot, in seconds.
        """
        if self.over:
            return
        course = self.course
        place = self._places[seat]
        if (decision_id, option) == place.answered[:2] and decision_id == course.chain.next_id(seat) - 1:
            self._refusals.repeat(seat)
            return
        wrong = objection(course, seat, decision_id, option)
        if wrong is not None:
            self._reject(seat, decision_id, wrong)
            return
        arrived = self._clocks.cause = self._timers.time()
        clock = place.clock
        charged, uncharged = clock.stop(arrived, network)
        if clock.overrun(charged):
            self._fall(seat, match_pb2.TERMINATION_FORFEIT_TIMEOUT)
            return
        self._clocks.clear()
        place.has_chosen(decision_id, option, charged)
        assert course.decision is not None
        offered = len(course.decision.options)
        span = encode.span(charged)
        if not self._write(
            encode.choice_record(seat, decision_id, option, offered, span, uncharged, clock.served, self._wall())
        ):
            return
        course.take(seat, option, span)
        self._observer.chosen(
            self.match_id,
            self.game,
            think=charged,
            network=uncharged,
            journal=self._journal.seconds,
            handle=self._timers.time() - arrived,
        )
        self._after_step()

    def _reject(self, seat: int, decision_id: int, wrong: Objection) -> None:
        left = self._refusals.reject(seat, decision_id, wrong)
        name = play_pb2.RejectionReason.Name(wrong.reason)
        self._observer.rejected(self.match_id, name)
        self.seat_log(seat).debug("choice.rejected", reason=name, decision=decision_id, tries_left=max(0, left))
        if left < 0 and seat not in self.course.faults:
            self._fall(seat, match_pb2.TERMINATION_FORFEIT_ILLEGAL)

    @contained
    def signal(self, seat: int, words: game_pb2.Words) -> None:
        """Team talk; what is refused is said to the seat alone and the match goes on."""
        if self.over:
            return
        try:
            if not self.course.begun or seat in self.course.faults:
                raise IllegalAction("signals can be sent while the game is being played")
            self.course.state.clone().signal(seat, self.course.codec.read_words(words))
        except GameError as error:
            self._refusals.refuse(seat, error)
            return
        self._commit(replay_pb2.ReplayRecord(signal=replay_pb2.ReplaySignal(seat=seat, words=words)))

    @contained
    def resign(self, seat: int) -> None:
        """A seat gives up."""
        if not self.over and seat not in self.course.faults:
            self._fall(seat, match_pb2.TERMINATION_RESIGNED)

    @contained
    def _too_late(self) -> None:
        decision = self.course.decision
        if decision is not None and not self.over:
            self._fall(decision.seat, match_pb2.TERMINATION_FORFEIT_TIMEOUT)

    def _fall(self, seat: int, termination: match_pb2.Termination.ValueType) -> None:
        """A seat falls out: the match ends, or the caretaker plays on for it."""
        if seat in self.course.faults or self.over:
            return
        self._clocks.cause = self._timers.time()
        self.seats.gone(seat)
        decision = self.course.decision
        if decision is not None and decision.seat == seat:
            self._clocks.clear()
        name = match_pb2.Termination.Name(termination)
        self.seat_log(seat).info("seat.fell_out", termination=name, choices=self.course.choices)
        fault = replay_pb2.ReplayFault(seat=seat, termination=termination, time=timestamp(self._wall()))
        self._commit(replay_pb2.ReplayRecord(fault=fault))
        self._observer.fell(self.match_id, self.game, name)
        self._after_step()

    def _after_step(self) -> None:
        """Let the caretaker choose where it is asked, and end the match when it is decided."""
        course = self.course
        while not course.decided():
            if self.over:
                return
            decision = course.decision
            if decision is None or decision.seat not in course.faults:
                return
            self._caretaker_chooses(decision.seat, len(decision.options))
        if not self.over:
            self._finish(replay_pb2.ReplayEnd(result=final_result(course)))

    def _caretaker_chooses(self, seat: int, offered: int) -> None:
        record = replay_pb2.ReplayChoice(
            seat=seat,
            decision_id=self.course.chain.next_id(seat),
            option=self.course.caretaker.preview(seat, offered),
            offered=offered,
            time=timestamp(self._wall()),
            caretaker=True,
        )
        self._commit(replay_pb2.ReplayRecord(choice=record))

    # --- connections ---

    @contained
    def attach(self, seat: int, session: Bot, last_seq: int) -> None:
        """A bot is back: it gets exactly what it missed, and the others learn it."""
        place = self.seats[seat]
        if last_seq > self.course.logs[seat].seq:
            self._knows_too_much(seat, session, last_seq)
            if self.over:
                return
        place.take(session)
        session.join(self, seat)
        decision = self.course.decision
        if decision is not None and decision.seat == seat and place.present:
            self.course.renew_clock(self._clocks.renew(seat))
        for message in told_since(self.course, self.journal_path, seat, last_seq):
            session.send(message)
        self.seat_log(seat).info("seat.connected", session=session.session_id, resumed_from=last_seq)
        self.seats.back(seat)

    def _knows_too_much(self, seat: int, session: Bot, last_seq: int) -> None:
        """A bot says that it saw messages which, by the journal, were never sent."""
        if self.seats[seat].awaited:
            # Power was lost and with it records that had been sent on: what the seats saw cannot be made undone.
            self.void("the server lost a part of the match's journal")
            return
        last = self.course.logs[seat].seq
        text = f"{last_seq} messages were not sent yet, only {last}; 0 brings all of them again"
        session.refuse(InvalidAction(f"hello.resume[{self.match_id!r}]: {text}"), self.match_id)

    @contained
    def detach(self, seat: int, session: Bot) -> None:
        """A bot's connection is gone. Its clock runs on; after the grace it forfeits."""
        if self.seats[seat].session is session and not self.over:
            self.seat_log(seat).info("seat.disconnected", session=session.session_id)
        self.seats.lost(seat, session)

    @contained
    def _away(self, seat: int) -> None:
        if self.seats[seat].awaited:
            self.void(f"{self.players[seat]} did not come back after the server was restarted")
        else:
            self._fall(seat, match_pb2.TERMINATION_FORFEIT_DISCONNECTED)

    def _status(self, seat: int, connected: bool, grace: float) -> None:
        if self.over:
            return
        status = play_pb2.SeatStatus(seat=seat, connected=connected)
        if grace:
            status.grace_left.CopyFrom(duration(grace))
        for other in range(len(self.players)):
            if other != seat and self.course.logs[other].seq:
                notice = replay_pb2.ReplayNotice(seat=other, seat_status=status)
                self._commit(replay_pb2.ReplayRecord(notice=notice))

    # --- restart ---

    def restore(self, records: list[replay_pb2.ReplayRecord], grace: float) -> None:
        """Go on after a restart of the server with the records after the header. Nobody is connected yet.

        The clock of the pending decision starts anew when its bot is back: the time that the server was away is
        nobody's fault. For the same reason the match is void if a bot does not come back at all.

        Args:
            grace: seconds that the bots have for that.
        """
        course = self.course
        self._clocks.stopped = True
        for record in records:
            if record.HasField("ready") and course.logs[record.ready.seat].seq == 0:
                course.start(record.ready.seat)
            self.seats.remember(record, self.header.policies.illegal_tries)
            course.apply(record)
        self._clocks.stopped = False
        if not course.ready:
            return
        self.state = _RUNNING
        for seat in range(len(self.players)):
            if seat in course.faults:
                self.seats.gone(seat)
            elif course.logs[seat].seq == 0:
                course.start(seat)
        self.seats.await_all(grace)
        if not course.begun:
            budget = self.control.init_budget + grace
            self._ready_timer = self._timers.call_at(self._timers.time() + budget, self._not_ready)
        self._after_step()
