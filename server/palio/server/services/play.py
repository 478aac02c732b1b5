"""``PlayService``: one stream per bot. Messages go out as prebuilt bytes; what comes in is read by the session."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Coroutine
from typing import Any, Final

import grpc
import grpc.aio

from palio.codec.status import LimitReached, PermissionDenied, Unauthenticated
from palio.server.access.credentials import Credential
from palio.server.access.identity import Gate
from palio.server.access.streams import Streams
from palio.server.arena import Arena
from palio.server.match.clock import duration
from palio.server.services.entrance import Context, Entrance, play_handler, refuse
from palio.server.sessions import PROTOCOL_VERSION, Session
from palio.v1 import play_pb2

FAREWELL: Final = 2.0
"""Seconds that a bot has to read what was queued for it before its session ended."""


class Play:
    """The servicer, without generated (de)serialisers.

    Args:
        gate: knows the tokens, which are looked at again while a bot is here.
        version: of the server program, for Welcome.
        entrance: where bots come in.
        streams: how many there may be.
    """

    def __init__(self, arena: Arena, gate: Gate, version: str, entrance: Entrance, streams: Streams) -> None:
        self._arena = arena
        self._gate = gate
        self._version = version
        self._entrance = entrance
        self._streams = streams
        self._tasks: set[asyncio.Task[None]] = set()

    def handler(self) -> grpc.GenericRpcHandler:
        """What to register with a server."""
        return play_handler(self.play)

    async def play(self, requests: AsyncIterator[bytes], context: Context) -> None:
        """One bot, from Hello to the end of its stream."""
        try:
            hello, credential = await self._entrance.enter(requests)
            replacing = credential.credential_id in self._arena.sessions
            with self._streams.one(credential.player, bounded=not replacing):
                try:
                    await self._serve(requests, context, credential, hello)
                except Exception as error:
                    # Within: a peer that does not even take in why it is sent away still holds one of its streams.
                    await refuse(context, error)
        except grpc.aio.AbortError:
            raise
        except Exception as error:
            await refuse(context, error)

    async def _serve(
        self, requests: AsyncIterator[bytes], context: Context, credential: Credential, hello: play_pb2.Hello
    ) -> None:
        loop = asyncio.get_running_loop()
        session = self._arena.open_session(credential.credential_id, credential.player, hello)
        session.log.info("session.opened", bot=hello.bot_name, bot_version=hello.bot_version, sdk=hello.sdk)
        session.tell(play_pb2.Update(welcome=self._welcome(session)))
        try:
            self._arena.resume(session, hello)
        except Exception as error:
            self._broke(session, error)
        reader = self._task(self._read(session, requests))
        heart = self._task(self._beat(session, hello))
        writer = self._task(self._write(session, context))
        try:
            await session.outbox.wait_closed()
            self._arena.close_session(session)
            _, late = await asyncio.wait((writer,), timeout=0 if session.outbox.overflow else FAREWELL)
            if session.outbox.overflow or late:
                session.log.warning("session.unresponsive", queued=session.limits.queued_messages)
                raise LimitReached("you do not read what you are sent")
            if session.expelled is not None:
                raise session.expelled
        finally:
            for task in (reader, heart, writer):
                task.cancel()
            self._arena.close_session(session)
            session.log.info("session.closed", seconds_alive=round(loop.time() - session.opened, 3))

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

    async def _write(self, session: Session, context: Context) -> None:
        """Send what is queued, until the session ends."""
        try:
            while (message := await session.outbox.take()) is not None:
                await context.write(message)
        except grpc.aio.BaseError:
            pass  # the connection is gone
        finally:
            session.outbox.close()

    async def _read(self, session: Session, requests: AsyncIterator[bytes]) -> None:
        """Take in what the bot says until its side of the stream ends."""
        clock = asyncio.get_running_loop().time
        outbox = session.outbox
        try:
            async for data in requests:
                try:
                    session.receive(data, clock())
                except Exception as error:
                    self._broke(session, error)
                if outbox.closed:
                    return
        except grpc.aio.BaseError:
            pass  # the connection is gone
        finally:
            session.outbox.close()

    async def _beat(self, session: Session, hello: play_pb2.Hello) -> None:
        """Ping as often as Welcome said; a bot that answers none any more is taken for gone, and one whose token is
        no longer valid has to go."""
        loop = asyncio.get_running_loop()
        while session.ping(loop.time()):
            await asyncio.sleep(session.limits.heartbeat)
            try:
                self._gate.bot(hello.token, hello.bot_name)
            except (Unauthenticated, PermissionDenied) as error:
                session.log.warning("session.expelled", why=str(error))
                session.expelled = error
                session.outbox.close()
                return
            except Exception as error:  # the database is out of reach: those who are in stay in
                session.log.warning("session.not_checked", why=type(error).__name__)
        session.log.warning("session.silent", heartbeat=session.limits.heartbeat)
        session.goodbye(play_pb2.GOODBYE_REASON_UNRESPONSIVE, "no answer to three pings")

    def _broke(self, session: Session, error: Exception) -> None:
        """The rooms of a session take care of their own faults; any other one of ours ends the session alone."""
        session.log.error("session.internal_error", matches=list(session.matches), exc_info=error)
        session.goodbye(play_pb2.GOODBYE_REASON_UNSPECIFIED, "internal error of the server; connect again")

    def _task(self, work: Coroutine[Any, Any, None]) -> asyncio.Task[None]:
        task = asyncio.get_running_loop().create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return task
