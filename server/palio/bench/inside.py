"""Matches without a network, in this process: to warm what matches share, and to see what each stage costs."""

from __future__ import annotations

import asyncio
import logging
import random
import shutil
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Final, NamedTuple

import structlog

from palio.engine.chance import seed_from_text
from palio.games import rules_of
from palio.server.arena import Arena
from palio.server.match.questions import questions_of
from palio.server.match.room import Room
from palio.server.sessions import Session
from palio.v1 import match_pb2, play_pb2

BATCHES: Final = 12


class Insiders:
    """Players of an arena who choose at random and are reached without a stream.

    Args:
        prefix: of their names and of the ids of their matches.
    """

    def __init__(self, arena: Arena, game: str, players: int, prefix: str) -> None:
        self._arena, self._game, self._prefix = arena, game, prefix
        self._random = random.Random(1)  # noqa: S311 (chance for a benchmark)
        self._number = 0
        self.sessions: list[Session] = []
        for seat in range(players):
            name = f"{prefix}{seat}"
            hello = play_pb2.Hello(bot_name=name, protocol_version=1, max_concurrent_matches=arena.limits.matches)
            self.sessions.append(arena.open_session(name, name, hello))

    def begin(self) -> Room:
        """One more match, of which all are ready."""
        players = [session.player for session in self.sessions]
        match_id = f"{self._prefix}-{self._number}"
        self._number += 1
        room = self._arena.create(match_pb2.CreateMatchRequest(match_id=match_id, game=self._game, players=players))
        for seat in range(len(players)):
            room.ready(seat)
        return room

    def step(self, room: Room, *, as_bytes: bool) -> None:
        """One choice.

        Args:
            as_bytes: as a message that came over a stream, otherwise by a call of the room.
        """
        decision = room.course.decision
        assert decision is not None
        seat = decision.seat
        decision_id = room.course.chain.next_id(seat)
        option = int(self._random.random() * len(decision.options))
        if as_bytes:
            choose = play_pb2.Choose(match_id=room.match_id, decision_id=decision_id, option=option)
            self.sessions[seat].receive(play_pb2.PlayRequest(choose=choose).SerializeToString(), 0.0)
        else:
            room.choose(seat, decision_id, option, 0.0)

    def play(self, matches: int, choices: int, *, as_bytes: bool = False) -> None:
        """So many choices in matches that go on side by side; one that ends is followed by another."""
        rooms = [self.begin() for _ in range(matches)]
        self.go_on(rooms, choices, as_bytes=as_bytes)
        for room in rooms:
            room.void("enough")
            self._forget(room)

    def go_on(self, rooms: list[Room], choices: int, *, as_bytes: bool = False) -> None:
        """So many choices in these matches; one that ends is followed by another."""
        for count in range(choices):
            at = count % len(rooms)
            if rooms[at].over:
                self._forget(rooms[at])
                rooms[at] = self.begin()
            self.step(rooms[at], as_bytes=as_bytes)
            if at == 0:
                for session in self.sessions:
                    session.outbox.messages.clear()

    def _forget(self, room: Room) -> None:
        self._arena.replays.path(room.match_id, 1).unlink(missing_ok=True)

    def leave(self) -> None:
        for session in self.sessions:
            self._arena.close_session(session)


class Stages(NamedTuple):
    """Processor time of one decision, in microseconds; each stage holds those before it.

    Attributes:
        rules: choosing and going on to the next decision, with events.
        asking: and what the seat sees and may choose, as bytes.
        room: and everything else that a match does: journal, clocks, digest, events and messages to all seats; the
            beginning and the end of matches too, by their share.
        message: and reading the bot's message.
    """

    game: str
    rules: float
    asking: float
    room: float
    message: float


async def stages(game: str, players: int, matches: int, choices: int = 1000) -> Stages:
    """What a decision costs in one process without gRPC, the best of some batches of so many choices."""
    folder = Path(tempfile.mkdtemp())
    try:
        insiders = Insiders(Arena(folder), game, players, "inside")
        rooms = [insiders.begin() for _ in range(matches)]
        insiders.go_on(rooms, 5 * choices)
        return Stages(
            game,
            _best(lambda: _playouts(game, players, choices, asking=False), choices),
            _best(lambda: _playouts(game, players, choices, asking=True), choices),
            _best(lambda: insiders.go_on(rooms, choices), choices),
            _best(lambda: insiders.go_on(rooms, choices, as_bytes=True), choices),
        )
    finally:
        shutil.rmtree(folder)


def _best(work: Callable[[], None], choices: int) -> float:
    best = float("inf")
    for _ in range(BATCHES):
        begin = time.process_time()
        work()
        best = min(best, time.process_time() - begin)
    return 1e6 * best / choices


def _playouts(game: str, players: int, choices: int, *, asking: bool) -> None:
    rules, questions = rules_of(game), questions_of(game)
    chance = random.Random(1)  # noqa: S311 (chance for a benchmark)
    made = games = 0
    while made < choices:
        state = rules.start(seed_from_text(f"stages/{games}"), players, rules.options())
        games += 1
        while made < choices and (decision := state.decision()) is not None:
            if asking:
                questions.write(1, decision, state.view(decision.seat))
            state.choose(int(chance.random() * len(decision.options)))
            state.take_events()
            made += 1


def measure(game: str, players: int = 2, matches: int = 64) -> Stages:
    """See :func:`stages`. Nothing is logged from here on."""
    structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(logging.ERROR))
    return asyncio.run(stages(game, players, matches))
