"""The course of one match as a function of its records: what the game is, and what each seat is told.

A match is event-sourced. The live :class:`~palio.server.match.room.Room` turns what happens into records, writes each
to the journal and applies it here; the messages to the seats follow from the records alone. So the same code serves a
running match, a restart after a crash and a bot that asks for everything again (:mod:`palio.server.match.history`).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from palio.codec import codec_of
from palio.codec.wire import nested, tag
from palio.engine.chance import mixed_seed
from palio.engine.game import Decision, Event, State
from palio.engine.replay import DigestChain, chain_head
from palio.games import rules_of
from palio.server.match import encode
from palio.server.match.caretaker import Caretaker
from palio.server.match.disclosure import shown_result
from palio.server.match.news import News
from palio.server.match.questions import questions_of
from palio.server.match.seatlog import SeatLog
from palio.v1 import match_pb2, play_pb2, replay_pb2

_STARTED: Final = tag(play_pb2.Update.MATCH_STARTED_FIELD_NUMBER)
_EVENTS: Final = tag(play_pb2.Update.EVENTS_FIELD_NUMBER)
_DECISION: Final = tag(play_pb2.Update.DECISION_FIELD_NUMBER)
_ACCEPTED: Final = tag(play_pb2.Update.CHOICE_ACCEPTED_FIELD_NUMBER)
_REJECTED: Final = tag(play_pb2.Update.CHOICE_REJECTED_FIELD_NUMBER)
_STATUS: Final = tag(play_pb2.Update.SEAT_STATUS_FIELD_NUMBER)
_ENDED: Final = tag(play_pb2.Update.MATCH_ENDED_FIELD_NUMBER)
_REFUSED: Final = tag(play_pb2.Update.REFUSED_FIELD_NUMBER)
_CLOCK: Final = tag(play_pb2.Decision.CLOCK_FIELD_NUMBER)


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
        caretaker: plays on for seats that fell out.
        entropy: what each seat contributed to the seed.
        result: set by the end record.
        watch: told each step's public events, for spectators.
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
        self._questions = questions_of(header.game)
        self._tell = tell
        self._face = face
        self.seats = seats = len(header.players)
        if header.HasField("position"):
            self.state: State = self.rules.from_position(self.codec.read_position(header.position))
        else:
            self.state = self.rules.start(header.seed, seats, self.codec.read_game_options(header.options))
        setup = header.options.SerializeToString(deterministic=True) + header.position.SerializeToString(
            deterministic=True
        )
        self.entropy = [b""] * seats
        self.caretaker = Caretaker(header.seed)
        self.chain = DigestChain(chain_head(self.rules, seats, header.seed_commitment, setup), seats)
        self.logs = [SeatLog(header.match_id, whole=face is None) for _ in range(seats)]
        self.decision: Decision | None = None
        self.faults: dict[int, match_pb2.Termination.ValueType] = {}
        self.ready: set[int] = set()
        self.begun = False
        self.choices = 0
        self.result: match_pb2.MatchResult | None = None
        self.void_reason = ""
        self._news = News(self.codec, seats)
        self._asked: tuple[int, bytes] = (0, b"")
        self._turn = self.state.turn
        self.watch: Callable[[int, list[bytes]], None] | None = None

    @property
    def seed(self) -> bytes:
        """What all chance comes from; before all are ready only the server's part of it, where players contribute."""
        return self.caretaker.seed

    @property
    def sides(self) -> int:
        """How many sides play against each other; 1 in a solo game."""
        return len(set(self.state.sides))

    def trace(self, told: Callable[[Event], None]) -> None:
        """From now on tell every event when it happens, hidden ones too."""
        self._news.trace = told

    def tell(self, seat: int, field_tag: bytes, payload: bytes) -> None:
        """The next message to a seat: a field of ``Update``."""
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

    # --- records ---

    def apply(self, record: replay_pb2.ReplayRecord) -> None:
        """Take in the next record and tell the seats what follows from it."""
        match record.WhichOneof("record"):
            case "choice":
                choice = record.choice
                charged = encode.span_of(choice.charged)
                self.take(choice.seat, choice.option, charged, caretaker=choice.caretaker)
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

    def take(self, seat: int, option: int, charged: bytes, *, caretaker: bool = False) -> None:
        """A choice was made, and its record written.

        Args:
            option: index.
            charged: a serialised ``Duration``, as :func:`palio.server.match.encode.span` writes it.
        """
        decision = self.decision
        assert decision is not None
        assert decision.seat == seat
        options = decision.options
        if caretaker:
            self.caretaker.took(seat, len(options))
        else:
            log = self.logs[seat]
            seq, payload = self._asked
            if log.whole:
                log.replace(seq, _DECISION, payload + encode.answered(option))
            else:
                log.forget(seq)
            self.tell(seat, _ACCEPTED, encode.accepted(self.chain.next_id(seat), option, charged))
        self.choices += 1
        self.chain.add(seat, option, len(options), options[option])
        self.state.choose(option)
        self._advance()

    def _signal(self, signal: replay_pb2.ReplaySignal) -> None:
        self.state.signal(signal.seat, self.codec.read_words(signal.words))
        self._news.add(self.state.take_events())
        self._tell_all()

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
                self._tell_news(seat)
                self.tell(seat, _ENDED, ended)
        self._tell_public()

    # --- how it goes on ---

    def _begin_when_ready(self) -> None:
        if not self.begun and len(self.ready) == self.seats and not self.decided():
            self.begun = True
            if self.header.player_entropy:
                self._deal_anew()
            self._advance()

    def _deal_anew(self) -> None:
        """All have contributed to the seed: only now is there a deal."""
        seed = self.caretaker.seed = mixed_seed(self.header.seed, self.entropy)
        self.state = self.rules.start(seed, self.seats, self.codec.read_game_options(self.header.options))
        self._turn = self.state.turn

    def _advance(self) -> None:
        """To the next decision: events first, to everybody where a turn ended."""
        state = self.state
        self._news.add(state.take_events())
        decision = self.decision = state.decision()
        turn = state.turn
        if decision is None or turn != self._turn:
            self._turn = turn
            self._tell_all()
        if decision is None or decision.seat in self.faults:
            return
        self._tell_news(decision.seat)
        self._ask(decision)

    def _tell_all(self) -> None:
        for seat in range(self.seats):
            self._tell_news(seat)
        self._tell_public()

    def _tell_news(self, seat: int) -> None:
        told = self._news.take(seat)
        if told:
            self.tell(seat, _EVENTS, told)

    def _tell_public(self) -> None:
        public = self._news.take_public()
        if self.watch is not None:
            self.watch(self.choices, public)

    def _ask(self, decision: Decision) -> None:
        seat = decision.seat
        payload = self._questions.write(self.chain.next_id(seat), decision, self.state.view(seat))
        self._asked = (self.logs[seat].seq + 1, payload)
        if self._face is not None:
            payload += nested(_CLOCK, self._face(seat))
        self.tell(seat, _DECISION, payload)

    def renew_clock(self, clock: bytes) -> None:
        """The pending decision is about to be sent again: with what its clock shows now, a serialised ``Clock``."""
        if self.decision is not None:
            seq, payload = self._asked
            self.logs[self.decision.seat].replace(seq, _DECISION, payload + nested(_CLOCK, clock))

    def decided(self) -> bool:
        """Whether the result is certain: the game is over, or faults left at most one side."""
        if self.faults:
            left = {side for seat, side in enumerate(self.state.sides) if seat not in self.faults}
            fallen = {self.state.sides[seat] for seat in self.faults}
            if self.sides <= 2 or len(left - fallen) <= 1:
                return True
        return self.begun and self.state.outcome() is not None
