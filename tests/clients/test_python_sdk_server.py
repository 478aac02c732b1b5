"""The Python SDK against the real server."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
from pathlib import Path

import grpc.aio
import pytest
from tests.support.process import ServerProcess

from palio.bots import bot_named
from palio.bots.arena import play_match
from palio.client import Bot, Decision, Factory, Match, play_async
from palio.client.playing import seed_is_honest
from palio.client.settings import Settings
from palio.engine.chance import commitment, mixed_seed, seed_from_text
from palio.server.app import ArenaServer
from palio.server.config import ServerConfig
from palio.v1 import match_pb2, match_pb2_grpc, play_pb2

FINISHED = match_pb2.TERMINATION_FINISHED


async def create(address: str, match_id: str, players: list[str], **fields: object) -> None:
    async with grpc.aio.insecure_channel(address) as channel:
        request = match_pb2.CreateMatchRequest(
            match_id=match_id,
            game="fidelitas",
            players=players,
            **fields,  # type: ignore[arg-type]
        )
        await match_pb2_grpc.MatchServiceStub(channel).CreateMatch(request)


def keep_results(name: str, seed: str, results: dict[str, match_pb2.MatchResult]) -> Factory:
    """The bot of that name, which also keeps how its matches ended."""
    make = bot_named(name, seed)

    def factory(match: Match) -> Bot:
        bot = make(match)

        def ended(ended: play_pb2.MatchEnded) -> None:
            results[match.match_id] = ended.result

        bot.ended = ended  # type: ignore[method-assign]
        return bot

    return factory


def settings(address: str, name: str, matches: int) -> Settings:
    return Settings(server=address, name=name, matches=matches, first_delay=0.02, longest_delay=0.2)


async def test_several_matches_at_once_play_as_in_one_process(tmp_path: Path) -> None:
    server = ArenaServer(ServerConfig.model_validate({"listen": ["127.0.0.1:0"], "data": tmp_path, "open": True}))
    await server.start()
    address = server.addresses[0]
    results: dict[str, match_pb2.MatchResult] = {}
    try:
        ids = [f"m{number}" for number in range(4)]
        for match_id in ids:
            await create(address, match_id, ["a", "b"], seed=seed_from_text(match_id))
        finished = await asyncio.gather(
            play_async(keep_results("greedy", "0", results), settings(address, "a", len(ids))),
            play_async(bot_named("random", "1"), settings(address, "b", len(ids))),
        )
    finally:
        await server.stop(grace=0)
    assert list(finished) == [len(ids), len(ids)]
    factories = [bot_named("greedy", "0"), bot_named("random", "1")]
    for match_id in ids:
        outcome = play_match("fidelitas", factories, seed_from_text(match_id), match_id).outcome
        assert [seat.termination for seat in results[match_id].seats] == [FINISHED, FINISHED]
        assert [seat.points for seat in results[match_id].seats] == list(outcome.points)
        assert [seat.rank for seat in results[match_id].seats] == list(outcome.ranks)


@pytest.mark.slow
async def test_it_plays_on_when_the_server_is_killed(tmp_path: Path) -> None:
    chosen = asyncio.Event()

    class Slowed(Bot):
        """Greedy that tells of its choices, so that the kills hit the middle of the match."""

        def __init__(self, match: Match) -> None:
            super().__init__(match)
            self._inner = bot_named("greedy")(match)

        async def choose(self, decision: Decision) -> int:
            chosen.set()
            await asyncio.sleep(0.002)
            option = self._inner.choose(decision)
            assert isinstance(option, int)
            return option

        def ended(self, ended: play_pb2.MatchEnded) -> None:
            results.append(ended.result)

    results: list[match_pb2.MatchResult] = []
    server = ServerProcess(tmp_path)
    address = await server.start_async()
    try:
        await create(address, "m", ["a", "b"], seed=seed_from_text("kills"))
        players = [asyncio.create_task(play_async(Slowed, settings(address, name, 1))) for name in "ab"]
        for _ in range(2):
            chosen.clear()
            await asyncio.wait_for(chosen.wait(), 60)
            server.kill()
            await server.start_async()
        assert await asyncio.wait_for(asyncio.gather(*players), 60) == [1, 1]
    finally:
        server.kill()
    expected = play_match("fidelitas", [bot_named("greedy")] * 2, seed_from_text("kills"), "m").outcome
    for result in results:
        assert [seat.points for seat in result.seats] == list(expected.points)


async def test_its_randomness_enters_the_seed(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    config = {"listen": ["127.0.0.1:0"], "data": tmp_path, "open": True, "player_entropy": True}
    server = ArenaServer(ServerConfig.model_validate(config))
    await server.start()
    results: dict[str, match_pb2.MatchResult] = {}
    try:
        await create(server.addresses[0], "m", ["a", "b"])
        factory = keep_results("random", "", results)
        await asyncio.gather(*(play_async(factory, settings(server.addresses[0], name, 1)) for name in "ab"))
    finally:
        await server.stop(grace=0)
    assert [len(part) for part in results["m"].entropy] == [32, 32]
    assert "seed" not in caplog.text


def test_a_dishonest_seed_is_noticed() -> None:
    secret, seed = bytes(32), bytes([1] * 32)
    plain = play_pb2.MatchStarted(seed_commitment=commitment(seed))
    assert seed_is_honest(plain, match_pb2.MatchResult(seed=seed), b"")
    assert not seed_is_honest(plain, match_pb2.MatchResult(seed=secret), b"")
    mixed = play_pb2.MatchStarted(seed_commitment=commitment(secret), player_entropy=True, seat=1)
    result = match_pb2.MatchResult(secret=secret, entropy=[b"a", b"b"], seed=mixed_seed(secret, [b"a", b"b"]))
    assert seed_is_honest(mixed, result, b"b")
    assert not seed_is_honest(mixed, result, b"mine")
    result.entropy[0] = b"c"
    assert not seed_is_honest(mixed, result, b"b")


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
async def test_a_bot_program_leaves_when_it_is_told_to(tmp_path: Path, number: signal.Signals) -> None:
    program = tmp_path / "bot.py"
    program.write_text(
        "from palio.client import Bot, main\n"
        "class First(Bot):\n"
        "    def choose(self, decision):\n"
        "        return 0\n"
        "    def ended(self, ended):\n"
        "        print('ended', flush=True)\n"
        "main(First)\n"
    )
    server = ServerProcess(tmp_path / "data")
    address = await server.start_async()
    environment = {**os.environ, "PALIO_SERVER": address, "PALIO_BOT_NAME": "program"}
    bot = await asyncio.create_subprocess_exec(sys.executable, str(program), env=environment, stdout=subprocess.PIPE)
    try:
        await create(address, "m", ["program", "other"])
        await play_async(bot_named("random"), settings(address, "other", 1))
        assert bot.stdout is not None
        assert await bot.stdout.readline() == b"ended\n"
        bot.send_signal(number)
        assert await asyncio.wait_for(bot.wait(), 60) == 0
    finally:
        if bot.returncode is None:
            bot.kill()
            await bot.wait()
        server.kill()


def test_a_bot_program_without_a_server_says_so_in_one_line(tmp_path: Path) -> None:
    program = tmp_path / "bot.py"
    program.write_text("from palio.client import Bot, main\nmain(Bot)\n")

    def run(*arguments: str) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, str(program), *arguments]
        return subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)

    bad = run("--server", "nowhere")
    assert bad.returncode == 2
    assert "server: 'nowhere' is neither host:port nor unix:/path" in bad.stderr
    assert "Traceback" not in bad.stderr
