"""One started program: its output, its end, and the end of everything it started."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import signal
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from palio.tournament.processes import entry
from palio.tournament.processes.lastwords import LastWords

_CHUNK: Final = 1 << 16
_DRAIN: Final = 1.0


@dataclass(frozen=True, slots=True)
class Launch:
    """What to start.

    Attributes:
        name: for people.
        command: program and arguments, the sandbox's included.
        cwd: working directory.
        log: file that gets what it writes, standard output and error together.
        environment: added to the runner's own.
        rlimits: bounds for each of its processes, by the names of :mod:`resource`.
    """

    name: str
    command: Sequence[str]
    cwd: Path
    log: Path
    environment: Mapping[str, str] = field(default_factory=dict)
    rlimits: Mapping[str, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class ExitReport:
    """How a program ended.

    Attributes:
        code: exit status, negative for a signal.
        reason: why the runner ended it; empty if it ended by itself.
        tail: the last lines that it wrote.
    """

    code: int
    reason: str
    tail: tuple[str, ...]

    def __str__(self) -> str:
        if self.reason:
            return self.reason
        if self.code < 0:
            with contextlib.suppress(ValueError):
                return f"was killed by {signal.Signals(-self.code).name}"
        if self.code == entry.CANNOT_START:
            return "could not be started"
        return f"ended with exit code {self.code}"


class Child:
    """A running program. It dies with the runner, however the runner dies."""

    def __init__(
        self, launch: Launch, process: asyncio.subprocess.Process, output: asyncio.StreamReader, words: LastWords
    ) -> None:
        self.launch = launch
        self._process = process
        self._output = output
        self._words = words
        self._reason = ""
        self._ended = asyncio.create_task(self._follow(), name=f"child {launch.name}")

    @classmethod
    async def start(cls, launch: Launch) -> Child:
        """Start it.

        Raises:
            OSError: the log cannot be written, or no process can be made.
        """
        words = LastWords(launch.log)
        # A pipe of our own: asyncio's would let wait() last until every descendant that holds it has ended.
        reading, writing = os.pipe()
        output = asyncio.StreamReader()
        await asyncio.get_running_loop().connect_read_pipe(
            lambda: asyncio.StreamReaderProtocol(output), os.fdopen(reading, "rb", buffering=0)
        )
        try:
            process = await asyncio.create_subprocess_exec(
                *(sys.executable, "-I", "-S", entry.__file__, str(os.getpid()), json.dumps(dict(launch.rlimits))),
                *launch.command,
                cwd=launch.cwd,
                env={**os.environ, **launch.environment},
                stdin=asyncio.subprocess.DEVNULL,
                stdout=writing,
                stderr=writing,
                start_new_session=True,
            )
        finally:
            os.close(writing)
        return cls(launch, process, output, words)

    @property
    def pid(self) -> int:
        return self._process.pid

    @property
    def running(self) -> bool:
        return not self._ended.done()

    def tail(self, lines: int = 20) -> list[str]:
        """The last lines that it wrote."""
        return self._words.tail(lines)

    async def wait(self) -> ExitReport:
        """Wait for its end; may be awaited any number of times."""
        return await asyncio.shield(self._ended)

    def kill(self, reason: str) -> None:
        """End it and its process group at once.

        Args:
            reason: shown in the report and the log: "used 700 MiB of memory; ...".
        """
        if self.running:
            self._reason = self._reason or reason
            self._signal(signal.SIGKILL)

    def terminate(self, reason: str) -> None:
        """Ask it and its process group to end."""
        if self.running:
            self._reason = self._reason or reason
            self._signal(signal.SIGTERM)

    async def stop(self, grace: float, reason: str = "was stopped") -> ExitReport:
        """Ask it to end, and end it after ``grace`` seconds."""
        if self.running:
            self.terminate(reason)
            try:
                return await asyncio.wait_for(self.wait(), grace)
            except TimeoutError:
                self._signal(signal.SIGKILL)
        return await self.wait()

    def _signal(self, number: signal.Signals) -> None:
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(self._process.pid, number)

    async def _follow(self) -> ExitReport:
        reading = asyncio.create_task(self._read())
        code = await self._process.wait()
        self._signal(signal.SIGKILL)  # what it left behind in its group
        with contextlib.suppress(TimeoutError):
            # A descendant that left the group may hold the pipe open for ever.
            await asyncio.wait_for(reading, _DRAIN)
        report = ExitReport(code, self._reason, tuple(self._words.tail()))
        self._words.note(str(report))
        self._words.close()
        return report

    async def _read(self) -> None:
        while data := await self._output.read(_CHUNK):
            self._words.write(data)
