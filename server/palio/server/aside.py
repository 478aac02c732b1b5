"""Work that takes long, beside the event loop."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Callable
from typing import TypeVar

from palio.codec.status import LimitReached

T = TypeVar("T")


class Aside:
    """Does it in threads: little at once, and little of each caller, so that nobody fills the queue alone.

    Args:
        at_once: pieces of work; they share the processor with the matches that run.
        of_each: pieces of one caller that wait or are being done.
    """

    def __init__(self, at_once: int, of_each: int) -> None:
        self._free = asyncio.Semaphore(at_once)
        self._of_each = of_each
        self._pending = Counter[str]()

    async def do(self, caller: str, work: Callable[[], T]) -> T:
        """Do a piece of work; returns or raises what it does.

        Raises:
            LimitReached: that caller has too many already.
        """
        if self._pending[caller] >= self._of_each:
            raise LimitReached(f"{self._of_each} such calls of yours are being answered already; try again later")
        self._pending[caller] += 1
        task = asyncio.create_task(self._do(caller, work))
        task.add_done_callback(lambda done: done.cancelled() or done.exception())
        # A thread cannot be stopped: a call that is cancelled counts until it is done.
        return await asyncio.shield(task)

    async def _do(self, caller: str, work: Callable[[], T]) -> T:
        try:
            async with self._free:
                return await asyncio.to_thread(work)
        finally:
            self._pending[caller] -= 1
            if not self._pending[caller]:
                del self._pending[caller]
