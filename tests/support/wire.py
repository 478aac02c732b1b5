"""A hand-driven bot: says exactly what a test tells it to, and shows exactly what the server said."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator
from types import TracebackType
from typing import Self

import grpc
import grpc.aio

from palio.v1 import play_pb2, play_pb2_grpc

WAIT = 60.0
"""Seconds after which a test gives up waiting; never the thing that is tested."""


class WireBot:
    """One Play stream.

    Args:
        address: of the server.
        name: label, and in open local mode the player's name.
    """

    def __init__(self, address: str, name: str = "", token: str = "") -> None:
        self.address = address
        self._channel = grpc.aio.insecure_channel(address)
        self._call = play_pb2_grpc.PlayServiceStub(self._channel).Play()
        self._inbox: asyncio.Queue[play_pb2.Update | None] = asyncio.Queue()
        self.name = name
        self.token = token
        self.seen: list[play_pb2.Update] = []
        self.last_seq: dict[str, int] = {}
        self.error: grpc.aio.AioRpcError | None = None
        self._reader: asyncio.Task[None] | None = None

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.cut()

    async def cut(self) -> None:
        """End the connection without a word."""
        self._call.cancel()
        if self._reader is not None:
            self._reader.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await self._reader
        await self._channel.close()

    async def hello(self, *, matches: int = 1, resume: dict[str, int] | None = None, version: int = 1) -> Self:
        """Say Hello; the answer is read like any other message."""
        await self.say(
            play_pb2.PlayRequest(
                hello=play_pb2.Hello(
                    token=self.token,
                    bot_name=self.name,
                    protocol_version=version,
                    max_concurrent_matches=matches,
                    resume=resume,
                )
            )
        )
        self.read()
        return self

    def read(self) -> None:
        """Begin to read; without it the bot never reads."""
        self._reader = asyncio.create_task(self._read())

    async def _read(self) -> None:
        try:
            async for response in self._call:
                for update in response.updates:
                    self.seen.append(update)
                    if update.seq:
                        self.last_seq[update.match_id] = update.seq
                    self._inbox.put_nowait(update)
        except grpc.aio.AioRpcError as error:
            self.error = error
        finally:
            self._inbox.put_nowait(None)

    async def say(self, request: play_pb2.PlayRequest) -> None:
        await self._call.write(request)

    async def next(self, kind: str = "") -> play_pb2.Update:
        """The next update, or the next of that kind (others are passed over; pings always).

        Raises:
            EOFError: the stream ended instead.
        """
        async with asyncio.timeout(WAIT):
            while (update := await self._inbox.get()) is not None:
                found = update.WhichOneof("message")
                if found == kind or (not kind and found != "ping"):
                    return update
        raise EOFError(f"the stream ended before {kind or 'anything else'}: {self.error}")

    async def end(self) -> list[play_pb2.Update]:
        """Wait for the end of the stream; what came until then."""
        rest: list[play_pb2.Update] = []
        async with asyncio.timeout(WAIT):
            while (update := await self._inbox.get()) is not None:
                rest.append(update)
        return rest

    async def ready(self, match_id: str) -> None:
        await self.say(play_pb2.PlayRequest(ready=play_pb2.Ready(match_id=match_id)))

    async def choose(self, match_id: str, decision_id: int, option: int) -> None:
        choose = play_pb2.Choose(match_id=match_id, decision_id=decision_id, option=option)
        await self.say(play_pb2.PlayRequest(choose=choose))

    async def play(self, option: int = 0) -> AsyncIterator[play_pb2.Update]:
        """Play every match with always the same option; yields every update; ends with the stream."""
        while True:
            try:
                update = await self.next()
            except EOFError:
                return
            try:
                match update.WhichOneof("message"):
                    case "match_started":
                        await self.ready(update.match_id)
                    case "decision" if not update.decision.HasField("answered"):
                        await self.choose(update.match_id, update.decision.decision_id, option)
                    case _:
                        pass
            except (grpc.aio.AioRpcError, asyncio.InvalidStateError):
                return
            yield update

    async def play_to_the_end(self, option: int = 0) -> play_pb2.MatchEnded:
        """Play until the first match ends."""
        async with contextlib.aclosing(self.play(option)) as updates:  # type: ignore[type-var]
            async for update in updates:
                if update.HasField("match_ended"):
                    return update.match_ended
        raise EOFError(f"the stream ended before the match: {self.error}")

    async def play_on(self) -> None:
        """Play whatever comes, as long as the stream lasts."""
        async for _ in self.play():
            pass
