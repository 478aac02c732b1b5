"""Callers that mean harm: each is told what is wrong with what it sent, and those who play notice nothing."""

from __future__ import annotations

import asyncio
import contextlib
import io
import json
import os
import threading
from collections.abc import AsyncIterator, Awaitable

import grpc
import grpc.aio
import pytest
from tests.server.conftest import Start
from tests.support.arena import Host
from tests.support.waiting import until
from tests.support.wire import WireBot

from palio.codec.status import LONGEST_TEXT, LimitReached, PalioError, from_rpc_error
from palio.server.aside import Aside
from palio.server.match.clock import duration
from palio.v1 import match_pb2, play_pb2, play_pb2_grpc, simulation_pb2, simulation_pb2_grpc

PREFACE = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"
LONG = "\0" * 15_000
"""Four times as long where it is quoted."""


async def refusal(call: Awaitable[object]) -> PalioError:
    with pytest.raises(grpc.aio.AioRpcError) as caught:
        await call
    return from_rpc_error(caught.value)


@contextlib.asynccontextmanager
async def a_match_beside(host: Host) -> AsyncIterator[None]:
    """A match that two bots begin before and finish after what happens inside."""
    a, b = await host.connect("playing-a", "playing-b")
    await host.create("playing-a", "playing-b", heap=9, match_id="beside")
    for bot in (a, b):
        await bot.ready("beside")
    decision = (await a.next("decision")).decision
    yield
    await a.choose("beside", decision.decision_id, 0)
    await asyncio.gather(a.play_to_the_end(), b.play_to_the_end())
    terminations = [seat.termination for seat in (await host.result("beside")).result.seats]
    assert terminations == [match_pb2.TERMINATION_FINISHED] * 2


# --- what is asked for ---


@pytest.mark.parametrize(
    "name", ["", "a b", "a\nb", "\x1b[31m", "‮evil", "../../a", "a" * 41, "a" * 60_000, "é", ".", "a\0"]
)
async def test_a_match_is_for_names_that_players_can_have(host: Host, name: str) -> None:
    error = await refusal(host.matches.CreateMatch(match_pb2.CreateMatchRequest(game="sticks", players=["ada", name])))
    assert (error.reason, error.field) == ("INVALID_REQUEST", "players[1]")
    assert "allowed: 1 to 40 of A-Z a-z 0-9" in error.message or len(name) > LONGEST_TEXT


@pytest.mark.parametrize(
    "match_id", ["..", "../../etc/passwd", "a/b", "a\n", "a\0b", "A", ".a", "é", "a" * 81, LONG, " "]
)
async def test_match_ids_are_no_paths(host: Host, match_id: str) -> None:
    create = match_pb2.CreateMatchRequest(match_id=match_id, game="sticks", players=["a", "b"])
    error = await refusal(host.matches.CreateMatch(create))
    assert (error.reason, error.field) == ("INVALID_REQUEST", "match_id")
    calls: tuple[Awaitable[object], ...] = (
        host.matches.GetMatch(match_pb2.GetMatchRequest(match_id=match_id)),
        host.matches.GetReplay(match_pb2.GetReplayRequest(match_id=match_id)),
        host.matches.CancelMatch(match_pb2.CancelMatchRequest(match_id=match_id)),
    )
    for call in calls:
        error = await refusal(call)
        assert (error.reason, error.field) == ("NOT_FOUND", "match_id")


@pytest.mark.parametrize("field", ["per_decision", "bank", "increment", "lag_allowance", "init_budget", "idle_limit"])
@pytest.mark.parametrize(("seconds", "nanos"), [(-1, 0), (0, -1), (2**62, 0), (-(2**63), 0), (604_801, 0)])
async def test_durations_are_between_0_and_one_week(host: Host, field: str, seconds: int, nanos: int) -> None:
    request = match_pb2.CreateMatchRequest(game="sticks", players=["a", "b"])
    request.time_control.bank.CopyFrom(duration(1))
    given = getattr(request.time_control, field)
    given.seconds, given.nanos = seconds, nanos
    error = await refusal(host.matches.CreateMatch(request))
    assert (error.reason, error.field) == ("INVALID_SETUP", f"time_control.{field}")
    assert "is not between 0 and one week" in error.message


async def test_an_attempt_that_nobody_would_find_again_is_refused(host: Host) -> None:
    error = await refusal(
        host.matches.CreateMatch(
            match_pb2.CreateMatchRequest(match_id="m", attempt=2**31 - 1, game="sticks", players=["a", "b"])
        )
    )
    assert (error.reason, error.field) == ("INVALID_REQUEST", "attempt")
    assert "at most 16" in error.message


