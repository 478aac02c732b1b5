"""What every unary and watching call shares: roles, errors as statuses, pages."""

from __future__ import annotations

import base64
import functools
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable
from typing import Any, Final, TypeVar

import grpc
import grpc.aio
import structlog

from palio.codec.status import InvalidRequest, PermissionDenied, to_status
from palio.server.credentials import Credential, Role
from palio.server.identity import Gate

T = TypeVar("T")
Context = grpc.aio.ServicerContext[Any, Any]

DEFAULT_PAGE: Final = 100
LARGEST_PAGE: Final = 1000

log = structlog.get_logger(__name__)


class Service:
    """Base of the servicers: knows who calls."""

    def __init__(self, gate: Gate) -> None:
        self._gate = gate

    def caller(self, context: Context, needed: Role) -> Credential:
        """The caller, if its role allows what needs that one.

        Raises:
            Unauthenticated, PermissionDenied: otherwise.
        """
        credential = self._gate.caller(context.invocation_metadata() or ())
        if not credential.role.allows(needed):
            raise PermissionDenied(f"a token of role {credential.role} may not do this; it takes {needed}")
        return credential


async def _abort(context: Context, method: str, error: Exception) -> None:
    status = to_status(error)
    if status.code is grpc.StatusCode.INTERNAL:
        log.error("call.internal_error", method=method, exc_info=error)
    await context.abort(status.code, status.details, status.trailing_metadata or ())


def unary(method: Callable[[Any, Any, Context], Awaitable[T]]) -> Callable[[Any, Any, Context], Awaitable[T]]:
    """A unary method whose errors become statuses by the one table."""

    @functools.wraps(method)
    async def call(self: Any, request: Any, context: Context) -> T:
        try:
            return await method(self, request, context)
        except Exception as error:
            await _abort(context, method.__name__, error)
            raise

    return call


def streaming(
    method: Callable[[Any, Any, Context], AsyncIterator[T]],
) -> Callable[[Any, Any, Context], AsyncIterator[T]]:
    """A server-streaming method whose errors become statuses by the one table."""

    @functools.wraps(method)
    async def call(self: Any, request: Any, context: Context) -> AsyncIterator[T]:
        try:
            async for message in method(self, request, context):
                yield message
        except Exception as error:
            await _abort(context, method.__name__, error)

    return call


def page(items: Iterable[T], page_size: int, page_token: str) -> tuple[list[T], str]:
    """One page of a list, and the token of the next one (empty on the last).

    Raises:
        InvalidRequest: the size is negative, or the token is none of ours.
    """
    if page_size < 0:
        raise InvalidRequest("must not be negative", field="page_size")
    size = min(page_size or DEFAULT_PAGE, LARGEST_PAGE)
    start = 0
    if page_token:
        try:
            start = int(base64.urlsafe_b64decode(page_token.encode()).decode().removeprefix("from:"))
        except ValueError:
            raise InvalidRequest("this is no token that the call before returned", field="page_token") from None
    taken: list[T] = []
    for index, item in enumerate(items):
        if index < start:
            continue
        if len(taken) == size:
            return taken, base64.urlsafe_b64encode(f"from:{start + size}".encode()).decode()
        taken.append(item)
    return taken, ""
