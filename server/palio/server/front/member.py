"""One worker as the front has it: started, started again when it dies or hangs, asked, and told to stop."""

from __future__ import annotations

import asyncio
import socket
import subprocess
import sys
from base64 import b64decode
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

import grpc.aio
import structlog

from palio.codec.status import Unavailable
from palio.files.address import Address, parse_address
from palio.server.config import ServerConfig
from palio.server.front.folders import journal_of
from palio.server.front.link import Link, LinkBroken, News
from palio.server.listening import CannotListen
from palio.v1 import match_pb2

START_WITHIN: Final = 120.0
"""Seconds that a worker has to listen: it takes its matches up before."""
ANSWER_WITHIN: Final = 10.0
LOOK_EVERY: Final = 10.0
MISSED: Final = 3
"""Looks in a row that a worker may not answer: then it hangs, and is ended so that it can be started again."""
STOP_WITHIN: Final = 15.0
"""Seconds that a worker has to end, once its matches are over or their time is."""
FIRST_PAUSE: Final = 0.1
LONGEST_PAUSE: Final = 10.0
STABLE: Final = 30.0
"""Seconds after which a worker that died is no longer taken for one that cannot run at all."""

log = structlog.get_logger(__name__)


class WorkerFailed(CannotListen):
    """A worker cannot be started."""


