"""The load: bots that cost next to nothing, in a process of their own, against an arena or an echo server.

``python -m palio.bench.load ADDRESS STREAMS EACH SECONDS arena`` plays: each stream is a player who plays up to EACH
matches at a time. ``... echo IN`` keeps EACH messages of IN bytes under way on each stream. Both print one JSON object.

A round trip in the arena is measured from an answer to the next question of the same match, whichever seat is asked:
just one decision is under way in a match, as is one message at the echo.
"""

from __future__ import annotations

import asyncio
import json
import sys
import time
from typing import Any, Final

import grpc.aio

from palio.bench.lean import parse
from palio.codec.wire import nested, number, tag
from palio.v1 import play_pb2

_MORE: Final = tag(play_pb2.PlayRequest.MORE_FIELD_NUMBER)
_CHOOSE: Final = tag(play_pb2.PlayRequest.CHOOSE_FIELD_NUMBER)
_READY: Final = tag(play_pb2.PlayRequest.READY_FIELD_NUMBER)
_MATCH_ID: Final = tag(play_pb2.Choose.MATCH_ID_FIELD_NUMBER)
_DECISION_ID: Final = play_pb2.Choose.DECISION_ID_FIELD_NUMBER
_OPTION: Final = play_pb2.Choose.OPTION_FIELD_NUMBER

STREAM: Final = "/palio.v1.PlayService/Play"


class Tally:
    """What passed between ``begin`` and ``end`` (monotonic seconds), and how many decisions in all."""

    def __init__(self, begin: float, end: float) -> None:
        self.begin, self.end = begin, end
        self.total = 0
        self.sent = [0, 0]
        self.received = [0, 0]
        self.times: list[float] = []
        self._cpu = time.process_time()

    def add(self, sent: float, now: float) -> None:
        """A question came, or a message came back."""
        self.total += 1
        if self.begin <= now < self.end:
            self.times.append(now - sent)

    def pass_on(self, way: list[int], message: bytes) -> bytes:
        """Count a message that goes that way."""
        if self.begin <= time.monotonic() < self.end:
            way[0] += 1
            way[1] += len(message)
        return message

    def report(self) -> dict[str, float]:
        """Sizes and numbers of messages are per decision."""
        count = max(1, len(self.times))
        times = sorted(self.times) or [0.0]
        return {
            "rate": len(self.times) / (self.end - self.begin),
            "p50_ms": 1e3 * times[len(times) // 2],
            "p99_ms": 1e3 * times[min(len(times) - 1, len(times) * 99 // 100)],
            "total": self.total,
            "messages_in": self.sent[0] / count,
            "messages_out": self.received[0] / count,
            "bytes_in": self.sent[1] / count,
            "bytes_out": self.received[1] / count,
            "cpu_us": 1e6 * (time.process_time() - self._cpu) / max(1, self.total),
        }


async def echo(call: Any, tally: Tally, each: int, size: int) -> None:
    """One stream that gets back what it sends."""
    clock = time.monotonic
    payload = b"x" * max(0, size - 4)
    sent = [0.0] * each
    for index in range(each):
        sent[index] = clock()
        await call.write(index.to_bytes(4, "big") + payload)
    async for data in call:
        now = clock()
        tally.pass_on(tally.received, data)
        if now >= tally.end:
            return
        index = int.from_bytes(data[:4], "big")
        tally.add(sent[index], now)
        sent[index] = now
        await call.write(tally.pass_on(tally.sent, data[:4] + payload))


class Players:
    """The bots of all streams: they answer by a walk through pseudo-random numbers, so that games take their usual
    course, and read no more of a message than they must."""

    def __init__(self, tally: Tally) -> None:
        self._tally = tally
        self._walk = 1
        self._asked: dict[str, float] = {}

    def answers(self, data: bytes, now: float) -> list[bytes]:
        """The requests that answer a message of the server."""
        requests: list[bytes] = []
        for update in parse(data).updates:
            match_id = update.match_id
            match update.WhichOneof("message"):
                case "decision":
                    decision = update.decision
                    if (answered := self._asked.get(match_id)) is not None:
                        self._tally.add(answered, now)
                    self._asked[match_id] = now
                    self._walk = (self._walk * 1103515245 + 12345) & 0x7FFFFFFF
                    option = (self._walk >> 8) % len(decision.options)
                    numbers = number(_DECISION_ID, decision.decision_id) + number(_OPTION, option)
                    requests.append(nested(_CHOOSE, nested(_MATCH_ID, match_id.encode()) + numbers))
                case "match_started":
                    requests.append(nested(_READY, nested(_MATCH_ID, match_id.encode())))
                case "match_ended":
                    self._asked.pop(match_id, None)
                case "ping":
                    pong = play_pb2.Pong(nonce=update.ping.nonce)
                    requests.append(play_pb2.PlayRequest(pong=pong).SerializeToString())
        return requests

    async def play(self, call: Any, name: str, most: int) -> None:
        """One stream."""
        tally = self._tally
        hello = play_pb2.Hello(bot_name=name, protocol_version=1, max_concurrent_matches=most)
        await call.write(play_pb2.PlayRequest(hello=hello).SerializeToString())
        async for data in call:
            now = time.monotonic()
            tally.pass_on(tally.received, data)
            if now >= tally.end:
                return
            requests = self.answers(data, now)
            if requests:
                joined = requests[0] + b"".join([nested(_MORE, request) for request in requests[1:]])
                await call.write(tally.pass_on(tally.sent, joined))


async def drive(address: str, streams: int, each: int, seconds: float, kind: str, *sizes: int) -> dict[str, float]:
    """Put load on a server for ``seconds`` after a warm-up of a fifth of that."""
    begin = time.monotonic() + seconds / 5
    tally = Tally(begin, begin + seconds)
    players = Players(tally)
    async with grpc.aio.insecure_channel(address) as channel:
        play: grpc.aio.StreamStreamMultiCallable[bytes, bytes] = channel.stream_stream(STREAM)
        calls = [play() for _ in range(streams)]
        work = [
            echo(call, tally, each, *sizes) if kind == "echo" else players.play(call, f"p{index}", each)
            for index, call in enumerate(calls)
        ]
        # A stream whose matches are all over falls silent: the time ends it.
        done, _ = await asyncio.wait(
            [asyncio.ensure_future(one) for one in work], timeout=tally.end - time.monotonic() + 0.5
        )
        for one in done:
            one.result()
        for call in calls:
            call.cancel()
    return tally.report()


def main(arguments: list[str]) -> None:
    """See the module's text."""
    from palio.server.app import loop_factory

    address, streams, each, seconds, kind, *sizes = arguments
    with asyncio.Runner(loop_factory=loop_factory()) as runner:
        report = runner.run(drive(address, int(streams), int(each), float(seconds), kind, *map(int, sizes)))
    sys.stdout.write(json.dumps(report) + "\n")


if __name__ == "__main__":
    main(sys.argv[1:])
