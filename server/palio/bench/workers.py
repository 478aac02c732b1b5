"""One process against several: decisions a second, and who uses the processor for them.

Two players with a bot for each worker play Fidelitas; the bots cost little and share the machine with the server. Where
there are no cores to spare, decisions a second cannot grow. What the busiest process of the server has to do for a
decision can be seen on any machine: it is what bounds a server on enough cores.
"""

from __future__ import annotations

import asyncio
import itertools
import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Final, NamedTuple

import grpc
import grpc.aio

from palio.bench.server import START_WITHIN, cpu_seconds
from palio.server.access.accounts import Accounts
from palio.server.access.credentials import Role
from palio.server.app import loop_factory
from palio.server.config import default_database
from palio.v1 import match_pb2, match_pb2_grpc, play_pb2, play_pb2_grpc

PLAYERS: Final = ("ada", "ben")
AT_ONCE: Final = 16
"""Matches of one bot."""
WAITING: Final = 4
"""Matches of one bot that wait to begin."""
GAME: Final = "fidelitas"


class Shared(NamedTuple):
    """What was measured with one number of workers.

    Attributes:
        decisions: a second.
        front_us: processor time of the front for a decision, in microseconds; 0 where there is none.
        worker_us: the same of each process that hosts matches, the busiest first.
    """

    workers: int
    decisions: float
    front_us: float
    worker_us: tuple[float, ...]

    @property
    def bound(self) -> float:
        """Decisions a second when the busiest process has a core to itself."""
        return 1e6 / max(self.front_us, *self.worker_us)


def measure(workers: int, seconds: float, bots: int) -> Shared:
    """One server, with that many bots for each player.

    Raises:
        RuntimeError: the server did not start.
    """
    with tempfile.TemporaryDirectory() as folder, asyncio.Runner(loop_factory=loop_factory()) as runner:
        return runner.run(_measure(workers, seconds, bots, Path(folder)))


async def _measure(workers: int, seconds: float, bots: int, data: Path) -> Shared:
    with Accounts.open(default_database(data)) as accounts:
        accounts.create_player("organiser", Role.ORGANISER)
        organiser = accounts.create_token("organiser")[0]
        for player in PLAYERS:
            accounts.create_player(player)
        tokens = [accounts.create_token(player)[0] for player in PLAYERS for _ in range(bots)]
    ready = data / "ready.json"
    command = [sys.executable, "-m", "palio.cli", "serve", "--data", str(data), "--ready-file", str(ready)]
    command += ["--listen", "127.0.0.1:0", "--workers", str(workers), "--log-level", "error", "--set", "drain_limit=0"]
    process = subprocess.Popen(command)  # noqa: ASYNC220
    load = _Load(organiser)
    tasks: list[asyncio.Task[None]] = []
    try:
        deadline = time.monotonic() + 2 * START_WITHIN
        while not ready.exists():
            if process.poll() is not None or time.monotonic() > deadline:
                raise RuntimeError("the server did not start")
            await asyncio.sleep(0.05)
        load.server = json.loads(ready.read_text())["address"]
        tasks += [asyncio.create_task(load.play(token)) for token in tokens]
        while load.welcomed < len(tokens):  # noqa: ASYNC110
            await asyncio.sleep(0.05)
        tasks.append(asyncio.create_task(load.feed(bots * (AT_ONCE + WAITING))))
        await asyncio.sleep(seconds / 3)
        hosts = _children(process.pid) if workers > 1 else [process.pid]
        processes = [process.pid, *hosts] if workers > 1 else hosts
        before, began, counted = [cpu_seconds(pid) for pid in processes], time.monotonic(), load.decisions
        await asyncio.sleep(seconds)
        taken = load.decisions - counted
        used = [cpu_seconds(pid) - start for pid, start in zip(processes, before, strict=True)]
        each = [1e6 * seconds / max(1, taken) for seconds in used]
        front, worker_us = (each[0], each[1:]) if workers > 1 else (0.0, each)
        rate = taken / (time.monotonic() - began)
        return Shared(workers, rate, front, tuple(sorted(worker_us, reverse=True)))
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        process.terminate()
        process.wait()


def _children(pid: int) -> list[int]:
    tasks = Path(f"/proc/{pid}/task").iterdir()
    return [int(child) for task in tasks for child in (task / "children").read_text().split()]


class _Load:
    """Bots, and matches for them to play.

    Args:
        organiser: token of who creates the matches.

    Attributes:
        server: its address.
        welcomed: bots that are connected.
        decisions: that they took.
    """

    def __init__(self, organiser: str) -> None:
        self.server = ""
        self.welcomed = 0
        self.decisions = 0
        self._bearer = (("authorization", f"Bearer {organiser}"),)
        self._told_of_ends = 0
        self._ended = asyncio.Semaphore(0)

    async def feed(self, most: int) -> None:
        """Keep that many matches waiting and running."""
        async with grpc.aio.insecure_channel(self.server) as channel:
            stub = match_pb2_grpc.MatchServiceStub(channel)
            for number in itertools.count():
                if number >= most:
                    await self._ended.acquire()
                request = match_pb2.CreateMatchRequest(match_id=f"m{number}", game=GAME, players=PLAYERS)
                await stub.CreateMatch(request, metadata=self._bearer)

    async def play(self, token: str) -> None:
        """One bot, over two connections where it is sent on."""
        hello = play_pb2.Hello(token=token, protocol_version=1, max_concurrent_matches=AT_ONCE)
        address = self.server
        while address:
            async with grpc.aio.insecure_channel(address) as channel:
                call = play_pb2_grpc.PlayServiceStub(channel).Play()
                await call.write(play_pb2.PlayRequest(hello=hello))
                address = ""
                async for response in call:
                    answers: list[play_pb2.PlayRequest] = []
                    for update in response.updates:
                        if update.WhichOneof("message") == "goodbye":
                            address = update.goodbye.address
                        answers += self._answer(update)
                    if answers:
                        first, *more = answers
                        first.more.extend(more)
                        await call.write(first)

    def _answer(self, update: play_pb2.Update) -> list[play_pb2.PlayRequest]:
        match update.WhichOneof("message"):
            case "welcome":
                self.welcomed += 1
            case "match_started":
                return [play_pb2.PlayRequest(ready=play_pb2.Ready(match_id=update.match_id))]
            case "decision":
                self.decisions += 1
                # Without the rules and without chance, yet games take their usual course.
                number, offered = update.decision.decision_id, len(update.decision.options)
                choose = play_pb2.Choose(match_id=update.match_id, decision_id=number, option=number * 7 % offered)
                return [play_pb2.PlayRequest(choose=choose)]
            case "match_ended":
                self._told_of_ends += 1
                if self._told_of_ends % len(PLAYERS) == 0:  # every player hears of it
                    self._ended.release()
            case "ping":
                return [play_pb2.PlayRequest(pong=play_pb2.Pong(nonce=update.ping.nonce))]
        return []
