"""The bot under test as a program: started, told to stop, watched."""

from __future__ import annotations

import itertools
from collections.abc import Awaitable, Callable, Mapping, Sequence
from pathlib import Path
from typing import Protocol, TypeAlias

from palio.tournament.processes.child import Child, Launch


class Program(Protocol):
    """A running program."""

    async def wait(self) -> int:
        """Its exit code; negative for a signal that ended it."""

    def terminate(self) -> None:
        """Ask it to end, as SIGTERM does."""

    async def kill(self) -> None:
        """End it at once; nothing happens if it has ended."""

    def last_words(self) -> Sequence[str]:
        """The last lines that it wrote."""


Start: TypeAlias = Callable[[Mapping[str, str]], Awaitable[Program]]
"""Starts the program with that environment added."""


class _Process:
    def __init__(self, child: Child) -> None:
        self._child = child

    async def wait(self) -> int:
        return (await self._child.wait()).code

    def terminate(self) -> None:
        self._child.terminate("was told to end")

    async def kill(self) -> None:
        self._child.kill("was ended")
        await self._child.wait()

    def last_words(self) -> Sequence[str]:
        return self._child.tail(3)


def command(words: Sequence[str], logs: Path, cwd: Path) -> Start:
    """Starts a command.

    Args:
        words: program and arguments.
        logs: directory for what it writes.
        cwd: its working directory.
    """
    numbers = itertools.count(1)

    async def start(environment: Mapping[str, str]) -> Program:
        log = logs / f"{next(numbers):03}.log"
        return _Process(await Child.start(Launch("bot", words, cwd, log, environment)))

    return start
