"""What waits to be sent to a bot."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Final

LARGEST_JOINED: Final = 1 << 20
"""Bytes of a message up to which further ones are joined to it: well below the 4 MiB that gRPC libraries bear unless
they are told otherwise, so that a bot which resumes many long matches is not cut off again."""


class Outbox:
    """What waits to be sent. Messages are whole ``PlayResponse``s; joined they are one with all their updates.

    Args:
        limit: of messages; a reader that lets more pile up is given up.

    Attributes:
        taking: whether somebody waits for the next message.
        closed: whether nothing more goes in.
        overflow: whether the limit was the reason.
    """

    __slots__ = ("_ended", "_limit", "_waiter", "_watchers", "closed", "messages", "overflow", "taking")

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._ended = asyncio.Event()
        self._waiter: asyncio.Future[None] | None = None
        self._watchers: list[Callable[[], None]] = []
        self.taking = False
        self.messages: list[bytes] = []
        self.closed = False
        self.overflow = False

    def put(self, message: bytes) -> None:
        if self.closed:
            return
        if len(self.messages) >= self._limit:
            self.overflow = True
            self.messages.clear()
            self.close()
            return
        self.messages.append(message)
        if self._waiter is not None:
            self._wake()

    def when_taken(self, call: Callable[[], None]) -> None:
        """Call back once what is put in next has been taken, if nothing but this program is in the way of that: a
        reader that does not read is no reason to wait."""
        if self.taking:
            self._watchers.append(call)

    def close(self) -> None:
        """Nothing more goes in; what is in it can still be taken."""
        self.closed = True
        self._ended.set()
        self._wake()

    async def wait_closed(self) -> None:
        """Until it is closed."""
        await self._ended.wait()

    def _wake(self) -> None:
        waiter, self._waiter = self._waiter, None
        if waiter is not None and not waiter.done():
            waiter.set_result(None)

    async def take(self) -> bytes | None:
        """Wait until there is something, and take all of it that fits into one message of a size that every gRPC
        library takes by default; ``None`` when it is closed and empty."""
        while not self.messages:
            if self.closed:
                return None
            self.taking = True
            waiter = self._waiter = asyncio.get_running_loop().create_future()
            await waiter
            # Once around the loop: what other bots said at the same moment may put in more, and one message costs
            # nearly as much as two.
            await asyncio.sleep(0)
        self.taking = False
        if self._watchers:
            for call in self._watchers:
                call()
            self._watchers.clear()
        return self._joined()

    def _joined(self) -> bytes:
        messages = self.messages
        joined = b"".join(messages)
        if len(joined) <= LARGEST_JOINED:
            messages.clear()
            return joined
        size = count = 0
        for message in messages:
            size += len(message)
            if count and size > LARGEST_JOINED:
                break
            count += 1
        joined = b"".join(messages[:count])
        del messages[:count]
        return joined
