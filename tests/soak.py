"""``make soak``: ten thousand short matches over gRPC, and what the server's memory does meanwhile.

``python -m tests.soak [MATCHES]`` prints one line per tenth and a summary; exit 1 if the memory or the number of open
files grows.
"""

from __future__ import annotations

import asyncio
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

import grpc.aio
import tests.conftest  # noqa: F401 (makes the plug-in game importable, in the server too)
from tests.support.arena import sticks
from tests.support.process import ServerProcess

from palio.client import Bot, Decision, play_async
from palio.server.archive import REMEMBERED
from palio.v1 import match_pb2, match_pb2_grpc, play_pb2

WINDOW = 64
HEAP = 4
GROWTH_KIB = 4096
"""What the resident memory may grow by after the warm-up: less than half a KiB a match over ten thousand."""


@dataclass
class Report:
    """What was seen.

    Attributes:
        samples: per tenth: matches so far, resident KiB of the server, its open files.
        seconds: in all.
        faults: seats that did not finish regularly.
    """

    samples: list[tuple[int, int, int]] = field(default_factory=list)
    seconds: float = 0.0
    faults: int = 0

    @property
    def growth(self) -> int:
        """KiB by which the server grew since it remembers as many matches as it ever will."""
        warm = next(rss for matches, rss, _ in self.samples if matches > REMEMBERED)
        return self.samples[-1][1] - warm

    @property
    def files(self) -> int:
        """By how many its open files have changed since the first sample."""
        return abs(self.samples[-1][2] - self.samples[0][2])


def resident_kib(pid: int) -> int:
    """Resident memory of a process."""
    lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    return int(next(line.split()[1] for line in lines if line.startswith("VmRSS")))


async def soak(folder: Path, matches: int, say: Callable[[str], None] = lambda _: None) -> Report:
    """Play so many matches on a server of its own.

    Args:
        folder: for the server's data.
        matches: more than the server remembers.
        say: told each sample.
    """
    report = Report()
    room = asyncio.Semaphore(WINDOW)
    finished = 0

    class First(Bot):
        blocking = False

        def choose(self, decision: Decision) -> int:
            return 0

        def ended(self, ended: play_pb2.MatchEnded) -> None:
            report.faults += sum(seat.termination != match_pb2.TERMINATION_FINISHED for seat in ended.result.seats)
            if self.match.seat == 0:
                count()

    def count() -> None:
        nonlocal finished
        finished += 1
        room.release()
        if finished % max(1, matches // 20) == 0:
            sample = finished, resident_kib(server.pid), len(list(Path(f"/proc/{server.pid}/fd").iterdir()))
            report.samples.append(sample)
            say("{:7d} matches   {:7d} KiB   {:3d} files".format(*sample))

    def player(name: str) -> asyncio.Task[int]:
        return asyncio.create_task(
            play_async(First, server=server.address, name=name, concurrency=WINDOW, matches=matches)
        )

    server = ServerProcess(folder, "--log-level", "warning", "--set", "metrics='127.0.0.1:0'")
    await server.start_async()
    begin = time.monotonic()
    try:
        bots = [player("a"), player("b")]
        async with grpc.aio.insecure_channel(server.address) as channel:
            stub = match_pb2_grpc.MatchServiceStub(channel)
            for number in range(matches):
                await room.acquire()
                players = ("a", "b") if number % 2 else ("b", "a")
                request = match_pb2.CreateMatchRequest(
                    match_id=f"m{number}", game="sticks", players=players, options=sticks(HEAP)
                )
                await stub.CreateMatch(request)
        await asyncio.gather(*bots)
    finally:
        report.seconds = time.monotonic() - begin
        server.kill()
    return report


def main(matches: int = 10_000) -> int:
    """Run it and say what came of it."""
    with tempfile.TemporaryDirectory() as folder:
        report = asyncio.run(soak(Path(folder), matches, print))
    rate = matches / report.seconds
    print(
        f"{matches} matches in {report.seconds:.0f} s ({rate:.0f} a second), {report.faults} faults; after the first "
        f"{REMEMBERED} the server grew by {report.growth} KiB, its open files changed by {report.files}"
    )
    return int(report.growth > GROWTH_KIB or report.files > 8 or report.faults > 0)


if __name__ == "__main__":
    sys.exit(main(*map(int, sys.argv[1:])))
