"""Playing a tournament: start what can be started, record what ends, until nothing is left."""

from __future__ import annotations

import asyncio
import os
from collections import Counter, deque
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from statistics import median
from typing import Any, Final

from palio.engine.chance import commitment
from palio.tournament.config import BotSettings
from palio.tournament.ledger import Entry
from palio.tournament.pairing import Block, Director
from palio.tournament.processes import ExitReport
from palio.tournament.runner.host import Host
from palio.tournament.runner.messages import match_request
from palio.tournament.runner.organiser import Organiser
from palio.tournament.runner.prepare import Prepared
from palio.tournament.runner.queue import Queue, Seating
from palio.tournament.runner.record import entry_of, walkover
from palio.tournament.runner.roster import Place, Roster
from palio.tournament.runner.view import View
from palio.v1 import match_pb2

_VOIDS_BORNE: Final = 5
_SERVER_GRACE: Final = 5.0
_LOOK_SECONDS: Final = 1.0
_LEAST_SLOW: Final = 5.0
_SLOW_FACTOR: Final = 5.0
_DURATIONS_KEPT: Final = 200
KILLED: Final = "the runner was killed while it ran"


class RunFailed(Exception):
    """The tournament cannot go on. What was played is in the ledger."""


@dataclass(slots=True)
class _Counts:
    """Where the matches of the schedule stand."""

    attempts: Counter[tuple[int, int]]
    voids: Counter[tuple[int, int]]


