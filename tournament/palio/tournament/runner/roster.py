"""The bots' processes: started, watched, started again after a crash, withdrawn after too many."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from palio.engine.errors import GameError
from palio.tournament.config import BotSettings, TournamentConfig, program_of, working_directory
from palio.tournament.processes import Child, ExitReport, Launch, Limits, Sandbox
from palio.tournament.processes.limits import usage_of
from palio.tournament.runner.pace import AT_ONCE

_WATCH_SECONDS: Final = 1.0
_POLL: Final = 0.1
_KILLED: Final = (-9, 128 + 9)
_MAX_KILLS: Final = 20
_LONGEST_PAUSE: Final = 5.0


class BotProblem(GameError):
    """A bot that did not come up at the start."""


@dataclass(slots=True)
class Slot:
    """One process of a bot.

    Attributes:
        bot: the settings.
        number: from 1.
        tokens: it changes from one to the next after a crash of its own, so that the seats it crashed in are not
            given back to it: they forfeit.
        crashes: how many in a row.
        kills: how often in a row somebody killed it.
    """

    bot: BotSettings
    number: int
    tokens: Sequence[str]
    which: int = 0
    crashes: int = 0
    kills: int = 0
    child: Child | None = None
    started: float = 0.0

    @property
    def token(self) -> str:
        return self.tokens[self.which % len(self.tokens)]

    @property
    def label(self) -> str:
        return self.bot.name if self.bot.slots == 1 else f"{self.bot.name}#{self.number}"


@dataclass(frozen=True, slots=True)
class Place:
    """Where bots run.

    Attributes:
        server: address for bots.
        folder: of the tournament file.
        logs: for what they write.
        hidden: directories that a sandboxed bot does not see.
        visible: directories that it does see: the one with the server's socket.
    """

    server: str
    folder: Path
    logs: Path
    sandbox: Sandbox
    hidden: tuple[Path, ...] = ()
    visible: tuple[Path, ...] = ()


@dataclass(slots=True)
class Roster:
    """All bots of a tournament.

    Args:
        tokens: for each bot and slot the tokens of that process.
        connected: asks the server how many bots of each player are connected.
        on_incident: told the bot, what happened and its last lines, for each crash.
        on_withdrawal: told the bot and why.

    Attributes:
        withdrawn: names of the bots that take no further part.
        online: how many bots of each player are connected.
        used: processor seconds of each bot's processes, as of the last second; empty where the system does not tell.
    """

    config: TournamentConfig
    place: Place
    tokens: Mapping[tuple[str, int], Sequence[str]]
    connected: Callable[[], Awaitable[Mapping[str, int]]]
    on_incident: Callable[[str, str, Sequence[str]], Awaitable[None]]
    on_withdrawal: Callable[[str, str], Awaitable[None]]
    withdrawn: set[str] = field(default_factory=set)
    online: Mapping[str, int] = field(default_factory=dict)
    used: Mapping[str, float] = field(default_factory=dict)
    _slots: list[Slot] = field(default_factory=list)
    _tasks: list[asyncio.Task[None]] = field(default_factory=list)
    _changed: asyncio.Event = field(default_factory=asyncio.Event)
    _absent: dict[str, float] = field(default_factory=dict)
    _stopping: bool = False

    @property
    def pids(self) -> list[int]:
        """Ids of the processes that run."""
        return [slot.child.pid for slot in self._slots if slot.child is not None and slot.child.running]

    def ready(self, name: str) -> bool:
        """Whether that bot can play now."""
        return self.online.get(name, 0) > 0 and name not in self.withdrawn

    async def start(self) -> None:
        """Start all bots that are not withdrawn and wait until each is connected.

        Remote bots are waited for without a limit.

        Raises:
            BotProblem: one ended or did not connect within ``limits.startup``; it is named, with its last words.
        """
        for bot in self.config.bots:
            if bot.name in self.withdrawn or bot.remote:
                continue
            for number in range(1, bot.slots + 1):
                self._slots.append(Slot(bot, number, self.tokens[bot.name, number]))
        await asyncio.gather(*(self._launch(slot) for slot in self._slots))
        await self._all_connected()
        self._tasks = [asyncio.create_task(self._keep(slot), name=f"bot {slot.label}") for slot in self._slots]
        self._tasks.append(asyncio.create_task(self._watch_usage(), name="usage"))
        self._tasks.append(asyncio.create_task(self._watch_connections(), name="connections"))

    def missing(self) -> list[str]:
        """Names of the bots that take part of which not every process is connected."""
        return [
            bot.name
            for bot in self.config.bots
            if bot.name not in self.withdrawn and self.online.get(bot.name, 0) < (1 if bot.remote else bot.slots)
        ]

    def played_well(self, names: Iterable[str]) -> None:
        """These bots finished a match without a fault: their crashes are no longer "in a row"."""
        for slot in self._slots:
            if slot.bot.name in names:
                slot.crashes = slot.kills = 0

    async def stop(self) -> None:
        """End all bots."""
        self._stopping = True
        for task in self._tasks:
            task.cancel()
        running = [slot.child for slot in self._slots if slot.child is not None]
        await asyncio.gather(*(child.stop(self.config.drain) for child in running))
        await asyncio.gather(*self._tasks, return_exceptions=True)

    async def change(self) -> None:
        """Wait until a bot connected, disconnected or was withdrawn."""
        await self._changed.wait()
        self._changed.clear()

    # --- starting ---

    async def _launch(self, slot: Slot) -> None:
        bot, place = slot.bot, self.place
        cwd = working_directory(bot, place.folder)
        if bot.builtin is not None:
            command = [sys.executable, "-m", "palio.cli", "bot", "run", bot.builtin]
            command += ["--concurrency", str(self.config.concurrency or AT_ONCE)]
        else:
            assert bot.command is not None
            command = [program_of(bot.command, cwd) or bot.command[0], *bot.command[1:]]
        limits = self._limits()
        slot.started = asyncio.get_running_loop().time()
        slot.child = await Child.start(
            Launch(
                name=slot.label,
                command=place.sandbox.wrap(command, cwd=cwd, hidden=place.hidden, visible=place.visible),
                cwd=cwd,
                log=place.logs / f"{slot.bot.name}.{slot.number}.log",
                environment={
                    **bot.env,
                    "PALIO_SERVER": place.server,
                    "PALIO_TOKEN": slot.token,
                    "PALIO_BOT_NAME": bot.name,
                    "PALIO_SLOT": str(slot.number),
                    # A server of one's own needs no proxy, and the sandbox has no way to one.
                    "no_grpc_proxy": "*",
                    "PYTHONUNBUFFERED": "1",
                },
                rlimits=limits.rlimits(),
            )
        )

    def _limits(self) -> Limits:
        given = self.config.limits
        return Limits(given.memory_mib or None, given.processes or None, given.cpu_seconds or None)

    async def _all_connected(self) -> None:
        loop = asyncio.get_running_loop()
        while True:
            self.online = await self.connected()
            for slot in self._slots:
                child = slot.child
                assert child is not None
                if not child.running:
                    report = await child.wait()
                    raise BotProblem(_told(f"bot {slot.label} {report} before it was connected", report.tail))
                limit = self.config.limits.startup
                if slot.bot.name in self.missing() and loop.time() - slot.started > limit:
                    text = f"bot {slot.label} did not connect within {limit:g} seconds (limits.startup)"
                    raise BotProblem(_told(text, child.tail()))
            if not self.missing():
                return
            self._changed.set()
            await asyncio.sleep(_POLL)

    # --- keeping ---

    async def _keep(self, slot: Slot) -> None:
        """Start a bot's process again whenever it ends, until it is withdrawn."""
        while slot.bot.name not in self.withdrawn:
            assert slot.child is not None
            report = await slot.child.wait()
            if self._stopping or slot.bot.name in self.withdrawn:
                return
            await self._take_down(slot, report)
            if slot.bot.name in self.withdrawn:
                return
            await asyncio.sleep(min(_LONGEST_PAUSE, 0.1 * 2 ** (slot.crashes + slot.kills - 1)))
            await self._launch(slot)

    async def _take_down(self, slot: Slot, report: ExitReport) -> None:
        name = slot.bot.name
        if report.code in _KILLED and not report.reason:
            # Nobody but somebody else kills: it gets its seats back, and everything it was told in them.
            slot.kills += 1
        else:
            slot.crashes += 1
            slot.which += 1
        await self.on_incident(name, f"{slot.label} {report}", report.tail)
        if slot.crashes >= self.config.withdraw_after:
            await self._withdraw(name, f"crashed {slot.crashes} times in a row; the last time it {report}")
        elif slot.kills >= _MAX_KILLS:
            await self._withdraw(name, f"was killed {slot.kills} times without finishing a match")

    async def _withdraw(self, name: str, reason: str) -> None:
        if name in self.withdrawn:
            return
        self.withdrawn.add(name)
        for other in self._slots:
            if other.bot.name == name and other.child is not None:
                other.child.kill("is withdrawn")
        await self.on_withdrawal(name, reason)
        self._changed.set()

    async def _watch_usage(self) -> None:
        limits = self._limits()
        while True:
            await asyncio.sleep(_WATCH_SECONDS)
            children = {slot.child.pid: slot for slot in self._slots if slot.child and slot.child.running}
            used: dict[str, float] = {}
            for pid, usage in usage_of(children).items():
                slot = children[pid]
                used[slot.bot.name] = used.get(slot.bot.name, 0.0) + usage.cpu
                excess = usage.excess(limits)
                if excess is not None and slot.child is not None:
                    slot.child.kill(excess)
            self.used = used

    async def _watch_connections(self) -> None:
        """Notice who comes and goes, and give up on a process that stays away although it runs."""
        loop = asyncio.get_running_loop()
        limit = self.config.limits.startup
        while True:
            await asyncio.sleep(_POLL if self._absent else 1.0)
            online = await self.connected()
            if online != self.online:
                self.online = online
                self._changed.set()
            now = loop.time()
            missing = self.missing()
            self._absent = {name: self._absent.get(name, now) for name in missing}
            for slot in self._slots:
                since = max(slot.started, self._absent.get(slot.bot.name, now))
                if slot.child is not None and slot.child.running and now - since > limit:
                    slot.child.kill(f"was not connected for {limit:g} seconds (limits.startup)")


def _told(text: str, tail: Sequence[str]) -> str:
    if not tail:
        return f"{text}; it wrote nothing"
    return "\n  | ".join([f"{text}; it wrote last:", *tail[-8:]])
