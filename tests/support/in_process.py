"""A bot inside the test's own event loop, in place of a program: the conformance kit cannot tell."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Mapping, Sequence

from tests.support.faulty_bot import FaultyBot

from palio.conformance.program import Program, Start


class InProcess:
    """A running bot."""

    def __init__(self, bot: FaultyBot) -> None:
        self._bot = bot
        self._task = asyncio.create_task(bot.run())

    async def wait(self) -> int:
        return await asyncio.shield(self._task)

    def terminate(self) -> None:
        self._bot.leave()

    async def kill(self) -> None:
        self._task.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await self._task

    def last_words(self) -> Sequence[str]:
        return ()


def in_process(fault: str = "") -> Start:
    """Starts the bot with that fault."""

    async def start(environment: Mapping[str, str]) -> Program:
        return InProcess(FaultyBot(environment, fault))

    return start
