"""The one place that every call except Play goes through: who calls, may they, how often, and errors as statuses."""

from __future__ import annotations

from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable, Iterable, Mapping
from contextlib import aclosing
from contextvars import ContextVar
from hmac import compare_digest
from typing import Any, Final

import grpc
import grpc.aio
import structlog

from palio.codec.status import LimitReached, NotNow, PermissionDenied, to_status
from palio.server.access.allowance import Allowances
from palio.server.access.credentials import Credential, Role
from palio.server.access.identity import Gate
from palio.server.access.streams import Streams

Context = grpc.aio.ServicerContext[Any, Any]

RIGHTS: Final = {
    "/palio.v1.CatalogService/ListGames": Role.SPECTATOR,
    "/palio.v1.CatalogService/GetGame": Role.SPECTATOR,
    "/palio.v1.MatchService/CreateMatch": Role.ORGANISER,
    "/palio.v1.MatchService/CancelMatch": Role.ORGANISER,
    "/palio.v1.MatchService/GetMatch": Role.SPECTATOR,
    "/palio.v1.MatchService/ListMatches": Role.SPECTATOR,
    "/palio.v1.MatchService/ListPlayers": Role.SPECTATOR,
    "/palio.v1.MatchService/WatchMatch": Role.SPECTATOR,
    "/palio.v1.MatchService/GetReplay": Role.SPECTATOR,
    "/palio.v1.SimulationService/Apply": Role.PLAYER,
    "/palio.v1.SimulationService/SampleState": Role.PLAYER,
}
"""What each method of the arena's own services needs."""

FRONT_KEY: Final = "palio-front"
"""Metadata by which a worker knows its front."""

AT_WORKERS: Final = ("/palio.v1.CatalogService/", "/palio.v1.SimulationService/")
"""Methods that a worker offers to everybody: a bot that was sent there asks for them where it plays. All others only
the front may call, since it alone knows the matches of all workers."""

OPEN: Final = ("/grpc.health.v1.", "/grpc.reflection.", "/palio.v1.PlayService/")
"""Methods that anybody may call. Play looks at the token of Hello itself."""

CALLER: Final[ContextVar[Credential]] = ContextVar("caller")
"""Who makes the call that is being served."""

log = structlog.get_logger(__name__)


class Guard(grpc.aio.ServerInterceptor):
    """Lets a call through to its servicer, or ends it with the status that the one table gives.

    Args:
        gate: knows the callers.
        rights: what each method needs; a method that is not in it is refused to everybody.
        requests: how often one player may call. Organisers and admins run tournaments and are not counted.
        streams: how many there may be. Of organisers only the total counts.
        anonymous: streams of services that anybody may call (health, reflection).
        front_key: of a worker: what its front shows; empty where there is no front.
    """

    def __init__(
        self,
        gate: Gate,
        rights: Mapping[str, Role],
        requests: Allowances,
        streams: Streams,
        anonymous: int,
        front_key: str = "",
    ) -> None:
        self._gate = gate
        self._rights = rights
        self._requests = requests
        self._streams = streams
        self._anonymous = Streams(anonymous, anonymous)
        self._front_key = front_key

    async def intercept_service(
        self,
        continuation: Callable[[grpc.HandlerCallDetails], Awaitable[Any]],
        handler_call_details: grpc.HandlerCallDetails,
    ) -> Any:
        handler = await continuation(handler_call_details)
        method = str(handler_call_details.method)
        if handler is None or method.startswith(OPEN):
            return self._bounded(handler)
        if handler.response_streaming:
            return grpc.unary_stream_rpc_method_handler(
                self._streaming(method, handler.unary_stream),
                handler.request_deserializer,
                handler.response_serializer,
            )
        return grpc.unary_unary_rpc_method_handler(
            self._unary(method, handler.unary_unary), handler.request_deserializer, handler.response_serializer
        )

    def _admit(self, method: str, context: Context) -> Credential:
        metadata = context.invocation_metadata() or ()
        credential = self._gate.caller(metadata)
        if self._front_key and not method.startswith(AT_WORKERS) and not self._from_front(metadata):
            raise NotNow("this port is for bots that were sent here: call the server at its own address")
        needed = self._rights.get(method)
        if needed is None or not credential.role.allows(needed):
            raise PermissionDenied(f"a token of role {credential.role} may not do this; it takes {needed or 'nobody'}")
        if not credential.role.allows(Role.ORGANISER) and not self._requests.take(credential.player):
            raise LimitReached(f"more than {self._requests.rate:g} calls a second; try again later")
        CALLER.set(credential)
        return credential

    def _from_front(self, metadata: Iterable[tuple[str, str | bytes]]) -> bool:
        shown = (value for key, value in metadata if key == FRONT_KEY and isinstance(value, str))
        return any(compare_digest(value.encode(), self._front_key.encode()) for value in shown)

    def _unary(self, method: str, behave: Callable[[Any, Context], Awaitable[Any]]) -> Callable[..., Any]:
        async def call(request: Any, context: Context) -> Any:
            try:
                self._admit(method, context)
                return await behave(request, context)
            except Exception as error:
                return await self._abort(context, method, error)

        return call

    def _streaming(
        self, method: str, behave: Callable[[Any, Context], AsyncGenerator[Any, None]]
    ) -> Callable[..., Any]:
        async def call(request: Any, context: Context) -> AsyncIterator[Any]:
            try:
                credential = self._admit(method, context)
                bounded = not credential.role.allows(Role.ORGANISER)
                with self._streams.one(credential.player, bounded=bounded):
                    async with aclosing(behave(request, context)) as messages:
                        async for message in messages:
                            # A token that was revoked meanwhile shows nothing more.
                            self._gate.caller(context.invocation_metadata() or ())
                            yield message
            except Exception as error:
                await self._abort(context, method, error)

        return call

    def _bounded(self, handler: Any) -> Any:
        """A handler of a service that anybody may call: of its streams there may be only so many."""
        if handler is None or not handler.response_streaming or handler.request_streaming:
            return handler

        async def watch(request: Any, context: Context) -> None:
            try:
                with self._anonymous.one("anybody"):
                    await handler.unary_stream(request, context)
            except LimitReached as error:
                await self._abort(context, "", error)

        return grpc.unary_stream_rpc_method_handler(watch, handler.request_deserializer, handler.response_serializer)

    async def _abort(self, context: Context, method: str, error: Exception) -> None:
        if isinstance(error, grpc.aio.AbortError):
            raise error
        status = to_status(error)
        if status.code is grpc.StatusCode.INTERNAL:
            log.error("call.internal_error", method=method, exc_info=error)
        await context.abort(status.code, status.details, status.trailing_metadata or ())
