"""Playing a tournament: start what can be started, record what ends, until nothing is left."""

from __future__ import annotations

import asyncio
import os
from collections import deque
from collections.abc import Iterable, Sequence
from statistics import median
from typing import Final

from palio.tournament.config import BotSettings, TournamentConfig
from palio.tournament.processes import ExitReport
from palio.tournament.runner.books import Books
from palio.tournament.runner.host import Host
from palio.tournament.runner.organiser import Organiser
from palio.tournament.runner.pace import Pace
from palio.tournament.runner.prepare import Prepared
from palio.tournament.runner.queue import Queue, Seating
from palio.tournament.runner.record import entry_of, play_attempt, replay_of
from palio.tournament.runner.roster import Place, Roster
from palio.tournament.runner.view import View
from palio.v1 import match_pb2

_SERVER_GRACE: Final = 5.0
_LOOK_SECONDS: Final = 1.0
_LEAST_SLOW: Final = 5.0
_SLOW_FACTOR: Final = 5.0
_DURATIONS_KEPT: Final = 200
KILLED: Final = "the runner was killed while it ran"


class Run:
    """One run of a tournament, from where it stands to its end.

    Args:
        prepared: what is to be played.
        view: shown what happens.
    """

    def __init__(self, prepared: Prepared, view: View) -> None:
        assert prepared.site is not None
        self._it = prepared
        self._site = prepared.site
        self._view = view
        self._books = Books(prepared, view)
        config = prepared.config
        self._pace = pace_of(config, cores()) if config.concurrency is None else None
        self._looked = 0.0
        self._queue = Queue(config.concurrency or cores(), len(config.bots))
        self._started: dict[tuple[int, int], float] = {}
        self._durations: deque[float] = deque(maxlen=_DURATIONS_KEPT)
        self._host = Host(
            config=prepared.site.server_config,
            ready_file=prepared.folder.server / "ready.json",
            log=prepared.folder.logs / "server.log",
            on_restart=self._server_died,
        )
        self._organiser: Organiser | None = None
        self._roster: Roster | None = None

    async def play(self) -> None:
        """Play what is missing.

        Raises:
            GameError: the server or a bot did not come up; nothing was played.
            RunFailed: it cannot go on.
        """
        if self._nothing_left():
            await self._books.finish()
            return
        try:
            await self._start()
            await self._loop()
            await self._books.finish()
        finally:
            await self._stop()

    def processes(self) -> dict[str, list[int]]:
        """Ids of the processes that run: ``server`` and ``bots``."""
        return {"server": [self._host.pid], "bots": self._roster.pids if self._roster is not None else []}

    # --- beginning and end ---

    async def _start(self) -> None:
        it = self._it
        self._view.do("starting the server")
        await self._host.start()
        addresses = self._host.addresses
        self._organiser = Organiser(addresses[0], self._site.organiser_token, self._host.up)
        await self._clear_away()
        place = Place(
            server=addresses[0],
            folder=it.file.parent,
            logs=it.folder.logs,
            sandbox=it.sandbox,
            hidden=(it.folder.root,),
            visible=(self._site.socket_folder,) if self._site.socket_folder is not None else (),
        )
        self._roster = Roster(
            config=it.config,
            place=place,
            tokens=self._site.tokens,
            connected=self._organiser.players,
            on_incident=self._incident,
            on_withdrawal=self._books.withdraw,
            withdrawn=it.withdrawn,
        )
        for bot in it.config.bots:
            if bot.remote and bot.name not in it.withdrawn:
                for slot in range(1, bot.slots + 1):
                    self._view.invite(self._invitation(bot, slot, addresses[-1]))
        self._view.do(f"starting {len(it.config.bots)} bots")
        waiting = asyncio.create_task(self._tell_who_is_missing(self._roster))
        try:
            await self._roster.start()
        finally:
            waiting.cancel()

    def _invitation(self, bot: BotSettings, slot: int, address: str) -> str:
        which = bot.name if slot == 1 else f"{bot.name}, copy {slot} if there is one"
        return f"waiting for {which}: PALIO_SERVER={address} PALIO_TOKEN={self._site.tokens[bot.name, slot][0]}"

    async def _tell_who_is_missing(self, roster: Roster) -> None:
        while True:
            await asyncio.sleep(10)
            if missing := roster.missing():
                self._view.say(f"not connected yet: {', '.join(missing)}")

    async def _clear_away(self) -> None:
        """Void what a runner that was killed left unfinished: its bots are gone, and that was not their fault."""
        assert self._organiser is not None
        for match in await self._organiser.unfinished():
            tournament, block, seating = match.match_id.rsplit(".", 2)
            if tournament != self._it.config.id:
                continue
            ended = await self._organiser.cancel(match.match_id, KILLED)
            block_number, seating_number = int(block), int(seating)
            known = self._books.director.known.get(block_number)
            if known is not None:
                await self._take(Seating(known, seating_number, tuple(match.players)), ended)
                self._view.say(f"match {match.match_id} was left unfinished and will be played again")

    async def _stop(self) -> None:
        if self._roster is not None:
            await self._roster.stop()
        if self._organiser is not None:
            await self._organiser.close()
        await self._host.stop(_SERVER_GRACE)

    # --- playing ---

    def _nothing_left(self) -> bool:
        self._refill()
        return self._books.director.finished or not self._queue.waiting

    def _refill(self) -> None:
        for block in self._books.director.ready():
            if self._books.playable(block):
                self._queue.add(block, self._books.director.missing(block))

    async def _loop(self) -> None:
        assert self._roster is not None
        roster = self._roster
        matches: dict[asyncio.Task[None], Seating] = {}
        change = asyncio.create_task(roster.change())
        try:
            while not self._books.director.finished:
                self._look_around(roster, matches.values())
                self._refill()
                await self._award_walkovers()
                while (seating := self._queue.take(roster.ready)) is not None:
                    self._started[seating.key] = asyncio.get_running_loop().time()
                    task = asyncio.create_task(self._play_match(seating), name=f"match {seating.key}")
                    matches[task] = seating
                self._view.now(running=self._queue.running, waiting=self._queue.waiting)
                if not matches and not self._queue.waiting:
                    return
                done, _ = await asyncio.wait(
                    {*matches, change}, timeout=_LOOK_SECONDS, return_when=asyncio.FIRST_COMPLETED
                )
                if change in done:
                    change = asyncio.create_task(roster.change())
                for task in done.intersection(matches):
                    seating = matches.pop(task)
                    self._queue.done(seating)
                    self._durations.append(asyncio.get_running_loop().time() - self._started.pop(seating.key))
                    task.result()
        finally:
            change.cancel()
            await self._abandon(matches)

    def _look_around(self, roster: Roster, playing: Iterable[Seating]) -> None:
        """Once a second: which matches take long, and how many there should be."""
        now = asyncio.get_running_loop().time()
        if now - self._looked < _LOOK_SECONDS:
            return
        self._looked = now
        self._put_slow_matches_aside(playing)
        if self._pace is not None:
            if remark := self._pace.look(roster.used, self._books.withdrawn):
                self._view.say(remark)
            self._queue.window = self._pace.window

    def _put_slow_matches_aside(self, playing: Iterable[Seating]) -> None:
        now = asyncio.get_running_loop().time()
        usual = median(self._durations) if self._durations else _LEAST_SLOW
        for seating in playing:
            if now - self._started[seating.key] > max(_LEAST_SLOW, _SLOW_FACTOR * usual):
                self._queue.put_aside(seating)

    async def _abandon(self, matches: dict[asyncio.Task[None], Seating]) -> None:
        """The tournament was decided, or failed, with matches in play: they are void."""
        for task in matches:
            task.cancel()
        await asyncio.gather(*matches, return_exceptions=True)
        for seating in matches.values():
            self._queue.done(seating)

    async def _play_match(self, seating: Seating) -> None:
        """One match until it has a rated result; void attempts are played again."""
        assert self._organiser is not None
        while True:
            attempt = self._books.next_attempt(*seating.key)
            match = await play_attempt(self._organiser, self._it.schedule, seating, attempt)
            if await self._take(seating, match):
                return

    async def _take(self, seating: Seating, match: match_pb2.Match) -> bool:
        """Record a match that is over. Returns whether it counts."""
        assert self._organiser is not None
        replay = await replay_of(self._organiser, self._it.folder.replays, match)
        entry = entry_of(seating, match, replay, self._it.schedule.sides[len(seating.players)])
        await self._books.enter(entry)
        if self._pace is not None:
            self._pace.played(entry)
        if entry.rated and self._roster is not None:
            self._roster.played_well(entry.finishers)
        return entry.rated

    # --- trouble ---

    async def _award_walkovers(self) -> None:
        withdrawn = self._books.withdrawn
        while dropped := [seating for name in sorted(withdrawn) for seating in self._queue.drop(name)]:
            if self._books.director.format.static:
                return
            for seating in dropped:
                await self._books.enter_walkover(seating)
            self._refill()

    async def _incident(self, bot: str, what: str, tail: Sequence[str]) -> None:
        if self._pace is not None:
            self._pace.crashed()
        await self._books.incident(bot, what, tail)

    def _server_died(self, report: ExitReport) -> None:
        self._view.say(f"the server {report}; it is started again and its matches go on")


def pace_of(config: TournamentConfig, own_cores: int) -> Pace:
    """What decides how many matches run at once."""
    here = [bot.name for bot in config.bots if not bot.remote]
    return Pace(here, others=len(here) < len(config.bots), clock=config.time_control, cores=own_cores)


def cores() -> int:
    """Cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
