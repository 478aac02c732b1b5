"""The bots of all languages on a server of several processes: each follows to its worker and plays there.

A language whose bot is not built (``make clients``) is left out; Python always plays.
"""

from __future__ import annotations

import asyncio
import os
import subprocess
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

import pytest
from tests.clients.test_cross_language import COMMANDS, built
from tests.support.front import FrontProcess

from palio.server.verify import verify_file
from palio.v1 import match_pb2

WORKERS = 2
SECOND = "second"


@pytest.fixture
def languages() -> list[str]:
    return sorted({"python", *built()})


@pytest.fixture
def server(tmp_path: Path, languages: list[str]) -> Iterator[FrontProcess]:
    """Running greedy bots of every language, one for each worker; players are named after it. Python plays twice, so
    that it has an opponent in any case."""
    players = dict.fromkeys((*languages, SECOND), WORKERS)
    server = FrontProcess(tmp_path / "server", players, workers=WORKERS)
    server.start()
    bots: list[subprocess.Popen[bytes]] = []
    for name in players:
        command = COMMANDS["python" if name == SECOND else name]
        for token in server.tokens[name]:
            environment = {**os.environ, "PALIO_SERVER": server.address, "PALIO_TOKEN": token}
            log = (tmp_path / f"{name}.log").open("ab")
            bots.append(subprocess.Popen(command, env=environment, stdout=log, stderr=log))
    yield server
    for bot in bots:
        bot.kill()
        bot.wait()
    server.kill()


@pytest.mark.slow
async def test_every_sdk_follows_to_every_worker(server: FrontProcess, languages: list[str]) -> None:
    ring = [*languages, SECOND, languages[0]]
    for name in set(ring):
        await server.wait_for(name, WORKERS)
    names = [f"{one}-{other}-{worker}" for one, other in pairwise(ring) for worker in range(WORKERS)]
    for name in names:
        await server.create_fidelitas(name, name.split("-")[:2])
    async with asyncio.timeout(200):
        for name in names:
            match = await server.result(name)
            terminations = [seat.termination for seat in match.result.seats]
            assert terminations == [match_pb2.TERMINATION_FINISHED] * 2, name
    for name in names:
        assert not verify_file(server.replays / f"{name}.1.replay").difference
    lines = [line for line in server.log.splitlines() if "match.started" in line]
    hosts = {line.split("worker=")[1].split()[0] for line in lines}
    assert hosts == {"0", "1"}
