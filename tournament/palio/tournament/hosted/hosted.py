"""One hosted tournament: matches on the server, results in the ledger, news to whoever watches."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Callable
from typing import Final

import structlog

from palio.codec.status import NotFound, PalioError, ServiceError
from palio.engine.errors import GameError
from palio.server.extension import Site
from palio.server.match.clock import timestamp
from palio.tournament.ledger import Ledger
from palio.tournament.ledger.store import Entry, Registered
from palio.tournament.pairing import Director
from palio.tournament.plan import Schedule
from palio.tournament.runner.messages import match_request
from palio.tournament.runner.queue import Queue, Seating
from palio.tournament.runner.record import entry_of
from palio.tournament.summary import Summary
from palio.v1 import match_pb2, tournament_pb2

WINDOW: Final = 64
"""Matches of one tournament at the same time; what bots say they can play is the other bound."""
VOIDS_BORNE: Final = 5
PAUSE: Final = 1.0
"""Seconds after which what failed is tried again."""

log = structlog.get_logger(__name__)


class Hosted:
    """A tournament that runs, or is over.

    Args:
        schedule: what is to be played.
        known: as the ledger registered it.
        ledger: where results go.
        site: where matches are played.
    """

    def __init__(self, schedule: Schedule, known: Registered, ledger: Ledger, site: Site) -> None:
        self.schedule = schedule
        self.known = known
        self._ledger = ledger
        self._site = site
        self._starting = asyncio.Lock()
        self._following: set[asyncio.Task[None]] = set()
        self._entries = ledger.entries()
        self._director = Director(schedule.format, [entry.game() for entry in self._entries if entry.rated])
        self._queue = Queue(WINDOW, len(known.bots))
        self._attempts = Counter[tuple[int, int]]()
        self._voids = Counter[tuple[int, int]]()
        for entry in self._entries:
            key = entry.block, entry.seating
            self._attempts[key] = max(self._attempts[key], entry.attempt)
        self._started = bool(self._entries)
        self.cancelled = known.cancelled
        self._finished = known.finished is not None
        self.watchers: set[Callable[[tournament_pb2.WatchTournamentResponse], None]] = set()

    @property
    def over(self) -> bool:
        return self._finished

    def message(self) -> tournament_pb2.Tournament:
        """As clients see it."""
        config = self.schedule.config
        states = tournament_pb2
        if self.cancelled is not None:
            state = states.TOURNAMENT_STATE_CANCELLED
        elif self._finished:
            state = states.TOURNAMENT_STATE_FINISHED
        else:
            state = states.TOURNAMENT_STATE_RUNNING if self._started else states.TOURNAMENT_STATE_WAITING
        return tournament_pb2.Tournament(
            tournament_id=self.known.id,
            name=self.known.name,
            game=config.game,
            format=config.format,
            players=self.known.bots,
            seats=config.players[0],
            state=state,
            games_played=sum(entry.rated for entry in self._entries),
            games_total=sum(len(block.permutations) for block in self._director.known.values()),
            created=timestamp(self.known.created.timestamp()),
        )

    def standings(self, *, forfeits: bool = True) -> list[tournament_pb2.Standing]:
        """The table, best first."""
        config = self.schedule.config
        summary = Summary(config, self.schedule.format, self._entries, rating=config.rating, forfeits=forfeits)
        ratings = {rated.player: rated for rated in summary.rating.rated}
        lines = []
        for line in summary.standings:
            rated = ratings.get(line.player)
            error = (rated.high - rated.low) / 2 if rated and rated.high is not None and rated.low is not None else 0.0
            lines.append(
                tournament_pb2.Standing(
                    place=line.place,
                    player=line.player,
                    elo=rated.elo if rated else 0.0,
                    elo_error=error,
                    games=line.games,
                    score=line.score,
                    forfeits=sum(line.forfeits.values()),
                )
            )
        return lines

    # --- playing ---

    async def go_on(self) -> None:
        """Start what can be started now: every match whose players are connected and have room."""
        async with self._starting:
            await self._go_on()

    async def _go_on(self) -> None:
        if self._finished:
            return
        if self._director.finished:
            self._end()
            return
        for block in self._director.ready():
            self._queue.add(block, self._director.missing(block))
        if not self._queue.waiting:
            return
        room = await self._site.room()
        while not self.over and (seating := self._queue.take(lambda name: room.get(name, 0) > 0)) is not None:
            for name in seating.players:
                room[name] -= 1
            if not await self._start(seating):
                return

    async def _start(self, seating: Seating) -> bool:
        """One match: a new one, or the one that was running when the server stopped. False if it cannot be now."""
        request = match_request(self.schedule, seating, self._attempts[seating.key] + 1)
        try:
            await self._site.begin(request)
        except (GameError, ServiceError, PalioError, OSError) as error:
            log.warning("tournament.match_refused", tournament=self.known.id, error=str(error))
            self._queue.done(seating)
            self._queue.add(seating.block, [seating.number])
            return False
        if self._finished:  # cancelled meanwhile
            await self._site.void(request.match_id, f"the tournament was cancelled: {self.cancelled}")
            return False
        following = asyncio.create_task(self._follow(seating, request.match_id))
        self._following.add(following)
        following.add_done_callback(self._following.discard)
        if not self._started:
            self._started = True
            self._tell(tournament_pb2.WatchTournamentResponse(tournament=self.message()))
        return True

    async def _follow(self, seating: Seating, match_id: str) -> None:
        """One match to its end, and its result to the ledger."""
        try:
            match = await self._site.end_of(match_id)
            entry = self._recorded(seating, match, await self._replay_of(match))
        except Exception as error:
            # A disk that is full, a worker that is gone: nothing is lost. It is begun again, or found to be over.
            log.error("tournament.match_lost", tournament=self.known.id, match=match_id, exc_info=error)
            await asyncio.sleep(PAUSE)
            self._queue.done(seating)
            self._queue.add(seating.block, [seating.number])
            return
        self._queue.done(seating)
        if entry is not None:
            await self._count(seating, match, entry)

    async def _replay_of(self, match: match_pb2.Match) -> bytes:
        while True:
            try:
                return await self._site.replay(match.match_id, match.attempt)
            except NotFound:
                await asyncio.sleep(PAUSE)  # where the disk is full it is filed once there is room again

    def _recorded(self, seating: Seating, match: match_pb2.Match, replay: bytes) -> Entry | None:
        """The result, once the ledger has it; ``None`` where it had it before, or where nothing counts any more."""
        if self._finished:
            return None
        entry = entry_of(seating, match, replay, self.schedule.sides[len(seating.players)])
        return entry if self._ledger.record(entry) else None

    async def _count(self, seating: Seating, match: match_pb2.Match, entry: Entry) -> None:
        self._entries.append(entry)
        self._attempts[seating.key] = entry.attempt
        if entry.rated:
            self._director.record(entry.game())
        else:
            self._voids[seating.key] += 1
            if self._voids[seating.key] >= VOIDS_BORNE:
                await self.cancel(f"match {match.match_id} was void {VOIDS_BORNE} times: {match.void_reason}")
                return
            self._queue.add(seating.block, [seating.number])
        self._tell(tournament_pb2.WatchTournamentResponse(match=match))
        await self.go_on()

    async def close(self) -> None:
        """Wait for no more matches: the server is down."""
        for following in self._following:
            following.cancel()
        await asyncio.gather(*self._following, return_exceptions=True)

    def _end(self) -> None:
        self._finished = True
        self._ledger.finish()
        log.info("tournament.finished", tournament=self.known.id, games=len(self._entries))
        table = tournament_pb2.GetStandingsResponse(standings=self.standings())
        self._tell(tournament_pb2.WatchTournamentResponse(standings=table))
        self._tell(tournament_pb2.WatchTournamentResponse(tournament=self.message()))

    async def cancel(self, reason: str) -> None:
        """End it now; matches that run are void."""
        self.cancelled = reason
        self._finished = True
        self._ledger.cancel(reason)
        for match_id in await self._site.unfinished():
            if self._owns(match_id):
                await self._site.void(match_id, f"the tournament was cancelled: {reason}")
        self._tell(tournament_pb2.WatchTournamentResponse(tournament=self.message()))

    def _owns(self, match_id: str) -> bool:
        return match_id.rsplit(".", 2)[0] == self.known.id

    def _tell(self, news: tournament_pb2.WatchTournamentResponse) -> None:
        for watcher in list(self.watchers):
            watcher(news)
