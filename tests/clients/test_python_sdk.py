"""The Python SDK against a scripted peer over a real socket."""

from __future__ import annotations

import asyncio
import logging
import threading
from collections.abc import Callable, Sequence
from typing import Any

import pytest
from google.protobuf import duration_pb2
from tests.support import scripted_peer as sp
from tests.support.scripted_peer import Line, peer

from palio.client import Bot, Decision, Match, PalioError, Settings, from_environment, play_async
from palio.codec.status import Draining, Unauthenticated
from palio.v1 import game_pb2, play_pb2


def settings(address: str, **fields: Any) -> Settings:
    return Settings(server=address, token="t", first_delay=0.01, longest_delay=0.05, patience=10, **fields)


async def play_to_the_end(line: Line, seq: int, match_id: str = "m") -> None:
    """End the match and let the client go (every test's client leaves after one match unless it says otherwise)."""
    await line.say(sp.ended(seq, match_id))
    await line.expect("leave")
    await line.goodbye(play_pb2.GOODBYE_REASON_LEFT)


class Recorder(Bot):
    """Takes option 1 and writes down what it is told."""

    blocking = False

    def __init__(self, match: Match, told: list[str] | None = None) -> None:
        super().__init__(match)
        self.told: list[str] = [] if told is None else told

    def started(self, match: Match) -> None:
        self.told.append(f"started {match.seat}")

    def observe(self, events: Sequence[game_pb2.Event]) -> None:
        self.told.append(f"events {len(events)}")

    def seat_status(self, status: play_pb2.SeatStatus) -> None:
        self.told.append(f"seat {status.seat} {status.connected}")

    def rejected(self, rejection: play_pb2.ChoiceRejected) -> None:
        self.told.append(f"rejected {rejection.tries_left}")

    def choose(self, decision: Decision) -> int:
        self.told.append(f"choose {decision.decision_id}")
        return 1

    def ended(self, ended: play_pb2.MatchEnded) -> None:
        self.told.append("ended")


def recorder(told: list[str]) -> Callable[[Match], Recorder]:
    return lambda match: Recorder(match, told)


async def test_a_whole_match_in_order() -> None:
    async def script(line: Line) -> None:
        await line.greet()
        assert (line.hello.token, line.hello.protocol_version, line.hello.sdk) == ("t", 1, "palio-python/0.1.0")
        assert list(line.hello.games) == ["fidelitas"]
        await line.start(seat=1)
        status = play_pb2.SeatStatus(seat=0, connected=True)
        await line.say(sp.events(2), sp.decision(3, 1), play_pb2.Update(match_id="m", seq=4, seat_status=status))
        choose = await line.expect("choose")
        assert (choose.match_id, choose.decision_id, choose.option) == ("m", 1, 1)
        await line.say(sp.accepted(5, 1, 1))
        await play_to_the_end(line, 6)

    told: list[str] = []
    async with peer(script) as there:
        finished = await play_async(recorder(told), settings(there.address, matches=1, games=("fidelitas",)))
    assert finished == 1
    assert told == ["started 1", "events 1", "choose 1", "seat 0 True", "ended"]


async def test_duplicates_are_ignored() -> None:
    async def script(line: Line) -> None:
        await line.greet()
        await line.start()
        await line.say(sp.started(), sp.events(2), sp.events(2), sp.decision(3, 1), sp.decision(3, 1))
        await line.expect("choose")
        await line.say(sp.accepted(4, 1), sp.decision(3, 1), sp.events(2), sp.ended(5), sp.ended(5), sp.started())
        await line.expect("leave")
        await line.goodbye(play_pb2.GOODBYE_REASON_LEFT)

    told: list[str] = []
    async with peer(script) as there:
        assert await play_async(recorder(told), settings(there.address, matches=1)) == 1
    assert told == ["started 0", "events 1", "choose 1", "ended"]


async def test_a_gap_makes_it_resume() -> None:
    async def first(line: Line) -> None:
        await line.greet()
        await line.start()
        await line.say(sp.events(2), sp.decision(4, 1))
        await line.hear()
        raise AssertionError("the client should have hung up")

    async def second(line: Line) -> None:
        await line.greet()
        assert dict(line.hello.resume) == {"m": 2}
        await line.expect("ready")  # nothing shows yet that the first one was heard
        await line.say(sp.events(3), sp.decision(4, 1))
        await line.expect("choose")
        await line.say(sp.accepted(5, 1))
        await play_to_the_end(line, 6)

    async def hangs_up(line: Line) -> None:
        with pytest.raises((StopAsyncIteration, asyncio.CancelledError)):
            await first(line)

    told: list[str] = []
    async with peer(hangs_up, second) as there:
        await play_async(recorder(told), settings(there.address, matches=1))
    assert told == ["started 0", "events 1", "events 1", "choose 1", "ended"]


