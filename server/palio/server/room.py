"""A running match: sessions, clocks and faults around a :class:`~palio.server.course.Course`.

Everything that happens becomes a record: journal first, then the course, then the messages. The room itself is
synchronous and does no waiting; time comes from :class:`Timers` so that tests can drive it.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Protocol

from google.protobuf import timestamp_pb2

from palio.codec.status import field_of, row_of, text_of
from palio.codec.wire import nested, tag
from palio.engine.errors import GameError, IllegalAction, InvalidAction
from palio.server import encode
from palio.server.clock import SeatClock, TimeControl, duration, seconds_of
from palio.server.course import Course, history
from palio.server.journal import Journal, read
from palio.server.observer import Observer
from palio.v1 import game_pb2, match_pb2, play_pb2, replay_pb2

if TYPE_CHECKING:
    from palio.server.sessions import Session

_READY_DEADLINE = tag(play_pb2.MatchStarted.READY_DEADLINE_FIELD_NUMBER)
MAX_ENTROPY: Final = 64
_STALE = play_pb2.REJECTION_REASON_STALE
_ILLEGAL = play_pb2.REJECTION_REASON_ILLEGAL
_NOT_YOURS = play_pb2.REJECTION_REASON_NOT_YOURS


class Timer(Protocol):
    """Something that was put off and can be cancelled."""

    def cancel(self) -> None: ...


class Timers(Protocol):
    """Where a room gets its time from; an asyncio loop is one."""

    def time(self) -> float:
        """Monotonic seconds."""

    def call_at(self, when: float, callback: Callable[..., Any], *args: Any) -> Timer:
        """Call back at that time."""


def refusal(error: BaseException) -> play_pb2.Refused:
    """An error as the message of a play stream."""
    return play_pb2.Refused(reason=row_of(error).reason, field=field_of(error), text=text_of(error))


def timestamp(seconds: float) -> timestamp_pb2.Timestamp:
    """Seconds since 1970 as a message."""
    nanos = round(seconds * 1e9)
    return timestamp_pb2.Timestamp(seconds=nanos // 10**9, nanos=nanos % 10**9)


class Spectator(Protocol):
    """Somebody who follows a match."""

    def step(self, choices: int, events: list[bytes]) -> None:
        """After ``choices`` choices: what everybody may see since the last step, as fields of ``SpectatorEvents``."""

    def ended(self, match: match_pb2.Match) -> None:
        """The match is over."""


class Place:
    """What a room knows of one seat besides the game."""

    __slots__ = ("answered", "clock", "credential_id", "grace_timer", "session", "tries")

    def __init__(self, control: TimeControl) -> None:
        self.session: Session | None = None
        self.credential_id = ""
        self.clock = SeatClock(control)
        self.tries = 0
        self.grace_timer: Timer | None = None
        self.answered: tuple[int, int] = (0, 0)


class Room:
    """One match from its creation to its end.

    Args:
        header: the first record; already in the journal.
        journal: where the further records go.
        timers: the event loop.
        wall: the wall clock, for what is shown and recorded.
        closed: called once when the match is over.
        observer: told what happens.

    Attributes:
        state: where the match stands.
        spectators: told each step's public events, and the end.
    """

    def __init__(
        self,
        header: replay_pb2.ReplayHeader,
        journal: Journal,
        timers: Timers,
        closed: Callable[[Room], None],
        observer: Observer,
        wall: Callable[[], float] = time.time,
    ) -> None:
        self.header = header
        self.match_id = header.match_id
        self.players = list(header.players)
        self.state = match_pb2.MATCH_STATE_WAITING
        self.ended = 0.0
        self.suspended = False
        self.control = TimeControl.read(header.time_control, TimeControl())
        self.course = Course(header, self._tell, self._face)
        self.course.watch = self._watch
        self.places = [Place(self.control) for _ in self.players]
        self.spectators: list[Spectator] = []
        self._journal = journal
        self._timers = timers
        self._wall = wall
        self._closed = closed
        self._observer = observer
        self._deadline: Timer | None = None
        self._due = math.inf
        self._rings = math.inf
        self._ready_timer: Timer | None = None

    @property
    def journal_path(self) -> Path:
        """Where its records lie while it runs."""
        return self._journal.path

    @property
    def no_show_after(self) -> float:
        """Seconds that it waits for players who are not connected."""
        return seconds_of(self.header.policies.no_show)

    # --- from records to messages ---

    def _tell(self, seat: int, message: bytes) -> None:
        session = self.places[seat].session
        if session is not None:
            session.send(message)

    def _watch(self, choices: int, events: list[bytes]) -> None:
        for spectator in self.spectators:
            spectator.step(choices, events)

    def _face(self, seat: int) -> bytes:
        """The clock that goes out with a decision; asking starts it."""
        clock = self.places[seat].clock
        limit = clock.limit()
        self._set_deadline(clock.start(self._timers.time()))
        return encode.clock(limit, self.control.increment, self._wall())

    def _commit(self, record: replay_pb2.ReplayRecord) -> None:
        """Journal, then consequences."""
        if self._write(record.SerializeToString()):
            self.course.apply(record)

    def _write(self, record: bytes) -> bool:
        """A serialised record goes to the journal. One that cannot be written voids the match: that is our fault."""
        try:
            self._journal.append_payload(record)
        except OSError as error:
            self._abandon(f"the server cannot write its journal: {error.strerror or error}")
            return False
        return True

    # --- beginning ---

    def start(self, sessions: dict[int, Session]) -> None:
        """All players who will come are there: tell them. Seats without a session are no-shows."""
        self.state = match_pb2.MATCH_STATE_RUNNING
        self._observer.started(self.match_id, self.header.game, self.players)
        budget = self.control.init_budget
        deadline = nested(_READY_DEADLINE, timestamp(self._wall() + budget).SerializeToString())
        for seat, session in sessions.items():
            place = self.places[seat]
            place.session = session
            place.credential_id = session.credential_id
            session.join(self, seat)
            if self.course.logs[seat].seq == 0:
                self.course.start(seat, deadline)
        for seat in range(len(self.places)):
            if seat not in sessions:
                self._fall(seat, match_pb2.TERMINATION_FORFEIT_NO_SHOW)
        if self.state == match_pb2.MATCH_STATE_RUNNING and not self.course.begun:
            self._ready_timer = self._timers.call_at(self._timers.time() + budget, self._not_ready)

    def ready(self, seat: int, entropy: bytes = b"") -> None:
        """A bot is prepared. Saying so again changes nothing."""
        if seat in self.course.ready or self.over:
            return
        if len(entropy) > MAX_ENTROPY:
            error = InvalidAction(f"entropy has {len(entropy)} bytes; at most {MAX_ENTROPY} are allowed")
            self.refuse(seat, error)
            return
        credential = self.places[seat].credential_id
        record = replay_pb2.ReplayReady(
            seat=seat, entropy=entropy, time=timestamp(self._wall()), credential_id=credential
        )
        self._commit(replay_pb2.ReplayRecord(ready=record))
        self._after_step()

    def _not_ready(self) -> None:
        for seat in range(len(self.places)):
            if seat not in self.course.ready and not self.over:
                self._fall(seat, match_pb2.TERMINATION_FORFEIT_NO_SHOW)

    # --- playing ---

    @property
    def over(self) -> bool:
        """Whether nothing more can happen in it here."""
        return self.suspended or self.state in (match_pb2.MATCH_STATE_FINISHED, match_pb2.MATCH_STATE_VOID)

    def choose(self, seat: int, decision_id: int, option: int, network: float) -> None:
        """A seat answers; it is always told whether that counts.

        Args:
            network: measured round trip to that bot, in seconds.
        """
        if self.over:
            return
        course = self.course
        place = self.places[seat]
        decision = course.decision
        asked = decision is not None and decision.seat == seat and seat not in course.faults
        expected = course.chain.next_id(seat)
        if decision_id == place.answered[0] and decision_id == expected - 1 and option == place.answered[1]:
            accepted = play_pb2.ChoiceAccepted(decision_id=decision_id, option=option)
            self._repeat(seat, accepted)
            return
        if decision_id < expected:
            self._reject(seat, decision_id, _STALE, f"decision {decision_id} is answered already", counts=False)
            return
        if not asked or decision is None or decision_id > expected:
            text = f"seat {seat} is not asked now" if not asked else f"the pending decision is {expected}"
            self._reject(seat, decision_id, _NOT_YOURS, text)
            return
        if not 0 <= option < len(decision.options):
            text = f"option {option} is not between 0 and {len(decision.options) - 1}"
            self._reject(seat, decision_id, _ILLEGAL, text)
            return
        arrived = self._timers.time()
        charged, uncharged = place.clock.stop(arrived, network)
        if place.clock.overrun(charged):
            self._fall(seat, match_pb2.TERMINATION_FORFEIT_TIMEOUT)
            return
        self._clear_deadline()
        place.clock.charge(charged)
        place.answered = (decision_id, option)
        place.tries = 0
        record = encode.choice_record(
            seat, decision_id, option, len(decision.options), charged, uncharged, self._wall()
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

    def _repeat(self, seat: int, accepted: play_pb2.ChoiceAccepted) -> None:
        """The same choice was sent again: the same answer, as a message of the session (it has no new number)."""
        session = self.places[seat].session
        if session is not None:
            session.tell(play_pb2.Update(match_id=self.match_id, choice_accepted=accepted))

    def _reject(
        self,
        seat: int,
        decision_id: int,
        reason: play_pb2.RejectionReason.ValueType,
        text: str,
        *,
        counts: bool = True,
    ) -> None:
        place = self.places[seat]
        allowed = self.header.policies.illegal_tries
        if counts:
            place.tries += 1
        rejected = play_pb2.ChoiceRejected(
            decision_id=decision_id, reason=reason, text=text, tries_left=max(0, allowed - place.tries)
        )
        notice = replay_pb2.ReplayNotice(seat=seat, choice_rejected=rejected)
        self._commit(replay_pb2.ReplayRecord(notice=notice))
        self._observer.rejected(self.match_id, play_pb2.RejectionReason.Name(reason))
        if place.tries > allowed and seat not in self.course.faults:
            self._fall(seat, match_pb2.TERMINATION_FORFEIT_ILLEGAL)

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
        refused = refusal(error)
        self._commit(replay_pb2.ReplayRecord(notice=replay_pb2.ReplayNotice(seat=seat, refused=refused)))

    def resign(self, seat: int) -> None:
        """A seat gives up."""
        if not self.over and seat not in self.course.faults:
            self._fall(seat, match_pb2.TERMINATION_RESIGNED)

    def _fall(self, seat: int, termination: match_pb2.Termination.ValueType) -> None:
        """A seat falls out: the match ends, or the caretaker plays on for it."""
        if seat in self.course.faults or self.over:
            return
        self._cancel_grace(seat)
        decision = self.course.decision
        if decision is not None and decision.seat == seat:
            self._clear_deadline()
        fault = replay_pb2.ReplayFault(seat=seat, termination=termination, time=timestamp(self._wall()))
        self._commit(replay_pb2.ReplayRecord(fault=fault))
        self._observer.fell(self.match_id, self.header.game, match_pb2.Termination.Name(termination))
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
            self._finish(course.final_result())

    def _caretaker_chooses(self, seat: int, offered: int) -> None:
        stream = self.course.caretaker_stream(seat)
        # The course draws again when it applies the record; so look without moving the stream.
        position = stream.position
        option = stream.uniform(offered)
        stream.position = position
        record = replay_pb2.ReplayChoice(
            seat=seat,
            decision_id=self.course.chain.next_id(seat),
            option=option,
            offered=offered,
            time=timestamp(self._wall()),
            caretaker=True,
        )
        self._commit(replay_pb2.ReplayRecord(choice=record))

    # --- time ---

    def _set_deadline(self, when: float) -> None:
        """The pending decision must be answered by then.

        One timer serves the whole match: it is put off when it rings too early, since making and cancelling one for
        each decision costs more than the decision's clock.
        """
        self._due = when
        if self._deadline is None:
            self._deadline = self._timers.call_at(when, self._ring)
        elif when < self._rings:
            self._deadline.cancel()
            self._deadline = self._timers.call_at(when, self._ring)
        else:
            return
        self._rings = when

    def _clear_deadline(self) -> None:
        self._due = math.inf

    def _ring(self) -> None:
        self._deadline = None
        if self.over or self._due == math.inf:
            return
        if self._timers.time() < self._due:
            self._set_deadline(self._due)
            return
        decision = self.course.decision
        if decision is not None:
            self._fall(decision.seat, match_pb2.TERMINATION_FORFEIT_TIMEOUT)

    # --- connections ---

    def attach(self, seat: int, session: Session, last_seq: int) -> None:
        """A bot is back: it gets exactly what it missed, and the others learn it."""
        place = self.places[seat]
        place.session = session
        place.credential_id = session.credential_id
        self._cancel_grace(seat)
        session.join(self, seat)
        log = self.course.logs[seat]
        if last_seq + 1 < log.first:
            for message in history(read(self._journal.path)).logs[seat].kept[last_seq : log.first - 1]:
                session.send(message)
        for message in log.since(last_seq):
            session.send(message)
        self._status(seat, connected=True)

    def detach(self, seat: int, session: Session) -> None:
        """A bot's connection is gone. Its clock runs on; after the grace it forfeits."""
        place = self.places[seat]
        if place.session is not session:
            return
        place.session = None
        if self.over or seat in self.course.faults:
            return
        grace = seconds_of(self.header.policies.disconnection_grace)
        place.grace_timer = self._timers.call_at(self._timers.time() + grace, self._grace_over, seat)
        self._status(seat, connected=False, grace=grace)

    def _grace_over(self, seat: int) -> None:
        self.places[seat].grace_timer = None
        self._fall(seat, match_pb2.TERMINATION_FORFEIT_DISCONNECTED)

    def _cancel_grace(self, seat: int) -> None:
        timer = self.places[seat].grace_timer
        if timer is not None:
            timer.cancel()
            self.places[seat].grace_timer = None

    def _status(self, seat: int, *, connected: bool, grace: float = 0.0) -> None:
        if self.over:
            return
        status = play_pb2.SeatStatus(seat=seat, connected=connected)
        if grace:
            status.grace_left.CopyFrom(duration(grace))
        for other in range(len(self.places)):
            if other != seat and self.course.logs[other].seq:
                notice = replay_pb2.ReplayNotice(seat=other, seat_status=status)
                self._commit(replay_pb2.ReplayRecord(notice=notice))

    # --- end ---

    def void(self, reason: str) -> None:
        """End the match without a result: the server's or the organiser's doing."""
        if not self.over:
            self._finish(self.course.void_result(), reason)

    def _abandon(self, reason: str) -> None:
        """End the match as void although the journal cannot be written."""
        end = replay_pb2.ReplayEnd(result=self.course.void_result(), void_reason=reason)
        self._close(replay_pb2.ReplayRecord(end=end), match_pb2.MATCH_STATE_VOID)

    def _finish(self, result: match_pb2.MatchResult, void_reason: str = "") -> None:
        now = self._wall()
        end = replay_pb2.ReplayEnd(result=result, void_reason=void_reason, time=timestamp(now))
        record = replay_pb2.ReplayRecord(end=end)
        try:
            self._journal.append(record)
        except OSError as error:
            self._abandon(f"the server cannot write its journal: {error.strerror or error}")
            return
        self._close(record, match_pb2.MATCH_STATE_VOID if void_reason else match_pb2.MATCH_STATE_FINISHED)

    def _close(self, record: replay_pb2.ReplayRecord, state: match_pb2.MatchState.ValueType) -> None:
        if self.over:
            return
        self.state = state
        self.ended = self._wall()
        if self._deadline is not None:
            self._deadline.cancel()
        if self._ready_timer is not None:
            self._ready_timer.cancel()
        for seat in range(len(self.places)):
            self._cancel_grace(seat)
        self.course.apply(record)
        self._journal.close()
        for place in self.places:
            if place.session is not None:
                place.session.left(self)
        summary = self.summary()
        self._observer.ended(summary)
        for spectator in self.spectators:
            spectator.ended(summary)
        self._closed(self)

    def suspend(self) -> None:
        """The server goes down with this match unfinished: from here on it is a journal, for the next start."""
        self.suspended = True
        for timer in (self._deadline, self._ready_timer, *(place.grace_timer for place in self.places)):
            if timer is not None:
                timer.cancel()
        self._journal.close()

    # --- restart ---

    def restore(self, records: list[replay_pb2.ReplayRecord]) -> None:
        """Go on after a restart of the server with the records after the header. Nobody is connected yet.

        The clock of the pending decision starts anew: the time that the server was away is nobody's fault.
        """
        for record in records:
            if record.HasField("ready"):
                if self.course.logs[record.ready.seat].seq == 0:
                    self.course.start(record.ready.seat)
                self.places[record.ready.seat].credential_id = record.ready.credential_id
            if record.HasField("choice") and not record.choice.caretaker:
                place = self.places[record.choice.seat]
                place.clock.charge(seconds_of(record.choice.charged))
                place.answered = (record.choice.decision_id, record.choice.option)
                place.tries = 0
            if record.HasField("notice") and record.notice.HasField("choice_rejected"):
                self.places[record.notice.seat].tries = (
                    self.header.policies.illegal_tries - record.notice.choice_rejected.tries_left
                )
            self.course.apply(record)
        if self.course.ready:
            self.state = match_pb2.MATCH_STATE_RUNNING
            for seat in range(len(self.places)):
                if self.course.logs[seat].seq == 0 and seat not in self.course.faults:
                    self.course.start(seat)
            now = self._timers.time()
            grace = seconds_of(self.header.policies.disconnection_grace)
            for seat in range(len(self.places)):
                if seat not in self.course.faults:
                    self.places[seat].grace_timer = self._timers.call_at(now + grace, self._grace_over, seat)
            if not self.course.begun:
                self._ready_timer = self._timers.call_at(now + self.control.init_budget + grace, self._not_ready)
            self._after_step()

    def summary(self) -> match_pb2.Match:
        """The match as organisers and spectators see it."""
        header, course = self.header, self.course
        match = match_pb2.Match(
            match_id=header.match_id,
            attempt=header.attempt,
            game=header.game,
            rules_version=header.rules_version,
            options=header.options,
            players=header.players,
            state=self.state,
            choices=course.choices,
            created=header.created,
            seed_commitment=header.seed_commitment,
            time_control=header.time_control,
            policies=header.policies,
            void_reason=course.void_reason,
        )
        if course.result is not None:
            match.result.CopyFrom(course.result)
            match.ended.CopyFrom(timestamp(self.ended))
        return match
