"""One worker: a server of its own for some of the bots, started and ended by the front.

``python -m palio.server.front.worker DESCRIPTOR``, where DESCRIPTOR is the worker's end of a pair of sockets. What it
has to do comes over it (:class:`Task`); when the other end closes, because the front died, it ends as well.
"""

from __future__ import annotations

import asyncio
import os
import signal
import socket
import sys
from base64 import b64decode, b64encode
from pathlib import Path
from typing import Any, Final

import structlog

from palio.codec.status import INTERNAL, row_of, to_proto
from palio.files.address import Address
from palio.files.database import DatabaseUnusable
from palio.files.settings import ConfigError
from palio.server import logs
from palio.server.access.accounts import Accounts
from palio.server.app import ArenaServer, Front, loop_factory
from palio.server.config import ServerConfig
from palio.server.extension import begin, follow
from palio.server.front.folders import lock
from palio.server.front.link import Link, News
from palio.server.listening import CannotListen
from palio.v1 import match_pb2, play_pb2

LOCK_WITHIN: Final = 30.0
"""Seconds that the worker before this one has to let go of its journals."""
LAST_WORDS: Final = 5.0
"""Seconds to end once the front is gone."""

log = structlog.get_logger(__name__)


class Worker:
    """Does what the front says."""

    def __init__(self) -> None:
        self._server: ArenaServer | None = None
        self._link: Link | None = None
        self._task: asyncio.Future[News] = asyncio.get_running_loop().create_future()
        self._stop: asyncio.Future[float] = asyncio.get_running_loop().create_future()

    async def run(self, end: socket.socket) -> int:
        """From the task to the end; returns the exit code."""
        self._link = await Link.open(end, self._answer, self._told)
        listening = asyncio.create_task(self._link.listen())
        await asyncio.wait((self._task, listening), return_when=asyncio.FIRST_COMPLETED)
        if not self._task.done():
            return 0
        try:
            await self._serve(self._task.result(), listening)
        except (OSError, ConfigError, DatabaseUnusable) as error:
            self._link.tell(failed=str(error))
            return 1
        return 0

    async def _serve(self, task: News, front: asyncio.Task[None]) -> None:
        assert self._link is not None
        config = ServerConfig.model_validate(task["config"])
        journal = Path(task["journal"])
        logs.configure(config.log.format, config.log.level, worker=task["worker"])
        await _locked(journal)
        with Accounts.open(config.database_url) as accounts:
            front_of_it = Front(Address("", 0, task["private"]), task["key"])
            self._server = server = ArenaServer(config, accounts, journal=journal, front=front_of_it)
            await server.start()
            self._link.tell(ready=server.addresses, metrics=server.metrics_port)
            looking = asyncio.create_task(self._look_at_storage(server))
            await asyncio.wait((self._stop, front), return_when=asyncio.FIRST_COMPLETED)
            looking.cancel()
            if self._stop.done():
                await server.stop(self._stop.result())
            else:
                log.warning("worker.alone", text="the front is gone")
                async with asyncio.timeout(LAST_WORDS):
                    await server.stop(grace=0)

    async def _look_at_storage(self, server: ArenaServer) -> None:
        """Tell the front when the journal cannot be written and when it can again."""
        assert self._link is not None
        told = True
        while True:
            well = not server.arena.storage.fault
            if well != told:
                self._link.tell(well=well)
                told = well
            await asyncio.sleep(0.25)

    def _told(self, news: News) -> None:
        if "config" in news:
            self._task.set_result(news)
        elif "stop" in news and not self._stop.done():
            self._stop.set_result(news["stop"])
        elif "read_again" in news and self._server is not None:
            self._server.read_again()
        elif "hurry" in news and self._server is not None:
            self._server.hurry()

    # --- what the front asks ---

    def _answer(self, question: News) -> Any:
        assert self._server is not None
        arena = self._server.arena
        match question["ask"]:
            case "bot":
                credential = question["credential"]
                running = (room for room in arena.rooms.values() if room.state == match_pb2.MATCH_STATE_RUNNING)
                seats = sum(any(place.credential_id == credential for place in room.seats) for room in running)
                return {"connected": credential in arena.sessions, "seats": seats}
            case "replace":
                session = arena.sessions.get(question["credential"])
                if session is not None:
                    text = "a newer session with the same token took over"
                    session.goodbye(play_pb2.GOODBYE_REASON_REPLACED, text)
                    arena.close_session(session)
                return None
            case "players":
                here = {
                    session.player
                    for session in arena.sessions.values()
                    if session.plays(question["game"]) and not session.leaving
                }
                waiting = sum(room.state == match_pb2.MATCH_STATE_WAITING for room in arena.rooms.values())
                complete = here.issuperset(question["players"])
                return {"complete": complete, "waiting": waiting, "running": len(arena.rooms) - waiting}
            case "alive":
                return True
            case "begin":
                try:
                    begin(arena, match_pb2.CreateMatchRequest.FromString(b64decode(question["request"])))
                except Exception as error:
                    if row_of(error) is INTERNAL:
                        log.exception("worker.not_begun")
                    return b64encode(to_proto(error).SerializeToString()).decode()
                return None
            case "follow":
                room = arena.rooms.get(question["match"])
                if room is None:
                    return False
                ended: asyncio.Future[match_pb2.Match] = asyncio.get_running_loop().create_future()
                ended.add_done_callback(self._tell_the_end)
                follow(room, ended)
                return True
            case "void":
                room = arena.rooms.get(question["match"])
                if room is not None:
                    room.void(question["reason"])
                return None
            case "connected":
                return [[p.player, p.sessions, p.matches, p.capacity] for p in arena.connected()]
            case "unfinished":
                return [b64encode(room.summary().SerializeToString()).decode() for room in arena.rooms.values()]
        return None

    def _tell_the_end(self, ended: asyncio.Future[match_pb2.Match]) -> None:
        if self._link is not None and not ended.cancelled():
            self._link.tell(over=b64encode(ended.result().SerializeToString()).decode())


async def _locked(journal: Path) -> None:
    """Wait until the journals belong to this process alone."""
    try:
        async with asyncio.timeout(LOCK_WITHIN):
            while lock(journal) is None:  # noqa: ASYNC110 (a lock tells nobody that it is free)
                await asyncio.sleep(0.05)
    except TimeoutError:
        raise CannotListen(f"another server uses {journal}") from None


async def _main(descriptor: int) -> int:
    return await Worker().run(socket.socket(fileno=descriptor))


def main() -> None:
    """The program."""
    # A terminal and an init system tell every process of the server; what they mean is the front's to say.
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)
    with asyncio.Runner(loop_factory=loop_factory()) as runner:
        code = runner.run(_main(int(sys.argv[1])))
    sys.stderr.flush()
    os._exit(code)  # whatever else still runs here


if __name__ == "__main__":
    main()
