"""The server as its organiser sees it: the calls that a tournament needs, repeated until the server is back."""

from __future__ import annotations

import asyncio
import functools
from collections.abc import Awaitable, Callable
from typing import Final, TypeVar

import grpc
import grpc.aio

from palio.codec.status import PalioError, from_rpc_error
from palio.v1 import match_pb2, match_pb2_grpc

T = TypeVar("T")

_CALL_SECONDS: Final = 30.0
_OPTIONS: Final = (
    ("grpc.initial_reconnect_backoff_ms", 50),
    ("grpc.min_reconnect_backoff_ms", 50),
    ("grpc.max_reconnect_backoff_ms", 500),
    ("grpc.max_receive_message_length", -1),
    ("grpc.use_local_subchannel_pool", 1),
)


class Organiser:
    """Calls of ``MatchService``. They bear any number of crashes of the server in between.

    Args:
        address: ``host:port`` or ``unix:/path``.
        token: of an organiser; empty on a server in open local mode.
        server_up: waits until the server can be asked again; raises when it never will be.
    """

    def __init__(self, address: str, token: str, server_up: Callable[[], Awaitable[None]]) -> None:
        self._channel = grpc.aio.insecure_channel(address, _OPTIONS)
        self._stub = match_pb2_grpc.MatchServiceStub(self._channel)
        self._metadata = (("authorization", f"Bearer {token}"),) if token else ()
        self._server_up = server_up

    async def close(self) -> None:
        await self._channel.close()

    async def create(self, request: match_pb2.CreateMatchRequest) -> match_pb2.Match | None:
        """Create a match; ``None`` if there is one of that id already, or that attempt is over.

        Raises:
            PalioError: the server refuses it.
        """

        async def call() -> match_pb2.Match | None:
            try:
                answer = await self._stub.CreateMatch(request, metadata=self._metadata, timeout=_CALL_SECONDS)
            except grpc.aio.AioRpcError as error:
                if error.code() is grpc.StatusCode.ALREADY_EXISTS:
                    return None
                raise
            return answer.match

        return await self._until_answered(call)

    async def find(self, match_id: str) -> match_pb2.Match:
        """A match as it stands."""

        async def call() -> match_pb2.Match:
            request = match_pb2.GetMatchRequest(match_id=match_id)
            answer = await self._stub.GetMatch(request, metadata=self._metadata, timeout=_CALL_SECONDS)
            return answer.match

        return await self._until_answered(call)

    async def end_of(self, match_id: str) -> match_pb2.Match:
        """Wait until a match is over, however long that takes; the match with its result."""

        async def call() -> match_pb2.Match:
            request = match_pb2.WatchMatchRequest(match_id=match_id, result_only=True)
            stream = self._stub.WatchMatch(request, metadata=self._metadata)
            try:
                async for update in stream:
                    if update.HasField("ended"):
                        return update.ended
            finally:
                stream.cancel()
            raise PalioError(grpc.StatusCode.UNAVAILABLE, "the server stopped in mid-stream")

        return await self._until_answered(call)

    async def cancel(self, match_id: str, reason: str) -> match_pb2.Match:
        """End a match as void; if it is over already, the match as it ended."""

        async def call() -> match_pb2.Match:
            request = match_pb2.CancelMatchRequest(match_id=match_id, reason=reason)
            try:
                answer = await self._stub.CancelMatch(request, metadata=self._metadata, timeout=_CALL_SECONDS)
            except grpc.aio.AioRpcError as error:
                if error.code() is grpc.StatusCode.FAILED_PRECONDITION:
                    return await self.find(match_id)
                raise
            return answer.match

        return await self._until_answered(call)

    async def unfinished(self) -> list[match_pb2.Match]:
        """All matches that wait or run."""

        async def call(state: match_pb2.MatchState.ValueType, token: str) -> match_pb2.ListMatchesResponse:
            request = match_pb2.ListMatchesRequest(state=state, page_token=token, page_size=1000)
            return await self._stub.ListMatches(request, metadata=self._metadata, timeout=_CALL_SECONDS)

        found: list[match_pb2.Match] = []
        for state in (match_pb2.MATCH_STATE_WAITING, match_pb2.MATCH_STATE_RUNNING):
            token = ""
            while True:
                answer = await self._until_answered(functools.partial(call, state, token))
                found += answer.matches
                token = answer.next_page_token
                if not token:
                    break
        return found

    async def players(self) -> dict[str, int]:
        """How many bots of each player are connected."""

        async def call(token: str) -> match_pb2.ListPlayersResponse:
            request = match_pb2.ListPlayersRequest(page_token=token, page_size=1000)
            return await self._stub.ListPlayers(request, metadata=self._metadata, timeout=_CALL_SECONDS)

        found: dict[str, int] = {}
        token = ""
        while True:
            answer = await self._until_answered(functools.partial(call, token))
            found.update({player.player: player.sessions for player in answer.players})
            token = answer.next_page_token
            if not token:
                return found

    async def replay(self, match_id: str, attempt: int) -> bytes:
        """The replay file of a match that is over."""

        async def call() -> bytes:
            request = match_pb2.GetReplayRequest(match_id=match_id, attempt=attempt)
            answer = await self._stub.GetReplay(request, metadata=self._metadata, timeout=_CALL_SECONDS)
            return answer.replay

        return await self._until_answered(call)

    async def _until_answered(self, call: Callable[[], Awaitable[T]]) -> T:
        pause = 0.02
        while True:
            await self._server_up()
            try:
                return await call()
            except grpc.aio.AioRpcError as error:
                cause = from_rpc_error(error)
            except PalioError as error:
                cause = error
            if not cause.transient:
                raise cause
            await asyncio.sleep(pause)
            pause = min(pause * 2, 1.0)
