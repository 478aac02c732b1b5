"""The connection: hello, reading, heartbeats, reconnection, and the end of a session."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import random
from typing import Final, TypeAlias

import grpc

from palio.client.playing import Factory, Playing
from palio.client.settings import PROTOCOL_VERSION, SDK, Settings
from palio.codec.status import PalioError, from_rpc_error
from palio.v1 import catalog_pb2, catalog_pb2_grpc, play_pb2, play_pb2_grpc

log = logging.getLogger("palio.client")

Call: TypeAlias = grpc.aio.StreamStreamCall[play_pb2.PlayRequest, play_pb2.PlayResponse]

_SILENT_HEARTBEATS: Final = 4
_CATALOGUE_TIMEOUT: Final = 5.0  # seconds
_FAREWELL: Final = 5.0  # seconds for a bot to take in its last results
_AT_ONCE: Final = 64  # messages that are sent as one
_REMEMBERED: Final = 10_000  # matches that are over, in case something about them comes twice
_MOST_MOVES: Final = 5  # from one address to the next without a Welcome
_jitter = random.SystemRandom()


class _Lost(Exception):
    """This connection is of no more use; another one may be."""


class _Moved(Exception):
    """Another process of the server hosts our matches.

    Attributes:
        address: where it listens.
    """

    def __init__(self, address: str) -> None:
        super().__init__(f"moved to {address}")
        self.address = address


class _Left(Exception):
    """The server has let us go."""


class Session:
    """Plays matches until told to stop, over as many connections as it takes.

    Attributes:
        finished: matches that have ended so far.
    """

    def __init__(self, factory: Factory, settings: Settings) -> None:
        self.finished = 0
        self._factory = factory
        self._settings = settings
        self._loop = asyncio.get_running_loop()
        self._matches: dict[str, Playing] = {}
        self._tasks: dict[str, asyncio.Task[None]] = {}
        self._attempts: dict[str, int] = {}
        self._catalogue: dict[str, catalog_pb2.GetGameResponse] = {}
        self._channel: grpc.aio.Channel | None = None
        self._outbox: asyncio.Queue[play_pb2.PlayRequest] | None = None
        self._welcomed = False
        self._heard = False
        self._leaving = asyncio.Event()
        self._failures = 0
        self._patience_ends = 0.0
        self._server = ""  # where we were told to go; empty for the server of the settings
        self._moves = 0

    def leave(self) -> None:
        """No more matches: those that run are played to their end, then :meth:`run` returns."""
        if not self._leaving.is_set():
            self._leaving.set()
            self._send(play_pb2.PlayRequest(leave=play_pb2.Leave()))

    async def run(self) -> int:
        """Play; returns how many matches were finished.

        Raises:
            PalioError: the server refuses this bot, a newer session took over, or no server was found in time.
        """
        self._patience_ends = self._loop.time() + self._settings.patience
        try:
            while True:
                try:
                    await self._connect()
                except _Left:
                    return self.finished
                except _Moved as moved:
                    if self._moves < _MOST_MOVES:
                        self._moves += 1
                        self._server = moved.address
                        continue
                    await self._bear(_Lost(f"{_MOST_MOVES} addresses in a row sent us on"))
                except (_Lost, PalioError) as error:
                    await self._bear(error)
                if self._leaving.is_set() and not self._matches:
                    return self.finished
        finally:
            await self._drop_all()

    async def _bear(self, error: _Lost | PalioError) -> None:
        """Wait before the next try, or raise what cannot be helped."""
        if isinstance(error, PalioError) and not error.transient:
            raise error
        self._server, self._moves = "", 0
        delay = min(self._settings.longest_delay, self._settings.first_delay * 2.0**self._failures)
        delay *= _jitter.uniform(0.5, 1.0)
        self._failures = min(self._failures + 1, 30)
        if self._loop.time() + delay > self._patience_ends:
            if isinstance(error, PalioError):
                raise error
            raise PalioError(grpc.StatusCode.UNAVAILABLE, f"no Welcome for {self._settings.patience:g} s: {error}")
        log.info("connection lost (%s); trying again in %.1f s", error, delay)
        if self._matches:
            await asyncio.sleep(delay)
        else:
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(self._leaving.wait(), delay)

    async def _connect(self) -> None:
        """One connection, from Hello to its end, which is always an exception."""
        async with self._settings.channel(self._server) as channel:
            call: Call = play_pb2_grpc.PlayServiceStub(channel).Play()
            self._channel, self._outbox, self._welcomed = channel, asyncio.Queue(), False
            self._outbox.put_nowait(play_pb2.PlayRequest(hello=self._hello()))
            helpers = [asyncio.create_task(self._write(call, self._outbox))]
            try:
                async with asyncio.timeout_at(self._patience_ends) as silence:
                    async for response in call:
                        self._heard = True
                        for update in response.updates:
                            if update.WhichOneof("message") == "welcome":
                                silence.reschedule(None)
                                helpers.append(asyncio.create_task(self._watch(silence, update.welcome)))
                            self._take(update)
                raise _Lost("the server closed the stream")
            except TimeoutError:
                raise _Lost("the server is silent") from None
            except grpc.aio.AioRpcError as error:
                raise from_rpc_error(error) from None
            finally:
                if self._welcomed:
                    self._patience_ends = self._loop.time() + self._settings.patience
                self._channel = self._outbox = None
                for helper in helpers:
                    helper.cancel()
                call.cancel()
                await asyncio.gather(*helpers, return_exceptions=True)

    def _hello(self) -> play_pb2.Hello:
        return play_pb2.Hello(
            token=self._settings.token,
            bot_name=self._settings.name,
            bot_version=self._settings.version,
            sdk=SDK,
            protocol_version=PROTOCOL_VERSION,
            games=self._settings.games,
            max_concurrent_matches=self._settings.concurrency,
            resume={match_id: playing.last_seq for match_id, playing in self._matches.items()},
        )

    async def _write(self, call: Call, outbox: asyncio.Queue[play_pb2.PlayRequest]) -> None:
        """The only writer of a call, so that messages keep their order. The reader reports what breaks."""
        with contextlib.suppress(grpc.aio.AioRpcError, asyncio.InvalidStateError, grpc.aio.UsageError):
            while True:
                request = await outbox.get()
                if not outbox.empty():
                    first, request = request, play_pb2.PlayRequest()
                    request.CopyFrom(first)
                    while not outbox.empty() and len(request.more) < _AT_ONCE:
                        request.more.append(outbox.get_nowait())
                await call.write(request)

    async def _watch(self, silence: asyncio.Timeout, welcome: play_pb2.Welcome) -> None:
        """End a connection over which nothing comes any more, not even a Ping."""
        heartbeat = welcome.heartbeat.seconds + welcome.heartbeat.nanos / 1e9
        if heartbeat <= 0:
            return
        silent = 0
        # Counted in ticks of our own, so that a program that was stopped for a while does not blame the server.
        while silent < _SILENT_HEARTBEATS:
            self._heard = False
            await asyncio.sleep(heartbeat)
            silent = 0 if self._heard else silent + 1
        silence.reschedule(self._loop.time())

    def _send(self, request: play_pb2.PlayRequest) -> None:
        """Queue a message; may be called from any thread. Without a connection it is dropped: what matters is said
        again by :meth:`Playing.resume`."""
        try:
            here = asyncio.get_running_loop() is self._loop
        except RuntimeError:
            here = False
        if here:
            self._queue(request)
        else:
            self._loop.call_soon_threadsafe(self._queue, request)

    def _queue(self, request: play_pb2.PlayRequest) -> None:
        if self._outbox is not None and (self._welcomed or request.HasField("pong")):
            self._outbox.put_nowait(request)

    def _take(self, update: play_pb2.Update) -> None:
        if update.match_id:
            self._take_match(update)
            return
        match update.WhichOneof("message"):
            case "welcome":
                self._welcome()
            case "ping":
                self._queue(play_pb2.PlayRequest(pong=play_pb2.Pong(nonce=update.ping.nonce)))
            case "goodbye":
                self._goodbye(update.goodbye)
            case "refused":
                _warn_refused(update)
            case _:  # a kind of a newer protocol
                pass

    def _welcome(self) -> None:
        self._welcomed = True
        self._moves = 0
        for playing in self._matches.values():
            playing.resume()
        if self._leaving.is_set():
            self._queue(play_pb2.PlayRequest(leave=play_pb2.Leave()))

    def _goodbye(self, goodbye: play_pb2.Goodbye) -> None:
        match goodbye.reason:
            case play_pb2.GOODBYE_REASON_LEFT:
                raise _Left
            case play_pb2.GOODBYE_REASON_REPLACED:
                text = goodbye.text or "a newer session of this player took over"
                raise PalioError(grpc.StatusCode.ABORTED, text, reason="REPLACED")
            case play_pb2.GOODBYE_REASON_PROTOCOL:
                raise PalioError(grpc.StatusCode.FAILED_PRECONDITION, goodbye.text, reason="PROTOCOL")
            case play_pb2.GOODBYE_REASON_MOVED if goodbye.address:
                raise _Moved(goodbye.address)
            case _:
                raise _Lost(goodbye.text or f"goodbye {goodbye.reason}")

    def _take_match(self, update: play_pb2.Update) -> None:
        kind = update.WhichOneof("message")
        if kind == "match_started" and update.match_started.attempt > self._attempts.get(update.match_id, -1):
            self._start(update)
            return
        playing = self._matches.get(update.match_id)
        if update.seq > 0:
            if playing is None:
                if update.match_id in self._attempts:  # it is over: this comes for the second time
                    return
                raise _Lost(f"{update.match_id}: message {update.seq} came before the match started")
            if update.seq <= playing.last_seq:
                return
            if update.seq > playing.last_seq + 1:
                raise _Lost(f"{update.match_id}: message {update.seq} came after {playing.last_seq}")
            playing.last_seq = update.seq
            self._failures = 0
        if kind == "refused":
            _warn_refused(update)
        if playing is not None:
            playing.take(update)
            if kind == "match_ended":
                self._end(playing)

    def _start(self, update: play_pb2.Update) -> None:
        """A match begins, or begins anew after a void attempt whose end was not heard of."""
        match_id, start = update.match_id, update.match_started
        if update.seq != 1:
            raise _Lost(f"{match_id}: the match starts with message {update.seq}")
        stale = self._tasks.pop(match_id, None)
        if stale is not None:
            stale.cancel()
        self._attempts.pop(match_id, None)
        self._attempts[match_id] = start.attempt  # the newest is last
        self._failures = 0
        playing = Playing(start, match_id, self._send)
        playing.last_seq = update.seq
        self._matches[match_id] = playing
        task = asyncio.create_task(playing.run(self._factory, self._game))
        self._tasks[match_id] = task
        task.add_done_callback(lambda _: self._forget(match_id, task))

    def _end(self, playing: Playing) -> None:
        del self._matches[playing.match_id]
        if len(self._attempts) > _REMEMBERED + len(self._matches):
            oldest = next(match_id for match_id in self._attempts if match_id not in self._matches)
            del self._attempts[oldest]
        self.finished += 1
        if self._settings.matches is not None and self.finished >= self._settings.matches:
            self.leave()

    def _forget(self, match_id: str, task: asyncio.Task[None]) -> None:
        if self._tasks.get(match_id) is task:
            del self._tasks[match_id]

    async def _game(self, game: str) -> catalog_pb2.GetGameResponse:
        """A game of the server's catalogue; empty where the server does not tell. A connection that breaks meanwhile is
        no reason to go without: it is asked again over the next one."""
        request = catalog_pb2.GetGameRequest(game=game)
        while game not in self._catalogue:
            if self._channel is None:
                await asyncio.sleep(self._settings.first_delay)
                continue
            stub = catalog_pb2_grpc.CatalogServiceStub(self._channel)
            try:
                found = await stub.GetGame(request, metadata=self._settings.metadata, timeout=_CATALOGUE_TIMEOUT)
                self._catalogue[game] = found
            except grpc.aio.AioRpcError as error:
                if error.code() not in (grpc.StatusCode.UNAVAILABLE, grpc.StatusCode.CANCELLED):
                    log.info("no catalogue of %s: %s", game, error)
                    return catalog_pb2.GetGameResponse()
                await asyncio.sleep(self._settings.first_delay)
            except (asyncio.CancelledError, asyncio.InvalidStateError, grpc.aio.UsageError):
                # The end of a channel cancels its calls, which looks as if this task were cancelled.
                task = asyncio.current_task()
                if task is not None and task.cancelling():
                    raise
                await asyncio.sleep(self._settings.first_delay)
        return self._catalogue[game]

    async def _drop_all(self) -> None:
        """Let the bots hear of the results that have come; what is still being played is given up."""
        running = [task for match_id, task in self._tasks.items() if match_id in self._matches]
        ending = [task for match_id, task in self._tasks.items() if match_id not in self._matches]
        if ending:
            _, late = await asyncio.wait(ending, timeout=_FAREWELL)
            running += late
        for task in running:
            task.cancel()
        await asyncio.gather(*running, return_exceptions=True)


def _warn_refused(update: play_pb2.Update) -> None:
    refused = update.refused
    log.warning("refused: %s %s %s: %s", update.match_id, refused.reason, refused.field, refused.text)
