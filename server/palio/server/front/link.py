"""What the front and a worker say to each other: one JSON object a line over a pair of sockets.

It is private to both, ends when either dies, and each notices. A question is ``{"ask": WHAT, "id": N, ...}``, its
answer ``{"id": N, "reply": ...}``; anything else is news.
"""

from __future__ import annotations

import asyncio
import itertools
import json
import socket
from collections.abc import Callable
from typing import Any, Final, TypeAlias

LONGEST_LINE: Final = 1 << 26

News: TypeAlias = dict[str, Any]


class LinkBroken(Exception):
    """The other process is gone."""


class Link:
    """One end.

    Args:
        answer: what to answer a question; called in the event loop.
        told: called with news.
    """

    def __init__(
        self,
        reader: asyncio.StreamReader,
        writer: asyncio.StreamWriter,
        answer: Callable[[News], object],
        told: Callable[[News], None],
    ) -> None:
        self._reader = reader
        self._writer = writer
        self._answer = answer
        self._told = told
        self._numbers = itertools.count(1)
        self._asked: dict[int, asyncio.Future[Any]] = {}
        self._broken = False

    @classmethod
    async def open(cls, end: socket.socket, answer: Callable[[News], object], told: Callable[[News], None]) -> Link:
        """Take one of a pair of sockets over."""
        reader, writer = await asyncio.open_unix_connection(sock=end, limit=LONGEST_LINE)
        return cls(reader, writer, answer, told)

    async def listen(self) -> None:
        """Take in what the other end says, until it is gone."""
        try:
            while line := await self._reader.readline():
                self._take(json.loads(line))
        except (OSError, ValueError):
            pass  # it died in the middle of a line
        finally:
            self._broken = True
            for waiting in self._asked.values():
                if not waiting.done():
                    waiting.set_exception(LinkBroken("the other process is gone"))
            self._asked.clear()
            self._writer.close()

    def _take(self, message: News) -> None:
        if "ask" in message:
            self.tell(id=message["id"], reply=self._answer(message))
        elif "reply" in message:
            waiting = self._asked.pop(message["id"], None)
            if waiting is not None and not waiting.done():
                waiting.set_result(message["reply"])
        else:
            self._told(message)

    def tell(self, **news: object) -> None:
        """Say something; where nobody listens any more, nothing happens."""
        if not self._broken:
            self._writer.write(json.dumps(news).encode() + b"\n")

    async def ask(self, what: str, **details: object) -> Any:
        """Ask and wait for the answer.

        Raises:
            LinkBroken: the other process is gone.
        """
        if self._broken:
            raise LinkBroken("the other process is gone")
        number = next(self._numbers)
        self._asked[number] = waiting = asyncio.get_running_loop().create_future()
        try:
            self.tell(ask=what, id=number, **details)
            return await waiting
        finally:
            self._asked.pop(number, None)
