"""A worker: a server and bots of its own, on some machine, that play one block after the other."""

from __future__ import annotations

import os

# It looks at this when it is imported: nothing of gRPC is to be done between the fork and exec of a bot.
os.environ.setdefault("GRPC_ENABLE_FORK_SUPPORT", "0")

import asyncio
import contextlib
import fcntl
import shutil
import socket
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import IO, Final, NamedTuple

from palio.engine.errors import GameError, InvalidSetup
from palio.files.settings import ConfigError, Problem
from palio.tournament.cluster.messages import (
    Incident,
    Job,
    News,
    NoStart,
    Order,
    Played,
    Withdrawal,
    versions,
)
from palio.tournament.config import programs_missing, working_directory
from palio.tournament.processes import ExitReport
from palio.tournament.runner.books import VOIDS_BORNE
from palio.tournament.runner.host import Host
from palio.tournament.runner.organiser import Organiser
from palio.tournament.runner.prepare import sandbox_for
from palio.tournament.runner.queue import Seating
from palio.tournament.runner.record import entry_of, play_attempt, replay_of
from palio.tournament.runner.roster import BotProblem, Place, Roster
from palio.tournament.runner.site import Folder, equip

_SERVER_GRACE: Final = 5.0
_MOST_BOTS: Final = 8
"""Bots that a worker keeps running; beyond that, those that its block does not need and were not used longest go."""
_LOG_BYTES: Final = 1 << 16


class Survey(NamedTuple):
    """What a machine has for a job.

    Attributes:
        name: of the machine.
        problems: what is missing.
        warning: what bots are not kept from there; empty if nothing.
    """

    name: str
    problems: list[Problem]
    warning: str = ""


def survey(job: Job) -> Survey:
    """Look whether everything is on this machine."""
    config, name = job.terms.config, socket.gethostname()
    try:
        mine = versions(config)
    except InvalidSetup as error:
        return Survey(name, [Problem("game", error.reason)])
    problems = []
    for what, theirs, ours in zip(("Palio", f"the rules of {config.game}"), job.versions, mine, strict=True):
        if theirs != ours:
            problems.append(Problem("engine", f"{what} is {ours} there and {theirs} here"))
    bots = [bot.model_copy(update={"cwd": job.here(working_directory(bot, job.folder))}) for bot in config.bots]
    problems += programs_missing(bots, job.folder)
    for at, files in job.files.items():
        problems += [
            Problem(f"bots[{at}].command", f"{config.bots[at].name}: there is no file {job.here(path)}")
            for path in files
            if not job.here(path).is_file()
        ]
    try:
        return Survey(name, problems, sandbox_for(config, "").missing)
    except ConfigError as error:
        return Survey(name, problems + list(error.problems))


class BlockWorker:
    """What Ray makes an actor of: :class:`Bench` without coroutines, with which Ray would run a loop of its own.

    Its methods are called one after the other. Server and bots are children of the thread that calls them and die with
    it, however it dies; what they left on the disk is removed by the next worker on that machine.
    """

    def __init__(self, job: Job) -> None:
        self._loop = asyncio.Runner()
        self._bench = Bench(job)

    def open(self, rehearse: bool) -> NoStart | None:
        """Start the server.

        Args:
            rehearse: whether to start every bot once, too; one that does not come up is returned.

        Raises:
            Unfit: something is missing on this machine.
            ServerFailed: it does not come up.
            OSError: the temporary directory cannot be used.
        """
        return self._loop.run(self._bench.open(rehearse))

    def play(self, order: Order) -> Iterator[News]:
        """Play a block; what happens is handed out as it happens."""
        playing = self._loop.run(self._bench.begin(order))
        while (news := self._loop.run(self._bench.news.get())) is not None:
            yield news
        self._loop.run(_result(playing))

    def close(self) -> dict[str, bytes]:
        """End everything. Returns the last of what each bot and the server wrote, by the log's name."""
        return self._loop.run(self._bench.close())


