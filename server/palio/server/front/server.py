"""The front as a whole: everything wired together, started, drained and stopped."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

import grpc
import grpc.aio
import structlog
from grpc_health.v1 import health, health_pb2, health_pb2_grpc
from grpc_reflection.v1alpha import reflection

from palio.server.access.accounts import Accounts
from palio.server.access.certificates import Certificates
from palio.server.access.identity import Gate
from palio.server.access.interceptor import RIGHTS
from palio.server.app import PLAYING, SERVICES, read_again
from palio.server.archive import Archive
from palio.server.config import ServerConfig
from palio.server.extension import Extension
from palio.server.front.crew import Crew
from palio.server.front.door import Door
from palio.server.front.folders import Folders, gather
from palio.server.front.forwarding import ForwardedMatches, ForwardedSimulation
from palio.server.front.site import CrewSite
from palio.server.listening import ground, listen
from palio.server.match.journal import ReplayStore
from palio.server.services.catalog import Catalog
from palio.v1 import catalog_pb2_grpc, match_pb2_grpc, simulation_pb2_grpc

log = structlog.get_logger(__name__)


class FrontServer:
    """A server of several processes.

    Args:
        config: what the operator set.
        accounts: knows the tokens.
        extensions: further services.

    Attributes:
        addresses: where it listens, once started, with the ports that the system chose.
    """

    def __init__(self, config: ServerConfig, accounts: Accounts, extensions: Sequence[Extension] = ()) -> None:
        self.config = config
        self.addresses: list[str] = []
        self._accounts = accounts
        self._extensions = extensions
        self._gate = Gate(accounts, open_local=config.open)
        self._crew = Crew(config, self._changed)
        self._health = health.aio.HealthServicer()
        self._server: grpc.aio.Server | None = None
        self._certificates: Certificates | None = None
        self._draining = False
        self._reports: set[asyncio.Task[None]] = set()

    @property
    def _services(self) -> tuple[str, ...]:
        return SERVICES + tuple(name for extension in self._extensions for name in extension.services)

    async def start(self) -> None:
        """Listen, start the workers, which take up unfinished matches, and report healthy.

        Raises:
            CannotListen: an address is in use or cannot be used, or a worker does not come up.
            UnusableCertificates: nor can the files of ``tls``.
            OSError: the data directory cannot be used.
        """
        config, limits = self.config, self.config.limits
        rights = dict(RIGHTS)
        for extension in self._extensions:
            rights |= extension.rights
        server, entrance, streams = ground(config, self._gate, rights)
        self._server = server
        door = Door(self._crew, self._rank, entrance, streams)
        server.add_generic_rpc_handlers((door.handler(),))
        catalog_pb2_grpc.add_CatalogServiceServicer_to_server(Catalog(limits.max_page_size), server)
        self._certificates = Certificates.of(config.tls)
        self.addresses = [listen(server, address, self._certificates) for address in config.listen_addresses]
        gather(config.data, config.workers)
        folders = Folders(config.data, config.workers)
        archive = Archive(ReplayStore(config.data / "replays"))
        matches = ForwardedMatches(self._crew, folders, archive, limits.max_page_size)
        match_pb2_grpc.add_MatchServiceServicer_to_server(matches, server)
        simulation = ForwardedSimulation(self._crew, folders, limits.apply_choices)
        simulation_pb2_grpc.add_SimulationServiceServicer_to_server(simulation, server)
        site = CrewSite(self._crew, folders, archive)
        for extension in self._extensions:
            extension.register(server, site)
        health_pb2_grpc.add_HealthServicer_to_server(self._health, server)
        reflection.enable_server_reflection((*self._services, health.SERVICE_NAME, reflection.SERVICE_NAME), server)
        try:
            await self._crew.start()
        except BaseException:
            await server.stop(None)
            raise
        for extension in self._extensions:
            await extension.start()
        await server.start()
        await self._report()
        if config.open:
            log.warning(
                "workers.idle", text="without tokens a player has one bot, and the first bot of each is on worker 0"
            )
        log.info("server.started", addresses=self.addresses, data=str(config.data), workers=config.workers)

    async def _rank(self, credential_id: str) -> int:
        if self.config.open and credential_id.startswith("open:"):
            return 0
        return await asyncio.to_thread(self._accounts.rank, credential_id)

    def _changed(self) -> None:
        task = asyncio.get_running_loop().create_task(self._report())
        self._reports.add(task)
        task.add_done_callback(self._reports.discard)

    async def _report(self) -> None:
        """Tell those who ask for the health of each service: playing is well while every worker is."""
        states = health_pb2.HealthCheckResponse
        for name in ("", *self._services):
            well = not self._draining and (self._crew.well or name not in PLAYING)
            await self._health.set(name, states.SERVING if well else states.NOT_SERVING)

    def read_again(self) -> None:
        """The certificates were renewed."""
        read_again(self._certificates)
        self._crew.read_again()

    def hurry(self) -> None:
        """Wait no longer for matches to end, while it stops."""
        self._crew.hurry()

    async def stop(self, grace: float | None = None) -> None:
        """Drain and stop; matches that are not over within ``grace`` seconds go on after the next start."""
        self._draining = True
        await self._report()
        for extension in self._extensions:
            await extension.stop()
        log.info("server.draining", workers=self.config.workers)
        await self._crew.stop(self.config.drain_limit if grace is None else grace)
        if self._server is not None:
            await self._server.stop(1.0)
        for extension in self._extensions:
            await extension.close()
        log.info("server.stopped")
