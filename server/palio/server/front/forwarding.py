"""``MatchService`` and ``SimulationService`` of a front: what concerns a match goes to the worker that hosts it; what
needs none is answered here."""

from __future__ import annotations

import asyncio
from base64 import b64decode
from collections.abc import AsyncIterator, Awaitable, Iterable, Iterator
from functools import partial
from typing import Any, Final, NoReturn, TypeVar

import grpc
import grpc.aio

from palio.codec.status import NotFound, NotNow, Unavailable
from palio.server.access.identity import PLAYER_KEY
from palio.server.access.interceptor import CALLER, FRONT_KEY, Context
from palio.server.archive import Archive
from palio.server.aside import Aside
from palio.server.front.crew import Crew
from palio.server.front.folders import Folders
from palio.server.front.member import Worker
from palio.server.match.journal import read
from palio.server.match.summaries import summary_of
from palio.server.paging import page
from palio.server.services.matches import LISTS_AT_ONCE, LISTS_OF_EACH, UNFINISHED, replay_at, wanted
from palio.server.services.simulation import Applying
from palio.v1 import match_pb2, match_pb2_grpc, simulation_pb2, simulation_pb2_grpc

T = TypeVar("T")

_PASSED_ON: Final = ("authorization", PLAYER_KEY)
"""Metadata of callers that workers see as well: they look at the token again."""
_DETAILS: Final = "grpc-status-details-bin"


def _metadata(worker: Worker, context: Context) -> tuple[tuple[str, str], ...]:
    given = context.invocation_metadata() or ()
    callers = ((key, value) for key, value in given if key in _PASSED_ON and isinstance(value, str))
    return ((FRONT_KEY, worker.key), *callers)


async def _pass_on(context: Context, error: grpc.aio.AioRpcError) -> NoReturn:
    """End a call as the worker ended it: code, text and details are the same.

    Raises:
        Unavailable: the worker died.
    """
    details = tuple((key, value) for key, value in error.trailing_metadata() or () if key == _DETAILS)
    if not details:
        raise Unavailable("the worker that hosts this match is being started again; try again later") from None
    await context.abort(error.code(), error.details() or "", details)


async def _relay(context: Context, call: Awaitable[T]) -> T:
    try:
        return await call
    except grpc.aio.AioRpcError as error:
        await _pass_on(context, error)