async def test_errors_quote_only_so_much_that_clients_can_read_them(host: Host) -> None:
    error = await refusal(host.matches.CreateMatch(match_pb2.CreateMatchRequest(game=LONG, players=["a"])))
    assert (error.reason, error.field) == ("INVALID_SETUP", "game")
    assert error.message.startswith("game: there is no game '\\x00\\x00")
    assert len(error.message) < LONGEST_TEXT + 50


async def test_a_small_message_that_unpacks_to_a_large_one_is_refused(host: Host) -> None:
    async with a_match_beside(host), grpc.aio.insecure_channel(host.address) as channel:
        simulation = simulation_pb2_grpc.SimulationServiceStub(channel)
        bomb = simulation_pb2.ApplyRequest(game="sticks", seed_text="a" * 20_000_000, players=2)
        with pytest.raises(grpc.aio.AioRpcError) as caught:
            await simulation.Apply(bomb, compression=grpc.Compression.Gzip)
        assert caught.value.code() is grpc.StatusCode.RESOURCE_EXHAUSTED


async def test_nobody_fills_the_queue_of_long_work_alone() -> None:
    """Not with calls that are cancelled either: a thread goes on."""
    aside = Aside(at_once=2, of_each=3)
    go = threading.Event()
    calls = [asyncio.create_task(aside.do("eve", go.wait)) for _ in range(3)]
    await asyncio.sleep(0)
    calls[0].cancel()
    await asyncio.wait(calls[:1])
    with pytest.raises(LimitReached, match="3 such calls of yours"):
        await aside.do("eve", go.wait)
    other = asyncio.create_task(aside.do("ada", lambda: 7))
    go.set()
    assert await asyncio.gather(*calls[1:], other) == [True, True, 7]
    await until(lambda: not aside._pending)
    assert await aside.do("eve", lambda: 8) == 8


# --- what is said on a stream ---


@pytest.mark.parametrize(
    "request_",
    [
        play_pb2.PlayRequest(choose=play_pb2.Choose(match_id=LONG, decision_id=1)),
        play_pb2.PlayRequest(resign=play_pb2.Resign(match_id=LONG)),
        play_pb2.PlayRequest(ready=play_pb2.Ready(match_id=LONG)),
        play_pb2.PlayRequest(hello=play_pb2.Hello(token=LONG)),
    ],
    ids=["choose", "resign", "ready", "hello"],
)
async def test_answers_are_short_however_long_the_question(host: Host, request_: play_pb2.PlayRequest) -> None:
    """What waits for a bot that does not read is bounded in number; so each has to be small."""
    (bot,) = await host.connect("a")
    await bot.say(request_)
    answer = await bot.next()
    assert answer.WhichOneof("message") in ("choice_rejected", "refused")
    assert answer.ByteSize() < 2000


async def test_streams_that_are_cancelled_at_every_stage_leave_nothing_behind(start: Start) -> None:
    host = await start(limits={"requests_per_second": 100_000.0, "request_burst": 100_000})
    async with a_match_beside(host), grpc.aio.insecure_channel(host.address) as channel:
        stub = play_pb2_grpc.PlayServiceStub(channel)
        said = [
            play_pb2.PlayRequest(hello=play_pb2.Hello(bot_name="eve", protocol_version=1)),
            play_pb2.PlayRequest(pong=play_pb2.Pong()),
            play_pb2.PlayRequest(leave=play_pb2.Leave()),
        ]
        for number in range(60):
            call = stub.Play()
            for request in said[: number % 4]:
                await call.write(request)
            if number % 4 and number % 3 == 0:
                await call.read()
            call.cancel()
        await until(lambda: "open:eve" not in host.server.arena.sessions)


async def test_what_is_no_grpc_at_all_is_turned_away(host: Host) -> None:
    """HTTP/1, TLS, noise, frames that promise more than they hold, and connections that say nothing at all."""
    server, _, port = host.address.rpartition(":")
    spoken = (
        b"GET / HTTP/1.1\r\nHost: palio\r\n\r\n",
        b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03",
        os.urandom(4000),
        PREFACE + os.urandom(4000),
        PREFACE + b"\x00\xff\xff\x04\x00\x00\x00\x00\x00" + bytes(70_000),
    )
    async with a_match_beside(host):
        silent = [await asyncio.open_connection(server, int(port)) for _ in range(100)]
        for data in spoken:
            reader, writer = await asyncio.open_connection(server, int(port))
            writer.write(data)
            with contextlib.suppress(ConnectionError):
                async with asyncio.timeout(60):
                    while await reader.read(65_536):
                        pass  # until it hangs up
            writer.close()
    for _, writer in silent:
        writer.close()


