"""A running match: sessions, clocks and faults around a :class:`~palio.server.course.Course`.

Everything that happens becomes a record: journal first, then the course, then the messages. The room itself is
synchronous and does no waiting; time comes from :class:`~palio.server.deadline.Timers` so that tests can drive it.
Whatever goes wrong inside, in the rules too, voids this match and harms no other.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Final, Protocol

import structlog

from palio.codec.wire import nested, tag
from palio.engine.errors import GameError, IllegalAction, InvalidAction
from palio.server import encode
from palio.server.attendance import Attendance
from palio.server.clock import TimeControl, duration, seconds_of, timestamp
from palio.server.containment import contained
from palio.server.course import Course, history
from palio.server.deadline import Deadline, Timer, Timers
from palio.server.journal import Journal, read
from palio.server.logs import outline
from palio.server.objections import Objection, objection
from palio.server.observer import Observer, Spectator
from palio.server.sessions import Session, refusal
from palio.server.summaries import summary, void_end_of
from palio.v1 import game_pb2, match_pb2, play_pb2, replay_pb2

_READY_DEADLINE = tag(play_pb2.MatchStarted.READY_DEADLINE_FIELD_NUMBER)
MAX_ENTROPY: Final = 64
MOST_NOTICES: Final = 100
"""Refusals of one seat since its last choice that counted, after which they are no longer kept for it."""
_OVER = (match_pb2.MATCH_STATE_FINISHED, match_pb2.MATCH_STATE_VOID)

log = structlog.get_logger(__name__)


class Keeper(Protocol):
    """Whom rooms belong to."""

    def closed(self, room: Room) -> None:
        """The match is over."""

    def storage_failed(self, error: OSError) -> None:
        """A journal cannot be written."""


class Room:
    """One match from its creation to its end.

    Args:
        header: the first record; already in the journal.
        journal: where the further records go.
        timers: the event loop.
        keeper: told when the match is over, and when its journal fails.
        observer: told what happens.
        wall: the wall clock, for what is shown and recorded.

    Attributes:
        state: where the match stands.
        end: the last record, once it is over.
        recorded: whether its journal has that record.
        spectators: told each step's public events, and the end.
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
        self.header = header
        self.match_id = header.match_id
        self.players = list(header.players)
        self.state = match_pb2.MATCH_STATE_WAITING
        self.suspended = False
        self.end: replay_pb2.ReplayEnd | None = None
        self.recorded = False
        self.control = TimeControl.read(header.time_control, TimeControl())
        self.course = Course(header, self._tell, self._face)
        self.course.watch = self._watch
        grace = seconds_of(header.policies.disconnection_grace)
        self.seats = Attendance(len(self.players), self.control, timers, grace, self._away, self._status)
        self.spectators: list[Spectator] = []
        self.log = log.bind(match=header.match_id, game=header.game)
        self._journal = journal
        self._timers = timers
        self._wall = wall
        self._keeper = keeper
        self._observer = observer
        self._deadline = Deadline(timers, self._too_late)
        self._ready_timer: Timer | None = None
        self._cause = 0.0
        self._restoring = False
        self._handed_over = [partial(self._on_its_way, seat) for seat in range(len(self.players))]

    @property
    def journal_path(self) -> Path:
        """Where its records lie while it runs."""
        return self._journal.path

    @property
    def no_show_after(self) -> float:
        """Seconds that it waits for players who are not connected."""
        return seconds_of(self.header.policies.no_show)

    def seat_log(self, seat: int) -> structlog.typing.FilteringBoundLogger:
        """Writes lines that bear the match, the seat and its player."""
        bound: structlog.typing.FilteringBoundLogger = self.log.bind(seat=seat, player=self.players[seat])
        return bound

    # --- from records to messages ---

    def _tell(self, seat: int, message: bytes) -> None:
        session = self.seats[seat].session
        if session is not None:
            session.send(message)

    def _watch(self, choices: int, events: list[bytes]) -> None:
        self._show(lambda spectator: spectator.step(choices, events))

    def _show(self, show: Callable[[Spectator], None]) -> None:
        """Those who only watch can do a match no harm."""
        for spectator in list(self.spectators):
            try:
                show(spectator)
            except Exception as error:
                self.log.error("spectator.failed", error=type(error).__name__, stack=outline(error))
                self.spectators.remove(spectator)

    def _face(self, seat: int) -> bytes:
        """The clock that goes out with a decision; asking starts it."""
        place = self.seats[seat]
        now = self._timers.time()
        limit = place.clock.limit()
        if not self._restoring:
            place.clock.served = now - self._cause
            self._deadline.set(place.clock.start(now))
            if place.session is not None:
                place.session.outbox.when_taken(self._handed_over[seat])
        return encode.clock(limit, self.control.increment, self._wall())

    def _on_its_way(self, seat: int) -> None:
        """The decision has left the queue: that it lay there was not the bot's time."""
        decision = self.course.decision
        if decision is not None and decision.seat == seat:
            self._deadline.set(self.seats[seat].clock.handed_over(self._timers.time()))

    def _commit(self, record: replay_pb2.ReplayRecord) -> None:
        """Journal, then consequences."""
        if self._write(record.SerializeToString()):
            self.course.apply(record)

    def _write(self, record: bytes) -> bool:
        """A serialised record goes to the journal. One that cannot be written voids the match: that is our fault."""
        try:
            self._journal.append_payload(record)
        except OSError as error:
            self._abandon(error)
            return False
        return True

    # --- beginning ---

    @contained
    def start(self, sessions: dict[int, Session]) -> None:
        """All players who will come are there: tell them. Seats without a session are no-shows."""
        self.state = match_pb2.MATCH_STATE_RUNNING
        self._observer.started(self.match_id, self.header.game, self.players)
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
        if self.state == match_pb2.MATCH_STATE_RUNNING and not self.course.begun:
            self._ready_timer = self._timers.call_at(self._timers.time() + budget, self._not_ready)

    @contained
    def ready(self, seat: int, entropy: bytes = b"") -> None:
        """A bot is prepared. Saying so again changes nothing."""
        if seat in self.course.ready or self.over:
            return
        if len(entropy) > MAX_ENTROPY:
            error = InvalidAction(f"entropy has {len(entropy)} bytes; at most {MAX_ENTROPY} are allowed")
            self.refuse(seat, error)
            return
        self._cause = self._timers.time()
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

    @property
    def over(self) -> bool:
        """Whether nothing more can happen in it here."""
        return self.suspended or self.state in _OVER

    @contained
    def choose(self, seat: int, decision_id: int, option: int, network: float) -> None:
        """A seat answers; it is always told whether that counts.

        Args:
            network: measured round trip to that bot, in seconds.
        """
        if self.over:
            return
        course = self.course
        place = self.seats[seat]
        if (decision_id, option) == place.answered[:2] and decision_id == course.chain.next_id(seat) - 1:
            self._repeat(seat)
            return
        wrong = objection(course, seat, decision_id, option)
        if wrong is not None:
            self._reject(seat, decision_id, wrong)
            return
        arrived = self._cause = self._timers.time()
        charged, uncharged = place.clock.stop(arrived, network)
        if place.clock.overrun(charged):
            self._fall(seat, match_pb2.TERMINATION_FORFEIT_TIMEOUT)
            return
        self._deadline.clear()
        place.has_chosen(decision_id, option, charged)
        assert course.decision is not None
        offered = len(course.decision.options)
        record = encode.choice_record(
            seat, decision_id, option, offered, charged, uncharged, place.clock.served, self._wall()
        )
        if not self._write(record):
            return
        course.take(seat, option, charged)
        self._observer.chosen(
            self.match_id,
            self.header.game,
            think=charged,
            network=uncharged,
            journal=self._journal.seconds,
            handle=self._timers.time() - arrived,
        )
        self._after_step()

    def _repeat(self, seat: int) -> None:
        """The same choice was sent again: the same answer, as a message of the session (it has no new number)."""
        place = self.seats[seat]
        decision_id, option, charged = place.answered
        accepted = play_pb2.ChoiceAccepted(decision_id=decision_id, option=option, charged=duration(charged))
        if place.session is not None:
            place.session.tell(play_pb2.Update(match_id=self.match_id, choice_accepted=accepted))
            place.session.nonsense()

    def _reject(self, seat: int, decision_id: int, wrong: Objection) -> None:
        place = self.seats[seat]
        allowed = self.header.policies.illegal_tries
        if wrong.counts:
            place.tries += 1
        rejected = play_pb2.ChoiceRejected(
            decision_id=decision_id, reason=wrong.reason, text=wrong.text, tries_left=max(0, allowed - place.tries)
        )
        self._notify(seat, replay_pb2.ReplayNotice(seat=seat, choice_rejected=rejected))
        name = play_pb2.RejectionReason.Name(wrong.reason)
        self._observer.rejected(self.match_id, name)
        self.seat_log(seat).debug("choice.rejected", reason=name, decision=decision_id, tries_left=rejected.tries_left)
        if place.tries > allowed and seat not in self.course.faults:
            self._fall(seat, match_pb2.TERMINATION_FORFEIT_ILLEGAL)

    def _notify(self, seat: int, notice: replay_pb2.ReplayNotice) -> None:
        """Tell a seat that something of it does not count. What is numbered has to be kept, so there is a bound to it;
        beyond, the seat is told without a number."""
        place = self.seats[seat]
        place.noise += 1
        if place.noise <= MOST_NOTICES:
            self._commit(replay_pb2.ReplayRecord(notice=notice))
        elif place.session is not None:
            update = play_pb2.Update(match_id=self.match_id)
            if notice.HasField("choice_rejected"):
                update.choice_rejected.CopyFrom(notice.choice_rejected)
            else:
                update.refused.CopyFrom(notice.refused)
            place.session.tell(update)
        if place.session is not None:
            place.session.nonsense()

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
            self.refuse(seat, error)
            return
        self._commit(replay_pb2.ReplayRecord(signal=replay_pb2.ReplaySignal(seat=seat, words=words)))

    def refuse(self, seat: int, error: GameError) -> None:
        """Tell a seat that something other than a choice was refused."""
        self._notify(seat, replay_pb2.ReplayNotice(seat=seat, refused=refusal(error)))

    @contained
    def resign(self, seat: int) -> None:
        """A seat gives up."""
        if not self.over and seat not in self.course.faults:
            self._fall(seat, match_pb2.TERMINATION_RESIGNED)

    def _fall(self, seat: int, termination: match_pb2.Termination.ValueType) -> None:
        """A seat falls out: the match ends, or the caretaker plays on for it."""
        if seat in self.course.faults or self.over:
            return
        self._cause = self._timers.time()
        self.seats.gone(seat)
        decision = self.course.decision
        if decision is not None and decision.seat == seat:
            self._deadline.clear()
        name = match_pb2.Termination.Name(termination)
        self.seat_log(seat).info("seat.fell_out", termination=name, choices=self.course.choices)
        fault = replay_pb2.ReplayFault(seat=seat, termination=termination, time=timestamp(self._wall()))
        self._commit(replay_pb2.ReplayRecord(fault=fault))
        self._observer.fell(self.match_id, self.header.game, name)
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
            self._finish(replay_pb2.ReplayEnd(result=course.final_result()))

    def _caretaker_chooses(self, seat: int, offered: int) -> None:
        record = replay_pb2.ReplayChoice(
            seat=seat,
            decision_id=self.course.chain.next_id(seat),
            option=self.course.caretaker_option(seat, offered),
            offered=offered,
            time=timestamp(self._wall()),
            caretaker=True,
        )
        self._commit(replay_pb2.ReplayRecord(choice=record))

    @contained
    def _too_late(self) -> None:
        decision = self.course.decision
        if decision is not None and not self.over:
            self._fall(decision.seat, match_pb2.TERMINATION_FORFEIT_TIMEOUT)

    # --- connections ---

    @contained
    def attach(self, seat: int, session: Session, last_seq: int) -> None:
        """A bot is back: it gets exactly what it missed, and the others learn it."""
        place = self.seats[seat]
        sent = self.course.logs[seat]
        if last_seq > sent.seq:
            self._knows_too_much(seat, session, last_seq)
            if self.over:
                return
        place.take(session)
        session.join(self, seat)
        self._renew_clock(seat)
        if last_seq + 1 < sent.first:
            for message in history(read(self._journal.path)).logs[seat].kept[last_seq : sent.first - 1]:
                session.send(message)
        for message in sent.since(last_seq):
            session.send(message)
        self.seat_log(seat).info("seat.connected", session=session.session_id, resumed_from=last_seq)
        self.seats.back(seat)

    def _knows_too_much(self, seat: int, session: Session, last_seq: int) -> None:
        """A bot says that it saw messages which, by the journal, were never sent."""
        if self.seats[seat].awaited:
            # Power was lost and with it records that had been sent on: what the seats saw cannot be made undone.
            self.void("the server lost a part of the match's journal")
            return
        last = self.course.logs[seat].seq
        text = f"{last_seq} messages were not sent yet, only {last}; 0 brings all of them again"
        session.refuse(InvalidAction(f"hello.resume[{self.match_id!r}]: {text}"), self.match_id)

    def _renew_clock(self, seat: int) -> None:
        decision = self.course.decision
        place = self.seats[seat]
        if decision is None or decision.seat != seat or not place.present:
            return
        now = self._timers.time()
        if place.awaited:
            # The time until here was the server's.
            self._deadline.set(place.clock.start(now))
        self.course.renew_clock(encode.clock(place.clock.left(now), self.control.increment, self._wall()))

    @contained
    def detach(self, seat: int, session: Session) -> None:
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

    # --- end ---

    @contained
    def void(self, reason: str) -> None:
        """End the match without a result: the server's or the organiser's doing."""
        if not self.over:
            self._finish(void_end_of(self.course, reason))

    def broke(self, error: Exception) -> None:
        """Something inside failed, which is the server's fault: the match is void."""
        # The text of the error may name hidden cards, so it is left out; the journal shows it to who plays it again.
        self.log.error("match.broken", choices=self.course.choices, error=type(error).__name__, stack=outline(error))
        if not self.over:
            self._finish(void_end_of(self.course, "a fault of the server; its log says more"))

    def _abandon(self, error: OSError) -> None:
        """End the match as void although the journal cannot be written."""
        reason = f"the server cannot write its journal: {error.strerror or error}"
        self.log.error("match.not_journaled", choices=self.course.choices, error=error.strerror or str(error))
        end = void_end_of(self.course, reason)
        end.time.CopyFrom(timestamp(self._wall()))
        self._close(end, match_pb2.MATCH_STATE_VOID)
        self._keeper.storage_failed(error)

    def _finish(self, end: replay_pb2.ReplayEnd) -> None:
        end.time.CopyFrom(timestamp(self._wall()))
        try:
            self._journal.append(replay_pb2.ReplayRecord(end=end))
        except OSError as error:
            self._abandon(error)
            return
        self.recorded = True
        self._close(end, match_pb2.MATCH_STATE_VOID if end.void_reason else match_pb2.MATCH_STATE_FINISHED)

    def _close(self, end: replay_pb2.ReplayEnd, state: match_pb2.MatchState.ValueType) -> None:
        self.state = state
        self.end = end
        self._stop_timers()
        try:
            self.course.apply(replay_pb2.ReplayRecord(end=end))
        finally:
            self._journal.close()
            self._keeper.closed(self)
            for place in self.seats:
                if place.session is not None:
                    place.session.left(self)
            match = self.summary()
            self._observer.ended(match)
            self._show(lambda spectator: spectator.ended(match))

    def suspend(self) -> None:
        """The server goes down with this match unfinished: from here on it is a journal, for the next start."""
        self.suspended = True
        self._stop_timers()
        self._journal.close()

    def _stop_timers(self) -> None:
        self._deadline.cancel()
        if self._ready_timer is not None:
            self._ready_timer.cancel()
        for seat in range(len(self.players)):
            self.seats.gone(seat)

    # --- restart ---

    def restore(self, records: list[replay_pb2.ReplayRecord], grace: float) -> None:
        """Go on after a restart of the server with the records after the header. Nobody is connected yet.

        The clock of the pending decision starts anew when its bot is back: the time that the server was away is
        nobody's fault. For the same reason the match is void if a bot does not come back at all.

        Args:
            grace: seconds that the bots have for that.
        """
        self._restoring = True
        for record in records:
            if record.HasField("ready") and self.course.logs[record.ready.seat].seq == 0:
                self.course.start(record.ready.seat)
            self.seats.remember(record, self.header.policies.illegal_tries)
            self.course.apply(record)
        self._restoring = False
        if not self.course.ready:
            return
        self.state = match_pb2.MATCH_STATE_RUNNING
        for seat in range(len(self.players)):
            if seat in self.course.faults:
                self.seats.gone(seat)
            elif self.course.logs[seat].seq == 0:
                self.course.start(seat)
        self.seats.await_all(grace)
        if not self.course.begun:
            budget = self.control.init_budget + grace
            self._ready_timer = self._timers.call_at(self._timers.time() + budget, self._not_ready)
        self._after_step()

    def summary(self) -> match_pb2.Match:
        """The match as organisers and spectators see it. While it runs, the number of choices is that of the last
        public step: a number that grew in between would tell of hidden decisions."""
        course = self.course
        return summary(self.header, self.state, course.choices if self.over else course.steps, self.end)