class ForwardedMatches(match_pb2_grpc.MatchServiceServicer):
    """The servicer.

    Args:
        folders: knows who hosts which match.
        archive: all matches that are over; it remembers none, since several processes add to it.
        largest_page: entries of a list.
    """

    def __init__(self, crew: Crew, folders: Folders, archive: Archive, largest_page: int) -> None:
        self._crew = crew
        self._folders = folders
        self._archive = archive
        self._largest_page = largest_page
        self._lists = Aside(LISTS_AT_ONCE, LISTS_OF_EACH)

    def _host(self, match_id: str) -> Worker | None:
        number = self._folders.host_of(match_id)
        return None if number is None else self._crew.workers[number]

    async def CreateMatch(
        self, request: match_pb2.CreateMatchRequest, context: Context
    ) -> match_pb2.CreateMatchResponse:
        if not request.match_id:
            return await self._create(request, context)
        async with self._crew.name(request.match_id):
            return await self._create(request, context)

    async def _create(self, request: match_pb2.CreateMatchRequest, context: Context) -> match_pb2.CreateMatchResponse:
        number = self._folders.host_of(request.match_id)
        worker = (
            self._crew.workers[number] if number is not None else await self._crew.place(request.game, request.players)
        )
        worker.creating += 1
        try:
            return await _relay(context, _stub(worker).CreateMatch(request, metadata=_metadata(worker, context)))
        finally:
            worker.creating -= 1

    async def GetMatch(self, request: match_pb2.GetMatchRequest, context: Context) -> match_pb2.GetMatchResponse:
        host = self._host(request.match_id)
        if host is None:
            return match_pb2.GetMatchResponse(match=await self._over(request.match_id))
        return await _relay(context, _stub(host).GetMatch(request, metadata=_metadata(host, context)))

    async def _over(self, match_id: str) -> match_pb2.Match:
        path = self._archive.replay_path(match_id)
        return await asyncio.to_thread(lambda: summary_of(read(path)))

    async def CancelMatch(
        self, request: match_pb2.CancelMatchRequest, context: Context
    ) -> match_pb2.CancelMatchResponse:
        host = self._host(request.match_id)
        if host is None:
            await self._over(request.match_id)
            raise NotNow(f"match {request.match_id!r} is over already")
        return await _relay(context, _stub(host).CancelMatch(request, metadata=_metadata(host, context)))

    async def WatchMatch(
        self, request: match_pb2.WatchMatchRequest, context: Context
    ) -> AsyncIterator[match_pb2.WatchMatchResponse]:
        host = self._host(request.match_id)
        if host is None:
            match = await self._over(request.match_id)
            yield match_pb2.WatchMatchResponse(match=match)
            yield match_pb2.WatchMatchResponse(ended=match)
            return
        call = _stub(host).WatchMatch(request, metadata=_metadata(host, context))
        try:
            async for update in call:
                yield update
        except grpc.aio.AioRpcError as error:
            await _pass_on(context, error)
        finally:
            call.cancel()

    async def GetReplay(self, request: match_pb2.GetReplayRequest, context: Context) -> match_pb2.GetReplayResponse:
        try:
            path = self._archive.replay_path(request.match_id, request.attempt)
        except NotFound:
            if self._folders.host_of(request.match_id) is not None:
                raise NotNow(f"match {request.match_id!r} is not over: there is no replay yet") from None
            raise
        return await replay_at(path)

    async def ListMatches(
        self, request: match_pb2.ListMatchesRequest, context: Context
    ) -> match_pb2.ListMatchesResponse:
        answers = await self._crew.ask_all("unfinished")
        unfinished = [match_pb2.Match.FromString(b64decode(text)) for _, texts in answers for text in texts]
        unfinished.sort(key=lambda match: (match.created.seconds, match.created.nanos), reverse=True)
        known = frozenset(match.match_id for match in unfinished)
        matches = self._all(unfinished, known, over=request.state not in UNFINISHED)
        to_show = wanted(matches, request)
        found, token = await self._lists.do(
            CALLER.get().player, partial(page, to_show, request.page_size, request.page_token, self._largest_page)
        )
        return match_pb2.ListMatchesResponse(matches=found, next_page_token=token)

    def _all(
        self, unfinished: Iterable[match_pb2.Match], known: frozenset[str], *, over: bool
    ) -> Iterator[match_pb2.Match]:
        yield from unfinished
        if over:
            yield from self._archive.older(known)

    async def ListPlayers(
        self, request: match_pb2.ListPlayersRequest, context: Context
    ) -> match_pb2.ListPlayersResponse:
        totals: dict[str, match_pb2.ConnectedPlayer] = {}
        for _, players in await self._crew.ask_all("connected"):
            for name, sessions, matches, capacity in players:
                total = totals.setdefault(name, match_pb2.ConnectedPlayer(player=name))
                total.sessions += sessions
                total.matches += matches
                total.capacity += capacity
        by_name = [totals[name] for name in sorted(totals)]
        found, token = page(by_name, request.page_size, request.page_token, self._largest_page)
        return match_pb2.ListPlayersResponse(players=found, next_page_token=token)


def _stub(worker: Worker) -> match_pb2_grpc.MatchServiceAsyncStub:
    stub: Any = match_pb2_grpc.MatchServiceStub(worker.channel)
    found: match_pb2_grpc.MatchServiceAsyncStub = stub
    return found


class ForwardedSimulation(Applying):
    """The servicer.

    Args:
        folders: knows who hosts which match.
        most_choices: that one request of Apply may carry.
    """

    def __init__(self, crew: Crew, folders: Folders, most_choices: int) -> None:
        super().__init__(most_choices)
        self._crew = crew
        self._folders = folders

    async def SampleState(
        self, request: simulation_pb2.SampleStateRequest, context: Context
    ) -> simulation_pb2.SampleStateResponse:
        number = self._folders.host_of(request.match_id)
        if number is None:
            raise NotFound(f"you have no seat in a running match {request.match_id!r}", field="match_id")
        host = self._crew.workers[number]
        stub: Any = simulation_pb2_grpc.SimulationServiceStub(host.channel)
        metadata = _metadata(host, context)
        call: Awaitable[simulation_pb2.SampleStateResponse] = stub.SampleState(request, metadata=metadata)
        return await _relay(context, call)
