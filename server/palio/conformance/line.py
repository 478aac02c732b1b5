"""One connection of the bot under test, from the server's side: whatever a script wants said or heard."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from typing import Any, Final

import grpc
import grpc.aio
from google.protobuf.message import DecodeError

from palio.codec.status import to_status
from palio.conformance.obligation import Missing
from palio.server.match.clock import duration
from palio.v1 import play_pb2

HEARTBEAT: Final = 30.0
"""Seconds that Welcome announces; no script is silent for that long."""
QUIET: Final = 0.2
"""Seconds in which a bot that wants to say something too much has said it."""
NONCE: Final = 2**64 - 2**32 + 1
"""First nonce: one that a 64-bit float or a signed number cannot hold."""
_REMEMBERED: Final = 6

Context = grpc.aio.ServicerContext[bytes, bytes]


def describe(request: play_pb2.PlayRequest) -> str:
    """A message of the bot in a few words."""
    kind = request.WhichOneof("message")
    match kind:
        case "choose":
            choose = request.choose
            return f"Choose({choose.match_id}, decision {choose.decision_id}, option {choose.option})"
        case "ready" | "resign" | "signal":
            return f"{kind.capitalize()}({getattr(request, kind).match_id})"
        case None:
            return "an empty or unknown message"
        case _:
            return kind.capitalize()


def match_of(request: play_pb2.PlayRequest) -> str:
    """The match that a message of the bot is about; empty for the session."""
    kind = request.WhichOneof("message")
    return getattr(getattr(request, kind), "match_id", "") if kind else ""


class Line:
    """One Play stream.

    Args:
        patience: seconds to wait for what must come.
        address: where the bot connected to.

    Attributes:
        heard: everything that the bot said, in order.
        hello: what it said first, once :meth:`greet` heard it.
        closed: whether the bot has ended the stream, or the script has.
        arrived: when it opened the stream, by the loop's clock.
    """

    def __init__(self, context: Context, patience: float, address: str) -> None:
        loop = asyncio.get_running_loop()
        self.address = address
        self.arrived = loop.time()
        self.heard: list[play_pb2.PlayRequest] = []
        self.hello = play_pb2.Hello()
        self._context = context
        self._patience = patience
        self._unread: list[play_pb2.PlayRequest] = []
        self._news = asyncio.Event()
        self.closed = False
        self._ending: asyncio.Future[grpc.Status | None] = loop.create_future()
        self._nonce = NONCE

    async def serve(self, requests: AsyncIterator[bytes]) -> None:
        """Keep the stream open until the script ends it; called by the servicer."""
        reader = asyncio.create_task(self._read(requests))
        try:
            status = await self._ending
            if status is not None:
                await self._context.abort(status.code, status.details, status.trailing_metadata or ())
        finally:
            reader.cancel()
            self._close()

    async def _read(self, requests: AsyncIterator[bytes]) -> None:
        try:
            async for data in requests:
                try:
                    request = play_pb2.PlayRequest.FromString(data)
                except DecodeError:
                    request = play_pb2.PlayRequest()
                said = [request, *request.more] if request.WhichOneof("message") or not request.more else request.more
                self.heard += said
                self._unread += said
                self._news.set()
        finally:
            self._close()

    def _close(self) -> None:
        self.closed = True
        self._news.set()

    # --- hearing ---

    async def hear(self, kind: str, match_id: str = "", wanted: Callable[[Any], bool] = lambda _: True) -> Any:
        """The next message of that kind about that match; what else comes stays for others.

        Raises:
            Missing: it does not come, or the bot ended the stream.
        """

        def found(request: play_pb2.PlayRequest) -> bool:
            return (
                request.WhichOneof("message") == kind
                and (not match_id or match_of(request) == match_id)
                and wanted(getattr(request, kind))
            )

        what = kind.capitalize() + (f" for match {match_id}" if match_id else "")
        request = await self._find(found, what)
        return getattr(request, kind)

    async def first(self) -> play_pb2.PlayRequest:
        """Whatever the bot says next."""
        return await self._find(lambda _: True, "its first message")

    async def _find(self, wanted: Callable[[play_pb2.PlayRequest], bool], what: str) -> play_pb2.PlayRequest:
        try:
            async with asyncio.timeout(self._patience):
                while True:
                    for index, request in enumerate(self._unread):
                        if wanted(request):
                            return self._unread.pop(index)
                    if self.closed:
                        raise Missing(f"the bot ended the stream instead of saying {what}; {self.told()}")
                    self._news.clear()
                    await self._news.wait()
        except TimeoutError:
            raise Missing(f"no {what} within {self._patience:g} s; {self.told()}") from None

    def told(self) -> str:
        """What the bot said last, in words."""
        if not self.heard:
            return "it had said nothing"
        return "the last that it had said: " + ", ".join(map(describe, self.heard[-_REMEMBERED:]))

    async def fence(self) -> int:
        """Make sure that the bot has read all that was said: Ping, and wait for any Pong. Returns ``len(heard)``."""
        await self.ping()
        await self.hear("pong")
        return len(self.heard)

    async def quiet(self, since: int) -> list[play_pb2.PlayRequest]:
        """What the bot said after its message number ``since``, once it had time to say all it wants. Pongs left
        out."""
        await self.fence()
        await asyncio.sleep(QUIET)
        return [request for request in self.heard[since:] if not request.HasField("pong")]

    # --- saying ---

    async def say(self, *updates: play_pb2.Update) -> None:
        """Send updates in one message.

        Raises:
            Missing: the bot has ended the stream.
        """
        await self.send(play_pb2.PlayResponse(updates=updates))

    async def send(self, response: play_pb2.PlayResponse) -> None:
        """Send a whole message."""
        data = response.SerializeToString()
        try:
            if not self.closed:
                await self._context.write(data)
                return
        except (grpc.aio.BaseError, asyncio.InvalidStateError, grpc.RpcError):
            self._close()
        raise Missing(f"the bot ended the stream; {self.told()}")

    def next_ping(self) -> play_pb2.Update:
        """Another Ping, to be said by the caller."""
        self._nonce += 1
        return play_pb2.Update(ping=play_pb2.Ping(nonce=self._nonce))

    async def ping(self) -> int:
        """Say Ping; returns its nonce."""
        ping = self.next_ping()
        await self.say(ping)
        return ping.ping.nonce

    async def greet(self, heartbeat: float = HEARTBEAT) -> play_pb2.Hello:
        """Hear Hello, say Welcome."""
        self.hello = await self.hear("hello")
        await self.welcome(heartbeat)
        return self.hello

    async def welcome(self, heartbeat: float = HEARTBEAT) -> None:
        """Say Welcome."""
        welcome = play_pb2.Welcome(
            player_id="you",
            session_id="check",
            server_version="check",
            protocol_version=1,
            heartbeat=duration(heartbeat),
            limits=play_pb2.Limits(
                max_message_bytes=65536, max_concurrent_matches=self.capacity, max_queued_messages=4096
            ),
        )
        await self.say(play_pb2.Update(welcome=welcome))

    @property
    def capacity(self) -> int:
        """How many matches the bot plays at a time."""
        return max(1, self.hello.max_concurrent_matches)

    # --- ending ---

    async def goodbye(self, reason: int, text: str, address: str = "") -> None:
        """Say Goodbye and end the stream in peace."""
        goodbye = play_pb2.Goodbye(reason=reason, text=text, address=address)  # type: ignore[arg-type]
        await self.say(play_pb2.Update(goodbye=goodbye))
        self.end()

    def end(self) -> None:
        """End the stream with the status OK."""
        self._finish(None)

    def cut(self) -> None:
        """End it as a broken connection looks to the bot: UNAVAILABLE, without details."""
        self._finish(_Plain(grpc.StatusCode.UNAVAILABLE, "the connection broke"))

    def refuse(self, error: Exception) -> None:
        """End it with the status of one of the table's errors."""
        self._finish(to_status(error))

    def _finish(self, status: grpc.Status | None) -> None:
        if not self._ending.done():
            self._ending.set_result(status)


class _Plain(grpc.Status):
    """A status without details."""

    def __init__(self, code: grpc.StatusCode, details: str) -> None:
        self.code = code
        self.details = details
        self.trailing_metadata = ()
