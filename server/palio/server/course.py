"""The course of one match as a function of its records: what the game is, and what each seat is told.

A match is event-sourced. The live :class:`~palio.server.room.Room` turns what happens into records, writes each to
the journal and applies it here; the messages to the seats follow from the records alone. So the same code serves a
running match, a restart after a crash and a bot that asks for everything again.

A waiting seat learns what happened only at the steps of ``State.turn``, when it is asked itself, and at the end:
sending events one by one would tell, by their grouping, which hidden decisions another seat was asked.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import cache
from typing import Final

from palio.codec import codec_of
from palio.codec.base import GameCodec
from palio.codec.wire import nested, number, tag
from palio.engine.chance import Stream, mixed_seed
from palio.engine.game import Decision, Event, Option, Outcome, State
from palio.engine.replay import DigestChain, chain_head
from palio.games import rules_of
from palio.server import encode
from palio.server.clock import seconds_of
from palio.server.ranking import ranked
from palio.v1 import match_pb2, play_pb2, replay_pb2

_UPDATES: Final = tag(play_pb2.PlayResponse.UPDATES_FIELD_NUMBER)
_MATCH_ID: Final = tag(play_pb2.Update.MATCH_ID_FIELD_NUMBER)
_SEQ: Final = play_pb2.Update.SEQ_FIELD_NUMBER
_STARTED: Final = tag(play_pb2.Update.MATCH_STARTED_FIELD_NUMBER)
_EVENTS: Final = tag(play_pb2.Update.EVENTS_FIELD_NUMBER)
_DECISION: Final = tag(play_pb2.Update.DECISION_FIELD_NUMBER)
_ACCEPTED: Final = tag(play_pb2.Update.CHOICE_ACCEPTED_FIELD_NUMBER)
_REJECTED: Final = tag(play_pb2.Update.CHOICE_REJECTED_FIELD_NUMBER)
_STATUS: Final = tag(play_pb2.Update.SEAT_STATUS_FIELD_NUMBER)
_ENDED: Final = tag(play_pb2.Update.MATCH_ENDED_FIELD_NUMBER)
_REFUSED: Final = tag(play_pb2.Update.REFUSED_FIELD_NUMBER)
_KIND: Final = tag(play_pb2.Decision.KIND_FIELD_NUMBER)
_OBSERVATION: Final = tag(play_pb2.Decision.OBSERVATION_FIELD_NUMBER)
_OPTIONS: Final = tag(play_pb2.Decision.OPTIONS_FIELD_NUMBER)
_CLOCK: Final = tag(play_pb2.Decision.CLOCK_FIELD_NUMBER)
_KEPT_OPTIONS: Final = 1 << 16
_DECISION_ID: Final = play_pb2.Decision.DECISION_ID_FIELD_NUMBER
_EVENT: Final = tag(play_pb2.Events.EVENTS_FIELD_NUMBER)


class OptionFields(dict[Option, bytes]):
    """Options of one game as fields of a Decision, made once each."""

    def __init__(self, codec: GameCodec) -> None:
        super().__init__()
        self._codec = codec

    def __missing__(self, option: Option) -> bytes:
        if len(self) >= _KEPT_OPTIONS:
            self.clear()
        field = self[option] = nested(_OPTIONS, self._codec.option(option))
        return field


@cache
def option_fields(game: str) -> OptionFields:
    """Shared by all matches of a game."""
    return OptionFields(codec_of(game))


class SeatLog:
    """What one seat was told, numbered 1, 2, 3 ...; messages that it has surely seen are forgotten."""

    __slots__ = ("_head", "first", "kept", "seq")

    def __init__(self, match_id: str) -> None:
        self._head = nested(_MATCH_ID, match_id.encode())
        self.seq = 0
        self.first = 1
        self.kept: list[bytes] = []

    def frame(self, seq: int, field_tag: bytes, payload: bytes) -> bytes:
        """A message as a serialised ``PlayResponse`` of one update."""
        return nested(_UPDATES, self._head + number(_SEQ, seq) + nested(field_tag, payload))

    def add(self, field_tag: bytes, payload: bytes) -> bytes:
        self.seq += 1
        message = self.frame(self.seq, field_tag, payload)
        self.kept.append(message)
        return message

    def forget(self, seq: int) -> None:
        """The seat has proved that it saw everything up to ``seq``."""
        if seq >= self.first:
            del self.kept[: seq + 1 - self.first]
            self.first = seq + 1

    def since(self, seq: int) -> list[bytes]:
        """The messages after ``seq`` that are still kept."""
        return self.kept[max(0, seq + 1 - self.first) :]


class Course:
    """A match up to the last record applied.

    Args:
        header: the first record.
        tell: called with (seat, serialised PlayResponse) for each message, in order.
        face: gives the serialised ``Clock`` of a decision that is asked now; ``None`` leaves clocks out (history).

    Attributes:
        state: the game.
        decision: the pending decision, ``None`` before all are ready and after the end.
        faults: seats that fell out, in that order, with the reason.
        ready: seats that are ready or fell out before.
        seed: what all chance comes from; before all are ready only the server's part of it, where players contribute.
        entropy: what each seat contributed.
        result: set by the end record.
        watch: told each step's public events, for spectators.
        trace: told every event when it happens, hidden ones too, for transcripts.
        steps: number of choices at the last step of the public counter, up to which spectators were told.
    """

    def __init__(
        self,
        header: replay_pb2.ReplayHeader,
        tell: Callable[[int, bytes], None] | None = None,
        face: Callable[[int], bytes] | None = None,
    ) -> None:
        self.header = header
        self.rules = rules_of(header.game)
        self.codec = codec_of(header.game)
        self._options = option_fields(header.game)
        self._tell = tell
        self._face = face
        seats = len(header.players)
        if header.HasField("position"):
            self.state: State = self.rules.from_position(self.codec.read_position(header.position))
        else:
            self.state = self.rules.start(header.seed, seats, self.codec.read_game_options(header.options))
        setup = header.options.SerializeToString(deterministic=True) + header.position.SerializeToString(
            deterministic=True
        )
        self.seed = header.seed
        self.entropy = [b""] * seats
        self.chain = DigestChain(chain_head(self.rules, seats, header.seed_commitment, setup), seats)
        self.logs = [SeatLog(header.match_id) for _ in range(seats)]
        self.decision: Decision | None = None
        self.faults: dict[int, match_pb2.Termination.ValueType] = {}
        self.ready: set[int] = set()
        self.begun = False
        self.choices = 0
        self.result: match_pb2.MatchResult | None = None
        self.void_reason = ""
        self._caretakers: dict[int, Stream] = {}
        self._pending: list[list[bytes]] = [[] for _ in range(seats)]
        self._public: list[bytes] = []
        self._asked: tuple[int, bytes] = (0, b"")
        self._turn = self.state.turn
        self.watch: Callable[[int, list[bytes]], None] | None = None
        self.trace: Callable[[Event], None] | None = None
        self.steps = 0

    @property
    def seats(self) -> int:
        return len(self.header.players)

    @property
    def sides(self) -> int:
        """How many sides play against each other; 1 in a solo game."""
        return len(set(self.state.sides))

    def tell(self, seat: int, field_tag: bytes, payload: bytes) -> None:
        message = self.logs[seat].add(field_tag, payload)
        if self._tell is not None:
            self._tell(seat, message)

    def start(self, seat: int, ready_deadline: bytes = b"") -> None:
        """Say MatchStarted to a seat. ``ready_deadline`` is that field, serialised, of a live match."""
        header = self.header
        started = play_pb2.MatchStarted(
            seat=seat,
            game=header.game,
            rules_version=header.rules_version,
            options=header.options,
            players=header.players,
            time_control=header.time_control,
            policies=header.policies,
            seed_commitment=header.seed_commitment,
            attempt=header.attempt,
            player_entropy=header.player_entropy,
        )
        self.tell(seat, _STARTED, started.SerializeToString() + ready_deadline)

    def apply(self, record: replay_pb2.ReplayRecord) -> None:
        """Take in the next record and tell the seats what follows from it."""
        match record.WhichOneof("record"):
            case "choice":
                choice = record.choice
                self.take(choice.seat, choice.option, seconds_of(choice.charged), caretaker=choice.caretaker)
            case "ready":
                self.entropy[record.ready.seat] = record.ready.entropy
                self.ready.add(record.ready.seat)
                self._begin_when_ready()
            case "signal":
                self._signal(record.signal)
            case "fault":
                self._fault(record.fault)
            case "notice":
                self._notice(record.notice)
            case "end":
                self._end(record.end)
            case _:
                pass

    def _begin_when_ready(self) -> None:
        if not self.begun and len(self.ready) == self.seats and not self.decided():
            self.begun = True
            if self.header.player_entropy:
                self._deal_anew()
            self._advance()

    def _deal_anew(self) -> None:
        """All have contributed to the seed: only now is there a deal."""
        self.seed = mixed_seed(self.header.seed, self.entropy)
        options = self.codec.read_game_options(self.header.options)
        self.state = self.rules.start(self.seed, self.seats, options)
        self._turn = self.state.turn

    def take(self, seat: int, option: int, charged: float, *, caretaker: bool = False) -> None:
        """A choice was made, and its record written.

        Args:
            option: index.
            charged: seconds.
        """
        decision = self.decision
        assert decision is not None
        assert decision.seat == seat
        if caretaker:
            # The stream is advanced here too, so that a restart goes on where it was.
            self.caretaker_stream(seat).uniform(len(decision.options))
        else:
            log = self.logs[seat]
            seq, payload = self._asked
            if self._face is None:
                log.kept[seq - log.first] = log.frame(seq, _DECISION, payload + encode.answered(option))
            else:
                log.forget(seq)
            self.tell(seat, _ACCEPTED, encode.accepted(self.chain.next_id(seat), option, charged))
        self.choices += 1
        self.chain.add(seat, option, len(decision.options), decision.options[option])
        self.state.choose(option)
        self._advance()

    def _signal(self, signal: replay_pb2.ReplaySignal) -> None:
        self.state.signal(signal.seat, self.codec.read_words(signal.words))
        self._collect()
        for seat in range(self.seats):
            self._flush(seat)
        self._flush_public()

    def _fault(self, fault: replay_pb2.ReplayFault) -> None:
        self.faults[fault.seat] = fault.termination
        self.ready.add(fault.seat)
        status = play_pb2.SeatStatus(seat=fault.seat, termination=fault.termination).SerializeToString()
        if not self.decided():
            for seat in range(self.seats):
                if self.logs[seat].seq:
                    self.tell(seat, _STATUS, status)
        self._begin_when_ready()

    def _notice(self, notice: replay_pb2.ReplayNotice) -> None:
        kinds = {
            "choice_rejected": (_REJECTED, notice.choice_rejected),
            "seat_status": (_STATUS, notice.seat_status),
            "refused": (_REFUSED, notice.refused),
        }
        kind = notice.WhichOneof("notice")
        if kind is not None:
            field_tag, message = kinds[kind]
            self.tell(notice.seat, field_tag, message.SerializeToString())

    def _end(self, end: replay_pb2.ReplayEnd) -> None:
        self.result = end.result
        self.void_reason = end.void_reason
        self.decision = None
        shown = shown_result(self.header, end.result)
        ended = play_pb2.MatchEnded(result=shown, void_reason=end.void_reason).SerializeToString()
        for seat in range(self.seats):
            if self.logs[seat].seq:
                self._flush(seat)
                self.tell(seat, _ENDED, ended)
        self._flush_public()

    def _collect(self) -> None:
        for event in self.state.take_events():
            if self.trace is not None:
                self.trace(event)
            message = nested(_EVENT, self.codec.event(event.fact))
            if event.viewers is None:
                self._public.append(message)
                for pending in self._pending:
                    pending.append(message)
            else:
                for seat in event.viewers:
                    self._pending[seat].append(message)

    def _flush(self, seat: int) -> None:
        if self._pending[seat]:
            self.tell(seat, _EVENTS, b"".join(self._pending[seat]))
            self._pending[seat] = []

    def _flush_public(self) -> None:
        self.steps = self.choices
        if self.watch is not None:
            self.watch(self.choices, self._public)
        self._public = []

    def _advance(self) -> None:
        """To the next decision: events first, to everybody where a turn ended."""
        self._collect()
        decision = self.state.decision()
        self.decision = decision
        if decision is None or self.state.turn != self._turn:
            self._turn = self.state.turn
            for seat in range(self.seats):
                self._flush(seat)
            self._flush_public()
        if decision is None or decision.seat in self.faults:
            return
        self._flush(decision.seat)
        self._ask(decision)

    def _ask(self, decision: Decision) -> None:
        seat = decision.seat
        payload = b"".join(
            (
                number(_DECISION_ID, self.chain.next_id(seat)),
                nested(_KIND, decision.kind.encode()),
                nested(_OBSERVATION, self.codec.observation(self.state.view(seat))),
                *map(self._options.__getitem__, decision.options),
            )
        )
        self._asked = (self.logs[seat].seq + 1, payload)
        clock = nested(_CLOCK, self._face(seat)) if self._face is not None else b""
        self.tell(seat, _DECISION, payload + clock)

    def renew_clock(self, clock: bytes) -> None:
        """The pending decision is about to be sent again: with what its clock shows now, a serialised ``Clock``."""
        if self.decision is not None:
            seq, payload = self._asked
            log = self.logs[self.decision.seat]
            log.kept[seq - log.first] = log.frame(seq, _DECISION, payload + nested(_CLOCK, clock))

    def caretaker_stream(self, seat: int) -> Stream:
        """Where the caretaker of a seat that fell out takes its choices from."""
        if seat not in self._caretakers:
            self._caretakers[seat] = Stream(self.seed, f"caretaker/{seat}")
        return self._caretakers[seat]

    def caretaker_option(self, seat: int, offered: int) -> int:
        """What the caretaker of a seat chooses next of so many options. The stream moves on only in :meth:`take`."""
        stream = self.caretaker_stream(seat)
        position = stream.position
        option = stream.uniform(offered)
        stream.position = position
        return option

    def decided(self) -> bool:
        """Whether the result is certain: the game is over, or faults left at most one side."""
        if self.faults:
            left = {side for seat, side in enumerate(self.state.sides) if seat not in self.faults}
            fallen = {self.state.sides[seat] for seat in self.faults}
            if self.sides <= 2 or len(left - fallen) <= 1:
                return True
        return self.begun and self.state.outcome() is not None

    def final_result(self) -> match_pb2.MatchResult:
        """The result of a match that is decided."""
        outcome = self.state.outcome()
        result = self._result(outcome, rated=True)
        ranks = ranked(self.state.sides, outcome.ranks if outcome else None, list(self.faults))
        for seat in result.seats:
            seat.rank = ranks[seat.seat]
        return result

    def void_result(self) -> match_pb2.MatchResult:
        """The result of a match that does not count."""
        result = self._result(None, rated=False)
        for seat in result.seats:
            seat.termination = match_pb2.TERMINATION_VOID
        return result

    def _result(self, outcome: Outcome | None, *, rated: bool) -> match_pb2.MatchResult:
        finished = match_pb2.TERMINATION_FINISHED
        return match_pb2.MatchResult(
            seats=[
                match_pb2.SeatResult(
                    seat=seat,
                    points=outcome.points[seat] if outcome else 0,
                    termination=self.faults.get(seat, finished),
                )
                for seat in range(self.seats)
            ],
            ended_by=outcome.ended_by if outcome else "",
            seed=self.seed,
            secret=self.header.seed if self.header.player_entropy else b"",
            entropy=self.entropy if self.header.player_entropy else [],
            replay_digest=self.chain.hexdigest(),
            rated=rated,
        )


def shown_result(header: replay_pb2.ReplayHeader, result: match_pb2.MatchResult) -> match_pb2.MatchResult:
    """A result as players and the public may see it."""
    if not header.withhold_seed:
        return result
    shown = match_pb2.MatchResult()
    shown.CopyFrom(result)
    for name in ("seed", "secret", "entropy"):
        shown.ClearField(name)
    return shown


def history(
    records: Iterable[replay_pb2.ReplayRecord],
    until: int | None = None,
    watch: Callable[[int, list[bytes]], None] | None = None,
) -> Course:
    """A course replayed from its records with every message kept, for a seat that asks for old messages.

    Args:
        records: the header first.
        until: stop before the choice of that number (from 0); ``None`` goes to the end.
        watch: told the public events of each step, as a spectator would be.
    """
    stream = iter(records)
    course = Course(next(stream).header)
    course.watch = watch
    for seat in range(course.seats):
        course.start(seat)
    for record in stream:
        if until is not None and course.choices >= until and record.HasField("choice"):
            break
        course.apply(record)
    return course
