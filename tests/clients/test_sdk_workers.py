"""The bots of all languages on a server of several processes: each follows to its worker and plays there.

A language whose bot is not built (``make clients``) is left out; Python always plays.
"""

from __future__ import annotations

import asyncio
import os
import subprocess
from collections.abc import Callable, Iterator
from itertools import pairwise
from pathlib import Path

import pytest
from tests.clients.test_cross_language import COMMANDS, built
from tests.support.front import FrontProcess

from palio.server.match.verify import verify_file
from palio.v1 import match_pb2

WORKERS = 2
SECOND = "second"


@pytest.fixture
def languages() -> list[str]:
    return sorted({"python", *built()})


@pytest.fixture
def server(tmp_path: Path, languages: list[str]) -> Iterator[FrontProcess]:
    """Players named after the languages, each with a token for every worker. Python plays twice, so that it has an
    opponent in any case."""
    server = FrontProcess(tmp_path / "server", dict.fromkeys((*languages, SECOND), WORKERS), workers=WORKERS)
    server.start()
    yield server
    server.kill()


@pytest.fixture
def start(server: FrontProcess, tmp_path: Path) -> Iterator[Callable[[str], None]]:
    """Starts greedy bots of a player, one for each token."""
    bots: list[subprocess.Popen[bytes]] = []

    def begin(player: str) -> None:
        command = COMMANDS["python" if player == SECOND else player]
        for token in server.tokens[player]:
            environment = {**os.environ, "PALIO_SERVER": server.address, "PALIO_TOKEN": token}
            log = (tmp_path / f"{player}.log").open("ab")
            bots.append(subprocess.Popen(command, env=environment, stdout=log, stderr=log))

    yield begin
    for bot in bots:
        bot.kill()
        bot.wait()


@pytest.mark.slow
async def test_every_sdk_follows_to_every_worker(
    server: FrontProcess, languages: list[str], start: Callable[[str], None]
) -> None:
    ring = [*languages, SECOND, languages[0]]
    for name in ring[:-1]:  # one after the other: all at once, they take longer to start than some of them wait
        start(name)
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
