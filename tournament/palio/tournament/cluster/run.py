"""Playing a tournament on a cluster: blocks go out to workers, results come back into the same ledger."""

from __future__ import annotations

import asyncio
import os
from collections import Counter
from pathlib import Path
from typing import Final

from palio.tournament.cluster.messages import Incident, News, NoStart, Order, Played, Withdrawal
from palio.tournament.cluster.nodes import Broken, Cluster, Hand, Lost
from palio.tournament.pairing import Block
from palio.tournament.runner.books import Books
from palio.tournament.runner.prepare import Prepared
from palio.tournament.runner.queue import Seating
from palio.tournament.runner.record import RunFailed
from palio.tournament.runner.roster import BotProblem
from palio.tournament.runner.site import Folder
from palio.tournament.runner.view import View

_LOOK_SECONDS: Final = 5.0
_LOSSES_BORNE: Final = 5
_PATIENCE_SECONDS: Final = 30.0


class ClusterRun:
    """One run of a tournament, from where it stands to its end.

    Each block is one piece of work for one worker. A result is in the ledger as soon as its match is over; when a
    worker is lost, the seatings of its block that have no result yet go to another one.

    Args:
        prepared: what is to be played.
        view: shown what happens.
    """

    def __init__(self, prepared: Prepared, view: View) -> None:
        self._config = prepared.config
        self._folder = prepared.folder
        self._view = view
        self._books = Books(prepared, view)
        self._blocks: asyncio.PriorityQueue[tuple[int, Block]] = asyncio.PriorityQueue()
        self._playing: set[int] = set()
        self._losses = Counter[int]()
        self._lost_in_a_row = 0
        self._failed_starts = Counter[str]()
        self._changed = asyncio.Event()
        self._cluster: Cluster
        self._hands: dict[asyncio.Task[None], Hand] = {}
        self._open: set[int] = set()
        self._refill()

    @property
    def nothing_left(self) -> bool:
        """Whether there is nothing to play."""
        return self._books.director.finished or self._blocks.empty()

    async def finish(self) -> None:
        """If everything is played, say so in the ledger."""
        await self._books.finish()

    async def play(self, cluster: Cluster) -> None:
        """Play what is missing.

        Raises:
            BotProblem: a bot does not come up; nothing was played.
            RunFailed: it cannot go on.
        """
        self._cluster = cluster
        for warning in cluster.warnings:
            self._view.say(f"warning: {warning}")
        self._folder.replays.mkdir(parents=True, exist_ok=True)
        try:
            await self._rehearse()
            await self._loop()
            await self.finish()
        finally:
            await self._dismiss_all()

    # --- workers ---

    async def _rehearse(self) -> None:
        """The first worker starts every bot once, so that a broken one is found before a game is played."""
        self._view.say(f"the cluster has room for {self._cluster.room()} workers; the first one tries all bots")
        while True:
            hand = self._cluster.hire()
            opening = asyncio.create_task(hand.open(rehearse=True))
            try:
                while not (await asyncio.wait({opening}, timeout=_PATIENCE_SECONDS))[0]:
                    self._view.say(f"still waiting for a node with {self._config.cluster.cpus} free cores and for bots")
                absent = opening.result()
            except Lost as error:
                self._count_loss(error)
                continue
            except Broken as error:
                raise RunFailed(f"a worker cannot start: {error}") from None
            finally:
                opening.cancel()
            if absent is not None:
                hand.dismiss()
                raise BotProblem(absent.text)
            self._open.add(hand.number)
            self._hands[asyncio.create_task(self._employ(hand))] = hand
            return

    async def _loop(self) -> None:
        told = 0
        while not self._books.director.finished:
            if self._blocks.empty() and not self._playing:
                return
            await self._hire()
            if len(self._open) != told:
                told = len(self._open)
                self._view.say(f"{told} worker{'s' if told != 1 else ''} can play")
            self._view.now(running=len(self._playing), waiting=self._blocks.qsize())
            self._changed.clear()
            change = asyncio.create_task(self._changed.wait())
            done, _ = await asyncio.wait(
                {*self._hands, change}, timeout=_LOOK_SECONDS, return_when=asyncio.FIRST_COMPLETED
            )
            change.cancel()
            for task in [task for task in self._hands if task in done]:
                hand = self._hands.pop(task)
                self._open.discard(hand.number)
                hand.dismiss()
                task.result()

    async def _hire(self) -> None:
        wanted = self._blocks.qsize() + len(self._playing)
        room = self._config.cluster.workers
        if room is None:
            room = await asyncio.to_thread(self._cluster.room)
        for _ in range(min(wanted, room) - len(self._hands)):
            hand = self._cluster.hire()
            self._hands[asyncio.create_task(self._employ(hand))] = hand

    async def _employ(self, hand: Hand) -> None:
        """Give a worker one block after the other until it is lost."""
        try:
            if hand.number not in self._open:
                await hand.open(rehearse=False)
                self._open.add(hand.number)
                self._changed.set()
            while True:
                _, block = await self._blocks.get()
                self._playing.add(block.index)
                try:
                    await self._play(hand, block)
                finally:
                    self._playing.discard(block.index)
                    if self._books.director.missing(block) and self._books.playable(block):
                        self._blocks.put_nowait((block.index, block))
                    self._refill()
                    self._changed.set()
        except Lost as error:
            self._view.say(f"worker {hand.number} is lost; what it had not finished is played by another one")
            self._count_loss(error)
        except Broken as error:
            raise RunFailed(f"worker {hand.number} failed: {error}") from None

    def _count_loss(self, error: Lost) -> None:
        self._lost_in_a_row += 1
        if self._lost_in_a_row > _LOSSES_BORNE + len(self._hands):
            raise RunFailed(f"{self._lost_in_a_row} workers were lost without a result in between; the last: {error}")

    async def _dismiss_all(self) -> None:
        for task in self._hands:
            task.cancel()
        await asyncio.gather(*self._hands, return_exceptions=True)
        await asyncio.gather(*(self._dismiss(hand) for hand in self._hands.values()))

    async def _dismiss(self, hand: Hand) -> None:
        if hand.number not in self._open:
            hand.dismiss()
            return
        for name, data in (await hand.close(self._config.drain)).items():
            place = self._folder.logs / f"worker-{hand.number}"
            place.mkdir(exist_ok=True)
            (place / name).write_bytes(data)

    # --- blocks ---

    def _refill(self) -> None:
        for block in self._books.director.ready():
            if self._books.playable(block):
                self._blocks.put_nowait((block.index, block))

    async def _play(self, hand: Hand, block: Block) -> None:
        books = self._books
        missing = books.director.missing(block)
        if books.withdrawn.intersection(block.players):
            if not books.director.format.static:
                for number in missing:
                    await books.enter_walkover(Seating(block, number, block.seatings[number]))
            return
        seatings = tuple((number, books.next_attempt(block.index, number)) for number in missing)
        try:
            async for news in hand.play(Order(block, seatings, frozenset(books.withdrawn))):
                await self._hear(news)
        except Lost as error:
            self._losses[block.index] += 1
            if self._losses[block.index] >= _LOSSES_BORNE:
                raise RunFailed(
                    f"block {block.index} was lost with its worker {_LOSSES_BORNE} times: {error}"
                ) from None
            raise

    async def _hear(self, news: News) -> None:
        books = self._books
        match news:
            case Played(entry, replay):
                await asyncio.to_thread(_keep, self._folder, f"{entry.match_id}.{entry.attempt}.replay", replay)
                await books.enter(entry)
                self._lost_in_a_row = 0
                for name in entry.finishers:
                    self._failed_starts.pop(name, None)
            case Incident("", what, _):
                self._view.say(what)
            case Incident(bot, what, tail):
                await books.incident(bot, what, tail)
            case Withdrawal(bot, reason) if bot not in books.withdrawn:
                await books.withdraw(bot, reason)
            case NoStart(bot, text):
                await books.incident(bot, text, ())
                self._failed_starts[bot] += 1
                if self._failed_starts[bot] >= self._config.withdraw_after and bot not in books.withdrawn:
                    await books.withdraw(bot, f"did not start {self._failed_starts[bot]} times in a row")


def _keep(folder: Folder, name: str, replay: bytes) -> None:
    """Put a replay where the local engine leaves it; it is whole or not there."""
    temporary = folder.replays / f".{name}.{os.getpid()}.new"
    temporary.write_bytes(replay)
    Path(temporary).replace(folder.replays / name)
