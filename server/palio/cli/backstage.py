"""A server and its bots in a thread of their own, so that a person can take their time at the keyboard.

The person's seat is a bot like any other: it is told what any bot is told, and its decisions wait for an answer from
the thread in which the person types.
"""

from __future__ import annotations

import asyncio
import queue
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple, Self, TypeAlias

from palio.bots import bot_named
from palio.client import Bot, Decision, Match, Settings, play_async
from palio.server.app import ArenaServer, loop_factory
from palio.server.config import ServerConfig
from palio.v1 import game_pb2, match_pb2, play_pb2


class Started(NamedTuple):
    """The match has begun."""

    match: Match


class Heard(NamedTuple):
    """Something happened."""

    events: Sequence[game_pb2.Event]


class Asked(NamedTuple):
    """The person is asked; ``answer`` takes the index of an option."""

    decision: Decision
    answer: Callable[[int], None]


class Over(NamedTuple):
    """The match is over."""

    ended: play_pb2.MatchEnded


class Broken(NamedTuple):
    """The thread has ended because of this."""

    error: BaseException


Update: TypeAlias = Started | Heard | Asked | Over | Broken


@dataclass(frozen=True, slots=True)
class Plan:
    """What is to be played.

    Attributes:
        request: the match; its players are the person and the opponents by seat.
        person: the person's name among the players.
        opponents: for each other player the built-in bot that plays it.
        seed: text that the bots' own chance comes from.
        data: directory for the journal and the replay.
    """

    request: match_pb2.CreateMatchRequest
    person: str
    opponents: dict[str, str]
    seed: str
    data: Path

    @property
    def replay(self) -> Path:
        """Where the replay lies, once the match is over."""
        return self.data / "replays" / f"{self.request.match_id}.1.replay"


class Person(Bot):
    """The seat of the person: passes everything on and waits for answers."""

    def __init__(self, match: Match, tell: Callable[[Update], None]) -> None:
        super().__init__(match)
        self._tell = tell
        self._answer: asyncio.Future[int] | None = None

    async def started(self, match: Match) -> None:
        self._tell(Started(match))

    async def observe(self, events: Sequence[game_pb2.Event]) -> None:
        self._tell(Heard(list(events)))

    async def choose(self, decision: Decision) -> int:
        loop = asyncio.get_running_loop()
        answer: asyncio.Future[int] = loop.create_future()
        self._answer = answer

        def set_answer(index: int) -> None:
            loop.call_soon_threadsafe(answer.set_result, index)

        self._tell(Asked(decision, set_answer))
        return await answer

    def resign(self) -> None:
        """Give up; what is asked meanwhile is answered with anything, since it does not count any more."""
        self.match.resign()
        if self._answer is not None and not self._answer.done():
            self._answer.set_result(0)

    async def ended(self, ended: play_pb2.MatchEnded) -> None:
        self._tell(Over(ended))


class Backstage:
    """Runs one match; use it as a context manager.

    Args:
        plan: what is to be played.

    """

    def __init__(self, plan: Plan) -> None:
        self._updates: queue.SimpleQueue[Update] = queue.SimpleQueue()
        self._plan = plan
        self._person: Person | None = None
        self._thread = threading.Thread(target=self._run, name="palio-backstage", daemon=True)
        self._loop: asyncio.AbstractEventLoop | None = None
        self._task: asyncio.Task[None] | None = None

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        if self._loop is not None and self._task is not None and self._thread.is_alive():
            self._loop.call_soon_threadsafe(self._task.cancel)
        self._thread.join(10)

    def next_update(self) -> Update:
        """Wait for what the person is told next; Over or Broken is the last."""
        return self._updates.get()

    def resign(self) -> None:
        """Give up the match for the person."""
        if self._loop is not None and self._person is not None:
            self._loop.call_soon_threadsafe(self._person.resign)

    def signal(self, words: game_pb2.Words) -> None:
        """Say that to the person's partner, for all to hear."""
        if self._loop is not None and self._person is not None:
            self._loop.call_soon_threadsafe(self._person.match.signal, words)

    def _seat(self, match: Match) -> Person:
        self._person = Person(match, self._updates.put)
        return self._person

    def _run(self) -> None:
        try:
            with asyncio.Runner(loop_factory=loop_factory()) as runner:
                self._loop = runner.get_loop()
                runner.run(self._play())
        except asyncio.CancelledError:
            pass
        except BaseExceptionGroup as group:
            self._updates.put(Broken(group.exceptions[0]))
        except BaseException as error:
            self._updates.put(Broken(error))

    async def _play(self) -> None:
        self._task = asyncio.current_task()
        plan = self._plan
        socket = f"unix:{plan.data / 'palio.sock'}"
        config = ServerConfig.model_validate({"listen": [socket], "data": plan.data, "open": True})
        server = ArenaServer(config)
        await server.start()
        try:
            server.arena.create(plan.request)
            async with asyncio.TaskGroup() as group:
                for player, bot in plan.opponents.items():
                    settings = Settings(server=socket, name=player, matches=1)
                    group.create_task(play_async(bot_named(bot, f"{plan.seed}/{player}"), settings))
                settings = Settings(server=socket, name=plan.person, matches=1)
                group.create_task(play_async(self._seat, settings))
        finally:
            await server.stop(grace=0)
