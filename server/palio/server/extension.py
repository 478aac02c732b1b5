"""How a layer above the server adds services to it: tournaments know where matches are played, the server knows no
tournaments."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Mapping
from typing import Protocol

import grpc.aio

from palio.codec.status import AlreadyExists
from palio.server.access.credentials import Role
from palio.server.arena import Arena
from palio.server.match.room import Room
from palio.v1 import match_pb2


class Site(Protocol):
    """Where matches are played: one process, or several behind a front."""

    async def room(self) -> dict[str, int]:
        """How many more matches each player who is connected can play."""

    async def begin(self, request: match_pb2.CreateMatchRequest) -> None:
        """Create a match. One of that id that waits, runs or is over is left as it is.

        Raises:
            ServiceError, GameError, PalioError: it cannot be created, or not now.
        """

    async def end_of(self, match_id: str) -> match_pb2.Match:
        """Wait until a match is over.

        Raises:
            NotFound: there is no such match.
        """

    async def replay(self, match_id: str, attempt: int) -> bytes:
        """The replay of a match that is over.

        Raises:
            NotFound: there is none, or not yet.
        """

    async def unfinished(self) -> list[str]:
        """Ids of all matches that wait or run."""

    async def void(self, match_id: str, reason: str) -> None:
        """End a match without a result, if it is not over."""


class ArenaSite:
    """One process.

    Args:
        arena: where they are played.
    """

    def __init__(self, arena: Arena) -> None:
        self._arena = arena

    async def room(self) -> dict[str, int]:
        return {player.player: player.capacity - player.matches for player in self._arena.connected()}

    async def begin(self, request: match_pb2.CreateMatchRequest) -> None:
        begin(self._arena, request)

    async def end_of(self, match_id: str) -> match_pb2.Match:
        room = self._arena.rooms.get(match_id)
        if room is None:
            return self._arena.find(match_id)
        ended: asyncio.Future[match_pb2.Match] = asyncio.get_running_loop().create_future()
        follow(room, ended)
        return await ended

    async def replay(self, match_id: str, attempt: int) -> bytes:
        return await asyncio.to_thread(self._arena.replay_path(match_id, attempt).read_bytes)

    async def unfinished(self) -> list[str]:
        return list(self._arena.rooms)

    async def void(self, match_id: str, reason: str) -> None:
        room = self._arena.rooms.get(match_id)
        if room is not None:
            room.void(reason)


def begin(arena: Arena, request: match_pb2.CreateMatchRequest) -> None:
    """As :meth:`Site.begin`."""
    if request.match_id not in arena.rooms:
        with contextlib.suppress(AlreadyExists):  # it is over
            arena.create(request)


def follow(room: Room, ended: asyncio.Future[match_pb2.Match]) -> None:
    """Have the end of a match told."""
    room.spectators.append(_Follower(ended))


class _Follower:
    def __init__(self, told: asyncio.Future[match_pb2.Match]) -> None:
        self._told = told

    def step(self, choices: int, events: list[bytes]) -> None:
        """Nothing to do with what happens in it."""

    def ended(self, match: match_pb2.Match) -> None:
        if not self._told.done():
            self._told.set_result(match)


class Extension(Protocol):
    """Something that is served beside the arena's own services."""

    @property
    def services(self) -> tuple[str, ...]:
        """Full names, for health and reflection."""

    @property
    def rights(self) -> Mapping[str, Role]:
        """What each of its methods needs, by path."""

    def register(self, server: grpc.aio.Server, site: Site) -> None:
        """Add the servicers; called before the server listens."""

    async def start(self) -> None:
        """Unfinished matches have been taken up."""

    async def stop(self) -> None:
        """The server goes down: nothing new; what runs may still end."""

    async def close(self) -> None:
        """The server is down."""