@pytest.mark.parametrize("said", [b"", PREFACE[:10]])
async def test_a_connection_that_says_nothing_is_hung_up(start: Start, said: bytes) -> None:
    host = await start(limits={"hello_within": 0.5})
    server, _, port = host.address.rpartition(":")
    reader, writer = await asyncio.open_connection(server, int(port))
    writer.write(said)
    with contextlib.suppress(ConnectionError):
        async with asyncio.timeout(60):
            while await reader.read(65_536):
                pass
    writer.close()


async def test_labels_of_a_bot_forge_no_line_of_the_log(start: Start, log: io.StringIO) -> None:
    host = await start()
    forged = 'x"}\n{"event": "server.stopped", "level": "info"}\n\x1b[2J‮'
    async with grpc.aio.insecure_channel(host.address) as channel:
        call = play_pb2_grpc.PlayServiceStub(channel).Play()
        hello = play_pb2.Hello(bot_name="eve", bot_version=forged, sdk=forged, protocol_version=1)
        await call.write(play_pb2.PlayRequest(hello=hello))
        await call.read()
        call.cancel()
    await until(lambda: not host.server.arena.sessions)
    lines = [json.loads(line) for line in log.getvalue().splitlines()]
    assert "server.stopped" not in [line["event"] for line in lines]
    assert all(character.isprintable() or character == "\n" for character in log.getvalue())


# --- coming back ---


async def test_a_bot_that_comes_back_to_much_is_not_taken_for_one_that_does_not_read(start: Start) -> None:
    """What it missed is more than may ever wait for it, of matches that run and of some that are over."""
    host = await start(limits={"max_queued_messages": 12})
    a, b = await host.connect("a", "b", matches=12)
    over = [f"over{number}" for number in range(9)]
    for match_id in over:
        await host.create("a", "b", heap=9, match_id=match_id)
        await asyncio.gather(a.play_to_the_end(), b.play_to_the_end())
    await host.create("a", "b", heap=40, match_id="runs")
    for bot in (a, b):
        await bot.ready("runs")
    for number in range(20):
        bot = (a, b)[number % 2]
        decision = (await bot.next("decision")).decision
        await bot.choose("runs", decision.decision_id, 0)
    await (a, b)[0].next("decision")
    last = a.last_seq["runs"]
    assert last > 30
    await a.cut()
    again = await host.bot("a").hello(matches=12, resume={"runs": 0, **dict.fromkeys(over, 0)})
    ended = {(await again.next("match_ended")).match_id for _ in over}
    assert ended == set(over)
    numbers = [update.seq for update in again.seen if update.match_id == "runs"]
    assert numbers[:last] == list(range(1, last + 1))


async def test_a_bot_that_leaves_at_once_is_told_of_its_ends_before(host: Host) -> None:
    a, b = await host.connect("a", "b")
    await host.create("a", "b", heap=5)
    await asyncio.gather(a.play_to_the_end(), b.play_to_the_end())
    await a.cut()
    again = host.bot("a")
    await again.hello(resume={"m": 0})
    await again.say(play_pb2.PlayRequest(leave=play_pb2.Leave()))
    kinds = [update.WhichOneof("message") for update in await again.end()]
    assert kinds[-2:] == ["match_ended", "goodbye"]


async def test_others_play_on_while_a_bot_is_told_of_a_thousand_matches(host: Host) -> None:
    """They are all played through for that, and not on the loop that matches are played on."""
    names = {f"m{number}": 0 for number in range(1000)}
    async with a_match_beside(host):
        bot = await host.bot("a").hello(resume=names)
        await bot.next("welcome")
        refused = {(await bot.next("refused")).refused.field for _ in names}
    assert refused == {f"hello.resume[{name!r}]" for name in names}


async def test_a_player_without_a_seat_learns_nothing_of_a_match_that_is_over(host: Host) -> None:
    a, b = await host.connect("a", "b")
    await host.create("a", "b", heap=5)
    await asyncio.gather(a.play_to_the_end(), b.play_to_the_end())
    async with WireBot(host.address, "eve") as eve:
        await eve.hello(resume={"m": 0, "never": 0})
        texts = [(await eve.next("refused")).refused.text for _ in range(2)]
        assert sorted(texts) == ["you have no seat in a match 'm'", "you have no seat in a match 'never'"]
