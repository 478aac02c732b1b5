"""A tournament of two ``random`` bots over gRPC beside the same games in one process, and who uses the processor.

The runner is this process; the server and the two bots are its children. What is measured begins when a quarter of the
games is over, so that starting up is left out.
"""

from __future__ import annotations

import asyncio
import json
import os
import tempfile
import time
from functools import partial
from pathlib import Path
from typing import Final, NamedTuple

from palio.bench.server import cpu_seconds
from palio.bots import strategy
from palio.bots.arena import play_match
from palio.server.app import loop_factory
from palio.tournament.ledger import Entry
from palio.tournament.plan import Schedule
from palio.tournament.runner.prepare import prepare
from palio.tournament.runner.run import Run
from palio.tournament.runner.view import View

WARM_UP: Final = 0.25
"""The share of the games that comes before the measurement."""


class Parts(NamedTuple):
    """Processor seconds by part."""

    runner: float
    server: float
    bots: float


class Pace(NamedTuple):
    """What was measured.

    Attributes:
        game, players: what was played.
        games: how many were measured.
        games_per_second: of the tournament.
        alone_per_second: of one process without gRPC, which plays the same games with the same bots.
        cpu: processor milliseconds a game.
        alone_cpu: processor milliseconds a game of that one process.
        same: whether both ways gave the same results.
    """

    game: str
    players: int
    games: int
    games_per_second: float
    alone_per_second: float
    cpu: Parts
    alone_cpu: float
    same: bool

    @property
    def runner_share(self) -> float:
        """Of all processor time of the tournament."""
        return self.cpu.runner / sum(self.cpu)


class _Clock(View):
    """Takes the time when the warm-up is over and when all is over."""

    def __init__(self, games: int) -> None:
        super().__init__()
        self._marks = (round(games * WARM_UP), games)
        self.pids: dict[str, list[int]] = {}
        self.taken: list[tuple[float, Parts]] = []
        self.entries: list[Entry] = []
        self.run: Run | None = None

    def entered(self, entry: Entry, *, block_complete: bool) -> None:
        super().entered(entry, block_complete=block_complete)
        self.entries.append(entry)
        if self.games in self._marks and self.run is not None:
            pids = self.run.processes()
            used = Parts(
                time.process_time(), cpu_seconds(pids["server"][0]), sum(cpu_seconds(pid) for pid in pids["bots"])
            )
            self.taken.append((time.perf_counter(), used))


def measure(game: str, players: int, games: int, concurrency: int | None = None) -> Pace:
    """Play a tournament and play it again without one.

    Args:
        games: about so many; whole blocks are played.
        concurrency: matches at the same time; ``None`` leaves it to the runner.
    """
    with tempfile.TemporaryDirectory(prefix="palio-bench-") as folder:
        file = _write(Path(folder), game, players, games, concurrency)
        prepared = prepare(file)
        try:
            blocks = prepared.schedule.format.blocks({})
            clock = _Clock(sum(len(block.permutations) for block in blocks))
            clock.run = Run(prepared, clock)
            with asyncio.Runner(loop_factory=loop_factory()) as runner:
                runner.run(clock.run.play())
            alone_seconds, alone_cpu, same = _alone(prepared.schedule, clock.entries)
        finally:
            prepared.close()
    (begin, before), (end, after) = clock.taken
    count = round((1 - WARM_UP) * clock.games)
    cpu = Parts(*(1000 * (last - first) / count for first, last in zip(before, after, strict=True)))
    return Pace(
        game,
        players,
        count,
        count / (end - begin),
        clock.games / alone_seconds,
        cpu,
        1000 * alone_cpu / clock.games,
        same,
    )


def _write(folder: Path, game: str, players: int, games: int, concurrency: int | None) -> Path:
    seatings = {2: 2, 3: 6, 4: 4, 5: 5}[players]
    lines = [
        *('name = "Bench"', f"game = {json.dumps(game)}", f"players = {players}", 'seed = "bench"', 'sandbox = "off"'),
        f"deals = {max(4, games // seatings)}",
        *([f"concurrency = {concurrency}"] if concurrency else []),
    ]
    for number in range(players):
        lines += ["[[bots]]", f'name = "random{number + 1}"', 'builtin = "random"']
    file = folder / "bench.toml"
    file.write_text("\n".join(lines) + "\n")
    return file


def _alone(schedule: Schedule, entries: list[Entry]) -> tuple[float, float, bool]:
    """Seconds and processor seconds for the same games in this process, and whether they end the same."""
    game = schedule.config.game
    blocks = {block.index: block for block in schedule.format.blocks({})}
    same = True
    begin, cpu = time.perf_counter(), time.process_time()
    for entry in entries:
        factories = [partial(strategy("random", game))] * len(entry.seats)
        seed = schedule.match_seed(blocks[entry.block])
        played = play_match(game, factories, seed, entry.match_id).outcome
        same = same and tuple(played.ranks) == tuple(seat.rank for seat in entry.seats)
    return time.perf_counter() - begin, time.process_time() - cpu, same


def cores() -> int:
    """Cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
