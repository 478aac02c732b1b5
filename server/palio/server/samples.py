"""Full states at random that fit what a seat knows in its running match."""

from __future__ import annotations

import hashlib
import secrets
from collections.abc import Iterable

from palio.codec.status import NotFound, NotNow
from palio.engine.errors import QuotaExceeded
from palio.engine.game import Event, Tracker
from palio.server.arena import Arena
from palio.server.match.history import told_since
from palio.server.match.room import Room
from palio.v1 import play_pb2, simulation_pb2


class Memory:
    """What one seat was told in a match so far.

    Attributes:
        seq: of the last message taken in.
        left: samples that the seat may still take.
    """

    __slots__ = ("_room", "_seat", "left", "seq", "tracker")

    def __init__(self, room: Room, seat: int, quota: int) -> None:
        course = room.course
        options = course.codec.read_game_options(room.header.options)
        self.tracker: Tracker = course.rules.tracker(seat, len(room.players), options)
        self.left = quota
        self.seq = 0
        self._room, self._seat = room, seat

    def catch_up(self) -> None:
        """Take in the messages that are new: those that the room still keeps, or all again from the journal."""
        self._take(told_since(self._room.course, self._room.journal_path, self._seat, self.seq))

    def _take(self, messages: Iterable[bytes]) -> None:
        codec = self._room.course.codec
        for message in messages:
            for update in play_pb2.PlayResponse.FromString(message).updates:
                self.seq = update.seq
                if update.HasField("events"):
                    self.tracker.observe([Event(codec.read_event(event)) for event in update.events.events])


class Samples:
    """All memories of the running matches.

    Args:
        quota: samples per seat and match.
    """

    def __init__(self, arena: Arena, quota: int) -> None:
        self._arena = arena
        self._quota = quota
        self._memories: dict[tuple[str, int], Memory] = {}
        # Not the match's seed: nothing that a seat is told may depend on that before the end.
        self._secret = secrets.token_bytes(32)

    def take(self, player: str, match_id: str, nonce: int) -> simulation_pb2.SampleStateResponse:
        """A sample for a player that is asked to start its turn.

        Raises:
            NotFound: that player has no seat in such a running match.
            NotNow: it is not asked, or not at the start of a turn.
            QuotaExceeded: it took all its samples.
        """
        room = self._arena.rooms.get(match_id)
        if room is None or player not in room.players:
            raise NotFound(f"you have no seat in a running match {match_id!r}", field="match_id")
        seat = room.players.index(player)
        course = room.course
        decision = course.decision
        if decision is None or decision.seat != seat:
            raise NotNow("states are sampled for the seat that is asked, and yours is not")
        if course.rules.position(course.state) is None:
            raise NotNow("states are sampled where a turn starts, and this decision is within one")
        memory = self._memory(room, seat)
        if memory.left <= 0:
            raise QuotaExceeded(f"all {self._quota} samples of your seat in this match are taken")
        memory.catch_up()
        number = course.chain.next_id(seat)
        label = f"{match_id}/{room.header.attempt}/{seat}/{number}/{nonce}"
        state = memory.tracker.sample(course.state.view(seat), hashlib.sha256(self._secret + label.encode()).digest())
        memory.left -= 1
        position = course.codec.position(course.rules.position(state))
        return simulation_pb2.SampleStateResponse(position=position, quota_left=memory.left)

    def _memory(self, room: Room, seat: int) -> Memory:
        key = room.match_id, seat
        if key not in self._memories:
            # Here, where one is added, those of matches that are over make room.
            self._memories = {k: memory for k, memory in self._memories.items() if k[0] in self._arena.rooms}
            self._memories[key] = Memory(room, seat, self._quota)
        return self._memories[key]
