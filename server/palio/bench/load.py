"""The load: bots that cost next to nothing, in a process of their own, against an arena or an echo server.

``python -m palio.bench.load arena|echo ADDRESS STREAMS MATCHES SECONDS SIZE`` prints one JSON object. In the arena each
stream is a player who plays ``MATCHES`` matches at a time against its neighbour; at the echo it keeps as many messages
under way. A round trip is measured from an answer to the next question of the same match.
"""

from __future__ import annotations

import asyncio
import json
import sys
import time
from collections.abc import Iterator
from typing import Any

import grpc.aio

from palio.codec.wire import nested, tag
from palio.v1 import play_pb2

_MORE = tag(play_pb2.PlayRequest.MORE_FIELD_NUMBER)

STREAM = "/palio.v1.PlayService/Play"


class Tally:
    """Counts messages and their times between ``begin`` and ``end`` (monotonic seconds)."""

    def __init__(self, begin: float, end: float) -> None:
        self.begin, self.end = begin, end
        self.count = 0
        self.bytes = 0
        self.times: list[float] = []

    def add(self, sent: float, now: float, size: int) -> None:
        if self.begin <= now < self.end:
            self.count += 1
            self.bytes += size
            self.times.append(now - sent)

    def report(self) -> dict[str, float]:
        times = sorted(self.times) or [0.0]
        return {
            "rate": self.count / (self.end - self.begin),
            "p50_ms": 1e3 * times[len(times) // 2],
            "p99_ms": 1e3 * times[min(len(times) - 1, len(times) * 99 // 100)],
            "bytes": self.bytes / max(1, self.count),
        }


async def _echo(call: Any, tally: Tally, matches: int, size: int) -> None:
    clock = time.monotonic
    payload = b"x" * size
    sent = [0.0] * matches
    for index in range(matches):
        sent[index] = clock()
        await call.write(index.to_bytes(4, "big") + payload)
    async for data in call:
        now = clock()
        if now >= tally.end:
            return
        index = int.from_bytes(data[:4], "big")
        tally.add(sent[index], now, len(data))
        sent[index] = now
        await call.write(data[: 4 + size])


def _answers(data: bytes, tally: Tally, sent: dict[str, float], state: list[int]) -> Iterator[bytes]:
    """The requests that answer a message of the server."""
    now = time.monotonic()
    updates = play_pb2.PlayResponse.FromString(data).updates
    for update in updates:
        kind = update.WhichOneof("message")
        match_id = update.match_id
        if kind == "decision":
            decision = update.decision
            if match_id in sent:
                tally.add(sent[match_id], now, len(data) // len(updates))
            # A cheap pseudo-random walk, so that games take their usual course.
            state[0] = (state[0] * 1103515245 + 12345) & 0x7FFFFFFF
            option = (state[0] >> 8) % len(decision.options)
            sent[match_id] = now
            choose = play_pb2.Choose(match_id=match_id, decision_id=decision.decision_id, option=option)
            yield play_pb2.PlayRequest(choose=choose).SerializeToString()
        elif kind == "match_started":
            yield play_pb2.PlayRequest(ready=play_pb2.Ready(match_id=match_id)).SerializeToString()
        elif kind == "match_ended":
            sent.pop(match_id, None)
        elif kind == "ping":
            yield play_pb2.PlayRequest(pong=play_pb2.Pong(nonce=update.ping.nonce)).SerializeToString()


async def _arena(call: Any, tally: Tally, name: str, matches: int) -> None:
    hello = play_pb2.Hello(bot_name=name, protocol_version=1, max_concurrent_matches=matches)
    await call.write(play_pb2.PlayRequest(hello=hello).SerializeToString())
    sent: dict[str, float] = {}
    state = [sum(name.encode())]
    async for data in call:
        if time.monotonic() >= tally.end:
            return
        requests = list(_answers(data, tally, sent, state))
        if requests:
            await call.write(requests[0] + b"".join(nested(_MORE, request) for request in requests[1:]))


async def drive(kind: str, address: str, streams: int, matches: int, seconds: float, size: int) -> dict[str, float]:
    """Put load on a server for ``seconds`` after a warm-up of a fifth of that."""
    begin = time.monotonic() + seconds / 5
    tally = Tally(begin, begin + seconds)
    async with grpc.aio.insecure_channel(address) as channel:
        play: grpc.aio.StreamStreamMultiCallable[bytes, bytes] = channel.stream_stream(STREAM)
        calls = [play() for _ in range(streams)]
        work = [
            _echo(call, tally, matches, size) if kind == "echo" else _arena(call, tally, f"p{index}", matches)
            for index, call in enumerate(calls)
        ]
        # A stream whose matches are all over falls silent: the time ends it.
        await asyncio.wait([asyncio.ensure_future(one) for one in work], timeout=tally.end - time.monotonic() + 0.5)
        for call in calls:
            call.cancel()
    return tally.report()


def main(arguments: list[str]) -> None:
    """See the module's text."""
    from palio.server.app import loop_factory

    kind, address, streams, matches, seconds, size = arguments
    with asyncio.Runner(loop_factory=loop_factory()) as runner:
        report = runner.run(drive(kind, address, int(streams), int(matches), float(seconds), int(size)))
    sys.stdout.write(json.dumps(report) + "\n")


if __name__ == "__main__":
    main(sys.argv[1:])
