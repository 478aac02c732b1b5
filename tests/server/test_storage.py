"""Full and read-only disks, and deaths at any byte: a clear state, no result, no corruption, and back again."""

from __future__ import annotations

import asyncio
import errno
import os
import resource
from pathlib import Path
from typing import Any

import grpc
import grpc.aio
import pytest
from grpc_health.v1 import health_pb2, health_pb2_grpc
from tests.server.conftest import Start
from tests.support.arena import Host, sticks
from tests.support.process import ServerProcess
from tests.support.rooms import HandBot, Table
from tests.support.waiting import until
from tests.support.wire import WireBot

from palio.codec.status import PalioError, from_rpc_error
from palio.server.match.verify import verify_file
from palio.v1 import match_pb2, match_pb2_grpc

SERVING = health_pb2.HealthCheckResponse.SERVING
NOT_SERVING = health_pb2.HealthCheckResponse.NOT_SERVING
VOID = match_pb2.MATCH_STATE_VOID


async def health(address: str, service: str = "") -> int:
    async with grpc.aio.insecure_channel(address) as channel:
        stub: Any = health_pb2_grpc.HealthStub(channel)
        return int((await stub.Check(health_pb2.HealthCheckRequest(service=service))).status)


async def becomes(address: str, status: int) -> None:
    async with asyncio.timeout(30):
        while await health(address) != status:  # noqa: ASYNC110
            await asyncio.sleep(0.05)


async def create(address: str, attempt: int = 1, match_id: str = "m") -> PalioError | None:
    request = match_pb2.CreateMatchRequest(
        match_id=match_id, attempt=attempt, game="sticks", players=["a", "b"], options=sticks(9), seed=bytes(32)
    )
    async with grpc.aio.insecure_channel(address) as channel:
        try:
            await match_pb2_grpc.MatchServiceStub(channel).CreateMatch(request)
        except grpc.aio.AioRpcError as error:
            return from_rpc_error(error)
    return None


async def get(address: str) -> match_pb2.Match:
    async with grpc.aio.insecure_channel(address) as channel:
        return (await match_pb2_grpc.MatchServiceStub(channel).GetMatch(match_pb2.GetMatchRequest(match_id="m"))).match


def test_the_server_dies_at_any_byte_and_goes_on_as_if_nothing_had_been(tmp_path: Path) -> None:
    calm = Table(tmp_path / "calm", "a", "b", heap=7).start()
    while not calm.ended:
        decision = calm.room.course.decision
        assert decision is not None
        calm.choose(decision.seat)
    expected = calm.ended[0].result
    table = Table(tmp_path, "a", "b", heap=7).start()
    for seat in (0, 1, 0):
        table.choose(seat)
    table.room.suspend()
    path = table.store.path("m", 1)
    data = path.read_bytes()
    whole = len(table.records())
    seen = set()
    header = data[: 8 + int.from_bytes(data[:4], "little")]
    for size in range(len(header), len(data) + 1):
        path.write_bytes(data[:size])
        table.ended.clear()
        room = table.restart()
        seen.add(len(table.records()))
        for seat, name in enumerate("ab"):
            table.bots[seat] = HandBot(name)
            if room.state == match_pb2.MATCH_STATE_RUNNING:
                room.attach(seat, table.bots[seat].session, 0)
        if room.state == match_pb2.MATCH_STATE_WAITING:
            room.start({seat: bot.session for seat, bot in enumerate(table.bots)})
        for seat in range(2):
            room.ready(seat)
        while not table.ended:
            decision = room.course.decision
            assert decision is not None
            table.choose(decision.seat)
        assert table.ended[0].result == expected
        assert not verify_file(path).difference
        for bot in table.bots:
            numbers = [update.seq for update in bot.seen]
            assert numbers == list(range(1, len(numbers) + 1))
            assert bot.last("match_ended").result == expected
    assert seen == set(range(1, whole + 1))


