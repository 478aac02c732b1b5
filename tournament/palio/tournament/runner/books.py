"""The books of a run: what was played, what comes next, and the ledger that both are kept in."""

from __future__ import annotations

import asyncio
import math
from collections import Counter
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from typing import Final, ParamSpec, TypeVar

from palio.tournament.ledger import Entry
from palio.tournament.pairing import Block, Director
from palio.tournament.runner.prepare import Prepared
from palio.tournament.runner.queue import Seating
from palio.tournament.runner.record import RunFailed, walkover
from palio.tournament.runner.view import View

P = ParamSpec("P")
R = TypeVar("R")

_OFTEN: Final = 0.05
_GATHER: Final = 0.025
"""Where results come within so many seconds of each other, one waits so long for the next: a transaction for several is
cheaper than one for each."""
VOIDS_BORNE: Final = 5
"""Void attempts at one seating in one run after which the run gives up."""


class Books:
    """Keeps ledger, schedule and view in step, wherever matches are played.

    Results that arrive while the database is busy with others are written together in its next transaction. Nothing is
    passed on to schedule and view, and no call of :meth:`enter` returns, before its transaction is committed.

    Args:
        prepared: what is to be played.
        view: shown what happens.

    Attributes:
        director: the schedule.
        withdrawn: names of the bots that take no further part.
    """

    def __init__(self, prepared: Prepared, view: View) -> None:
        self._it = prepared
        self._view = view
        entries = prepared.ledger.entries()
        self.director = Director(prepared.schedule.format, [entry.game() for entry in entries if entry.rated])
        self.withdrawn = prepared.withdrawn
        self._attempts = Counter[tuple[int, int]]()
        self._voids = Counter[tuple[int, int]]()
        for entry in entries:
            self._note_attempt(entry)
        self._database = asyncio.Lock()
        self._unwritten: list[tuple[Entry, asyncio.Future[bool]]] = []
        self._last_came = -math.inf
        view.begin(self.director, entries, prepared.withdrawn)

    def next_attempt(self, block: int, seating: int) -> int:
        """The number of the attempt at this seating that comes after all that are known."""
        return self._attempts[block, seating] + 1

    def playable(self, block: Block) -> bool:
        """Whether nobody in it is withdrawn. In formats that wait for every block the others win by default."""
        return not self.withdrawn.intersection(block.players) or not self.director.format.static

    async def enter(self, entry: Entry) -> None:
        """Record a match that is over, once; it is in the ledger when this returns.

        Raises:
            RunFailed: this seating was void too often.
            LedgerError: the database failed.
        """
        self._note_attempt(entry)
        if await self._append(entry):
            result = self.director.record(entry.game()) if entry.rated else None
            self._view.entered(entry, block_complete=result is not None)
        if not entry.rated:
            self._voids[entry.block, entry.seating] += 1
            if self._voids[entry.block, entry.seating] >= VOIDS_BORNE:
                raise RunFailed(f"match {entry.match_id} was void {VOIDS_BORNE} times: {entry.void_reason}")

    async def enter_walkover(self, seating: Seating) -> None:
        """A match that is not played because somebody in it is withdrawn: the others win."""
        schedule = self._it.schedule
        sides = schedule.sides[len(seating.players)]
        attempt = self.next_attempt(*seating.key)
        match_id = schedule.match_id(*seating.key)
        await self.enter(walkover(seating, attempt, match_id, sides, self.withdrawn, datetime.now(UTC)))

    async def incident(self, bot: str, what: str, tail: Sequence[str]) -> None:
        """A bot's process ended when it should not."""
        self._view.incident(what, tail)
        await self._write(self._it.ledger.note_incident, bot, what, tail)

    async def withdraw(self, bot: str, reason: str) -> None:
        """A bot takes no further part."""
        self.withdrawn.add(bot)
        self._view.withdrawn(bot, reason)
        await self._write(self._it.ledger.withdraw, bot, reason)

    async def finish(self) -> None:
        """If everything is played, say so in the ledger."""
        if self.director.finished:
            await self._write(self._it.ledger.finish)

    def _note_attempt(self, entry: Entry) -> None:
        key = entry.block, entry.seating
        self._attempts[key] = max(self._attempts[key], entry.attempt)

    async def _append(self, entry: Entry) -> bool:
        """Whether it is new in the ledger. Whoever gets at the database first writes what all others brought."""
        loop = asyncio.get_running_loop()
        written: asyncio.Future[bool] = loop.create_future()
        self._unwritten.append((entry, written))
        often, self._last_came = loop.time() - self._last_came < _OFTEN, loop.time()
        async with self._database:
            if often and self._unwritten:
                await asyncio.sleep(_GATHER)
            batch, self._unwritten = self._unwritten, []
            if batch:
                try:
                    news = await asyncio.to_thread(self._it.ledger.record_all, [entry for entry, _ in batch])
                except Exception as error:
                    for _, future in batch:
                        if not future.done():
                            future.set_exception(error)
                else:
                    for (_, future), new in zip(batch, news, strict=True):
                        if not future.done():
                            future.set_result(new)
        return await written

    async def _write(self, function: Callable[P, R], *arguments: P.args, **named: P.kwargs) -> R:
        """Databases may make one wait: not on the event loop, and one transaction after the other."""
        async with self._database:
            return await asyncio.to_thread(function, *arguments, **named)
