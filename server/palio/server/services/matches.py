"""``MatchService``: matches for organisers, spectators and anybody who checks a replay."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import AsyncIterator, Iterable, Iterator
from functools import partial
from pathlib import Path

from palio.codec.status import LimitReached, NotFound, NotNow, PermissionDenied
from palio.codec.wire import nested, tag
from palio.server.access.credentials import Role
from palio.server.access.interceptor import CALLER, Context
from palio.server.arena import Arena
from palio.server.aside import Aside
from palio.server.match.history import history, public_steps
from palio.server.match.journal import read, unframe
from palio.server.match.room import Room
from palio.server.paging import page
from palio.v1 import game_pb2, match_pb2, match_pb2_grpc

LISTS_AT_ONCE = 2
"""Replays are read for a list, perhaps thousands."""
LISTS_OF_EACH = 16
UNFINISHED = (match_pb2.MATCH_STATE_WAITING, match_pb2.MATCH_STATE_RUNNING)

_EVENTS = tag(match_pb2.WatchMatchResponse.EVENTS_FIELD_NUMBER)


class Matches(match_pb2_grpc.MatchServiceServicer):
    """The servicer.

    Args:
        queued: updates that may wait for a spectator who does not read.
        largest_page: entries of a list.
    """

    def __init__(self, arena: Arena, queued: int, largest_page: int) -> None:
        self._arena = arena
        self._queued = queued
        self._largest_page = largest_page
        self._lists = Aside(LISTS_AT_ONCE, LISTS_OF_EACH)

    async def CreateMatch(
        self, request: match_pb2.CreateMatchRequest, context: Context
    ) -> match_pb2.CreateMatchResponse:
        return match_pb2.CreateMatchResponse(match=self._arena.create(request).summary())

    async def GetMatch(self, request: match_pb2.GetMatchRequest, context: Context) -> match_pb2.GetMatchResponse:
        return match_pb2.GetMatchResponse(match=self._arena.find(request.match_id))

    async def ListMatches(
        self, request: match_pb2.ListMatchesRequest, context: Context
    ) -> match_pb2.ListMatchesResponse:
        matches = self._arena.listed(over=request.state not in UNFINISHED)
        to_show = wanted(matches, request)
        found, token = await self._lists.do(
            CALLER.get().player, partial(page, to_show, request.page_size, request.page_token, self._largest_page)
        )
        return match_pb2.ListMatchesResponse(matches=found, next_page_token=token)

    async def ListPlayers(
        self, request: match_pb2.ListPlayersRequest, context: Context
    ) -> match_pb2.ListPlayersResponse:
        found, token = page(self._arena.connected(), request.page_size, request.page_token, self._largest_page)
        return match_pb2.ListPlayersResponse(players=found, next_page_token=token)

    async def CancelMatch(
        self, request: match_pb2.CancelMatchRequest, context: Context
    ) -> match_pb2.CancelMatchResponse:
        return match_pb2.CancelMatchResponse(match=self._arena.cancel(request.match_id, request.reason).summary())

    async def WatchMatch(
        self, request: match_pb2.WatchMatchRequest, context: Context
    ) -> AsyncIterator[match_pb2.WatchMatchResponse]:
        room = self._arena.rooms.get(request.match_id)
        if room is None:
            match = self._arena.find(request.match_id)
            yield match_pb2.WatchMatchResponse(match=match)
            yield match_pb2.WatchMatchResponse(ended=match)
            return
        delay = self._arena.defaults.spectator_delay
        feed = Feed(room, delay, self._queued, events=not request.result_only)
        observation = None if request.result_only else feed.first()
        room.spectators.append(feed)
        try:
            yield match_pb2.WatchMatchResponse(match=feed.summary)
            if observation is not None:
                yield match_pb2.WatchMatchResponse(observation=observation)
            while (update := await feed.queue.get()) is not None:
                yield update
            if feed.overflow:
                raise LimitReached("you do not read what you are sent")
        finally:
            if feed in room.spectators:
                room.spectators.remove(feed)

    async def GetReplay(self, request: match_pb2.GetReplayRequest, context: Context) -> match_pb2.GetReplayResponse:
        try:
            path = self._arena.replay_path(request.match_id, request.attempt)
        except NotFound:
            if request.match_id in self._arena.rooms:
                raise NotNow(f"match {request.match_id!r} is not over: there is no replay yet") from None
            raise
        return await replay_at(path)


async def replay_at(path: Path) -> match_pb2.GetReplayResponse:
    """A replay file, for the caller who is being served.

    Raises:
        PermissionDenied: it shows a seed that is withheld from the caller.
    """
    data = await asyncio.to_thread(path.read_bytes)
    header = unframe(data)[0][0].header
    if header.withhold_seed and not CALLER.get().role.allows(Role.ORGANISER):
        raise PermissionDenied(
            "this deal may be played again: its replay shows the seed, and is for organisers until they publish it"
        )
    return match_pb2.GetReplayResponse(replay=data)


def wanted(matches: Iterable[match_pb2.Match], request: match_pb2.ListMatchesRequest) -> Iterator[match_pb2.Match]:
    """Those that a list is to show."""
    for match in matches:
        if request.state in (match_pb2.MATCH_STATE_UNSPECIFIED, match.state) and (
            not request.player or request.player in match.players
        ):
            yield match


class Feed:
    """What a spectator gets, ``delay`` turns late; at the end all of it.

    Turns are what is counted since everybody knows of them: when something comes out must not tell how many decisions
    there were that only one seat knows of.

    Args:
        queued: updates that may wait for somebody who does not read.
        events: whether the spectator wants more than the result.

    Attributes:
        summary: the match as it stood when the spectator came.
        overflow: nothing more comes, since too much waits.
    """

    def __init__(self, room: Room, delay: int, queued: int, *, events: bool) -> None:
        self.queue: asyncio.Queue[match_pb2.WatchMatchResponse | None] = asyncio.Queue()
        self.summary = room.summary()
        self.overflow = False
        self._room = room
        self._delay = delay
        self._queued = queued
        self._events = events
        self._late: deque[tuple[int, list[bytes]]] = deque()
        self._waits = False

    def first(self) -> game_pb2.Observation | None:
        """What the spectator is shown before any events. ``None`` while nobody can know it: where the players
        contribute to the seed there is no deal before all of them have; then it comes after the first step."""
        self._waits = self._room.header.player_entropy and not self._room.course.begun
        return None if self._waits else self.observation()

    def observation(self) -> game_pb2.Observation:
        """What everybody may see at the last step that is old enough; later steps follow as events."""
        records = read(self._room.journal_path)
        steps = public_steps(records)
        old = [step for step in steps.told if step.turn <= steps.turn - self._delay]
        self._late.extend((step.turn, step.events) for step in steps.told[len(old) :])
        past = history(records[: old[-1].records if old else steps.first])
        return game_pb2.Observation.FromString(past.codec.observation(past.state.view(None)))

    def step(self, choices: int, events: list[bytes]) -> None:
        if self._waits:
            self._waits = False
            self._put(match_pb2.WatchMatchResponse(observation=self.observation()))
        elif self._events:
            turn = self._room.course.state.turn
            self._late.append((turn, events))
            self._release(turn - self._delay)

    def _release(self, shown: int | None) -> None:
        """Send what happened up to a turn; ``None`` means all."""
        while self._late and (shown is None or self._late[0][0] <= shown):
            _, events = self._late.popleft()
            if events:
                self._put(match_pb2.WatchMatchResponse.FromString(nested(_EVENTS, b"".join(events))))

    def _put(self, update: match_pb2.WatchMatchResponse) -> None:
        if self.queue.qsize() >= self._queued:
            self.overflow, self._events = True, False
            self._late.clear()
            self.queue = asyncio.Queue()
            self.queue.put_nowait(None)
        elif not self.overflow:
            self.queue.put_nowait(update)

    def ended(self, match: match_pb2.Match) -> None:
        self._release(None)
        if not self.overflow:
            self._put(match_pb2.WatchMatchResponse(ended=match))
            self.queue.put_nowait(None)