async def test_a_full_disk_and_its_recovery(tmp_path: Path) -> None:
    server = ServerProcess(tmp_path, "--log-format", "json")
    address = await server.start_async()
    try:
        await create(address)
        async with WireBot(address, "a") as a, WireBot(address, "b") as b:
            for bot in (a, b):
                await bot.hello(matches=2)
            for bot in (a, b):
                await bot.next("match_started")
                await bot.ready("m")
            await a.next("decision")
            # No file may grow any more: neither journals nor the server's own log.
            hard = resource.prlimit(server.pid, resource.RLIMIT_FSIZE)[1]
            resource.prlimit(server.pid, resource.RLIMIT_FSIZE, (0, hard))
            await a.choose("m", 1, 0)
            for bot in (a, b):
                ended = (await bot.next("match_ended")).match_ended
                assert ended.void_reason.startswith("the server cannot write its journal: ")
                assert not ended.result.rated
            await becomes(address, NOT_SERVING)
            for service, status in [("MatchService", NOT_SERVING), ("PlayService", NOT_SERVING)]:
                assert await health(address, f"palio.v1.{service}") == status
            assert await health(address, "palio.v1.CatalogService") == SERVING
            match = await get(address)
            assert (match.state, match.void_reason) == (VOID, ended.void_reason)
            error = await create(address, attempt=2)
            assert error is not None
            assert (error.code, error.reason) == (grpc.StatusCode.UNAVAILABLE, "UNAVAILABLE")
            assert error.metadata == {"cause": "storage"}
            assert error.message.startswith("the server cannot write its journal: ")
            resource.prlimit(server.pid, resource.RLIMIT_FSIZE, (hard, hard))
            await becomes(address, SERVING)
            assert not verify_file(tmp_path / "replays" / "m.1.replay").difference
            assert not list((tmp_path / "journal").glob("*.replay"))
            assert await create(address, attempt=2) is None
            await asyncio.gather(a.play_to_the_end(), b.play_to_the_end())
        assert (await get(address)).state == match_pb2.MATCH_STATE_FINISHED
    finally:
        server.kill()


async def test_what_was_void_on_a_full_disk_stays_so_when_the_server_dies(tmp_path: Path) -> None:
    server = ServerProcess(tmp_path)
    address = await server.start_async()
    try:
        await create(address)
        async with WireBot(address, "a") as a, WireBot(address, "b") as b:
            for bot in (a, b):
                await bot.hello()
            for bot in (a, b):
                await bot.next("match_started")
                await bot.ready("m")
            await a.next("decision")
            hard = resource.prlimit(server.pid, resource.RLIMIT_FSIZE)[1]
            resource.prlimit(server.pid, resource.RLIMIT_FSIZE, (0, hard))
            await a.choose("m", 1, 0)
            await b.next("match_ended")
        server.kill()
        address = await server.start_async()
        match = await get(address)
        assert (match.state, match.void_reason) == (VOID, "the server could not write its journal")
        assert await create(address, attempt=1) is not None
        assert await create(address, attempt=2) is None
    finally:
        server.kill()


async def test_a_read_only_directory(host: Host, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    bots = await host.connect("a", "b", matches=2)
    await host.create("a", "b", heap=9)
    await host.create("a", "c", match_id="waits")
    for bot in bots:
        await bot.ready("m")
    await bots[0].next("decision")

    def read_only(*_: Any, **__: Any) -> Any:
        raise OSError(errno.EROFS, os.strerror(errno.EROFS))

    for name in ("rename", "unlink"):
        monkeypatch.setattr(Path, name, read_only)
    monkeypatch.setattr(os, "write", read_only)
    await bots[0].choose("m", 1, 0)
    for bot in bots:
        ended = (await bot.next("match_ended")).match_ended
        assert ended.void_reason == "the server cannot write its journal: Read-only file system"
    await becomes(host.address, NOT_SERVING)
    error = await create(host.address, match_id="n")
    assert error is not None
    assert error.code == grpc.StatusCode.UNAVAILABLE
    # Who connects now is let in, and the match that waits goes on waiting.
    await host.connect("c")
    assert host.server.arena.rooms["waits"].state == match_pb2.MATCH_STATE_WAITING
    monkeypatch.undo()
    await becomes(host.address, SERVING)
    assert not verify_file(tmp_path / "replays" / "m.1.replay").difference
    await until(lambda: host.server.arena.rooms["waits"].state == match_pb2.MATCH_STATE_RUNNING)


async def test_a_match_is_not_begun_on_a_disk_that_just_filled(host: Host, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: Any) -> int:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(os, "write", full)
    error = await create(host.address)
    assert error is not None
    assert error.message == "the server cannot write its journal: No space left on device"
    monkeypatch.undo()
    await becomes(host.address, SERVING)
    assert await create(host.address) is None


async def test_a_data_directory_that_cannot_be_used_is_named(tmp_path: Path, start: Start) -> None:
    (tmp_path / "journal").write_text("in the way")
    with pytest.raises(OSError, match="journal"):
        await start()