class Bench:
    """Hosts a server, starts bots when a block needs them, and keeps both for the next block.

    Attributes:
        news: what happens; ``None`` ends a block.
    """

    def __init__(self, job: Job) -> None:
        self._job = job
        config = job.terms.config
        bots = [
            bot.model_copy(update={"slots": 1, "cwd": job.here(working_directory(bot, job.folder))})
            for bot in config.bots
        ]
        self._config = config.model_copy(update={"bots": tuple(bots)})
        self._bots = {bot.name: bot for bot in bots}
        self._rosters: dict[str, Roster] = {}
        self._withdrawn: set[str] = set()
        self.news: asyncio.Queue[News | None] = asyncio.Queue()
        self._lock: IO[str] | None = None

    # --- beginning and end ---

    async def open(self, rehearse: bool) -> NoStart | None:
        """See :meth:`BlockWorker.open`."""
        found = survey(self._job)  # this node may have come later than the others
        if found.problems:
            raise Unfit(f"on {found.name}: " + "; ".join(f"{field}: {text}" for field, text in found.problems))
        self._folder, self._lock = _own_folder(self._config.id)
        self._sandbox = sandbox_for(self._config, "")
        self._site = equip(self._config, self._job.folder, self._folder, self._sandbox)
        self._host = Host(
            config=self._site.server_config,
            ready_file=self._folder.server / "ready.json",
            log=self._folder.logs / "server.log",
            on_restart=self._server_died,
        )
        await self._host.start()
        self._organiser = Organiser(self._host.addresses[0], self._site.organiser_token, self._host.up)
        if rehearse:
            try:
                await self._need(list(self._bots))
            except _Absent as absent:
                return absent.news
        return None

    def _server_died(self, report: ExitReport) -> None:
        self.news.put_nowait(Incident("", f"the server of a worker on {socket.gethostname()} {report}", report.tail))

    async def close(self) -> dict[str, bytes]:
        """See :meth:`BlockWorker.close`."""
        await asyncio.gather(*(roster.stop() for roster in self._rosters.values()))
        await self._organiser.close()
        await self._host.stop(_SERVER_GRACE)
        logs = {path.name: path.read_bytes()[-_LOG_BYTES:] for path in self._folder.logs.glob("*.log")}
        self._site.close()
        shutil.rmtree(self._folder.root, ignore_errors=True)
        return logs

    # --- bots ---

    async def _need(self, names: Sequence[str]) -> None:
        """Have these bots connected, unless they are withdrawn.

        Raises:
            _Absent: one did not come up.
        """
        wanted = [name for name in names if name not in self._withdrawn]
        started = await asyncio.gather(*(self._started(name) for name in wanted), return_exceptions=True)
        for name, roster in zip(wanted, started, strict=True):
            if isinstance(roster, Roster):
                self._rosters.pop(name, None)
                self._rosters[name] = roster  # at the end: it is the one that was used last
        for problem in started:
            if isinstance(problem, BaseException):
                raise problem
        idle = [name for name in self._rosters if name not in names]
        for name in idle[: max(0, len(self._rosters) - _MOST_BOTS)]:
            await self._rosters.pop(name).stop()

    async def _started(self, name: str) -> Roster:
        if name in self._rosters:
            return self._rosters[name]
        roster = self._roster(name)
        try:
            await roster.start()
        except (BotProblem, OSError) as problem:
            await roster.stop()
            raise _Absent(NoStart(name, f"on {socket.gethostname()}: {problem}")) from None
        return roster

    def _roster(self, name: str) -> Roster:
        visible = (self._site.socket_folder,) if self._site.socket_folder is not None else ()
        return Roster(
            config=self._config.model_copy(update={"bots": (self._bots[name],)}),
            place=Place(
                server=self._host.addresses[0],
                folder=self._job.folder,
                logs=self._folder.logs,
                sandbox=self._sandbox,
                hidden=(self._folder.root,),
                visible=visible,
            ),
            tokens=self._site.tokens,
            connected=self._organiser.players,
            on_incident=self._incident,
            on_withdrawal=self._withdrawal,
            withdrawn=self._withdrawn,
        )

    async def _incident(self, bot: str, what: str, tail: Sequence[str]) -> None:
        await self.news.put(Incident(bot, what, tuple(tail)))

    async def _withdrawal(self, bot: str, reason: str) -> None:
        await self.news.put(Withdrawal(bot, reason))

    async def _present(self, names: Sequence[str]) -> None:
        """Wait for bots that are being started again. It ends: who stays away too long is withdrawn."""
        for name in names:
            while name not in self._withdrawn and not self._rosters[name].ready(name):
                await self._rosters[name].change()

    # --- playing ---

    async def begin(self, order: Order) -> asyncio.Task[None]:
        """Begin to play a block."""
        return asyncio.create_task(self._play(order), name=f"block {order.block.index}")

    async def _play(self, order: Order) -> None:
        try:
            self._withdrawn |= order.withdrawn
            await self._need(order.block.players)
            room = asyncio.Semaphore(self._config.cluster.cpus)
            async with asyncio.TaskGroup() as group:
                for number, attempt in order.seatings:
                    seating = Seating(order.block, number, order.block.seatings[number])
                    group.create_task(self._play_seating(seating, attempt, room))
        except _Absent as absent:
            self.news.put_nowait(absent.news)
        except ExceptionGroup as group:
            raise group.exceptions[0] from None
        finally:
            self.news.put_nowait(None)

    async def _play_seating(self, seating: Seating, first: int, room: asyncio.Semaphore) -> None:
        """One seating until it has a rated result, or was void so often that the runner gives up."""
        async with room:
            for attempt in range(first, first + VOIDS_BORNE):
                await self._present(seating.players)
                if self._withdrawn.intersection(seating.players):
                    return
                match = await play_attempt(self._organiser, self._job.terms, seating, attempt)
                replay = await replay_of(self._organiser, self._folder.replays, match)
                entry = entry_of(seating, match, replay, self._job.terms.sides[len(seating.players)])
                for name in entry.finishers:
                    self._rosters[name].played_well((name,))
                await self.news.put(Played(entry, replay))
                (self._folder.replays / f"{match.match_id}.{match.attempt}.replay").unlink(missing_ok=True)
                if entry.rated:
                    return


