"""The server as a whole: everything wired together, started, drained and stopped."""

from __future__ import annotations

import asyncio
import json
import os
import signal
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from importlib.metadata import version
from pathlib import Path
from typing import Final, NamedTuple, Protocol

import grpc.aio
import structlog
from grpc_health.v1 import health, health_pb2, health_pb2_grpc
from grpc_reflection.v1alpha import reflection

from palio.files.address import Address, parse_address
from palio.server.access.certificates import Certificates, UnusableCertificates
from palio.server.access.identity import Authenticator, Gate
from palio.server.access.interceptor import RIGHTS
from palio.server.arena import Arena
from palio.server.config import ServerConfig
from palio.server.extension import ArenaSite, Extension
from palio.server.listening import CannotListen, ground, listen
from palio.server.match.clock import TimeControl
from palio.server.match.observer import Observer, Observers
from palio.server.samples import Samples
from palio.server.services.catalog import Catalog
from palio.server.services.matches import Matches
from palio.server.services.play import Play
from palio.server.services.simulation import Simulation
from palio.server.sessions import SessionLimits
from palio.server.setup import Defaults
from palio.v1 import catalog_pb2_grpc, match_pb2_grpc, simulation_pb2_grpc

SERVICES: Final = (
    "palio.v1.CatalogService",
    "palio.v1.MatchService",
    "palio.v1.PlayService",
    "palio.v1.SimulationService",
)
PLAYING: Final = ("", "palio.v1.MatchService", "palio.v1.PlayService")
"""Those that cannot do their work while the journal cannot be written."""

log = structlog.get_logger(__name__)


class MissingExtra(OSError):
    """The configuration asks for something that is not installed."""


class Front(NamedTuple):
    """The front that a server is a worker of.

    Attributes:
        address: the Unix socket over which it calls, in a directory that only this user can enter.
        key: what it shows to be known.
    """

    address: Address
    key: str


@contextmanager
def needs_extra(extra: str) -> Iterator[None]:
    """Imports inside need ``palio[extra]``.

    Raises:
        MissingExtra: it is not installed; says how to get it.
    """
    try:
        yield
    except ImportError as error:
        raise MissingExtra(f"{error.name} is not installed; pip install 'palio[{extra}]' brings it") from None


class ArenaServer:
    """One server process.

    Args:
        config: what the operator set.
        authenticator: knows the tokens; ``None`` only in open local mode.
        extensions: further services.
        journal: where the matches lie that are not over, if not in the data directory's ``journal``.
        front: whose worker this is, if it is one.

    Attributes:
        addresses: where it listens, once started, with the ports that the system chose.
        metrics_port: where the metrics are, 0 if nowhere.
    """

    def __init__(
        self,
        config: ServerConfig,
        authenticator: Authenticator | None = None,
        extensions: Sequence[Extension] = (),
        *,
        journal: Path | None = None,
        front: Front | None = None,
    ) -> None:
        self.config = config
        self._front = front
        self._certificates: Certificates | None = None
        self._extensions = extensions
        self.addresses: list[str] = []
        self.metrics_port = 0
        limits = config.limits
        time_control = TimeControl(**config.time_control.model_dump())
        policies = config.policies
        self.arena = Arena(
            config.data,
            Defaults(
                time_control=time_control,
                illegal_tries=policies.illegal_tries,
                disconnection_grace=policies.disconnection_grace,
                no_show=policies.no_show,
                restart_grace=policies.restart_grace,
                max_matches=limits.max_matches,
                matches_per_player=limits.matches_per_player,
                spectator_delay=config.spectator_delay,
                player_entropy=config.player_entropy,
            ),
            SessionLimits(
                message_bytes=limits.max_message_bytes,
                matches=limits.matches_per_stream,
                queued_messages=limits.max_queued_messages,
                heartbeat=config.heartbeat,
            ),
            sync=config.durability == "power",
            journal=journal,
        )
        self._gate = Gate(authenticator, open_local=config.open)
        self._health = health.aio.HealthServicer()
        self._server: grpc.aio.Server | None = None
        self._reports: set[asyncio.Task[None]] = set()

    @property
    def _services(self) -> tuple[str, ...]:
        return SERVICES + tuple(name for extension in self._extensions for name in extension.services)

    async def start(self) -> None:
        """Listen, take up unfinished matches, and report healthy.

        Raises:
            CannotListen: an address is in use or cannot be used.
            UnusableCertificates: nor can the files of ``tls``.
            OSError: the data directory cannot be used.
        """
        limits = self.config.limits
        rights = dict(RIGHTS)
        for extension in self._extensions:
            rights |= extension.rights
        server, entrance, streams = ground(self.config, self._gate, rights, self._front.key if self._front else "")
        self._server = server
        play = Play(self.arena, self._gate, version("palio"), entrance, streams)
        server.add_generic_rpc_handlers((play.handler(),))
        catalog_pb2_grpc.add_CatalogServiceServicer_to_server(Catalog(limits.max_page_size), server)
        matches = Matches(self.arena, limits.max_queued_messages, limits.max_page_size)
        match_pb2_grpc.add_MatchServiceServicer_to_server(matches, server)
        simulation = Simulation(Samples(self.arena, limits.samples_per_match), limits.apply_choices)
        simulation_pb2_grpc.add_SimulationServiceServicer_to_server(simulation, server)
        health_pb2_grpc.add_HealthServicer_to_server(self._health, server)
        for extension in self._extensions:
            extension.register(server, ArenaSite(self.arena))
        names = (*self._services, health.SERVICE_NAME, reflection.SERVICE_NAME)
        reflection.enable_server_reflection(names, server)
        self._certificates = Certificates.of(self.config.tls)
        self.addresses = [listen(server, address, self._certificates) for address in self.config.listen_addresses]
        if self._front is not None:
            listen(server, self._front.address)
        self.arena.observer = self._observers()
        self.arena.storage_changed = self._look_at_storage
        restored = self.arena.restore()
        for extension in self._extensions:
            await extension.start()
        await server.start()
        await self._report()
        log.info("server.started", addresses=self.addresses, data=str(self.config.data), matches=restored)

    def _observers(self) -> Observer:
        """Those who watch, as configured; their libraries are extras.

        Raises:
            CannotListen: the address of the metrics is in use.
            MissingExtra: a library that the configuration asks for is not installed.
        """
        watching: list[Observer] = []
        if self.config.metrics is not None:
            with needs_extra("metrics"):
                from palio.server.metrics import Metrics
            address = parse_address(self.config.metrics)
            try:
                metrics = Metrics(self.arena, address)
            except OSError as error:
                raise CannotListen(f"metrics: cannot listen on {address}: {error.strerror}") from None
            self.metrics_port = metrics.port
            watching.append(metrics)
        if self.config.traces:
            with needs_extra("otel"):
                from palio.server.tracing import Tracing, exporting_tracer

                watching.append(Tracing(exporting_tracer()))
        return Observers(watching)

    async def _report(self) -> None:
        """Tell those who ask for the health of each service."""
        states = health_pb2.HealthCheckResponse
        for name in ("", *self._services):
            plays = name in PLAYING
            well = not self.arena.draining and not (plays and self.arena.storage.fault)
            await self._health.set(name, states.SERVING if well else states.NOT_SERVING)

    def _look_at_storage(self) -> None:
        task = asyncio.get_running_loop().create_task(self._report())
        self._reports.add(task)
        task.add_done_callback(self._reports.discard)

    def read_again(self) -> None:
        """The certificates were renewed."""
        read_again(self._certificates)

    def hurry(self) -> None:
        """Wait no longer for matches to end, while it stops."""
        self.arena.hurry()

    async def stop(self, grace: float | None = None) -> None:
        """Drain and stop; matches that are not over within ``grace`` seconds go on after the next start."""
        self.arena.draining = True
        await self._report()
        for extension in self._extensions:
            await extension.stop()
        log.info("server.draining", matches=len(self.arena.rooms))
        await self.arena.drain(self.config.drain_limit if grace is None else grace)
        if self._server is not None:
            await self._server.stop(1.0)
        for extension in self._extensions:
            await extension.close()
        self.arena.observer.close()
        log.info("server.stopped", unfinished=len(self.arena.rooms))


