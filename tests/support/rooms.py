"""Rooms without a server: time that a test moves by hand, and bots that are lists of what they were told."""

from __future__ import annotations

import heapq
import itertools
from collections.abc import Callable
from pathlib import Path
from typing import Any

from tests.support.arena import sticks

from palio.codec import codec_of
from palio.engine.chance import commitment
from palio.server.match.clock import TimeControl, duration
from palio.server.match.contact import Bot, Match
from palio.server.match.deadline import Timer
from palio.server.match.journal import ReplayStore
from palio.server.match.ledger import Ledger
from palio.server.match.observer import Observer
from palio.server.match.room import Room
from palio.v1 import match_pb2, play_pb2, replay_pb2

SEED = bytes(32)


class HandTimer:
    def __init__(self, call: Callable[[], object]) -> None:
        self.call = call
        self.cancelled = False

    def cancel(self) -> None:
        self.cancelled = True


class HandTimers:
    """Time stands still until :meth:`advance`."""

    def __init__(self) -> None:
        self.now = 1000.0
        self._order = itertools.count()
        self._timers: list[tuple[float, int, HandTimer]] = []

    def time(self) -> float:
        return self.now

    def call_at(self, when: float, callback: Callable[..., Any], *args: Any) -> Timer:
        timer = HandTimer(lambda: callback(*args))
        heapq.heappush(self._timers, (when, next(self._order), timer))
        return timer

    def advance(self, seconds: float) -> None:
        """Let that time pass; whatever is due meanwhile happens at its time."""
        end = self.now + seconds
        while self._timers and self._timers[0][0] <= end:
            when, _, timer = heapq.heappop(self._timers)
            self.now = max(self.now, when)
            if not timer.cancelled:
                timer.call()
        self.now = end

    @property
    def waiting(self) -> int:
        """Timers that may still ring."""
        return sum(not timer.cancelled for _, _, timer in self._timers)


class HandOutbox:
    """Hands over at once, or when the test says so."""

    def __init__(self) -> None:
        self.calls: list[Callable[[], None]] = []

    def when_taken(self, call: Callable[[], None]) -> None:
        self.calls.append(call)

    def take(self) -> None:
        calls, self.calls = self.calls, []
        for call in calls:
            call()


class HandBot:
    """What a room needs of a session."""

    def __init__(self, name: str) -> None:
        self.credential_id = f"open:{name}"
        self.session_id = name
        self.outbox = HandOutbox()
        self.seen: list[play_pb2.Update] = []
        self.nonsenses = 0
        self.over = False

    @property
    def session(self) -> Bot:
        return self

    def send(self, message: bytes) -> None:
        self.seen += play_pb2.PlayResponse.FromString(message).updates

    def tell(self, update: play_pb2.Update) -> None:
        self.seen.append(update)

    def refuse(self, error: BaseException, match_id: str = "") -> None:
        self.tell(play_pb2.Update(match_id=match_id, refused=play_pb2.Refused(text=str(error))))

    def nonsense(self) -> None:
        self.nonsenses += 1

    def join(self, match: Match, seat: int) -> None:
        pass

    def left(self, match: Match) -> None:
        self.over = True

    def replaced(self, match: Match) -> None:
        self.left(match)

    def kinds(self) -> list[str]:
        return [update.WhichOneof("message") or "" for update in self.seen]

    def last(self, kind: str) -> Any:
        """The newest message of that kind."""
        return getattr(next(u for u in reversed(self.seen) if u.WhichOneof("message") == kind), kind)


class Table:
    """A match of sticks between bots that a test plays by hand.

    Args:
        heap: sticks at the start.
        control: fields of the time control.
    """

    def __init__(
        self,
        folder: Path,
        *names: str,
        heap: int = 21,
        policies: match_pb2.Policies | None = None,
        **control: float | None,
    ) -> None:
        codec = codec_of("sticks")
        self.header = replay_pb2.ReplayHeader(
            match_id="m",
            attempt=1,
            game="sticks",
            rules_version=1,
            options=codec.game_options(codec.read_game_options(sticks(heap))),
            players=names,
            seed=SEED,
            seed_commitment=commitment(SEED),
            time_control=TimeControl(**control).message(),  # type: ignore[arg-type]
            policies=policies
            or match_pb2.Policies(illegal_tries=2, disconnection_grace=duration(30), no_show=duration(60)),
        )
        self.store = ReplayStore(folder / "journal")
        self.timers = HandTimers()
        self.errors: list[OSError] = []
        self.ended: list[match_pb2.Match] = []
        self.bots = [HandBot(name) for name in names]
        journal = self.store.create("m", 1)
        journal.append(replay_pb2.ReplayRecord(header=self.header))
        self.room = Room(self.header, journal, self.timers, self, Observer(), wall=lambda: 1.7e9 + self.timers.now)

    # A room's keeper.

    def closed(self, room: Ledger) -> None:
        self.ended.append(room.summary())

    def storage_failed(self, error: OSError) -> None:
        self.errors.append(error)

    def start(self) -> Table:
        """Everybody sits down and is ready."""
        self.room.start({seat: bot.session for seat, bot in enumerate(self.bots)})
        for seat in range(len(self.bots)):
            self.room.ready(seat)
        return self

    def choose(self, seat: int, option: int = 0, *, after: float = 0.0, network: float = 0.0) -> None:
        """Answer the pending decision after so many seconds."""
        self.timers.advance(after)
        self.room.choose(seat, self.bots[seat].last("decision").decision_id, option, network)

    def restart(self, grace: float = 120.0) -> Room:
        """The server dies and comes back: the room again, from its journal."""
        self.room.suspend()
        records, journal = self.store.reopen(self.store.path("m", 1))
        self.room = Room(self.header, journal, self.timers, self, Observer(), wall=lambda: 1.7e9 + self.timers.now)
        self.room.restore(records[1:], grace)
        return self.room

    def records(self) -> list[replay_pb2.ReplayRecord]:
        return self.store.reopen(self.store.path("m", 1))[0]

    def terminations(self) -> list[str]:
        """Of the seats, once it is over."""
        (match,) = self.ended
        return [
            match_pb2.Termination.Name(seat.termination).removeprefix("TERMINATION_") for seat in match.result.seats
        ]
