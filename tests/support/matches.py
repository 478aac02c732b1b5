"""Matches played on a real server, for tests that want a replay."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine, Sequence
from pathlib import Path
from typing import Any

from tests.support.arena import Host
from tests.support.wire import WireBot

from palio.server.app import ArenaServer
from palio.server.config import ServerConfig
from palio.v1 import match_pb2, play_pb2

SEED = bytes(range(32))


async def play(
    host: Host, data: Path, game: str, players: Sequence[str], *, resigning: int | None = None, seed: bytes = SEED
) -> Path:
    """A match, everybody taking the first option; one seat may resign when it is asked first.

    Args:
        seed: empty lets the server draw one.

    Returns:
        The replay.
    """
    bots = await host.connect(*players)
    request = match_pb2.CreateMatchRequest(match_id="m", game=game, players=players, seed=seed)
    await host.matches.CreateMatch(request)
    plays: list[Coroutine[Any, Any, object]] = [
        _resign(bot) if seat == resigning else bot.play_to_the_end() for seat, bot in enumerate(bots)
    ]
    await asyncio.gather(*plays)
    return data / "replays" / "m.1.replay"


async def _resign(bot: WireBot) -> None:
    await bot.next("match_started")
    await bot.ready("m")
    await bot.next("decision")
    await bot.say(play_pb2.PlayRequest(resign=play_pb2.Resign(match_id="m")))
    await bot.next("match_ended")


def played(data: Path, game: str, players: Sequence[str], *, resigning: int | None = None) -> Path:
    """The replay of a match, for tests that run no event loop."""

    async def run() -> Path:
        config = ServerConfig.model_validate({"listen": ["127.0.0.1:0"], "data": data, "open": True})
        server = ArenaServer(config)
        await server.start()
        host = Host(server)
        try:
            return await play(host, data, game, players, resigning=resigning)
        finally:
            await host.close()

    return asyncio.run(run())
