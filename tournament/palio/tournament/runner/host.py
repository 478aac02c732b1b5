"""The tournament's own server: a process that is started again whenever it dies."""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from palio.engine.errors import GameError
from palio.tournament.processes import Child, ExitReport, Launch

START_SECONDS: Final = 60.0
_POLL: Final = 0.02
_GIVE_UP_AFTER: Final = 5
_STABLE_SECONDS: Final = 10.0


class ServerFailed(GameError):
    """The server cannot be started, or dies again and again."""


@dataclass(slots=True)
class Host:
    """Keeps a server running.

    Args:
        config: its ``palio.toml``.
        ready_file: where it says that it listens.
        log: file for what it writes.
        on_restart: told how it ended each time it has to be started again.

    Attributes:
        addresses: where it listens. A port that the system chose stays the same after a crash.
    """

    config: Path
    ready_file: Path
    log: Path
    on_restart: Callable[[ExitReport], None]
    environment: Mapping[str, str] = field(default_factory=dict)
    addresses: list[str] = field(default_factory=list)
    _child: Child | None = None
    _keeper: asyncio.Task[None] | None = None
    _up: asyncio.Event = field(default_factory=asyncio.Event)
    _failure: ServerFailed | None = None

    @property
    def pid(self) -> int:
        assert self._child is not None
        return self._child.pid

    async def start(self) -> None:
        """Start it and keep it running.

        Raises:
            ServerFailed: it did not come up; the message has its last words.
        """
        await self._launch()
        self._keeper = asyncio.create_task(self._keep(), name="server")

    async def up(self) -> None:
        """Wait until it runs.

        Raises:
            ServerFailed: it will not run any more.
        """
        await self._up.wait()
        if self._failure is not None:
            raise self._failure

    async def stop(self, grace: float) -> None:
        """Let it drain, then end it."""
        if self._keeper is not None:
            self._keeper.cancel()
        if self._child is not None:
            await self._child.stop(grace)

    async def _launch(self) -> None:
        self.ready_file.unlink(missing_ok=True)
        command = [sys.executable, "-m", "palio.cli", "serve", "--config", str(self.config)]
        command += ["--ready-file", str(self.ready_file)]
        for address in self.addresses:
            command += ["--listen", address]
        self._child = child = await Child.start(
            Launch("server", command, self.config.parent, self.log, environment=self.environment)
        )
        loop = asyncio.get_running_loop()
        deadline = loop.time() + START_SECONDS
        while not self.ready_file.exists():
            if not child.running:
                report = await child.wait()
                raise ServerFailed(_last_words(f"the server {report}", report.tail))
            if loop.time() > deadline:
                child.kill(f"did not listen within {START_SECONDS:g} seconds")
                report = await child.wait()
                raise ServerFailed(_last_words(f"the server {report}", report.tail))
            await asyncio.sleep(_POLL)
        self.addresses = list(json.loads(self.ready_file.read_text())["addresses"])
        self._up.set()

    async def _keep(self) -> None:
        loop = asyncio.get_running_loop()
        failures = 0
        while True:
            assert self._child is not None
            started = loop.time()
            report = await self._child.wait()
            self._up.clear()
            failures = 1 if loop.time() - started > _STABLE_SECONDS else failures + 1
            self.on_restart(report)
            try:
                if failures > _GIVE_UP_AFTER:
                    raise ServerFailed(
                        _last_words(f"the server died {failures} times in a row: it {report}", report.tail)
                    )
                await asyncio.sleep(0.1 * (failures - 1))
                await self._launch()
            except (ServerFailed, OSError) as error:
                self._failure = error if isinstance(error, ServerFailed) else ServerFailed(f"the server: {error}")
                self._up.set()
                return


def _last_words(text: str, tail: tuple[str, ...]) -> str:
    return "\n  | ".join([text + (", and wrote last:" if tail else ""), *tail[-8:]])