async def test_an_unacknowledged_choice_is_sent_again() -> None:
    async def first(line: Line) -> None:
        await line.greet()
        await line.start()
        await line.say(sp.decision(2, 1))
        await line.expect("choose")

    async def second(line: Line) -> None:
        await line.greet()
        assert dict(line.hello.resume) == {"m": 2}
        choose = await line.expect("choose")
        assert (choose.decision_id, choose.option) == (1, 1)
        await line.say(sp.accepted(3, 1, 1))
        await play_to_the_end(line, 4)

    told: list[str] = []
    async with peer(first, second) as there:
        await play_async(recorder(told), settings(there.address, matches=1))
    assert told.count("choose 1") == 1


async def test_answered_decisions_are_history() -> None:
    async def script(line: Line) -> None:
        await line.greet()
        await line.start()
        await line.say(sp.decision(2, 1, answered=0), sp.accepted(3, 1), sp.decision(4, 2, answered=2))
        await line.say(sp.decision(5, 3))
        assert (await line.expect("choose")).decision_id == 3
        await play_to_the_end(line, 6)

    told: list[str] = []
    async with peer(script) as there:
        await play_async(recorder(told), settings(there.address, matches=1))
    assert "choose 1" not in told
    assert "choose 2" not in told


async def test_pings_are_answered_while_a_sync_bot_thinks() -> None:
    go = threading.Event()

    class Slow(Bot):
        def choose(self, decision: Decision) -> int:
            assert go.wait(sp.PATIENCE)
            return 2

    async def script(line: Line) -> None:
        await line.greet()
        await line.start()
        await line.say(sp.decision(2, 1))
        for nonce in (7, 8):
            await line.say(sp.ping(nonce))
            assert (await line.expect("pong")).nonce == nonce
        go.set()
        assert (await line.expect("choose")).option == 2
        await play_to_the_end(line, 3)

    async with peer(script) as there:
        await play_async(Slow, settings(there.address, matches=1))


async def test_a_thinking_match_does_not_hold_up_another_one() -> None:
    go = threading.Event()

    class Slow(Bot):
        def choose(self, decision: Decision) -> int:
            assert self.match.match_id == "quick" or go.wait(sp.PATIENCE)
            return 0

    async def script(line: Line) -> None:
        await line.greet()
        await line.start("slow")
        await line.start("quick")
        await line.say(sp.decision(2, 1, "slow"), sp.decision(2, 1, "quick"))
        assert (await line.expect("choose")).match_id == "quick"
        go.set()
        assert (await line.expect("choose")).match_id == "slow"
        await line.say(sp.ended(3, "quick"))
        await play_to_the_end(line, 3, "slow")

    async with peer(script) as there:
        assert await play_async(Slow, settings(there.address, matches=2)) == 2


async def test_a_late_answer_is_dropped() -> None:
    go = asyncio.Event()

    class Slow(Bot):
        async def choose(self, decision: Decision) -> int:
            if decision.decision_id == 1:
                await go.wait()
            return 0

    async def script(line: Line) -> None:
        await line.greet()
        await line.start()
        await line.say(sp.decision(2, 1))
        await line.say(sp.accepted(3, 1, 2), sp.decision(4, 2), sp.ping(1))
        await line.expect("pong")
        go.set()
        assert (await line.expect("choose")).decision_id == 2
        await play_to_the_end(line, 5)

    async with peer(script) as there:
        await play_async(Slow, settings(there.address, matches=1))


@pytest.mark.parametrize(
    ("reason", "tries_left", "asked_again"),
    [
        (play_pb2.REJECTION_REASON_ILLEGAL, 2, True),
        (play_pb2.REJECTION_REASON_UNREADABLE, 1, True),
        (play_pb2.REJECTION_REASON_NOT_YOURS, 1, True),
        (play_pb2.REJECTION_REASON_ILLEGAL, 0, False),
        (play_pb2.REJECTION_REASON_STALE, 2, False),
        (77, 2, False),
    ],
)
async def test_rejections(reason: Any, tries_left: int, asked_again: bool) -> None:
    async def script(line: Line) -> None:
        await line.greet()
        await line.start()
        await line.say(sp.decision(2, 1))
        await line.expect("choose")
        await line.say(sp.rejected(3, 1, reason, tries_left))
        if asked_again:
            assert (await line.expect("choose")).decision_id == 1
        await play_to_the_end(line, 4)

    told: list[str] = []
    async with peer(script) as there:
        await play_async(recorder(told), settings(there.address, matches=1))
    assert told.count("choose 1") == 1 + asked_again
    assert (f"rejected {tries_left}" in told) == (reason in (2, 3, 4))


