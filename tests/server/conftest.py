"""A real server on a real socket, in the test's own event loop."""

from __future__ import annotations

import io
import logging
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from pathlib import Path

import pytest
import structlog
from tests.support.arena import Host

from palio.server import logs
from palio.server.app import ArenaServer
from palio.server.config import ServerConfig

Start = Callable[..., Awaitable[Host]]


@pytest.fixture
async def start(tmp_path: Path) -> AsyncIterator[Start]:
    """Starts servers on ``tmp_path``; keyword arguments are fields of ServerConfig."""
    hosts: list[Host] = []

    async def begin(**fields: object) -> Host:
        settings = {"listen": ["127.0.0.1:0"], "data": tmp_path, "open": True, **fields}
        server = ArenaServer(ServerConfig.model_validate(settings))
        await server.start()
        host = Host(server)
        hosts.append(host)
        return host

    yield begin
    for host in hosts:
        await host.close()


@pytest.fixture
async def host(start: Start) -> Host:
    return await start()


@pytest.fixture
def log() -> Iterator[io.StringIO]:
    """All that the server logs, at the most talkative level."""
    root = logging.getLogger()
    before = structlog.get_config(), root.handlers[:], root.level
    stream = io.StringIO()
    logs.configure("json", "debug", stream)
    yield stream
    structlog.configure(**before[0])
    root.handlers[:], root.level = before[1], before[2]
