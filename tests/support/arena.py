"""A server under test, with an organiser's stub and as many hand-driven bots as wanted."""

from __future__ import annotations

import grpc.aio
from google.protobuf import any_pb2, struct_pb2
from tests.support.wire import WireBot

from palio.server.app import ArenaServer
from palio.server.match.clock import duration
from palio.v1 import game_pb2, match_pb2, match_pb2_grpc


def sticks(heap: int) -> game_pb2.GameOptions:
    """Options of the plug-in game."""
    fields = struct_pb2.Struct()
    fields.update({"heap": heap})
    packed = any_pb2.Any()
    packed.Pack(fields)
    return game_pb2.GameOptions(other=packed)


class Host:
    """A running :class:`ArenaServer`."""

    def __init__(self, server: ArenaServer) -> None:
        self.server = server
        self.address = server.addresses[0]
        self._channel = grpc.aio.insecure_channel(self.address)
        self.matches = match_pb2_grpc.MatchServiceStub(self._channel)
        self._bots: list[WireBot] = []

    def bot(self, name: str) -> WireBot:
        """A bot that has said nothing yet; cut when the test ends."""
        bot = WireBot(self.address, name)
        self._bots.append(bot)
        return bot

    async def connect(self, *names: str, matches: int = 1) -> list[WireBot]:
        """Bots that have said Hello and got their Welcome."""
        bots = [await self.bot(name).hello(matches=matches) for name in names]
        for bot in bots:
            await bot.next("welcome")
        return bots

    async def create(
        self, *players: str, heap: int = 9, match_id: str = "m", per_decision: float | None = None, **fields: object
    ) -> match_pb2.Match:
        """A match of the plug-in game."""
        request = match_pb2.CreateMatchRequest(
            match_id=match_id,
            game="sticks",
            players=players,
            options=sticks(heap),
            seed=bytes(32),
            **fields,  # type: ignore[arg-type]
        )
        if per_decision is not None:
            request.time_control.per_decision.CopyFrom(duration(per_decision))
            request.time_control.lag_allowance.CopyFrom(duration(0))
        return (await self.matches.CreateMatch(request)).match

    async def result(self, match_id: str = "m") -> match_pb2.Match:
        """Wait for the end of a match, as a runner does."""
        async for update in self.matches.WatchMatch(match_pb2.WatchMatchRequest(match_id=match_id, result_only=True)):
            if update.HasField("ended"):
                return update.ended
        raise EOFError("the stream ended before the match")

    async def close(self) -> None:
        for bot in self._bots:
            await bot.cut()
        await self._channel.close()
        await self.server.stop(grace=0)
