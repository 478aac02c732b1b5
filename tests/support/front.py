"""A server of several processes with players and tokens, and what tests ask of it."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from pathlib import Path
from typing import Final

import grpc
import grpc.aio
from tests.support.arena import sticks
from tests.support.process import ServerProcess
from tests.support.wire import WireBot

from palio.server.access.accounts import Accounts
from palio.server.access.credentials import Role
from palio.server.config import default_database
from palio.v1 import match_pb2, match_pb2_grpc, play_pb2

ORGANISER: Final = "organiser"


class FrontProcess(ServerProcess):
    """It, with an organiser and players.

    Args:
        tokens_of: how many tokens each player has.
        workers: how many processes host matches.

    Attributes:
        tokens: of each player, oldest first.
    """

    def __init__(self, data: Path, tokens_of: dict[str, int], *arguments: str, workers: int = 2) -> None:
        super().__init__(data, "--workers", str(workers), *arguments, tokens=True)
        data.mkdir(parents=True, exist_ok=True)
        self.database = default_database(data)
        self.replays = data / "replays"
        self.tokens: dict[str, list[str]] = {}
        with Accounts.open(self.database) as accounts:
            accounts.create_player(ORGANISER, Role.ORGANISER)
            self.tokens[ORGANISER] = [accounts.create_token(ORGANISER)[0]]
            for player, count in tokens_of.items():
                accounts.create_player(player)
                self.tokens[player] = [accounts.create_token(player)[0] for _ in range(count)]

    def bearer(self, player: str = ORGANISER) -> tuple[tuple[str, str], ...]:
        """Metadata that says who calls."""
        return (("authorization", f"Bearer {self.tokens[player][0]}"),)

    async def moved(self, token: str, **hello: object) -> WireBot:
        """A bot that was sent to its worker and has said Hello there."""
        address = await self.place(token)
        return await WireBot(address, token=token).hello(**hello)  # type: ignore[arg-type]

    async def place(self, token: str) -> str:
        """Where a bot with that token is sent."""
        async with WireBot(self.address, token=token) as bot:
            await bot.hello()
            goodbye = (await bot.next("goodbye")).goodbye
            assert goodbye.reason == play_pb2.GOODBYE_REASON_MOVED
            assert await bot.end() == []
            assert bot.error is None
            return goodbye.address

    async def create(self, match_id: str, players: Sequence[str], heap: int = 9) -> match_pb2.Match:
        """A match of the plug-in game."""
        request = match_pb2.CreateMatchRequest(
            match_id=match_id, game="sticks", players=players, options=sticks(heap), seed=bytes(32)
        )
        async with grpc.aio.insecure_channel(self.address) as channel:
            stub = match_pb2_grpc.MatchServiceStub(channel)
            return (await stub.CreateMatch(request, metadata=self.bearer())).match

    async def create_fidelitas(self, match_id: str, players: Sequence[str]) -> match_pb2.Match:
        """A match of Fidelitas."""
        request = match_pb2.CreateMatchRequest(match_id=match_id, game="fidelitas", players=players)
        async with grpc.aio.insecure_channel(self.address) as channel:
            stub = match_pb2_grpc.MatchServiceStub(channel)
            return (await stub.CreateMatch(request, metadata=self.bearer())).match

    async def connected(self) -> dict[str, match_pb2.ConnectedPlayer]:
        """Who is connected, by name."""
        async with grpc.aio.insecure_channel(self.address) as channel:
            stub = match_pb2_grpc.MatchServiceStub(channel)
            response = await stub.ListPlayers(match_pb2.ListPlayersRequest(), metadata=self.bearer())
        return {player.player: player for player in response.players}

    async def wait_for(self, player: str, sessions: int) -> None:
        """Wait until a player has so many bots connected."""
        async with asyncio.timeout(120):
            while (await self.connected()).get(player, match_pb2.ConnectedPlayer()).sessions < sessions:  # noqa: ASYNC110
                await asyncio.sleep(0.05)

    async def result(self, match_id: str) -> match_pb2.Match:
        """Wait for the end of a match, over as many connections as it takes."""
        async with grpc.aio.insecure_channel(self.address) as channel:
            stub = match_pb2_grpc.MatchServiceStub(channel)
            request = match_pb2.WatchMatchRequest(match_id=match_id, result_only=True)
            while True:
                try:
                    async for update in stub.WatchMatch(request, metadata=self.bearer(), wait_for_ready=True):
                        if update.HasField("ended"):
                            return update.ended
                except grpc.aio.AioRpcError as error:
                    if error.code() is not grpc.StatusCode.UNAVAILABLE:
                        raise
