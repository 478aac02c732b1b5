"""``PlayService``: one stream per bot. Messages go out as prebuilt bytes; what comes in is read by the session."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Coroutine
from typing import Any, Final

import grpc
import grpc.aio
import structlog
from google.protobuf.message import DecodeError

from palio.codec.status import InvalidRequest, LimitReached, to_status
from palio.server.arena import Arena
from palio.server.clock import duration
from palio.server.identity import Gate
from palio.server.sessions import PROTOCOL_VERSION, Session
from palio.v1 import play_pb2

HELLO_WITHIN: Final = 10.0
"""Seconds that a connection may say nothing at first."""

log = structlog.get_logger(__name__)

Context = grpc.aio.ServicerContext[bytes, bytes]


class Play:
    """The servicer, without generated (de)serialisers.

    Args:
        version: of the server program, for Welcome.
        max_sessions: streams at the same time.
    """

    def __init__(self, arena: Arena, gate: Gate, version: str, max_sessions: int = 10_000) -> None:
        self._arena = arena
        self._gate = gate
        self._version = version
        self._max_sessions = max_sessions
        self._tasks: set[asyncio.Task[None]] = set()

    def handler(self) -> grpc.GenericRpcHandler:
        """What to register with a server."""
        method: grpc.RpcMethodHandler[bytes, bytes] = grpc.stream_stream_rpc_method_handler(self.play)
        return grpc.method_handlers_generic_handler("palio.v1.PlayService", {"Play": method})

    async def play(self, requests: AsyncIterator[bytes], context: Context) -> None:
        """One bot, from Hello to the end of its stream."""
        loop = asyncio.get_running_loop()
        session: Session | None = None
        try:
            hello = await self._hello(requests)
            credential = self._gate.bot(hello.token, hello.bot_name)
            if len(self._arena.sessions) >= self._max_sessions:
                raise LimitReached(f"{self._max_sessions} bots are connected already")
            session = self._arena.open_session(credential.credential_id, credential.player, hello)
        except Exception as error:
            await _abort(context, error)
            return
        session.log.info("session.opened", bot=hello.bot_name, bot_version=hello.bot_version, sdk=hello.sdk)
        session.tell(play_pb2.Update(welcome=self._welcome(session)))
        self._guarded(session, lambda: self._arena.resume(session, hello))
        reader = self._task(self._read(session, requests))
        heart = self._task(self._beat(session))
        try:
            while (message := await session.outbox.take()) is not None:
                await context.write(message)
            if session.outbox.overflow:
                session.log.warning("session.unresponsive", queued=self._arena.limits.queued_messages)
                await context.abort(grpc.StatusCode.RESOURCE_EXHAUSTED, "you do not read what you are sent")
        finally:
            reader.cancel()
            heart.cancel()
            self._arena.close_session(session)
            session.log.info("session.closed", seconds_alive=round(loop.time() - session.opened, 3))

    async def _hello(self, requests: AsyncIterator[bytes]) -> play_pb2.Hello:
        try:
            async with asyncio.timeout(HELLO_WITHIN):
                data = await anext(requests)
        except TimeoutError:
            raise InvalidRequest(f"no Hello within {HELLO_WITHIN:g} seconds", field="hello") from None
        except StopAsyncIteration:
            raise InvalidRequest("the stream ended before Hello", field="hello") from None
        try:
            request = play_pb2.PlayRequest.FromString(data)
        except DecodeError:
            raise InvalidRequest("the first message is no PlayRequest", field="hello") from None
        if not request.HasField("hello"):
            raise InvalidRequest("the first message must be Hello", field="hello")
        return request.hello

    def _welcome(self, session: Session) -> play_pb2.Welcome:
        limits = session.limits
        return play_pb2.Welcome(
            player_id=session.player,
            session_id=session.session_id,
            server_version=self._version,
            protocol_version=PROTOCOL_VERSION,
            heartbeat=duration(limits.heartbeat),
            limits=play_pb2.Limits(
                max_message_bytes=limits.message_bytes,
                max_concurrent_matches=session.capacity,
                max_queued_messages=limits.queued_messages,
            ),
        )

    async def _read(self, session: Session, requests: AsyncIterator[bytes]) -> None:
        """Take in what the bot says until its side of the stream ends."""
        clock = asyncio.get_running_loop().time
        try:
            async for data in requests:
                self._guarded(session, lambda data=data: session.receive(data, clock()))  # type: ignore[misc]
                if session.outbox.closed:
                    return
        finally:
            session.outbox.close()

    async def _beat(self, session: Session) -> None:
        """Ping as often as Welcome said; a bot that answers none any more is taken for gone."""
        loop = asyncio.get_running_loop()
        while True:
            if not session.ping(loop.time()):
                session.log.warning("session.silent", heartbeat=session.limits.heartbeat)
                session.goodbye(play_pb2.GOODBYE_REASON_UNRESPONSIVE, "no answer to three pings")
                return
            await asyncio.sleep(session.limits.heartbeat)

    def _guarded(self, session: Session, act: Callable[[], object]) -> None:
        """Do something for a session; an error of ours voids its matches and harms nobody else."""
        try:
            act()
        except Exception:
            session.log.exception("session.internal_error", matches=list(session.matches))
            for room, _ in list(session.matches.values()):
                room.void("internal error of the server")

    def _task(self, work: Coroutine[Any, Any, None]) -> asyncio.Task[None]:
        task = asyncio.get_running_loop().create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return task


async def _abort(context: Context, error: Exception) -> None:
    status = to_status(error)
    if status.code is grpc.StatusCode.INTERNAL:
        log.error("session.internal_error", exc_info=error)
    await context.abort(status.code, status.details, status.trailing_metadata or ())
