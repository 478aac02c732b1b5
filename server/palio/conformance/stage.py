"""Where one scenario is played: a server of its own, the program, its connections, and the verdicts."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from typing import Final, TypeAlias

import grpc
import grpc.aio
from grpc_health.v1 import health, health_pb2, health_pb2_grpc
from grpc_reflection.v1alpha import reflection

from palio.conformance.line import Context, Line
from palio.conformance.obligation import Missing, Obligation, Status, Verdict
from palio.conformance.program import Program, Start
from palio.conformance.table import DEFAULT_GAME, Table
from palio.games import all_rules
from palio.server.services.catalog import Catalog
from palio.v1 import catalog_pb2_grpc

TOKEN: Final = "palio-check-token-0123456789"  # noqa: S105 - it opens nothing
_PAGE: Final = 100
_GIVEN_UP: Final = 3
_SERVICES: Final = ("palio.v1.CatalogService", "palio.v1.PlayService", health.SERVICE_NAME, reflection.SERVICE_NAME)


Play: TypeAlias = "Callable[[Stage], Awaitable[str | None]]"
"""What a scenario does. It judges its obligations one after another; where it returns a text instead, its only (or
last) obligation holds and the text says what was seen."""


class Stage:
    """One scenario.

    Args:
        obligations: what it tries, in the order in which it judges them.
        start: starts the program under test.
        patience: seconds to wait for what must come.

    Attributes:
        verdicts: those reached so far.
        address: of the server; the same after a restart.
    """

    def __init__(self, obligations: tuple[Obligation, ...], start: Start, patience: float) -> None:
        self.verdicts: dict[Obligation, Verdict] = {}
        self.address = ""
        self._obligations = obligations
        self._start = start
        self._patience = patience
        self._arrivals: asyncio.Queue[Line] = asyncio.Queue()
        self._servers: list[grpc.aio.Server] = []
        self._program: Program | None = None
        self._exit: asyncio.Task[int] | None = None

    # --- the run ---

    async def run(self, play: Play) -> list[Verdict]:
        """Play this scenario; every obligation gets a verdict."""
        try:
            await self.open()
            self._program = await self._start({"PALIO_SERVER": self.address, "PALIO_TOKEN": TOKEN})
            self._exit = asyncio.create_task(self._program.wait())
            seen = await play(self)
            if seen is not None:
                self.judge(self._obligations[-1], True, seen)
        except Missing as missing:
            self._give_up(str(missing) + await self._fate())
        finally:
            if self._program is not None:
                await self._program.kill()
            if self._exit is not None:
                self._exit.cancel()
            await self.close()
        return [self.verdicts[obligation] for obligation in self._obligations]

    def judge(self, obligation: Obligation, holds: bool, seen: str) -> None:
        """Say how an obligation came out; a verdict that it is broken stands."""
        if obligation not in self.verdicts:
            self.verdicts[obligation] = Verdict(obligation, Status.HELD if holds else Status.BROKEN, seen)

    def _give_up(self, seen: str) -> None:
        left = [obligation for obligation in self._obligations if obligation not in self.verdicts]
        for obligation in left:
            if obligation is left[0]:
                self.verdicts[obligation] = Verdict(obligation, Status.BROKEN, seen)
            else:
                self.verdicts[obligation] = Verdict(obligation, Status.NOT_TRIED, f"{left[0].id} came first")

    async def _fate(self) -> str:
        """What became of the program, if it is no more."""
        if self._exit is None or self._program is None:
            return ""
        await asyncio.wait([self._exit], timeout=0.5)
        if not self._exit.done():
            return ""
        words = " / ".join(self._program.last_words())
        return f"; the program ended with exit code {self._exit.result()}" + (
            f", its last words: {words}" if words else ""
        )

    # --- the server ---

    async def open(self) -> None:
        """Begin to listen, on the port of the last time if there was one."""
        self.address = await self._listen(self.address)

    async def open_elsewhere(self) -> str:
        """Listen at another address as well; returns it."""
        return await self._listen("")

    async def _listen(self, address: str) -> str:
        server = grpc.aio.server(options=[("grpc.so_reuseport", 0)])

        async def serve(requests: AsyncIterator[bytes], context: Context) -> None:
            line = Line(context, self._patience, address)
            self._arrivals.put_nowait(line)
            await line.serve(requests)

        method: grpc.RpcMethodHandler[bytes, bytes] = grpc.stream_stream_rpc_method_handler(serve)
        server.add_generic_rpc_handlers(
            (grpc.method_handlers_generic_handler("palio.v1.PlayService", {"Play": method}),)
        )
        catalog_pb2_grpc.add_CatalogServiceServicer_to_server(Catalog(_PAGE), server)
        healthy = health.aio.HealthServicer()
        health_pb2_grpc.add_HealthServicer_to_server(healthy, server)
        reflection.enable_server_reflection(_SERVICES, server)
        port = server.add_insecure_port(address or "127.0.0.1:0")
        address = f"127.0.0.1:{port}"
        await server.start()
        await healthy.set("", health_pb2.HealthCheckResponse.SERVING)
        self._servers.append(server)
        return address

    async def close(self) -> None:
        """Stop listening; all connections break."""
        while self._servers:
            await self._servers.pop().stop(None)

    # --- the program ---

    async def arrival(self) -> Line:
        """The bot's next connection, on which nothing was said yet.

        Raises:
            Missing: it does not come.
        """
        getting = asyncio.create_task(self._arrivals.get())
        await asyncio.wait({getting, *self._exits()}, timeout=self._patience, return_when=asyncio.FIRST_COMPLETED)
        if getting.done():
            return getting.result()
        getting.cancel()
        if self._exit is not None and self._exit.done():
            raise Missing("the bot did not connect")
        raise Missing(f"the bot did not connect within {self._patience:g} s")

    def put_back(self, line: Line) -> None:
        """Let :meth:`arrival` find a connection once more."""
        self._arrivals.put_nowait(line)

    async def connection(self) -> Line:
        """The bot's next connection, greeted. One that it gave up before it read Welcome, as it may on a slow machine,
        is passed over.

        Raises:
            Missing: there is none.
        """
        for _ in range(_GIVEN_UP):
            line = await self.arrival()
            try:
                await line.greet()
                await line.fence()
            except Missing:
                if not line.closed:
                    raise
            else:
                return line
        raise Missing(f"the bot ended {_GIVEN_UP} connections in a row after its Hello")

    async def end_of_program(self) -> int:
        """The exit code of the program, which must end without connecting again.

        Raises:
            Missing: it connects again, or does not end.
        """
        getting = asyncio.create_task(self._arrivals.get())
        try:
            await asyncio.wait({getting, *self._exits()}, timeout=self._patience, return_when=asyncio.FIRST_COMPLETED)
            if getting.done():
                raise Missing("the bot connected again")
            if self._exit is None or not self._exit.done():
                raise Missing(f"the bot still ran after {self._patience:g} s")
            return self._exit.result()
        finally:
            getting.cancel()

    def terminate(self) -> None:
        """Send the program SIGTERM."""
        assert self._program is not None
        self._program.terminate()

    def _exits(self) -> Iterator[asyncio.Task[int]]:
        if self._exit is not None:
            yield self._exit

    # --- what scripts begin with ---

    async def table(self, match_id: str = "one", **settings: object) -> Table:
        """The bot's next connection and a match on it at the bot's first decision."""
        line = await self.connection()
        table = Table(line, match_id, game=games_of(line)[0], **settings)  # type: ignore[arg-type]
        await table.start()
        return table


def games_of(line: Line) -> list[str]:
    """The games to try with a bot: those that it declares and that are here, Fidelitas first; all of them where it
    declares none."""
    here = sorted(all_rules(), key=lambda game: (game != DEFAULT_GAME, game))
    declared = [game for game in here if game in line.hello.games]
    return declared or (here if not line.hello.games else [DEFAULT_GAME])
