"""The one place that every call except Play goes through: who calls, may they, how often, and errors as statuses."""

from __future__ import annotations

import time
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextvars import ContextVar
from typing import Any, Final

import grpc
import grpc.aio
import structlog

from palio.codec.status import LimitReached, PermissionDenied, to_status
from palio.server.credentials import Credential, Role
from palio.server.identity import Gate

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

OPEN: Final = ("/grpc.health.v1.", "/grpc.reflection.", "/palio.v1.PlayService/")
"""Methods that anybody may call. Play looks at the token of Hello itself."""

CALLER: Final[ContextVar[Credential]] = ContextVar("caller")
"""Who makes the call that is being served."""

log = structlog.get_logger(__name__)


class Allowance:
    """A token bucket: ``rate`` calls a second in the long run, ``burst`` at once."""

    __slots__ = ("_burst", "_left", "_rate", "_seen")

    def __init__(self, rate: float, burst: int, now: float) -> None:
        self._rate, self._burst = rate, burst
        self._left, self._seen = float(burst), now

    def take(self, now: float) -> bool:
        """Whether one more call is allowed now."""
        self._left = min(self._burst, self._left + (now - self._seen) * self._rate)
        self._seen = now
        if self._left < 1:
            return False
        self._left -= 1
        return True


class Guard(grpc.aio.ServerInterceptor):
    """Lets a call through to its servicer, or ends it with the status that the one table gives.

    Args:
        gate: knows the callers.
        rights: what each method needs; a method that is not in it is refused to everybody.
        rate, burst: calls per player. Organisers and admins run tournaments and are not counted.
        streams: watching calls that one player may have open.
        now: monotonic seconds.
    """

    def __init__(
        self,
        gate: Gate,
        rights: Mapping[str, Role],
        *,
        rate: float,
        burst: int,
        streams: int,
        now: Callable[[], float] = time.monotonic,
    ) -> None:
        self._gate = gate
        self._rights = rights
        self._rate, self._burst, self._streams = rate, burst, streams
        self._now = now
        self._allowances: dict[str, Allowance] = {}
        self._open: dict[str, int] = {}

    async def intercept_service(
        self,
        continuation: Callable[[grpc.HandlerCallDetails], Awaitable[Any]],
        handler_call_details: grpc.HandlerCallDetails,
    ) -> Any:
        handler = await continuation(handler_call_details)
        method = str(handler_call_details.method)
        if handler is None or method.startswith(OPEN):
            return handler
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
        credential = self._gate.caller(context.invocation_metadata() or ())
        needed = self._rights.get(method)
        if needed is None or not credential.role.allows(needed):
            raise PermissionDenied(f"a token of role {credential.role} may not do this; it takes {needed or 'nobody'}")
        if not credential.role.allows(Role.ORGANISER):
            now = self._now()
            allowance = self._allowances.setdefault(credential.player, Allowance(self._rate, self._burst, now))
            if not allowance.take(now):
                raise LimitReached(f"more than {self._rate:g} calls a second; try again later")
        CALLER.set(credential)
        return credential

    def _unary(self, method: str, behave: Callable[[Any, Context], Awaitable[Any]]) -> Callable[..., Any]:
        async def call(request: Any, context: Context) -> Any:
            try:
                self._admit(method, context)
                return await behave(request, context)
            except Exception as error:
                return await self._abort(context, method, error)

        return call

    def _streaming(self, method: str, behave: Callable[[Any, Context], AsyncIterator[Any]]) -> Callable[..., Any]:
        async def call(request: Any, context: Context) -> AsyncIterator[Any]:
            player = ""
            try:
                credential = self._admit(method, context)
                if not credential.role.allows(Role.ORGANISER) and self._open.get(credential.player, 0) >= self._streams:
                    raise LimitReached(f"{self._streams} streams of yours are open already")
                player = credential.player
                self._open[player] = self._open.get(player, 0) + 1
                async for message in behave(request, context):
                    yield message
            except Exception as error:
                await self._abort(context, method, error)
            finally:
                if player in self._open:
                    self._open[player] -= 1
                    if not self._open[player]:
                        del self._open[player]

        return call

    async def _abort(self, context: Context, method: str, error: Exception) -> None:
        if isinstance(error, grpc.aio.AbortError):
            raise error
        status = to_status(error)
        if status.code is grpc.StatusCode.INTERNAL:
            log.error("call.internal_error", method=method, exc_info=error)
        await context.abort(status.code, status.details, status.trailing_metadata or ())