class Run:
    """One run of a tournament, from where it stands to its end.

    Args:
        prepared: what is to be played.
        view: shown what happens.
    """

    def __init__(self, prepared: Prepared, view: View) -> None:
        self._it = prepared
        self._view = view
        entries = prepared.ledger.entries()
        self._director = Director(prepared.schedule.format, [entry.game() for entry in entries if entry.rated])
        self._counts = _Counts(Counter(), Counter())
        for entry in entries:
            key = entry.block, entry.seating
            self._counts.attempts[key] = max(self._counts.attempts[key], entry.attempt)
        config = prepared.config
        self.window = config.concurrency or cores()
        self._queue = Queue(self.window, len(config.bots))
        self._started: dict[tuple[int, int], float] = {}
        self._durations: deque[float] = deque(maxlen=_DURATIONS_KEPT)
        self._writing = asyncio.Lock()
        self._host = Host(
            config=prepared.server_config,
            ready_file=prepared.folder.server / "ready.json",
            log=prepared.folder.logs / "server.log",
            on_restart=self._server_died,
        )
        self._organiser: Organiser | None = None
        self._roster: Roster | None = None
        view.begin(self._director, entries, prepared.withdrawn)

    async def play(self) -> None:
        """Play what is missing.

        Raises:
            GameError: the server or a bot did not come up; nothing was played.
            RunFailed: it cannot go on.
        """
        if self._nothing_left():
            await self._finish()
            return
        try:
            await self._start()
            await self._loop()
            await self._finish()
        finally:
            await self._stop()

    # --- beginning and end ---

    async def _start(self) -> None:
        it = self._it
        self._view.say("starting the server")
        await self._host.start()
        addresses = self._host.addresses
        self._organiser = Organiser(addresses[0], it.organiser_token, self._host.up)
        await self._clear_away()
        place = Place(
            server=addresses[0],
            folder=it.file.parent,
            logs=it.folder.logs,
            sandbox=it.sandbox,
            hidden=(it.folder.root,),
            visible=(it.socket_folder,) if it.socket_folder is not None else (),
        )
        self._roster = Roster(
            config=it.config,
            place=place,
            tokens=it.tokens,
            connected=self._organiser.players,
            on_incident=self._incident,
            on_withdrawal=self._withdrawal,
            withdrawn=it.withdrawn,
        )
        for bot in it.config.bots:
            if bot.remote and bot.name not in it.withdrawn:
                self._view.say(self._invitation(bot, addresses[-1]))
        self._view.say(f"starting {len(it.config.bots)} bots")
        waiting = asyncio.create_task(self._tell_who_is_missing(self._roster))
        try:
            await self._roster.start()
        finally:
            waiting.cancel()

    def _invitation(self, bot: BotSettings, address: str) -> str:
        return f"waiting for {bot.name}: PALIO_SERVER={address} PALIO_TOKEN={self._it.tokens[bot.name, 1][0]}"

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
            known = self._director.known.get(block_number)
            if known is not None:
                await self._take(Seating(known, seating_number, tuple(match.players)), ended)
                self._view.say(f"match {match.match_id} was left unfinished and will be played again")

    async def _finish(self) -> None:
        if self._director.finished:
            await self._write(self._it.ledger.finish)

    async def _stop(self) -> None:
        if self._roster is not None:
            await self._roster.stop()
        if self._organiser is not None:
            await self._organiser.close()
        await self._host.stop(_SERVER_GRACE)

    # --- playing ---

    def _nothing_left(self) -> bool:
        self._refill()
        return self._director.finished or not self._queue.waiting

    def _refill(self) -> None:
        for block in self._director.ready():
            if self._playable(block):
                self._queue.add(block, self._director.missing(block))

    def _playable(self, block: Block) -> bool:
        """Whether nobody in it is withdrawn. In formats that wait for every block the others win by default."""
        return not self._it.withdrawn.intersection(block.players) or not self._director.format.static

    async def _loop(self) -> None:
        assert self._roster is not None
        roster = self._roster
        matches: dict[asyncio.Task[None], Seating] = {}
        change = asyncio.create_task(roster.change())
        try:
            while not self._director.finished:
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
                self._put_slow_matches_aside(matches.values())
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
        schedule = self._it.schedule
        match_id = schedule.match_id(*seating.key)
        while True:
            request = match_request(schedule, seating, self._counts.attempts[seating.key] + 1)
            await self._organiser.create(request)
            # If it was there before, a call was answered into a dead connection; what counts is how it ends.
            match = await self._organiser.end_of(match_id)
            if tuple(match.players) != seating.players or match.seed_commitment != commitment(request.seed):
                raise RunFailed(f"the server has another match of the id {match_id}; use another directory")
            if match.attempt < request.attempt:
                raise RunFailed(f"the server did not play attempt {request.attempt} of match {match_id}")
            if await self._take(seating, match):
                return
            self._counts.voids[seating.key] += 1
            if self._counts.voids[seating.key] >= _VOIDS_BORNE:
                raise RunFailed(f"match {match_id} was void {_VOIDS_BORNE} times: {match.void_reason}")

    async def _take(self, seating: Seating, match: match_pb2.Match) -> bool:
        """Record a match that is over. Returns whether it counts."""
        assert self._organiser is not None
        replay = await self._organiser.replay(match.match_id, match.attempt)
        sides = self._it.schedule.sides[len(seating.players)]
        entry = entry_of(seating, match, replay, sides)
        await self._enter(entry)
        if entry.rated and self._roster is not None:
            self._roster.played_well(seat.player for seat in entry.seats if seat.termination == "FINISHED")
        return entry.rated

    async def _enter(self, entry: Entry) -> None:
        key = entry.block, entry.seating
        self._counts.attempts[key] = max(self._counts.attempts[key], entry.attempt)
        new = await self._write(self._it.ledger.record, entry)
        if new:
            result = self._director.record(entry.game()) if entry.rated else None
            self._view.entered(entry, block_complete=result is not None)

    async def _write(self, function: Any, *arguments: Any) -> Any:
        """Databases may make one wait: not on the event loop, and one transaction after the other."""
        async with self._writing:
            return await asyncio.to_thread(function, *arguments)

    # --- trouble ---

    async def _award_walkovers(self) -> None:
        withdrawn = self._it.withdrawn
        while dropped := [seating for name in sorted(withdrawn) for seating in self._queue.drop(name)]:
            if self._director.format.static:
                return
            for seating in dropped:
                attempt = self._counts.attempts[seating.key] + 1
                match_id = self._it.schedule.match_id(*seating.key)
                sides = self._it.schedule.sides[len(seating.players)]
                await self._enter(walkover(seating, attempt, match_id, sides, withdrawn, datetime.now(UTC)))
            self._refill()

    async def _incident(self, bot: str, what: str, tail: Sequence[str]) -> None:
        self._view.incident(what, tail)
        await self._write(self._it.ledger.note_incident, bot, what, tail)

    async def _withdrawal(self, bot: str, reason: str) -> None:
        self._it.withdrawn.add(bot)
        self._view.withdrawn(bot, reason)
        await self._write(self._it.ledger.withdraw, bot, reason)

    def _server_died(self, report: ExitReport) -> None:
        self._view.say(f"the server {report}; it is started again and its matches go on")


def cores() -> int:
    """Cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