class Worker:
    """One of them.

    Args:
        number: from 0.
        key: by which it knows its front.
        changed: called when it comes up, goes down, or cannot write its journal.

    Attributes:
        key: to be shown with each call to it.
        creating: matches that are being created on it.
    """

    def __init__(self, number: int, config: ServerConfig, key: str, changed: Callable[[], None]) -> None:
        self.number = number
        self.key = key
        self.creating = 0
        self._config = config
        self._private = Path()
        self._changed = changed
        self._process: subprocess.Popen[bytes] | None = None
        self._link: Link | None = None
        self._listening: asyncio.Task[None] | None = None
        self._keeping: asyncio.Task[None] | None = None
        self._watching: asyncio.Task[None] | None = None
        self._ready: asyncio.Future[News] | None = None
        self._channel: grpc.aio.Channel | None = None
        self._port = 0
        self._addresses: list[Address] = []
        self._up = False
        self._well = True
        self._answers = True
        self._stopping = False
        self._ends: dict[str, asyncio.Future[match_pb2.Match | None]] = {}

    @property
    def up(self) -> bool:
        """Whether it listens."""
        return self._up

    @property
    def well(self) -> bool:
        """Whether it listens, answers and can write its journal."""
        return self._up and self._answers and self._well

    @property
    def channel(self) -> grpc.aio.Channel:
        """For calls to it.

        Raises:
            Unavailable: it is being started.
        """
        if not self._up or self._channel is None:
            raise self.unavailable()
        return self._channel

    def address_for(self, peer: str) -> str:
        """Where a bot is to connect.

        Args:
            peer: how it connected to the front, as gRPC says: over a Unix socket, or over TCP.
        """
        unix = peer.startswith("unix:")
        addresses = self._addresses
        return str(next((address for address in addresses if bool(address.path) == unix), addresses[0]))

    def unavailable(self) -> Unavailable:
        """What callers are told while it is down."""
        return Unavailable(f"worker {self.number} is being started; try again")

    async def ask(self, what: str, **details: object) -> Any:
        """Ask it something.

        Raises:
            Unavailable: it is down, or does not answer.
        """
        if not self._up or self._link is None:
            raise self.unavailable()
        try:
            async with asyncio.timeout(ANSWER_WITHIN):
                return await self._link.ask(what, **details)
        except (LinkBroken, TimeoutError):
            raise self.unavailable() from None

    async def end_of(self, match_id: str) -> match_pb2.Match | None:
        """Wait until a match of it is over; ``None`` where it hosts none of that id.

        Raises:
            Unavailable: it is down, or died meanwhile.
        """
        told: asyncio.Future[match_pb2.Match | None] = asyncio.get_running_loop().create_future()
        self._ends[match_id] = told
        try:
            if not await self.ask("follow", match=match_id):
                return None
            ended = await told
        finally:
            self._ends.pop(match_id, None)
        if ended is None:
            raise self.unavailable()
        return ended

    async def start(self, folder: Path) -> None:
        """Start it, and again whenever it dies.

        Args:
            folder: where its Unix socket for the front is.

        Raises:
            WorkerFailed: it does not come up.
        """
        self._private = folder / str(self.number)
        await self._launch()
        self._keeping = asyncio.create_task(self._keep())
        self._watching = asyncio.create_task(self._watch())

    async def _launch(self) -> None:
        ours, its = socket.socketpair()
        with its:
            command = [sys.executable, "-m", "palio.server.front.worker", str(its.fileno())]
            # Its own session: a signal from the terminal goes to the front alone. Not asyncio's way to start processes:
            # uvloop forks, which gRPC does not bear, while this one goes over vfork to the new program at once.
            self._process = subprocess.Popen(  # noqa: ASYNC220
                command, stdin=subprocess.DEVNULL, pass_fds=(its.fileno(),), start_new_session=True
            )
        self._well = True
        self._ready = asyncio.get_running_loop().create_future()
        self._link = await Link.open(ours, lambda _: None, self._told)
        self._listening = asyncio.create_task(self._link.listen())
        self._listening.add_done_callback(self._lost)
        self._link.tell(
            worker=self.number,
            config=self._task().model_dump(mode="json"),
            journal=str(journal_of(self._config.data, self.number)),
            private=str(self._private),
            key=self.key,
        )
        await asyncio.wait((self._ready, self._listening), timeout=START_WITHIN, return_when=asyncio.FIRST_COMPLETED)
        if not self._ready.done() or "ready" not in self._ready.result():
            self._process.kill()
            why = self._ready.result()["failed"] if self._ready.done() else "it did not come up"
            raise WorkerFailed(f"worker {self.number}: {why}")
        self._here(self._ready.result())

    def _task(self) -> ServerConfig:
        """Its configuration. It listens where it did before, if it did."""
        config = self._config
        metrics = None
        if config.metrics is not None:
            at = parse_address(config.metrics)
            metrics = str(at._replace(port=at.port + self.number if at.port else 0))
        port = config.worker_ports + self.number if config.worker_ports else self._port
        listen = [
            str(base._replace(path=f"{base.path}.{self.number}") if base.path else base._replace(port=port))
            for base in config.worker_bases
        ]
        return config.model_copy(
            update={"listen": listen, "workers": 1, "metrics": metrics, "database": config.database_url}
        )

    def _here(self, ready: News) -> None:
        assert self._process is not None
        listening = [parse_address(text) for text in ready["ready"]]
        self._port = max(address.port for address in listening)
        host = self._config.worker_host
        self._addresses = [
            address._replace(host=host) if host and not address.path else address for address in listening
        ]
        options = [("grpc.max_receive_message_length", -1), ("grpc.use_local_subchannel_pool", 1)]
        self._channel = grpc.aio.insecure_channel(f"unix:{self._private}", options)
        self._up = True
        log.info(
            "worker.started",
            worker=self.number,
            pid=self._process.pid,
            addresses=[str(address) for address in self._addresses],
            **({"metrics": ready["metrics"]} if ready["metrics"] else {}),
        )
        self._changed()

    def _told(self, news: News) -> None:
        if "well" in news:
            self._well = news["well"]
            self._changed()
        elif "over" in news:
            match = match_pb2.Match.FromString(b64decode(news["over"]))
            ended = self._ends.get(match.match_id)
            if ended is not None and not ended.done():
                ended.set_result(match)
        elif self._ready is not None and not self._ready.done():
            self._ready.set_result(news)

    def _lost(self, _: asyncio.Task[None]) -> None:
        self._up = False
        for ended in self._ends.values():
            if not ended.done():
                ended.set_result(None)

    async def _keep(self) -> None:
        """Start it again whenever it dies."""
        loop = asyncio.get_running_loop()
        pause = FIRST_PAUSE
        while True:
            started = loop.time()
            code = await self._gone()
            if not self._stopping:
                log.error("worker.died", worker=self.number, code=code)
                pause = FIRST_PAUSE if loop.time() - started > STABLE else min(2 * pause, LONGEST_PAUSE)
                await asyncio.sleep(pause)
            if self._stopping:
                return
            try:
                await self._launch()
            except OSError as error:
                log.error("worker.not_started", worker=self.number, error=str(error))
                self._port = 0  # somebody else may have it now

    async def _watch(self) -> None:
        """End it when it hangs."""
        missed = 0
        while not self._stopping:
            await asyncio.sleep(LOOK_EVERY)
            try:
                await self.ask("alive")
                missed = 0
            except Unavailable:
                missed = missed + 1 if self._up else 0
            if self._answers != (not missed):
                self._answers = not missed
                self._changed()
            if missed >= MISSED and self._process is not None:
                log.error("worker.hangs", worker=self.number, pid=self._process.pid)
                self._process.kill()
                missed = 0

    async def _gone(self) -> int:
        """Wait until it is gone; returns its exit code."""
        assert self._process is not None
        assert self._listening is not None
        await self._listening  # only it has the other end, so this ends with it
        code = await asyncio.to_thread(self._process.wait)
        if self._channel is not None:
            await self._channel.close()
            self._channel = None
        self._changed()
        return code

    def say_stop(self, grace: float) -> None:
        """It is to end: its matches have that many seconds."""
        self._stopping = True
        if self._watching is not None:
            self._watching.cancel()
        if self._link is not None:
            self._link.tell(stop=grace)

    def read_again(self) -> None:
        """The certificates were renewed."""
        if self._link is not None:
            self._link.tell(read_again=True)

    def hurry(self) -> None:
        """Its matches have no more time."""
        if self._link is not None:
            self._link.tell(hurry=True)

    async def ended(self, within: float) -> None:
        """Wait until it has ended, and end it if it has not by then."""
        if self._process is None or self._listening is None:
            return
        await asyncio.wait((self._listening,), timeout=within)
        if not self._listening.done():
            log.error("worker.killed", worker=self.number, text="it did not end by itself")
            self._process.kill()
        if self._keeping is not None and not self._up:
            self._keeping.cancel()  # it may be waiting to start it again
        await asyncio.gather(self._keeping or self._gone(), return_exceptions=True)
