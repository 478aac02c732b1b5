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

START_WITHIN = 120.0
MOST_STREAMS = 16


class Load(NamedTuple):
    """What the load saw of one server; sizes and numbers of messages are per decision (at the echo: per message).

    Attributes:
        rate: decisions, or messages that came back, a second.
        p50_ms, p99_ms: from an answer to the next question of the same match.
        total: of them, warm-up and all.
        messages_in, messages_out: to and from the server; several decisions may share one.
        bytes_in, bytes_out: of these.
        cpu_us: processor time of the load itself.
    """

    rate: float
    p50_ms: float
    p99_ms: float
    total: int
    messages_in: float
    messages_out: float
    bytes_in: float
    bytes_out: float
    cpu_us: float


class Side(NamedTuple):
    """One server under load.

    Attributes:
        load: as seen from outside.
        cpu_us: processor time of the server per decision.
        kib_per_match: what resident memory grew by for each match; 0 for the echo.
    """

    load: Load
    cpu_us: float
    kib_per_match: float = 0.0


class Row(NamedTuple):
    """A game with so many matches at once, and two echoes beside it.

    Attributes:
        echo: one message each way for each decision, of the sizes that a decision has in the arena; as many under way
            as there are matches.
        joined: the very messages of the arena, in number and size, of which each may hold several decisions.
    """

    game: str
    matches: int
    arena: Side
    echo: Side
    joined: Side

    @property
    def ratio(self) -> float:
        """Decisions a second over echoed messages a second."""
        return self.arena.load.rate / self.echo.load.rate

    @property
    def late(self) -> float:
        """The slowest hundredth of decisions over that of the echo."""
        return self.arena.load.p99_ms / self.echo.load.p99_ms

    @property
    def joined_ratio(self) -> float:
        """As :attr:`ratio`, where the echo joins messages as the arena does."""
        return self.arena.load.rate * self.arena.load.messages_out / self.joined.load.rate


def measure(game: str, matches: int, seconds: float, players: int = 2) -> Row:
    """One row. Half as many streams as matches, at most 16, carry them.

    Raises:
        RuntimeError: a server did not start.
        subprocess.CalledProcessError: a stream ended in an error.
    """
    streams = max(players, min(MOST_STREAMS, matches * players // 2))
    arena = _arena(game, players, streams, matches, seconds)
    seen = arena.load
    echo = side_of_echo(streams, matches, seconds, round(seen.bytes_in), round(seen.bytes_out))
    size_in, size_out = round(seen.bytes_in / seen.messages_in), round(seen.bytes_out / seen.messages_out)
    joined = side_of_echo(streams, round(matches * min(1.0, seen.messages_out)), seconds, size_in, size_out)
    return Row(game, matches, arena, echo, joined)


def _arena(game: str, players: int, streams: int, matches: int, seconds: float) -> Side:
    # Twice as many matches fit on each stream as it has on average, so that none waits for a free place.
    each = 1 + 2 * matches * players // streams
    with tempfile.TemporaryDirectory() as folder:
        arguments = ["arena", game, str(players), str(streams), str(matches), folder]
        with host(arguments, Path(folder)) as (address, used):
            idle = cpu_seconds(used.pid)
            load = _load(address, streams, each, seconds, "arena")
            cpu = cpu_seconds(used.pid) - idle
        report = used.report
    return Side(load, 1e6 * cpu / max(1, load.total), report["kib_per_match"])


def side_of_echo(streams: int, under_way: int, seconds: float, size_in: int, size_out: int) -> Side:
    """A bare echo.

    Args:
        streams: at most; fewer if there are not as many messages.
        under_way: messages at the same time, on all streams together.
        size_in, size_out: bytes of a message to the server and from it.
    """
    streams = max(1, min(streams, under_way))
    each = max(1, round(under_way / streams))
    with tempfile.TemporaryDirectory() as folder, host(["echo", str(size_out)], Path(folder)) as (address, used):
        idle = cpu_seconds(used.pid)
        load = _load(address, streams, each, seconds, "echo", size_in)
        cpu = cpu_seconds(used.pid) - idle
    return Side(load, 1e6 * cpu / max(1, load.total))


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


def _load(address: str, streams: int, each: int, seconds: float, *kind: str | int) -> Load:
    command = [sys.executable, "-m", "palio.bench.load", address, str(streams), str(each), str(seconds)]
    done = subprocess.run([*command, *map(str, kind)], stdout=subprocess.PIPE, text=True, check=True)
    return Load(**json.loads(done.stdout.splitlines()[-1]))


def cpu_seconds(pid: int) -> float:
    """Processor seconds that a process has used (Linux)."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
