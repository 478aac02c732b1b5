"""How a bot comes in: its Hello, who it is, and whether it may."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import TypeAlias

import grpc
import grpc.aio
import structlog
from google.protobuf.message import DecodeError

from palio.codec.status import InvalidRequest, LimitReached, to_status
from palio.server.access.allowance import Allowances
from palio.server.access.credentials import Credential, Role
from palio.server.access.identity import Gate
from palio.v1 import play_pb2

log = structlog.get_logger(__name__)

Context: TypeAlias = "grpc.aio.ServicerContext[bytes, bytes]"


def play_handler(play: Callable[[AsyncIterator[bytes], Context], Awaitable[None]]) -> grpc.GenericRpcHandler:
    """``PlayService`` without generated (de)serialisers, to be registered with a server."""
    method: grpc.RpcMethodHandler[bytes, bytes] = grpc.stream_stream_rpc_method_handler(play)
    return grpc.method_handlers_generic_handler("palio.v1.PlayService", {"Play": method})


class Hall:
    """Streams that have not said Hello yet, of which there may be only so many: one more drives out the oldest, so
    that those who say nothing cannot keep out those who do.

    Args:
        most: at the same time.
        patience: seconds that a stream may say nothing.
    """

    def __init__(self, most: int, patience: float) -> None:
        self._most = most
        self._patience = patience
        self._silent: dict[asyncio.Timeout, None] = {}

    async def first(self, requests: AsyncIterator[bytes]) -> bytes:
        """The first message of a stream.

        Raises:
            InvalidRequest: there is none within the patience.
        """
        if len(self._silent) >= self._most:
            oldest = next(iter(self._silent))
            del self._silent[oldest]
            oldest.reschedule(asyncio.get_running_loop().time())
        patience = asyncio.timeout(self._patience)
        try:
            async with patience:
                self._silent[patience] = None
                return await anext(requests)
        except TimeoutError:
            raise InvalidRequest(f"no Hello within {self._patience:g} seconds", field="hello") from None
        except StopAsyncIteration:
            raise InvalidRequest("the stream ended before Hello", field="hello") from None
        finally:
            self._silent.pop(patience, None)


def read_hello(data: bytes) -> play_pb2.Hello:
    """The first message of a stream.

    Raises:
        InvalidRequest: it is another one.
    """
    try:
        request = play_pb2.PlayRequest.FromString(data)
    except DecodeError:
        raise InvalidRequest("the first message is no PlayRequest", field="hello") from None
    if not request.HasField("hello"):
        raise InvalidRequest("the first message must be Hello", field="hello")
    return request.hello


class Entrance:
    """Where every bot passes.

    Args:
        hall: for those who have not said who they are.
        gate: knows the tokens.
        requests: how often a player may connect.
    """

    def __init__(self, hall: Hall, gate: Gate, requests: Allowances) -> None:
        self._hall = hall
        self._gate = gate
        self._requests = requests

    async def enter(self, requests: AsyncIterator[bytes]) -> tuple[play_pb2.Hello, Credential]:
        """Take in the Hello of a stream. Returns it, and whose token came with it.

        Raises:
            InvalidRequest: there is no Hello.
            Unauthenticated, PermissionDenied: the token is not valid, or not for playing.
            LimitReached: the player connects too often.
        """
        hello = read_hello(await self._hall.first(requests))
        credential = self._gate.bot(hello.token, hello.bot_name)
        if not credential.role.allows(Role.ORGANISER) and not self._requests.take(credential.player):
            raise LimitReached(f"more than {self._requests.rate:g} connections and calls a second; try again later")
        return hello, credential


async def refuse(context: Context, error: Exception) -> None:
    """End a stream with an error's status."""
    status = to_status(error)
    if status.code is grpc.StatusCode.INTERNAL:
        log.error("session.internal_error", exc_info=error)
    else:
        log.info("session.refused", code=status.code.name, why=status.details)
    await context.abort(status.code, status.details, status.trailing_metadata or ())
