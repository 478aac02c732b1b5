"""A Palio server that plays a script: for tests of clients against good and bad behaviour over a real socket.

A script is a list of connections; a connection is an ``async`` function that is handed a :class:`Line` and says and
expects whatever it likes. When it returns, the stream ends with OK; :meth:`Line.refuse` and :meth:`Line.cut` end it
otherwise.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Any, TypeAlias

import grpc

from palio.codec.status import to_status
from palio.v1 import game_pb2, play_pb2, play_pb2_grpc

Script: TypeAlias = "Callable[[Line], Awaitable[None]]"
PATIENCE = 20.0
"""Seconds that a test waits for what must come: only to turn a hang into a failure."""


class Line:
    """One connection as the peer sees it."""

    def __init__(self, requests: AsyncIterator[play_pb2.PlayRequest], context: Any) -> None:
        self._requests = requests
        self._more: list[play_pb2.PlayRequest] = []
        self._context = context
        self.hello = play_pb2.Hello()

    async def hear(self) -> play_pb2.PlayRequest:
        """The next thing that the client says."""
        if not self._more:
            request = await asyncio.wait_for(anext(self._requests), PATIENCE)
            self._more = [request, *request.more]
        return self._more.pop(0)

    async def expect(self, kind: str) -> Any:
        """The next thing that the client says, which must be of that kind."""
        request = await self.hear()
        assert request.WhichOneof("message") == kind, f"expected {kind}, heard {request}"
        return getattr(request, kind)

    async def say(self, *updates: play_pb2.Update) -> None:
        """Send updates in one message."""
        await self._context.write(play_pb2.PlayResponse(updates=updates))

    async def greet(self, **fields: Any) -> None:
        """Hear Hello, say Welcome."""
        self.hello = await self.expect("hello")
        await self.say(play_pb2.Update(welcome=play_pb2.Welcome(player_id="p", session_id="s", **fields)))

    async def start(self, match_id: str = "m", **fields: Any) -> None:
        """Start a match and hear Ready."""
        await self.say(started(match_id, **fields))
        ready = await self.expect("ready")
        assert ready.match_id == match_id

    async def goodbye(self, reason: play_pb2.GoodbyeReason.ValueType, text: str = "") -> None:
        """Say Goodbye."""
        await self.say(play_pb2.Update(goodbye=play_pb2.Goodbye(reason=reason, text=text)))

    async def refuse(self, error: Exception) -> None:
        """End the call with the status of an error."""
        status = to_status(error)
        await self._context.abort(status.code, status.details, status.trailing_metadata)


class Peer(play_pb2_grpc.PlayServiceServicer):
    """Plays the scripts of the connections in order; a connection too many is refused with UNIMPLEMENTED."""

    def __init__(self, *scripts: Script) -> None:
        self.address = ""
        self.connections = 0
        self.failures: list[BaseException] = []
        self._scripts = list(scripts)

    async def Play(self, request_iterator: Any, context: Any) -> None:  # type: ignore[override] # noqa: N802
        """One connection."""
        self.connections += 1
        if not self._scripts:
            await context.abort(grpc.StatusCode.UNIMPLEMENTED, "the script is over")
        try:
            await self._scripts.pop(0)(Line(aiter(request_iterator), context))
        except (AssertionError, TimeoutError, StopAsyncIteration) as failure:
            self.failures.append(failure)
            await context.abort(grpc.StatusCode.UNIMPLEMENTED, f"the script failed: {failure!r}")


@asynccontextmanager
async def peer(*scripts: Script) -> AsyncIterator[Peer]:
    """A running peer on a free port; at the end every script must have been played without a failure."""
    server = grpc.aio.server()
    servicer = Peer(*scripts)
    play_pb2_grpc.add_PlayServiceServicer_to_server(servicer, server)
    servicer.address = f"127.0.0.1:{server.add_insecure_port('127.0.0.1:0')}"
    await server.start()
    try:
        yield servicer
    finally:
        await server.stop(None)
    if servicer.failures:
        raise servicer.failures[0]
    assert servicer.connections >= len(scripts), f"only {servicer.connections} of {len(scripts)} connections were made"


def started(match_id: str = "m", *, seq: int = 1, seat: int = 0, attempt: int = 1, **fields: Any) -> play_pb2.Update:
    """MatchStarted."""
    start = play_pb2.MatchStarted(seat=seat, game="fidelitas", players=["a", "b"], attempt=attempt, **fields)
    return play_pb2.Update(match_id=match_id, seq=seq, match_started=start)


def events(seq: int, match_id: str = "m") -> play_pb2.Update:
    """One event without content."""
    return play_pb2.Update(match_id=match_id, seq=seq, events=play_pb2.Events(events=[game_pb2.Event()]))


def decision(seq: int, number: int, match_id: str = "m", options: int = 3, **fields: Any) -> play_pb2.Update:
    """A decision whose options have the texts "0", "1" ..."""
    choices = [game_pb2.Option(text=str(i)) for i in range(options)]
    question = play_pb2.Decision(decision_id=number, kind="PLAY_CARD", options=choices, **fields)
    return play_pb2.Update(match_id=match_id, seq=seq, decision=question)


def accepted(seq: int, number: int, option: int = 0, match_id: str = "m") -> play_pb2.Update:
    """ChoiceAccepted."""
    answer = play_pb2.ChoiceAccepted(decision_id=number, option=option)
    return play_pb2.Update(match_id=match_id, seq=seq, choice_accepted=answer)


def rejected(
    seq: int, number: int, reason: play_pb2.RejectionReason.ValueType, tries_left: int, match_id: str = "m"
) -> play_pb2.Update:
    """ChoiceRejected."""
    answer = play_pb2.ChoiceRejected(decision_id=number, reason=reason, text="0 to 2", tries_left=tries_left)
    return play_pb2.Update(match_id=match_id, seq=seq, choice_rejected=answer)


def ended(seq: int, match_id: str = "m") -> play_pb2.Update:
    """MatchEnded."""
    return play_pb2.Update(match_id=match_id, seq=seq, match_ended=play_pb2.MatchEnded())


def ping(nonce: int) -> play_pb2.Update:
    """Ping."""
    return play_pb2.Update(ping=play_pb2.Ping(nonce=nonce))
