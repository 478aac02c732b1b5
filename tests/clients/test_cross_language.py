"""The greedy bots of all languages play the same games: from equal deals, whoever sits where, the replays are equal.

A language whose bot is not built (``make clients``) is left out; with fewer than two there is nothing to compare.
"""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Iterator
from itertools import product
from pathlib import Path

import grpc
import pytest
from tests.support.process import ServerProcess

from palio.v1 import match_pb2, match_pb2_grpc

ROOT = Path(__file__).resolve().parents[2]
CLIENTS = ROOT / "clients"

COMMANDS: dict[str, list[str]] = {
    "python": [shutil.which("palio", path=str(ROOT / ".venv/bin")) or "palio", "bot", "run", "greedy"],
    "typescript": ["node", str(CLIENTS / "typescript/dist/src/bots/greedy.js")],
    "go": [str(CLIENTS / "go/bin/greedy")],
    "java": [str(CLIENTS / "java/bin/greedy")],
    "rust": [str(CLIENTS / "rust/target/release/examples/greedy")],
    "cpp": [str(CLIENTS / "cpp/build/greedy")],
}
BUILT = {"java": CLIENTS / "java/target/classes/palio/bots/GreedyBot.class"}
"""What shows that a bot is built, where its command does not."""

DEALS = 4


def built() -> list[str]:
    """The languages whose bot can be started."""
    return [
        language
        for language, command in COMMANDS.items()
        if shutil.which(command[0]) and BUILT.get(language, Path(command[1 if command[0] == "node" else 0])).exists()
    ]


@pytest.fixture
def server(tmp_path: Path) -> Iterator[ServerProcess]:
    process = ServerProcess(tmp_path / "server")
    process.start()
    yield process
    process.kill()


@pytest.fixture
def languages(server: ServerProcess, tmp_path: Path) -> Iterator[list[str]]:
    """A running greedy bot in each language; the player is named after it."""
    found = built()
    if len(found) < 2:
        pytest.skip(f"greedy is built only in {', '.join(found)}: run make clients")
    bots = []
    for language in found:
        environment = {**os.environ, "PALIO_SERVER": server.address, "PALIO_BOT_NAME": language}
        log = (tmp_path / f"{language}.log").open("wb")
        bots.append(subprocess.Popen(COMMANDS[language], env=environment, stdout=log, stderr=log))
    yield found
    for bot in bots:
        bot.kill()
        bot.wait()


def play(stub: match_pb2_grpc.MatchServiceStub, players: tuple[str, ...], deal: int) -> str:
    """Start a match; returns its id."""
    request = match_pb2.CreateMatchRequest(game="fidelitas", players=players, seed=bytes([deal + 1]) * 32)
    request.policies.no_show.seconds = 120
    match_id: str = stub.CreateMatch(request).match.match_id
    return match_id


def result(stub: match_pb2_grpc.MatchServiceStub, match_id: str) -> match_pb2.MatchResult:
    """Wait for the end of a match."""
    for update in stub.WatchMatch(match_pb2.WatchMatchRequest(match_id=match_id, result_only=True)):
        if update.HasField("ended"):
            return update.ended.result
    raise EOFError("the stream ended before the match")


@pytest.mark.slow
def test_greedy_plays_the_same_games_in_every_language(server: ServerProcess, languages: list[str]) -> None:
    with grpc.insecure_channel(server.address) as channel:
        stub = match_pb2_grpc.MatchServiceStub(channel)
        tables = [pair for pair in product(languages, repeat=2) if pair[0] != pair[1]]
        for size in (3, 4):  # every language in every seat
            tables += [tuple((languages * size)[i : i + size]) for i in range(len(languages))] * (
                len(languages) >= size
            )
        started = [(table, deal, play(stub, table, deal)) for table in tables for deal in range(DEALS)]
        digests: dict[tuple[int, int], dict[str, set[str]]] = {}
        for table, deal, match_id in started:
            ended = result(stub, match_id)
            for seat in ended.seats:
                assert seat.termination == match_pb2.TERMINATION_FINISHED, (table[seat.seat], deal)
            found = digests.setdefault((len(table), deal), {})
            found.setdefault(ended.replay_digest, set()).add(" ".join(table))
    for (size, deal), found in digests.items():
        assert len(found) == 1, f"{size} players, deal {deal}: {found}"
