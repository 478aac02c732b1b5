"""The servers under load, each in a process of its own: a bare echo stream, and an arena that never runs dry.

``python -m palio.bench.host echo READY SIZE`` answers each message with SIZE bytes that begin with its first 4;
``python -m palio.bench.host arena READY GAME PLAYERS STREAMS MATCHES DATA`` hosts so many matches at a time between
so many players, one more for each that ends.
Both write their address to READY once they listen and run until SIGTERM; then they print what they used as JSON.
"""

from __future__ import annotations

import asyncio
import gc
import json
import os
import resource
import signal
import sys
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Final

import grpc
import grpc.aio

from palio.bench.inside import Insiders
from palio.server.app import ArenaServer, loop_factory
from palio.server.arena import Arena
from palio.server.config import ServerConfig
from palio.server.match.room import Room
from palio.v1 import match_pb2

WARM_MATCHES: Final = 16
WARM_CHOICES: Final = 4000


def _tell(ready: Path, address: str) -> None:
    temporary = ready.with_suffix(".new")
    temporary.write_text(address)
    temporary.rename(ready)


async def _until_sigterm() -> None:
    stop = asyncio.Event()
    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, stop.set)
    await stop.wait()


async def echo(ready: Path, size: int) -> dict[str, float]:
    """A bidirectional stream that does nothing else."""
    tail = b"y" * max(0, size - 4)

    async def play(requests: AsyncIterator[bytes], _context: object) -> AsyncIterator[bytes]:
        async for data in requests:
            yield data[:4] + tail

    server = grpc.aio.server()
    method: grpc.RpcMethodHandler[bytes, bytes] = grpc.stream_stream_rpc_method_handler(play)
    server.add_generic_rpc_handlers((grpc.method_handlers_generic_handler("palio.v1.PlayService", {"Play": method}),))
    port = server.add_insecure_port("127.0.0.1:0")
    await server.start()
    _tell(ready, f"127.0.0.1:{port}")
    await _until_sigterm()
    await server.stop(0)
    return _used()


class Feeder:
    """Keeps an arena full: a new match for each that ends."""

    def __init__(self, arena: Arena, game: str, players: int, streams: int) -> None:
        self._arena, self._game, self._players, self._streams = arena, game, players, streams
        self._number = 0
        self.choices = 0

    def create(self) -> None:
        if self._arena.draining:
            return
        first = self._number * self._players % self._streams
        players = [f"p{(first + index) % self._streams}" for index in range(self._players)]
        request = match_pb2.CreateMatchRequest(match_id=f"bench-{self._number}", game=self._game, players=players)
        self._number += 1
        self._arena.create(request).spectators.append(self)

    def step(self, choices: int, events: list[bytes]) -> None:
        pass

    def ended(self, match: match_pb2.Match) -> None:
        self.choices += match.choices
        self._arena.replays.path(match.match_id, 1).unlink(missing_ok=True)
        asyncio.get_running_loop().call_soon(self.create)

    def running(self, rooms: dict[str, Room]) -> int:
        return self.choices + sum(room.course.choices for room in rooms.values())


async def _count(feeder: Feeder, arena: Arena, file: Path) -> None:
    """Write down from time to time how many choices there were: a line of seconds and the count."""
    loop = asyncio.get_running_loop()
    with file.open("w", buffering=1) as lines:
        while True:
            lines.write(f"{loop.time():.6f} {feeder.running(arena.rooms)}\n")
            await asyncio.sleep(0.1)


async def arena(ready: Path, game: str, players: int, streams: int, matches: int, data: Path) -> dict[str, float]:
    """An arena without tokens whose matches are always as many as the streams can play."""
    config = ServerConfig.model_validate(
        {"listen": ["127.0.0.1:0"], "data": data, "open": True, "drain_limit": 0, "log": {"level": "error"}}
    )
    server = ArenaServer(config)
    await server.start()
    feeder = Feeder(server.arena, game, players, streams)
    # What all matches share is there before memory is looked at: else it would be counted as theirs.
    insiders = Insiders(server.arena, game, players, "warm-up")
    insiders.play(WARM_MATCHES, WARM_CHOICES, as_bytes=True)
    insiders.leave()
    before = _resident_kib()
    for _ in range(matches):
        feeder.create()
    _tell(ready, server.addresses[0])
    counting = asyncio.create_task(_count(feeder, server.arena, data / "choices"))
    await _until_sigterm()
    counting.cancel()
    used = _used()
    used["choices"] = feeder.running(server.arena.rooms)
    used["kib_per_match"] = (_resident_kib() - before) / matches
    await server.stop(grace=0)
    return used


def _resident_kib() -> float:
    """What the process holds in memory now (Linux)."""
    gc.collect()
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 1024


def _used() -> dict[str, float]:
    usage = resource.getrusage(resource.RUSAGE_SELF)
    return {"cpu_seconds": usage.ru_utime + usage.ru_stime}


def main(arguments: list[str]) -> None:
    """See the module's text."""
    import structlog

    structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(40))
    kind, ready, *rest = arguments
    if kind == "echo":
        work = echo(Path(ready), int(rest[0]))
    else:
        game, players, streams, matches, data = rest
        work = arena(Path(ready), game, int(players), int(streams), int(matches), Path(data))
    with asyncio.Runner(loop_factory=loop_factory()) as runner:
        sys.stdout.write(json.dumps(runner.run(work)) + "\n")


if __name__ == "__main__":
    main(sys.argv[1:])