class Serving(Protocol):
    """What :func:`serve` runs.

    Attributes:
        config: what the operator set.
        addresses: where it listens, once started.
    """

    config: ServerConfig
    addresses: list[str]

    async def start(self) -> None:
        """Listen and report healthy."""

    async def stop(self) -> None:
        """Drain and stop."""

    def read_again(self) -> None:
        """The certificates were renewed."""

    def hurry(self) -> None:
        """Wait no longer for matches to end, while it stops."""


def read_again(certificates: Certificates | None) -> None:
    """Take in renewed certificates; those that cannot be used change nothing, and the log says so."""
    if certificates is None:
        log.info("tls.absent", text="this server speaks plain text: there are no certificates to read again")
        return
    try:
        certificates.read_again()
    except UnusableCertificates as error:
        log.error("tls.not_read", error=str(error), text="the certificates that were read before go on to hold")
    else:
        log.info("tls.read", text="new connections get the certificates that the files hold now")


def write_ready_file(path: Path, server: Serving) -> None:
    """Tell whoever started us where we listen: one JSON object, complete or not there at all."""
    temporary = path.with_name(f".{path.name}.{os.getpid()}")
    ready = {"address": server.addresses[0], "addresses": server.addresses, "pid": os.getpid()}
    temporary.write_text(json.dumps(ready) + "\n")
    temporary.replace(path)


async def serve(server: Serving, ready_file: Path | None = None) -> None:
    """Run until SIGTERM or SIGINT; a second one ends the waiting for running matches. SIGHUP reads the certificates
    again."""
    stopping = asyncio.Event()
    loop = asyncio.get_running_loop()

    def stop() -> None:
        if stopping.is_set():
            server.hurry()
        stopping.set()

    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, stop)  # before it says that it is ready: who waits for that may stop it at once
    await server.start()
    if server.config.tls.cert is not None or not os.isatty(0):
        loop.add_signal_handler(signal.SIGHUP, server.read_again)  # otherwise it says that the terminal is gone
    if server.config.open:
        log.warning("server.open", text="no tokens: every program of this machine can play under any name")
    if ready_file is not None:
        write_ready_file(ready_file, server)
    await stopping.wait()
    await server.stop()


def loop_factory() -> Callable[[], asyncio.AbstractEventLoop]:
    """Makes event loops: uvloop's where that is installed, since it nearly doubles the speed of a stream."""
    try:
        from uvloop import new_event_loop
    except ImportError:
        return asyncio.new_event_loop
    return new_event_loop


def run(make: Callable[[], Serving], ready_file: Path | None = None) -> None:
    """As :func:`serve`, in an event loop of its own: uvloop's where that is installed."""
    with asyncio.Runner(loop_factory=loop_factory()) as runner:
        runner.run(_made(make, ready_file))


async def _made(make: Callable[[], Serving], ready_file: Path | None) -> None:
    await serve(make(), ready_file)  # within the loop, to which parts of a server belong from the start
