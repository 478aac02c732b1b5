"""The matches of an extension, such as a tournament, on several workers: asked for over the links, not as a caller."""

from __future__ import annotations

import asyncio
from base64 import b64decode, b64encode
from typing import Any

from google.rpc import status_pb2

from palio.codec.status import Unavailable, from_proto
from palio.server.archive import Archive
from palio.server.front.crew import Crew
from palio.server.front.folders import Folders
from palio.server.front.member import Worker
from palio.server.match.journal import read
from palio.server.match.summaries import summary_of
from palio.v1 import match_pb2

AGAIN: float = 0.25
"""Seconds after which a worker that went down is asked again."""


class CrewSite:
    """As :class:`palio.server.extension.Site`.

    Args:
        folders: knows who hosts which match.
        archive: all matches that are over.
    """

    def __init__(self, crew: Crew, folders: Folders, archive: Archive) -> None:
        self._crew = crew
        self._folders = folders
        self._archive = archive

    async def room(self) -> dict[str, int]:
        left: dict[str, int] = {}
        for _, players in await self._crew.ask_all("connected"):
            for name, _, matches, capacity in players:
                left[name] = left.get(name, 0) + capacity - matches
        return left

    async def begin(self, request: match_pb2.CreateMatchRequest) -> None:
        async with self._crew.name(request.match_id):
            if self._host_of(request.match_id) is not None:
                return
            worker = await self._crew.place(request.game, request.players)
            worker.creating += 1
            try:
                _checked(await worker.ask("begin", request=b64encode(request.SerializeToString()).decode()))
            finally:
                worker.creating -= 1

    async def end_of(self, match_id: str) -> match_pb2.Match:
        while (worker := self._host_of(match_id)) is not None:
            try:
                over = await worker.end_of(match_id)
            except Unavailable:
                await asyncio.sleep(AGAIN)  # it goes on there, or is void, when the worker is up again
                continue
            if over is not None:
                return over
            await asyncio.sleep(AGAIN)  # it ended a moment ago, and its journal is being moved
        path = self._archive.replay_path(match_id)
        return await asyncio.to_thread(lambda: summary_of(read(path)))

    async def replay(self, match_id: str, attempt: int) -> bytes:
        return await asyncio.to_thread(self._archive.replay_path(match_id, attempt).read_bytes)

    async def unfinished(self) -> list[str]:
        answers = await self._crew.ask_all("unfinished")
        return [match_pb2.Match.FromString(b64decode(text)).match_id for _, texts in answers for text in texts]

    async def void(self, match_id: str, reason: str) -> None:
        worker = self._host_of(match_id)
        if worker is not None:
            await worker.ask("void", match=match_id, reason=reason)

    def _host_of(self, match_id: str) -> Worker | None:
        number = self._folders.host_of(match_id)
        return None if number is None else self._crew.workers[number]


def _checked(answer: Any) -> None:
    """Raise the error that a worker answered with, if it is one."""
    if answer is not None:
        raise from_proto(status_pb2.Status.FromString(b64decode(answer)))