@pytest.mark.parametrize("where", ["factory", "started", "observe", "choose", "no index", "huge index"])
async def test_a_failing_bot_resigns_its_match_and_plays_on(where: str, caplog: pytest.LogCaptureFixture) -> None:
    class Broken(Recorder):
        def __init__(self, match: Match) -> None:
            super().__init__(match)
            self._fail("factory")

        def _fail(self, place: str) -> None:
            if self.match.match_id == "bad" and place == where:
                raise RuntimeError(f"planted in {place}")

        def started(self, match: Match) -> None:
            self._fail("started")

        def observe(self, events: Sequence[game_pb2.Event]) -> None:
            self._fail("observe")

        def choose(self, decision: Decision) -> int:
            self._fail("choose")
            if self.match.match_id == "bad":
                return {"no index": "1", "huge index": 1 << 40}[where]  # type: ignore[return-value]
            return 0

    async def script(line: Line) -> None:
        await line.greet()
        await line.say(sp.started("bad"))
        heard = await line.hear()
        if heard.HasField("ready"):
            await line.say(sp.events(2, "bad"), sp.decision(3, 1, "bad"))
            heard = await line.hear()
        assert heard.resign.match_id == "bad"
        await line.start("good")
        await line.say(sp.decision(2, 1, "good"))
        await line.expect("choose")
        await line.say(sp.ended(3, "good"), sp.ended(4 if where not in ("factory", "started") else 2, "bad"))
        await line.expect("leave")
        await line.goodbye(play_pb2.GOODBYE_REASON_LEFT)

    async with peer(script) as there:
        assert await play_async(Broken, settings(there.address, matches=2)) == 2
    assert "bad: the bot failed; the match is resigned" in caplog.text


async def test_unknown_kinds_fields_and_values_are_tolerated() -> None:
    unknown = b"\xea\x2f\x03new"  # field 765, length-delimited

    async def script(line: Line) -> None:
        await line.greet()
        await line.start()
        novelty = play_pb2.Update.FromString(sp.events(2).SerializeToString() + unknown)
        novelty.ClearField("events")  # keeps the unknown field
        await line.say(play_pb2.Update.FromString(unknown), novelty)
        question = sp.decision(3, 1)
        question.decision.MergeFromString(unknown)
        question.decision.observation.MergeFromString(unknown)
        await line.say(question)
        await line.expect("choose")
        await line.say(play_pb2.Update(refused=play_pb2.Refused(reason="NEW_REASON", text="of tomorrow")))
        await play_to_the_end(line, 4)

    told: list[str] = []
    async with peer(script) as there:
        await play_async(recorder(told), settings(there.address, matches=1))
    assert told == ["started 0", "choose 1", "ended"]


@pytest.mark.parametrize("reason", [play_pb2.GOODBYE_REASON_DRAINING, play_pb2.GOODBYE_REASON_UNRESPONSIVE, 99])
async def test_goodbyes_after_which_it_comes_back(reason: Any) -> None:
    async def first(line: Line) -> None:
        await line.greet()
        await line.start()
        await line.say(sp.decision(2, 1, answered=0))
        await line.goodbye(reason)

    async def second(line: Line) -> None:
        await line.greet()
        assert dict(line.hello.resume) == {"m": 2}
        await play_to_the_end(line, 3)

    async with peer(first, second) as there:
        assert await play_async(Recorder, settings(there.address, matches=1)) == 1


@pytest.mark.parametrize(
    ("reason", "name"), [(play_pb2.GOODBYE_REASON_REPLACED, "REPLACED"), (play_pb2.GOODBYE_REASON_PROTOCOL, "PROTOCOL")]
)
async def test_goodbyes_that_are_errors(reason: Any, name: str) -> None:
    async def script(line: Line) -> None:
        await line.greet()
        await line.start()
        await line.goodbye(reason, "because")

    async with peer(script) as there:
        with pytest.raises(PalioError, match="because") as caught:
            await play_async(Recorder, settings(there.address))
    assert caught.value.reason == name


async def test_a_refusal_is_final_and_typed() -> None:
    async def script(line: Line) -> None:
        await line.expect("hello")
        await line.refuse(Unauthenticated("unknown token"))

    async with peer(script) as there:
        with pytest.raises(PalioError) as caught:
            await play_async(Recorder, settings(there.address))
        assert there.connections == 1
    assert caught.value.error_class is Unauthenticated


