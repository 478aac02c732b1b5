"""A small correct bot without any SDK, and as many ways to spoil it as the conformance kit has obligations.

``python -m tests.support.faulty_bot --fault NAME`` plays on the server in PALIO_SERVER.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import os
import signal
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

import grpc
import grpc.aio
from google.protobuf.unknown_fields import UnknownFieldSet

from palio.codec.status import from_rpc_error
from palio.v1 import match_pb2, play_pb2, play_pb2_grpc

FAULTS: Final = {
    "pongs-before-hello": "O-01",
    "leaves-the-token-out": "O-02",
    "speaks-version-2": "O-03",
    "plays-chess": "O-04",
    "says-hello-twice": "O-05",
    "keeps-nonces-as-floats": "O-06",
    "is-never-ready": "O-07",
    "says-ready-twice": "O-07",
    "never-answers": "O-08",
    "counts-decisions-itself": "O-09",
    "counts-options-from-one": "O-10",
    "answers-twice": "O-11",
    "reads-only-the-first-update": "O-12",
    "resigns-in-the-middle": "O-13",
    "has-room-for-1000-options": "O-14",
    "thinks-too-long": "O-15",
    "needs-a-clock": "O-16",
    "does-not-let-go": "O-17",
    "plays-no-match-twice": "O-18",
    "mixes-matches-up": "O-19",
    "answers-one-at-a-time": "O-20",
    "promises-too-much": "O-21",
    "is-deaf-while-asked": "O-22",
    "rejects-unknown-fields": "O-23",
    "rejects-unknown-kinds": "O-24",
    "rejects-unknown-values": "O-25",
    "rejects-unknown-events": "O-26",
    "dies-of-a-refusal": "O-27",
    "stops-when-others-fall": "O-28",
    "repeats-stale-choices": "O-29",
    "tries-only-once": "O-30",
    "tries-for-ever": "O-31",
    "answers-duplicates": "O-32",
    "never-comes-back": "O-33",
    "resumes-from-the-start": "O-34",
    "resumes-what-is-over": "O-35",
    "forgets-its-choice": "O-36",
    "forgets-that-it-is-ready": "O-37",
    "answers-history": "O-38",
    "overlooks-gaps": "O-39",
    "takes-draining-for-the-end": "O-40",
    "takes-silence-for-the-end": "O-41",
    "takes-the-unknown-for-the-end": "O-42",
    "does-not-wait-for-a-restart": "O-43",
    "hammers": "O-44",
    "takes-full-for-the-end": "O-45",
    "insists-on-its-token": "O-46",
    "insists-on-its-version": "O-47",
    "fights-for-its-place": "O-48",
    "insists-after-breaking-the-protocol": "O-49",
    "dies-at-sigterm": "O-50",
    "stops-playing-when-leaving": "O-51",
    "leaves-with-an-error": "O-52",
    "leaves-only-once": "O-53",
    "stays-where-it-is": "O-54",
    "forgets-its-matches-on-the-way": "O-55",
    "follows-for-ever": "O-56",
}
"""Each fault, and the obligation that it breaks."""

_FIRST_DELAY: Final = 0.05
_LONGEST_DELAY: Final = 2.0
_CAPACITY: Final = 8
_KEPT: Final = 4
_SOME: Final = 20
_BUFFER: Final = 1000
_SOON: Final = 5
_KILLED: Final = 143
_MOST_MOVES: Final = 5


class Exit(Exception):
    """The program ends."""

    def __init__(self, code: int) -> None:
        self.code = code


class Lost(Exception):
    """This connection is of no more use."""


class Moved(Exception):
    """Another address is of more use."""


@dataclass
class Seat:
    """One match."""

    attempt: int
    last_seq: int = 0
    begun: bool = False
    asked: play_pb2.Decision | None = None
    option: int = 0
    answers: int = 0
    stopped: bool = False


class FaultyBot:
    """The bot; correct for the fault ``""``."""

    def __init__(self, environment: Mapping[str, str], fault: str = "") -> None:
        self._server = environment["PALIO_SERVER"]
        self._token = environment["PALIO_TOKEN"]
        self._fault = fault
        self._seats: dict[str, Seat] = {}
        self._over: dict[str, int] = {}
        self._newest = ""
        self._leaving = asyncio.Event()
        self._failures = 0
        self._address = self._server
        self._moves = 0
        self._welcomed = False
        self._last_choice: dict[str, play_pb2.Choose] = {}
        self._waiting: list[str] = []
        self._thinking: set[asyncio.Task[None]] = set()
        self._outbox: asyncio.Queue[play_pb2.PlayRequest] | None = None

    def leave(self) -> None:
        """What SIGTERM does."""
        self._leaving.set()
        if self._fault != "dies-at-sigterm":
            self._say(leave=play_pb2.Leave())

    async def run(self) -> int:
        """Play to the end; the exit code."""
        playing = asyncio.create_task(self._play())
        told = asyncio.create_task(self._leaving.wait())
        dying = {told} if self._fault == "dies-at-sigterm" else set()
        try:
            await asyncio.wait({playing, *dying}, return_when=asyncio.FIRST_COMPLETED)
            return playing.result() if playing.done() else _KILLED
        finally:
            for task in (playing, told, *self._thinking):
                task.cancel()
            await asyncio.gather(playing, told, return_exceptions=True)

    async def _play(self) -> int:
        try:
            while True:
                try:
                    await self._session()
                except Lost:
                    pass
                except Moved as moved:
                    if self._moves < _MOST_MOVES or self._fault == "follows-for-ever":
                        self._moves += 1
                        self._address = str(moved)
                        continue
                except grpc.aio.AioRpcError as error:
                    self._judge(error)
                self._address, self._moves = self._server, 0
                delay = min(_LONGEST_DELAY, _FIRST_DELAY * 2 ** min(self._failures, 30))
                self._failures += 1
                await asyncio.sleep(0 if self._fault == "hammers" else delay)
        except Exit as end:
            return end.code

    def _judge(self, error: grpc.aio.AioRpcError) -> None:
        """Whether to try again after the server's refusal or a broken connection."""
        failure, fault = from_rpc_error(error), self._fault
        if self._welcomed and fault == "never-comes-back":
            raise Exit(1)
        if not self._welcomed and not failure.reason and fault == "does-not-wait-for-a-restart":
            raise Exit(1)
        match error.code():
            case grpc.StatusCode.RESOURCE_EXHAUSTED:
                final = fault == "takes-full-for-the-end"
            case grpc.StatusCode.UNAUTHENTICATED:
                final = fault != "insists-on-its-token"
            case grpc.StatusCode.FAILED_PRECONDITION:
                final = fault != "insists-on-its-version"
            case _:
                final = bool(failure.reason) and not failure.transient
        if final:
            raise Exit(1)

    async def _session(self) -> None:
        options = (("grpc.use_local_subchannel_pool", 1), ("grpc.max_receive_message_length", -1))
        async with grpc.aio.insecure_channel(self._address, options) as channel:
            call = play_pb2_grpc.PlayServiceStub(channel).Play()
            self._outbox, self._welcomed = asyncio.Queue(), False
            if self._fault == "pongs-before-hello":
                self._say(pong=play_pb2.Pong(nonce=1))
            for _ in range(2 if self._fault == "says-hello-twice" else 1):
                self._say(hello=self._hello())
            writer = asyncio.create_task(self._write(call, self._outbox))
            try:
                async for response in call:
                    first_only = self._fault == "reads-only-the-first-update"
                    for update in response.updates[:1] if first_only else response.updates:
                        self._take(update)
            finally:
                self._outbox = None
                writer.cancel()
                call.cancel()
        if self._fault == "takes-silence-for-the-end":
            raise Exit(0)

    async def _write(
        self,
        call: grpc.aio.StreamStreamCall[play_pb2.PlayRequest, play_pb2.PlayResponse],
        outbox: asyncio.Queue[play_pb2.PlayRequest],
    ) -> None:
        with contextlib.suppress(grpc.aio.AioRpcError, asyncio.InvalidStateError, grpc.aio.UsageError):
            while True:
                await call.write(await outbox.get())

    def _hello(self) -> play_pb2.Hello:
        fault = self._fault
        resume = {
            match_id: 0 if fault == "resumes-from-the-start" else seat.last_seq
            for match_id, seat in self._seats.items()
        }
        if fault == "resumes-what-is-over":
            resume |= self._over
        if fault == "forgets-its-matches-on-the-way" and self._address != self._server:
            resume = {}
        return play_pb2.Hello(
            token="" if fault == "leaves-the-token-out" else self._token,
            bot_name="faulty",
            protocol_version=2 if fault == "speaks-version-2" else 1,
            games=["chess"] if fault == "plays-chess" else [],
            max_concurrent_matches=_CAPACITY,
            resume=resume,
        )

    def _say(self, **message: object) -> None:
        if self._outbox is not None:
            self._outbox.put_nowait(play_pb2.PlayRequest(**message))  # type: ignore[arg-type]

    # --- the session ---

    def _take(self, update: play_pb2.Update) -> None:
        kind = update.WhichOneof("message")
        if update.match_id:
            self._take_match(update, kind)
        elif kind == "welcome":
            self._welcome()
        elif kind == "ping":
            self._ping(update.ping.nonce)
        elif kind == "goodbye":
            self._goodbye(update.goodbye.reason, update.goodbye.address)
        elif kind == "refused" and self._fault == "dies-of-a-refusal":
            raise Exit(1)

    def _welcome(self) -> None:
        self._welcomed = True
        self._moves = 0
        for match_id, seat in self._seats.items():
            if seat.asked is not None and self._fault != "forgets-its-choice" and match_id in self._last_choice:
                self._say(choose=self._last_choice[match_id])
            elif not seat.begun and self._fault != "forgets-that-it-is-ready":
                self._say(ready=play_pb2.Ready(match_id=match_id))
        if self._leaving.is_set() and self._fault != "leaves-only-once":
            self._say(leave=play_pb2.Leave())

    def _ping(self, nonce: int) -> None:
        if self._fault == "is-deaf-while-asked" and any(seat.asked for seat in self._seats.values()):
            return
        if self._fault == "keeps-nonces-as-floats":
            nonce = int(float(nonce)) % 2**64
        if self._fault == "does-not-let-go":
            for match_id in self._over:
                self._say(resign=play_pb2.Resign(match_id=match_id))
        self._say(pong=play_pb2.Pong(nonce=nonce))

    def _goodbye(self, reason: int, address: str) -> None:
        ends = {
            play_pb2.GOODBYE_REASON_LEFT: 3 if self._fault == "leaves-with-an-error" else 0,
            play_pb2.GOODBYE_REASON_REPLACED: 1,
            play_pb2.GOODBYE_REASON_PROTOCOL: 1,
        }
        if self._fault == "fights-for-its-place":
            del ends[play_pb2.GOODBYE_REASON_REPLACED]
        if self._fault == "insists-after-breaking-the-protocol":
            del ends[play_pb2.GOODBYE_REASON_PROTOCOL]
        if self._fault == "takes-draining-for-the-end":
            ends[play_pb2.GOODBYE_REASON_DRAINING] = 0
        if self._fault == "takes-the-unknown-for-the-end" and reason not in play_pb2.GoodbyeReason.values():
            raise Exit(1)
        if reason in ends:
            raise Exit(ends[reason])  # type: ignore[index]
        if reason == play_pb2.GOODBYE_REASON_MOVED and self._fault != "stays-where-it-is":
            raise Moved(address)
        raise Lost

    # --- matches ---

    def _take_match(self, update: play_pb2.Update, kind: str | None) -> None:
        match_id, fault = update.match_id, self._fault
        if kind == "match_started":
            self._start(update)
            return
        seat = self._seats.get(match_id)
        if seat is None:
            return
        if update.seq:
            if update.seq <= seat.last_seq and fault != "answers-duplicates":
                return
            if update.seq > seat.last_seq + 1 and fault != "overlooks-gaps":
                raise Lost
            seat.last_seq = max(seat.last_seq, update.seq)
        match kind:
            case "events":
                seat.begun = True
                unknown = any(event.WhichOneof("game") is None for event in update.events.events)
                if unknown and fault == "rejects-unknown-events":
                    raise Exit(1)
            case "decision":
                seat.begun = True
                self._decide(match_id, seat, update.decision)
            case "choice_accepted":
                if seat.asked is not None and seat.asked.decision_id == update.choice_accepted.decision_id:
                    self._settled(match_id, seat)
            case "choice_rejected":
                self._rejected(match_id, seat, update.choice_rejected)
            case "seat_status":
                self._status(seat, update.seat_status)
            case "match_ended":
                self._over[match_id] = seat.last_seq
                self._settled(match_id, seat)
                del self._seats[match_id]
            case "refused" if fault == "dies-of-a-refusal":
                raise Exit(1)
            case None if fault == "rejects-unknown-kinds":
                raise Exit(1)

    def _start(self, update: play_pb2.Update) -> None:
        match_id, start, fault = update.match_id, update.match_started, self._fault
        if match_id in self._seats and start.attempt <= self._seats[match_id].attempt:
            return
        if fault == "plays-no-match-twice" and match_id in self._over:
            return
        if fault == "promises-too-much" and len(self._seats) >= _KEPT:
            return
        if fault == "rejects-unknown-fields" and len(UnknownFieldSet(start)):
            raise Exit(1)
        self._seats[match_id] = Seat(start.attempt, last_seq=update.seq)
        self._newest = match_id
        self._last_choice.pop(match_id, None)
        for _ in range({"says-ready-twice": 2, "is-never-ready": 0}.get(fault, 1)):
            self._say(ready=play_pb2.Ready(match_id=match_id))

    def _decide(self, match_id: str, seat: Seat, decision: play_pb2.Decision) -> None:
        fault = self._fault
        if decision.answered if fault == "answers-history" else decision.HasField("answered"):
            if seat.asked is not None and seat.asked.decision_id == decision.decision_id:
                self._settled(match_id, seat)
            return
        if fault == "has-room-for-1000-options" and len(decision.options) > _BUFFER:
            raise Exit(1)
        if fault == "needs-a-clock" and not decision.HasField("clock"):
            raise Exit(1)
        if (
            fault == "never-answers"
            or seat.stopped
            or (fault == "stops-playing-when-leaving" and self._leaving.is_set())
        ):
            return
        seat.asked = decision
        seat.answers += 1
        if fault == "resigns-in-the-middle" and seat.answers > _SOME:
            self._say(resign=play_pb2.Resign(match_id=match_id))
            return
        if fault == "answers-one-at-a-time" and any(
            seat.asked for other, seat in self._seats.items() if other != match_id
        ):
            self._waiting.append(match_id)
            return
        remaining = decision.clock.remaining.ToSeconds()
        if fault == "thinks-too-long" and 0 < remaining < _SOON:
            thinking = asyncio.create_task(self._think(match_id, seat, remaining + 0.2))
            self._thinking.add(thinking)
            return
        self._choose(match_id, seat, decision)

    async def _think(self, match_id: str, seat: Seat, seconds: float) -> None:
        await asyncio.sleep(seconds)
        if seat.asked is not None:
            self._choose(match_id, seat, seat.asked)

    def _choose(self, match_id: str, seat: Seat, decision: play_pb2.Decision) -> None:
        fault, offered = self._fault, len(decision.options)
        choose = play_pb2.Choose(
            match_id=self._newest if fault == "mixes-matches-up" else match_id,
            decision_id=decision.decision_id + (fault == "counts-decisions-itself"),
            option=offered if fault == "counts-options-from-one" else decision.decision_id * 7 % offered,
        )
        self._last_choice[match_id] = choose
        for _ in range(2 if fault == "answers-twice" else 1):
            self._say(choose=choose)

    def _settled(self, match_id: str, seat: Seat) -> None:
        """The open decision of a match is no longer open."""
        seat.asked = None
        while self._waiting:
            following = self._waiting.pop(0)
            waiting = self._seats.get(following)
            if waiting is not None and waiting.asked is not None and following != match_id:
                self._choose(following, waiting, waiting.asked)
                return

    def _rejected(self, match_id: str, seat: Seat, rejected: play_pb2.ChoiceRejected) -> None:
        fault = self._fault
        if rejected.reason == play_pb2.REJECTION_REASON_STALE:
            if fault == "repeats-stale-choices":
                again = play_pb2.Choose(match_id=match_id, decision_id=rejected.decision_id)
                self._say(choose=again)
            return
        if seat.asked is None or seat.asked.decision_id != rejected.decision_id:
            return
        tries = rejected.tries_left > 0 and fault != "tries-only-once"
        if tries or fault == "tries-for-ever":
            self._choose(match_id, seat, seat.asked)

    def _status(self, seat: Seat, status: play_pb2.SeatStatus) -> None:
        if self._fault == "rejects-unknown-values" and status.termination not in match_pb2.Termination.values():
            raise Exit(1)
        if self._fault == "stops-when-others-fall" and status.termination == match_pb2.TERMINATION_RESIGNED:
            seat.stopped = True


async def play(environment: Mapping[str, str], fault: str) -> int:
    """The whole program."""
    bot = FaultyBot(environment, fault)
    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, bot.leave)
    return await bot.run()


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--fault", default="", choices=["", *FAULTS])
    sys.exit(asyncio.run(play(os.environ, parser.parse_args().fault)))
