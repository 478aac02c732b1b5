"""The server against a bare echo stream of the same message sizes, in one run on one machine."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

START_WITHIN = 60.0


class Side(NamedTuple):
    """One server under load.

    Attributes:
        rate: messages answered a second.
        p50_ms, p99_ms: from an answer to the next question of the same match.
        cpu_us: processor time of the server per message.
        bytes: of an average message from the server.
        kib_per_match: resident memory; 0 for the echo.
    """

    rate: float
    p50_ms: float
    p99_ms: float
    cpu_us: float
    bytes: float
    kib_per_match: float = 0.0


class Row(NamedTuple):
    """A game with so many matches at once, and the echo beside it."""

    game: str
    matches: int
    arena: Side
    echo: Side

    @property
    def ratio(self) -> float:
        """Decisions a second over echoed messages a second."""
        return self.arena.rate / self.echo.rate


def measure(game: str, matches: int, seconds: float, players: int = 2) -> Row:
    """One row. Half as many streams as matches, at most 16, carry them.

    Raises:
        RuntimeError: a server did not start.
    """
    streams = max(players, min(16, matches * players // 2))
    per_stream = max(1, matches * players // streams)
    arena = _arena(game, players, streams, per_stream, seconds)
    echo = side_of_echo(streams, per_stream, seconds, round(arena.bytes))
    return Row(game, matches, arena, echo)


def _arena(game: str, players: int, streams: int, matches: int, seconds: float) -> Side:
    with tempfile.TemporaryDirectory() as folder:
        arguments = ["arena", game, str(players), str(streams), str(matches), folder]
        with host(arguments, Path(folder)) as (address, used):
            idle = cpu_seconds(used.pid)
            load = _load("arena", address, streams, matches, seconds, 0)
            cpu = cpu_seconds(used.pid) - idle
        report = used.report
    taken = load["rate"] * seconds * 1.2
    return Side(load["rate"], load["p50_ms"], load["p99_ms"], 1e6 * cpu / taken, load["bytes"], report["kib_per_match"])


def side_of_echo(streams: int, matches: int, seconds: float, size: int) -> Side:
    """A bare echo under the same load: ``streams`` with ``matches`` messages of ``size`` bytes under way on each."""
    with tempfile.TemporaryDirectory() as folder, host(["echo", str(size)], Path(folder)) as (address, used):
        idle = cpu_seconds(used.pid)
        load = _load("echo", address, streams, matches, seconds, 40)
        cpu = cpu_seconds(used.pid) - idle
    return Side(load["rate"], load["p50_ms"], load["p99_ms"], 1e6 * cpu / (load["rate"] * seconds * 1.2), load["bytes"])


class _Used:
    def __init__(self, pid: int) -> None:
        self.pid = pid
        self.report: dict[str, float] = {}


@contextmanager
def host(arguments: list[str], folder: Path) -> Iterator[tuple[str, _Used]]:
    """A server in a process of its own: its address, and afterwards what it used.

    Args:
        arguments: of ``palio.bench.host``, without READY.

    Raises:
        RuntimeError: it did not start.
    """
    ready = folder / "ready"
    kind, *rest = arguments
    command = [sys.executable, "-m", "palio.bench.host", kind, str(ready), *rest]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    used = _Used(process.pid)
    try:
        deadline = time.monotonic() + START_WITHIN
        while not ready.exists():
            if process.poll() is not None or time.monotonic() > deadline:
                raise RuntimeError(f"the {kind} server did not start")
            time.sleep(0.02)
        yield ready.read_text(), used
        process.send_signal(signal.SIGTERM)
        output, _ = process.communicate(timeout=START_WITHIN)
        used.report = json.loads(output.splitlines()[-1])
    finally:
        process.kill()
        process.wait()


def _load(kind: str, address: str, streams: int, matches: int, seconds: float, size: int) -> dict[str, float]:
    arguments = [kind, address, str(streams), str(matches), str(seconds), str(size)]
    command = [sys.executable, "-m", "palio.bench.load", *arguments]
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True)
    report: dict[str, float] = json.loads(done.stdout.splitlines()[-1])
    return report


def cpu_seconds(pid: int) -> float:
    """Processor seconds that a process has used (Linux)."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
