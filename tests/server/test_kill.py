"""A server process that dies and comes back: what was acknowledged survives, and every match goes on."""

from __future__ import annotations

import asyncio
import signal
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import grpc.aio
import pytest
from tests.support.arena import sticks
from tests.support.process import ServerProcess
from tests.support.waiting import until
from tests.support.wire import WireBot

from palio.server.match.journal import ReplayStore
from palio.v1 import match_pb2, match_pb2_grpc, play_pb2

FINISHED = match_pb2.TERMINATION_FINISHED


async def create(address: str, match_id: str, players: list[str], heap: int) -> None:
    async with grpc.aio.insecure_channel(address) as channel:
        request = match_pb2.CreateMatchRequest(
            match_id=match_id, game="sticks", players=players, options=sticks(heap), seed=bytes(32)
        )
        await match_pb2_grpc.MatchServiceStub(channel).CreateMatch(request)


@asynccontextmanager
async def told(server: ServerProcess) -> AsyncIterator[tuple[WireBot, WireBot]]:
    """The server started, with a match ``m`` of two bots that both know of it and are not ready yet."""
    await create(await server.start_async(), "m", ["a", "b"], heap=9)
    async with WireBot(server.address, "a") as a, WireBot(server.address, "b") as b:
        for bot in (a, b):
            await bot.hello()
        for bot in (a, b):
            await bot.next("match_started")
        yield a, b


async def play_through_kills(server: ServerProcess, names: list[str], kills: int, heap: int) -> dict[str, str]:
    """Play one match per pair of names; kill the server after every few choices of the first bot."""
    seqs: dict[str, dict[str, int]] = {name: {} for name in names}
    digests: dict[str, str] = {}
    done: set[str] = set()

    async def life(name: str, stop: asyncio.Event, budget: list[int]) -> None:
        async with WireBot(server.address, name) as bot:
            await bot.hello(resume=seqs[name])
            async for update in bot.play():
                # A decision counts as seen once its answer was accepted: until then it has to come again.
                if update.WhichOneof("message") not in ("match_started", "decision") and update.seq:
                    seqs[name][update.match_id] = update.seq
                if update.HasField("choice_accepted"):
                    budget[0] -= 1
                    if budget[0] <= 0:
                        stop.set()
                if update.HasField("match_ended"):
                    result = update.match_ended.result
                    assert [seat.termination for seat in result.seats] == [FINISHED] * len(names)
                    digests[name] = result.replay_digest
                    done.add(name)
                    if len(done) == len(names):
                        stop.set()

    for kill in range(kills + 1):
        stop = asyncio.Event()
        budget = [4 if kill < kills else 10_000]
        tasks = [asyncio.create_task(life(name, stop, budget)) for name in names if name not in done]
        async with asyncio.timeout(60):
            await stop.wait()
        if kill < kills:
            server.kill()
            await server.start_async()
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        for task in tasks:
            if not task.cancelled() and (error := task.exception()) is not None:
                raise error
    return digests


async def test_a_match_survives_many_deaths_of_the_server(tmp_path: Path) -> None:
    server = ServerProcess(tmp_path / "killed")
    address = await server.start_async()
    try:
        await create(address, "m", ["a", "b"], heap=40)
        digests = await play_through_kills(server, ["a", "b"], kills=5, heap=40)
    finally:
        server.kill()
    calm = ServerProcess(tmp_path / "calm")
    address = await calm.start_async()
    try:
        await create(address, "m", ["a", "b"], heap=40)
        assert await play_through_kills(calm, ["a", "b"], kills=0, heap=40) == digests
    finally:
        calm.kill()


async def test_a_match_that_had_only_begun_begins_again_with_whoever_is_ready_already(tmp_path: Path) -> None:
    """No record says that its bots were told of it. They know, and say Ready when they are back, not at its start."""
    server = ServerProcess(tmp_path)
    async with told(server):
        server.kill()
    await server.start_async()
    try:
        async with WireBot(server.address, "a") as a, WireBot(server.address, "b") as b:
            for bot in (a, b):
                await bot.hello(resume={"m": 1})
                assert (await bot.next()).HasField("welcome")
                await bot.ready("m")
            await a.next("decision")
            await a.choose("m", 1, 0)
            assert (await a.next("choice_accepted")).choice_accepted.decision_id == 1
            assert not [update for bot in (a, b) for update in bot.seen if update.HasField("refused")]
    finally:
        server.kill()


async def test_sigterm_ends_it_with_zero_and_waiting_matches_stay(tmp_path: Path) -> None:
    server = ServerProcess(tmp_path)
    await create(await server.start_async(), "m", ["a", "b"], heap=9)
    assert await asyncio.to_thread(server.terminate) == 0
    address = await server.start_async()
    try:
        async with grpc.aio.insecure_channel(address) as channel:
            stub = match_pb2_grpc.MatchServiceStub(channel)
            match = (await stub.GetMatch(match_pb2.GetMatchRequest(match_id="m"))).match
            assert match.state == match_pb2.MATCH_STATE_WAITING
    finally:
        server.kill()


async def test_sigterm_lets_running_matches_end_and_tells_the_bots(tmp_path: Path) -> None:
    server = ServerProcess(tmp_path)
    async with told(server) as (a, b):
        assert "server.open" in (tmp_path / "server.log").read_text()
        for bot in (a, b):
            await bot.ready("m")
        await a.next("decision")
        stopping = asyncio.create_task(asyncio.to_thread(server.terminate))
        await until(lambda: "server.draining" in (tmp_path / "server.log").read_text())
        await a.choose("m", 1, 0)
        await asyncio.gather(a.play_to_the_end(), b.play_to_the_end())
        for bot in (a, b):
            assert (await bot.next("goodbye")).goodbye.reason == play_pb2.GOODBYE_REASON_DRAINING
    assert await stopping == 0
    assert ReplayStore(tmp_path / "replays").path("m", 1).exists()


async def test_a_second_sigterm_leaves_running_matches_to_the_journal(tmp_path: Path) -> None:
    server = ServerProcess(tmp_path, "--set", "drain_limit=300")
    async with told(server) as (a, _):
        server.signal(signal.SIGTERM)
        await until(lambda: "server.draining" in (tmp_path / "server.log").read_text())
        assert await asyncio.to_thread(server.terminate) == 0
        assert (await a.next("goodbye")).goodbye.reason == play_pb2.GOODBYE_REASON_DRAINING
    assert ReplayStore(tmp_path / "journal").path("m", 1).exists()


@pytest.mark.parametrize("cut", [1, 7, 20])
async def test_a_torn_journal_is_cut_and_the_match_goes_on(tmp_path: Path, cut: int) -> None:
    server = ServerProcess(tmp_path)
    async with told(server) as (a, b):
        for bot in (a, b):
            await bot.ready("m")
        await a.next("decision")
        await a.choose("m", 1, 0)
        await b.next("decision")
        server.kill()
    path = ReplayStore(tmp_path / "journal").path("m", 1)
    path.write_bytes(path.read_bytes()[:-cut])
    await server.start_async()
    try:
        digests = await play_through_kills(server, ["a", "b"], kills=0, heap=9)
        assert len(set(digests.values())) == 1
    finally:
        server.kill()


def test_a_server_can_be_stopped_as_soon_as_it_is_ready(tmp_path: Path) -> None:
    server = ServerProcess(tmp_path)
    server.start()
    assert server.terminate() == 0
    assert "server.stopped" in server.log
