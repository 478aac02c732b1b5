"""Waiting for what nothing tells of."""

from __future__ import annotations

import asyncio
from collections.abc import Callable


async def until(true: Callable[[], object], within: float = 60.0) -> None:
    """Look again and again; the bound only turns a hang into a failure.

    Raises:
        TimeoutError: it did not become true.
    """
    async with asyncio.timeout(within):
        while not true():  # noqa: ASYNC110
            await asyncio.sleep(0.01)