async def test_a_draining_server_is_tried_again() -> None:
    async def drains(line: Line) -> None:
        await line.expect("hello")
        await line.refuse(Draining("going down"))

    async def script(line: Line) -> None:
        await line.greet()
        await line.start()
        await play_to_the_end(line, 2)

    async with peer(drains, drains, script) as there:
        assert await play_async(Recorder, settings(there.address, matches=1)) == 1


async def test_it_gives_up_without_a_server(unused_tcp_port: int) -> None:
    nowhere = Settings(server=f"127.0.0.1:{unused_tcp_port}", first_delay=0.01, longest_delay=0.01, patience=0.2)
    with pytest.raises(PalioError) as caught:
        await play_async(Recorder, nowhere)
    assert caught.value.transient


async def test_a_silent_server_is_left() -> None:
    async def first(line: Line) -> None:
        await line.greet(heartbeat=duration_pb2.Duration(nanos=10_000_000))
        await line.start()
        with pytest.raises((StopAsyncIteration, asyncio.CancelledError)):
            await line.hear()

    async def second(line: Line) -> None:
        await line.greet()
        await line.expect("ready")
        await play_to_the_end(line, 2)

    async with peer(first, second) as there:
        assert await play_async(Recorder, settings(there.address, matches=1)) == 1


async def test_a_new_attempt_of_a_void_match() -> None:
    async def script(line: Line) -> None:
        await line.greet()
        await line.start(attempt=1)
        await line.say(sp.ended(2))
        await line.start(attempt=2)
        await line.say(sp.decision(2, 1))
        await line.expect("choose")
        await line.start(attempt=3)  # the end of the second attempt was never told
        await play_to_the_end(line, 2)

    told: list[str] = []
    async with peer(script) as there:
        assert await play_async(recorder(told), settings(there.address, matches=2)) == 2
    assert told == ["started 0", "ended", "started 0", "choose 1", "started 0", "ended"]


async def test_signals_and_resigning_from_a_thread() -> None:
    class Talker(Bot):
        def choose(self, decision: Decision) -> int:
            self.match.signal(game_pb2.Words())
            self.match.resign()
            return 0

    async def script(line: Line) -> None:
        await line.greet()
        await line.start()
        await line.say(sp.decision(2, 1))
        assert (await line.expect("signal")).match_id == "m"
        assert (await line.expect("resign")).match_id == "m"
        await line.expect("choose")
        await play_to_the_end(line, 3)

    async with peer(script) as there:
        await play_async(Talker, settings(there.address, matches=1))


async def test_the_clock_runs_down() -> None:
    left: list[float | None] = []

    class Watcher(Bot):
        async def choose(self, decision: Decision) -> int:
            left.append(decision.remaining)
            await asyncio.sleep(0.01)
            left.append(decision.remaining)
            return 0

    async def script(line: Line) -> None:
        await line.greet()
        await line.start()
        clock = play_pb2.Clock(remaining=duration_pb2.Duration(seconds=100, nanos=500_000_000))
        await line.say(sp.decision(2, 1, clock=clock))
        await line.expect("choose")
        await line.say(sp.accepted(3, 1), sp.decision(4, 2))
        await line.expect("choose")
        await play_to_the_end(line, 5)

    async with peer(script) as there:
        await play_async(Watcher, settings(there.address, matches=1))
    assert left[0] is not None
    assert left[1] is not None
    assert 100.5 >= left[0] > left[1]
    assert left[2:] == [None, None]


async def test_refused_is_logged(caplog: pytest.LogCaptureFixture) -> None:
    async def script(line: Line) -> None:
        await line.greet()
        refused = play_pb2.Refused(reason="NOT_FOUND", field="match_id", text="no such match")
        await line.say(play_pb2.Update(match_id="x", refused=refused))
        await line.start()
        await play_to_the_end(line, 2)

    with caplog.at_level(logging.WARNING):
        async with peer(script) as there:
            await play_async(Recorder, settings(there.address, matches=1))
    assert "NOT_FOUND match_id: no such match" in caplog.text


def test_settings_from_the_environment() -> None:
    found = from_environment(
        {"PALIO_SERVER": "unix:/run/p", "PALIO_TOKEN": "x", "PALIO_TLS": "1"}, token="y", name=None
    )
    assert (found.server, found.token, found.tls, found.name) == ("unix:/run/p", "y", True, "python-bot")


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("server", "nowhere"),
        ("server", "h:99999"),
        ("concurrency", 0),
        ("matches", 0),
        ("ca", "/does/not/exist"),
        ("cert", "/does/not/exist"),
        ("cert", __file__),
    ],
)
def test_bad_settings_name_the_field(field: str, value: object) -> None:
    with pytest.raises(ValueError, match=f"^{field}: "):
        from_environment({}, **{field: value})
