"""The workers as the front has them, all together."""

from __future__ import annotations

import asyncio
import secrets
import shutil
import tempfile
from collections import defaultdict
from collections.abc import AsyncIterator, Callable, Iterable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from palio.codec.status import Unavailable
from palio.server.config import ServerConfig
from palio.server.front.member import STOP_WITHIN, Worker


class Crew:
    """All workers.

    Args:
        config: of the whole server.
        changed: called when one comes up, goes down, or cannot write its journal.
    """

    def __init__(self, config: ServerConfig, changed: Callable[[], None]) -> None:
        self._folder: Path | None = None
        key = secrets.token_urlsafe(32)
        self._names: defaultdict[str, asyncio.Lock] = defaultdict(asyncio.Lock)
        self.workers = [Worker(number, config, key, changed) for number in range(config.workers)]

    @property
    def well(self) -> bool:
        """Whether all of them listen and can write their journals."""
        return all(worker.well for worker in self.workers)

    async def start(self) -> None:
        """Start all, at the same time.

        Raises:
            WorkerFailed: one does not come up; the others are ended again.
        """
        self._folder = folder = Path(tempfile.mkdtemp(prefix="palio-"))  # only this user can enter it
        results = await asyncio.gather(*(worker.start(folder) for worker in self.workers), return_exceptions=True)
        failures = [result for result in results if isinstance(result, BaseException)]
        if failures:
            await self.stop(0)
            raise failures[0]

    async def ask_all(self, what: str, **details: object) -> list[tuple[Worker, Any]]:
        """What those answer that are up."""
        up = [worker for worker in self.workers if worker.up]
        answers = await asyncio.gather(*(worker.ask(what, **details) for worker in up), return_exceptions=True)
        found: list[tuple[Worker, Any]] = []
        for worker, answer in zip(up, answers, strict=True):
            if isinstance(answer, Unavailable):
                continue
            if isinstance(answer, BaseException):
                raise answer
            found.append((worker, answer))
        return found

    async def place(self, game: str, players: Iterable[str]) -> Worker:
        """The worker for a new match: of those on which all its players are, the one with least to do; else the first,
        where everybody's first bot comes to."""
        answers = await self.ask_all("players", players=list(players), game=game)
        fit = [
            (answer["waiting"] + worker.creating, answer["running"], worker.number)
            for worker, answer in answers
            if answer["complete"]
        ]
        return self.workers[min(fit)[2] if fit else 0]

    @asynccontextmanager
    async def name(self, match_id: str) -> AsyncIterator[None]:
        """While it lasts, nobody else creates a match of that id: two at once could end up on two workers."""
        lock = self._names[match_id]
        try:
            async with lock:
                yield
        finally:
            if not lock.locked():
                self._names.pop(match_id, None)

    async def stop(self, grace: float) -> None:
        """Let all of them drain for that many seconds, then end them."""
        for worker in self.workers:
            worker.say_stop(grace)
        await asyncio.gather(*(worker.ended(grace + STOP_WITHIN) for worker in self.workers))
        if self._folder is not None:
            shutil.rmtree(self._folder, ignore_errors=True)

    def read_again(self) -> None:
        """The certificates were renewed."""
        for worker in self.workers:
            worker.read_again()

    def hurry(self) -> None:
        """Wait no longer for matches to end."""
        for worker in self.workers:
            worker.hurry()
