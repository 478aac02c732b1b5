"""``TournamentService``: create, look, follow, cancel. Everything is in a ledger beside the server's other data."""

from __future__ import annotations

import asyncio
import contextlib
import secrets
from collections.abc import AsyncIterator, Mapping
from pathlib import Path
from typing import Final

import grpc.aio
import structlog

from palio.codec.status import AlreadyExists, NotFound, NotNow, Unavailable
from palio.server.access.credentials import Role
from palio.server.access.interceptor import Context
from palio.server.extension import Site
from palio.server.paging import page
from palio.tournament.config import config_of
from palio.tournament.hosted.hosted import Hosted
from palio.tournament.hosted.request import config_of_request
from palio.tournament.ledger import Ledger
from palio.tournament.ledger.store import all_tournaments, open_ledger
from palio.tournament.plan import Schedule, make_schedule
from palio.v1 import tournament_pb2, tournament_pb2_grpc

SERVICE: Final = "palio.v1.TournamentService"
_DATABASE: Final = "tournaments.db"
_LOOK_AGAIN: Final = 0.25
"""Seconds between looks at who has connected meanwhile."""

log = structlog.get_logger(__name__)


class TournamentExtension(tournament_pb2_grpc.TournamentServiceServicer):
    """The service, as an extension of the server.

    Args:
        database: SQLAlchemy URL of the ledger.
    """

    services = (SERVICE,)
    rights: Mapping[str, Role] = {
        f"/{SERVICE}/CreateTournament": Role.ORGANISER,
        f"/{SERVICE}/CancelTournament": Role.ORGANISER,
        f"/{SERVICE}/GetTournament": Role.SPECTATOR,
        f"/{SERVICE}/ListTournaments": Role.SPECTATOR,
        f"/{SERVICE}/GetStandings": Role.SPECTATOR,
        f"/{SERVICE}/WatchTournament": Role.SPECTATOR,
    }

    def __init__(self, database: str) -> None:
        self._database = database
        self._tournaments: dict[str, Hosted] = {}
        self._site: Site | None = None
        self._pulse: asyncio.Task[None] | None = None

    def register(self, server: grpc.aio.Server, site: Site) -> None:
        self._site = site
        tournament_pb2_grpc.add_TournamentServiceServicer_to_server(self, server)

    async def start(self) -> None:
        """Take up the tournaments that were not over."""
        for name in all_tournaments(self._database):
            ledger = open_ledger(self._database, name)
            known = ledger.registered()
            assert known is not None
            self._load(ledger, make_schedule(config_of(known.config), known.seed))
        self._pulse = asyncio.create_task(self._beat())

    async def stop(self) -> None:
        if self._pulse is not None:
            self._pulse.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await self._pulse

    async def close(self) -> None:
        for hosted in self._tournaments.values():
            await hosted.close()

    async def _beat(self) -> None:
        while True:
            for hosted in list(self._tournaments.values()):
                try:
                    await hosted.go_on()
                except Unavailable as error:  # a worker is being started again
                    log.info("tournament.waits", tournament=hosted.known.id, why=str(error))
            await asyncio.sleep(_LOOK_AGAIN)

    def _load(self, ledger: Ledger, schedule: Schedule) -> Hosted:
        assert self._site is not None
        known = ledger.registered()
        assert known is not None
        hosted = Hosted(schedule, known, ledger, self._site)
        self._tournaments[known.id] = hosted
        return hosted

    def _find(self, tournament_id: str) -> Hosted:
        try:
            return self._tournaments[tournament_id]
        except KeyError:
            raise NotFound(f"there is no tournament {tournament_id!r}", field="tournament_id") from None

    async def CreateTournament(
        self, request: tournament_pb2.CreateTournamentRequest, context: Context
    ) -> tournament_pb2.CreateTournamentResponse:
        config = config_of_request(request)
        if config.id in self._tournaments:
            raise AlreadyExists(f"there is a tournament {config.id!r} already", field="name")
        seed = config.seed or secrets.token_hex(16)
        # A long one takes seconds: not on the loop that matches are played on.
        schedule = await asyncio.to_thread(make_schedule, config, seed)
        if config.id in self._tournaments:
            raise AlreadyExists(f"there is a tournament {config.id!r} already", field="name")
        ledger = open_ledger(self._database, config.id)
        ledger.register(config.name, config.stored(), seed, [bot.name for bot in config.bots])
        hosted = self._load(ledger, schedule)
        await hosted.go_on()
        return tournament_pb2.CreateTournamentResponse(tournament=hosted.message())

    async def GetTournament(
        self, request: tournament_pb2.GetTournamentRequest, context: Context
    ) -> tournament_pb2.GetTournamentResponse:
        return tournament_pb2.GetTournamentResponse(tournament=self._find(request.tournament_id).message())

    async def ListTournaments(
        self, request: tournament_pb2.ListTournamentsRequest, context: Context
    ) -> tournament_pb2.ListTournamentsResponse:
        newest = sorted(self._tournaments.values(), key=lambda hosted: hosted.known.created, reverse=True)
        found, token = page(newest, request.page_size, request.page_token)
        messages = [hosted.message() for hosted in found]
        return tournament_pb2.ListTournamentsResponse(tournaments=messages, next_page_token=token)

    async def GetStandings(
        self, request: tournament_pb2.GetStandingsRequest, context: Context
    ) -> tournament_pb2.GetStandingsResponse:
        hosted = self._find(request.tournament_id)
        # Maximum likelihood takes a while for long tournaments: not on the loop that matches are played on.
        lines = await asyncio.to_thread(hosted.standings, forfeits=not request.without_forfeits)
        return tournament_pb2.GetStandingsResponse(standings=lines)

    async def WatchTournament(
        self, request: tournament_pb2.WatchTournamentRequest, context: Context
    ) -> AsyncIterator[tournament_pb2.WatchTournamentResponse]:
        hosted = self._find(request.tournament_id)
        news: asyncio.Queue[tournament_pb2.WatchTournamentResponse] = asyncio.Queue()
        yield tournament_pb2.WatchTournamentResponse(tournament=hosted.message())
        if hosted.over:
            return
        hosted.watchers.add(news.put_nowait)
        try:
            last = False
            while not last:
                update = await news.get()
                last = update.HasField("tournament") and hosted.over
                yield update
        finally:
            hosted.watchers.discard(news.put_nowait)

    async def CancelTournament(
        self, request: tournament_pb2.CancelTournamentRequest, context: Context
    ) -> tournament_pb2.CancelTournamentResponse:
        hosted = self._find(request.tournament_id)
        if hosted.over:
            raise NotNow(f"tournament {request.tournament_id!r} is over already")
        await hosted.cancel(request.reason or "cancelled by the organiser")
        return tournament_pb2.CancelTournamentResponse(tournament=hosted.message())


def hosted_database(data: Path) -> str:
    """Where a server keeps its tournaments unless it is told otherwise."""
    return f"sqlite:///{data / _DATABASE}"