class Unfit(GameError):
    """A machine has not what the tournament needs."""


class _Absent(GameError):
    """A bot did not come up."""

    def __init__(self, news: NoStart) -> None:
        super().__init__(news.text)
        self.news = news


async def _result(task: asyncio.Task[None]) -> None:
    await task


def _own_folder(tournament: str) -> tuple[Folder, IO[str]]:
    """A directory for this worker, and the lock that shows that it lives. Those of dead workers are removed."""
    shared = Path(tempfile.gettempdir()) / f"palio-workers-{os.getuid()}"
    shared.mkdir(mode=0o700, exist_ok=True)
    if shared.stat().st_uid != os.getuid():
        raise PermissionError(f"{shared} belongs to somebody else")
    with (shared / "lock").open("a") as gate:
        fcntl.flock(gate, fcntl.LOCK_EX)  # a folder that was just made has no lock of its own yet
        for path in shared.iterdir():
            with contextlib.suppress(OSError), (path / "lock").open("a") as dead:
                fcntl.flock(dead, fcntl.LOCK_EX | fcntl.LOCK_NB)
                shutil.rmtree(path, ignore_errors=True)
        folder = Folder(Path(tempfile.mkdtemp(prefix=f"{tournament[:24]}-", dir=shared)))
        lock = (folder.root / "lock").open("a")
        fcntl.flock(lock, fcntl.LOCK_EX)
    folder.make()
    return folder, lock
