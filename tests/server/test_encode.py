"""Messages serialised by hand are what the generated classes read."""

from __future__ import annotations

from google.protobuf import duration_pb2
from hypothesis import given
from hypothesis import strategies as st

from palio.codec.wire import nested, number, tag, varint
from palio.server.match import encode
from palio.server.match.clock import duration, seconds_of, timestamp
from palio.v1 import match_pb2, play_pb2, replay_pb2

seconds = st.floats(0, 1e6, allow_nan=False)
now = st.floats(1.7e9, 2.5e9, allow_nan=False)
uint32 = st.integers(0, 2**31 - 1)


@given(st.integers(0, 2**64 - 1))
def test_varint(n: int) -> None:
    update = play_pb2.Update.FromString(varint(play_pb2.Update.SEQ_FIELD_NUMBER << 3) + varint(n))
    assert update.seq == n
    assert number(play_pb2.Update.SEQ_FIELD_NUMBER, n) == play_pb2.Update(seq=n).SerializeToString()


@given(st.text(max_size=300))
def test_nested(text: str) -> None:
    message = nested(tag(play_pb2.Update.MATCH_ID_FIELD_NUMBER), text.encode())
    assert play_pb2.Update.FromString(message).match_id == text


@given(uint32, uint32, seconds)
def test_accepted(decision_id: int, option: int, charged: float) -> None:
    message = play_pb2.ChoiceAccepted.FromString(encode.accepted(decision_id, option, encode.span(charged)))
    assert (message.decision_id, message.option) == (decision_id, option)
    assert abs(seconds_of(message.charged) - charged) < 2e-6


@given(seconds, seconds, now)
def test_clock(remaining: float, increment: float, wall: float) -> None:
    message = play_pb2.Clock.FromString(encode.clock(remaining, increment, wall))
    assert abs(seconds_of(message.remaining) - remaining) < 2e-6
    assert abs(seconds_of(message.increment) - increment) < 2e-6
    assert abs(message.deadline.ToNanoseconds() / 1e9 - wall - remaining) < 1e-5
    assert abs(message.server_time.ToNanoseconds() / 1e9 - wall) < 1e-5


@given(st.integers(0, 10**12))
def test_a_time_that_is_read_back_is_written_the_same_again(micros: int) -> None:
    written = encode.span(micros / 1_000_000)
    assert encode.span(seconds_of(duration_pb2.Duration.FromString(written))) == written


@given(st.integers(0, 4), uint32, uint32, uint32, seconds, seconds, seconds, now)
def test_choice_record(
    seat: int, decision_id: int, option: int, offered: int, charged: float, network: float, server: float, wall: float
) -> None:
    record = replay_pb2.ReplayRecord.FromString(
        encode.choice_record(seat, decision_id, option, offered, encode.span(charged), network, server, wall)
    )
    choice = record.choice
    assert (choice.seat, choice.decision_id, choice.option, choice.offered) == (seat, decision_id, option, offered)
    assert abs(seconds_of(choice.charged) - charged) < 2e-6
    assert abs(seconds_of(choice.network) - network) < 2e-6
    assert abs(seconds_of(choice.server) - server) < 2e-6
    assert abs(choice.time.ToNanoseconds() / 1e9 - wall) < 1e-5
    assert not choice.caretaker


@given(st.integers(0, 100_000))
def test_answered_is_there_even_for_option_0(option: int) -> None:
    decision = play_pb2.Decision.FromString(encode.answered(option))
    assert decision.HasField("answered")
    assert decision.answered == option


@given(seconds)
def test_durations_and_timestamps_of_rare_messages(value: float) -> None:
    assert abs(seconds_of(duration(value)) - value) < 1e-8
    assert abs(timestamp(value).ToNanoseconds() / 1e9 - value) < 1e-6
    assert match_pb2.TimeControl(bank=duration(value)).bank == duration(value)
