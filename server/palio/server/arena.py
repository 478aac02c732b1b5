"""The arena: who is connected, which matches wait, run or are over, and which bot plays which seat."""

from __future__ import annotations

import asyncio
import contextlib
import re
import secrets
import time
from collections import OrderedDict
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

import structlog

from palio.codec import codec_of
from palio.codec.status import AlreadyExists, Draining, InvalidRequest, LimitReached, NotFound, NotNow
from palio.engine.chance import SEED_BYTES, commitment
from palio.engine.errors import GameError
from palio.games import all_rules, rules_of
from palio.server.clock import LONGEST, TimeControl, checked_seconds, duration
from palio.server.course import history
from palio.server.journal import BrokenReplay, ReplayStore, read
from palio.server.observer import Observer
from palio.server.room import Room, timestamp
from palio.server.sessions import Session, SessionLimits, check_hello
from palio.v1 import match_pb2, play_pb2, replay_pb2

_MATCH_ID: Final = re.compile(r"[a-z0-9][a-z0-9._-]{0,79}")
_REMEMBERED: Final = 10_000

log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class Defaults:
    """What holds where the organiser of a match says nothing.

    Attributes:
        illegal_tries: rejected choices that a decision bears.
        disconnection_grace, no_show: seconds.
        max_matches: waiting and running at the same time.
        spectator_delay: choices by which spectators are behind.
        player_entropy: mix randomness of the players into each seed that no organiser gives.
    """

    time_control: TimeControl = field(default_factory=lambda: TimeControl(per_decision=60.0))
    illegal_tries: int = 3
    disconnection_grace: float = 60.0
    no_show: float = 120.0
    max_matches: int = 10_000
    spectator_delay: int = 0
    player_entropy: bool = False


class Arena:
    """All matches and sessions of one server process.

    Args:
        data: the data directory; ``journal/`` holds running matches, ``replays/`` those that are over.
    """

    def __init__(
        self,
        data: Path,
        defaults: Defaults | None = None,
        limits: SessionLimits | None = None,
        *,
        sync: bool = False,
    ) -> None:
        self.defaults = defaults or Defaults()
        self.limits = limits or SessionLimits()
        self.running = ReplayStore(data / "journal", sync=sync)
        self.replays = ReplayStore(data / "replays", sync=sync)
        self.running.folder.chmod(0o700)  # it holds the seeds of running matches
        self.rooms: dict[str, Room] = {}
        self.done: OrderedDict[str, match_pb2.Match] = OrderedDict()
        self.sessions: dict[str, Session] = {}
        self.observer = Observer()
        self.draining = False
        self._by_player: dict[str, dict[str, Session]] = {}
        self._playing: dict[str, dict[str, Room]] = {}
        self._waiting: dict[str, dict[str, Room]] = {}
        self._idle = asyncio.Event()
        self._idle.set()

    # --- matches ---

    def create(self, request: match_pb2.CreateMatchRequest) -> Room:
        """A new match. It starts at once if all its players are there and free.

        Raises:
            InvalidRequest, InvalidSetup: a field is wrong; the error names it.
            AlreadyExists: the id is taken.
            LimitReached, Draining: not now.
            OSError: the journal cannot be written.
        """
        if self.draining:
            raise Draining("the server is going down and takes no new matches")
        if len(self.rooms) >= self.defaults.max_matches:
            raise LimitReached(f"{self.defaults.max_matches} matches wait or run already")
        header = self._header(request)
        if header.match_id in self.rooms:
            raise AlreadyExists(f"there is a match {header.match_id!r} already", field="match_id")
        if self.replays.path(header.match_id, header.attempt).exists():
            raise AlreadyExists(
                f"attempt {header.attempt} of match {header.match_id!r} is over already", field="match_id"
            )
        journal = self.running.create(header.match_id, header.attempt)
        journal.append(replay_pb2.ReplayRecord(header=header))
        room = Room(header, journal, asyncio.get_running_loop(), self._closed, self.observer)
        self._add(room)
        self._dispatch(room)
        return room

    def _header(self, request: match_pb2.CreateMatchRequest) -> replay_pb2.ReplayHeader:
        rules = rules_of(request.game)
        codec = codec_of(request.game)
        match_id = request.match_id or secrets.token_hex(10)
        if not _MATCH_ID.fullmatch(match_id):
            raise InvalidRequest(
                f"{match_id!r} is no match id: 1 to 80 lower-case letters, digits, '.', '_' and '-', "
                "the first a letter or digit",
                field="match_id",
            )
        players = list(request.players)
        if len(players) not in rules.seats:
            counts = ", ".join(map(str, rules.seats))
            raise InvalidRequest(f"{rules.game_id} is played by {counts}, not {len(players)}", field="players")
        for index, player in enumerate(players):
            if not player:
                raise InvalidRequest("a player's name is empty", field=f"players[{index}]")
            if player in players[:index]:
                raise InvalidRequest(f"{player!r} cannot take two seats", field=f"players[{index}]")
        if request.seed and len(request.seed) != SEED_BYTES:
            raise InvalidRequest(f"a seed has {SEED_BYTES} bytes, not {len(request.seed)}", field="seed")
        if request.attempt < 0:
            raise InvalidRequest("attempts are numbered from 1", field="attempt")
        options = codec.read_game_options(request.options)
        seed = request.seed or secrets.token_bytes(SEED_BYTES)
        mixing = request.player_entropy if request.HasField("player_entropy") else self.defaults.player_entropy
        fixed = "seed" if request.seed else "position" if request.HasField("position") else ""
        if fixed and request.player_entropy:
            raise InvalidRequest(
                f"a match with a given {fixed} cannot mix in randomness of the players", field="player_entropy"
            )
        if request.HasField("position"):
            if request.HasField("options"):
                raise InvalidRequest("a position has its own options: leave this out", field="options")
            state = rules.from_position(codec.read_position(request.position))
            if state.players != len(players):
                raise InvalidRequest(f"the position is one of {state.players} players", field="players")
            seed = state.seed
        else:
            rules.start(seed, len(players), options)
        header = replay_pb2.ReplayHeader(
            match_id=match_id,
            attempt=request.attempt or 1,
            game=rules.game_id,
            rules_version=rules.version,
            options=codec.game_options(options),
            players=players,
            seed_commitment=commitment(seed),
            created=timestamp(time.time()),
            time_control=TimeControl.read(request.time_control, self.defaults.time_control).message(),
            policies=self._policies(request.policies),
            seed=seed,
            player_entropy=mixing and not fixed,
        )
        if request.HasField("position"):
            header.position.CopyFrom(request.position)
        return header

    def _policies(self, given: match_pb2.Policies) -> match_pb2.Policies:
        defaults = self.defaults
        if not 0 <= given.illegal_tries <= 100:
            raise InvalidRequest("must be between 0 and 100", field="policies.illegal_tries")
        policies = match_pb2.Policies(illegal_tries=given.illegal_tries or defaults.illegal_tries)
        for name in ("disconnection_grace", "no_show"):
            seconds = getattr(defaults, name)
            if given.HasField(name):
                seconds = checked_seconds(getattr(given, name), f"policies.{name}")
            getattr(policies, name).CopyFrom(duration(min(seconds, LONGEST)))
        return policies

    def cancel(self, match_id: str, reason: str) -> Room:
        """End a match as void.

        Raises:
            NotFound: there is no such match.
            NotNow: it is over.
        """
        room = self.rooms.get(match_id)
        if room is None:
            self.find(match_id)
            raise NotNow(f"match {match_id!r} is over already")
        room.void(reason or "cancelled by the organiser")
        return room

    def find(self, match_id: str) -> match_pb2.Match:
        """A match as it stands, also one that was over before the server started.

        Raises:
            NotFound: there is no such match.
        """
        if match_id in self.rooms:
            return self.rooms[match_id].summary()
        if match_id in self.done:
            return self.done[match_id]
        return summary_of(read(self.replay_path(match_id)))

    def replay_path(self, match_id: str, attempt: int = 0) -> Path:
        """Where the replay of a match that is over lies; attempt 0 means the last.

        Raises:
            NotFound: there is no such match, or it is not over.
        """
        if _MATCH_ID.fullmatch(match_id):
            if attempt:
                path = self.replays.path(match_id, attempt)
                if path.exists():
                    return path
            elif attempts := self.replays.attempts(match_id):
                return self.replays.path(match_id, attempts[-1])
        raise NotFound(f"there is no match {match_id!r} that is over", field="match_id")

    def list(self, *, over: bool = True) -> Iterator[match_pb2.Match]:
        """All matches, newest first: waiting and running ones, then those that are over.

        Args:
            over: whether the latter are wanted; they have to be read from the disk.
        """
        yield from (room.summary() for room in reversed(self.rooms.values()))
        if not over:
            return
        yield from reversed(self.done.values())
        for path in self.replays.newest_first():
            match = summary_of(read(path))
            if match.match_id not in self.done and match.match_id not in self.rooms:
                yield match

    def _add(self, room: Room) -> None:
        self.rooms[room.match_id] = room
        self._idle.clear()
        for player in room.players:
            self._playing.setdefault(player, {})[room.match_id] = room

    def _closed(self, room: Room) -> None:
        """A room's match is over: its journal becomes its replay."""
        match = room.summary()
        del self.rooms[room.match_id]
        for player in room.players:
            self._playing[player].pop(room.match_id, None)
            self._waiting.get(player, {}).pop(room.match_id, None)
        path = self.running.path(room.match_id, match.attempt)
        try:
            path.rename(self.replays.path(room.match_id, match.attempt))
        except OSError as error:
            log.error("replay.not_filed", match=room.match_id, error=str(error))
        self.done[room.match_id] = match
        if len(self.done) > _REMEMBERED:
            self.done.popitem(last=False)
        log.info(
            "match.ended",
            match=room.match_id,
            game=match.game,
            choices=match.choices,
            state=match_pb2.MatchState.Name(match.state),
            ranks=[seat.rank for seat in match.result.seats],
            terminations=[match_pb2.Termination.Name(seat.termination) for seat in match.result.seats],
            **({"void_reason": match.void_reason} if match.void_reason else {}),
        )
        if not self.rooms:
            self._idle.set()

    # --- who plays ---

    def _free_session(self, player: str, game: str) -> Session | None:
        """The session of that player with most room for another match."""
        candidates = [
            session
            for session in self._by_player.get(player, {}).values()
            if session.room_left > 0 and session.plays(game)
        ]
        return max(candidates, key=lambda session: session.room_left, default=None)

    def _present(self, player: str, game: str) -> bool:
        return any(session.plays(game) and not session.leaving for session in self._by_player.get(player, {}).values())

    def _dispatch(self, room: Room) -> bool:
        """Start a waiting match if all its players are there and free; otherwise let it wait."""
        if self.draining:
            return False
        found = {seat: self._free_session(player, room.header.game) for seat, player in enumerate(room.players)}
        sessions = {seat: session for seat, session in found.items() if session is not None}
        if len(sessions) < len(room.players):
            new = room.match_id not in self._waiting.get(room.players[0], {})
            for player in room.players:
                self._waiting.setdefault(player, {})[room.match_id] = room
            if new:
                asyncio.get_running_loop().call_later(room.no_show_after, self._no_show, room)
            return False
        self._start(room, sessions)
        return True

    def _start(self, room: Room, sessions: dict[int, Session]) -> None:
        for player in room.players:
            self._waiting.get(player, {}).pop(room.match_id, None)
        log.info("match.started", match=room.match_id, game=room.header.game, players=room.players)
        room.start(sessions)

    def _no_show(self, room: Room) -> None:
        """A match waited long enough: seats of players who are not connected are no-shows."""
        if room.state != match_pb2.MATCH_STATE_WAITING or self.draining:
            return
        game = room.header.game
        present = [player for player in room.players if self._present(player, game)]
        if not present:
            room.void("none of its players connected")
            return
        sessions = {seat: self._free_session(player, game) for seat, player in enumerate(room.players)}
        free = {seat: session for seat, session in sessions.items() if session is not None}
        if len(present) == len(room.players) or len(free) < len(present):
            # Everybody is here but busy, or those who are here are: that is nobody's fault.
            asyncio.get_running_loop().call_later(1.0, self._no_show, room)
            return
        self._start(room, free)

    def freed(self, session: Session) -> None:
        """A session may have room for another match."""
        for room in list(self._waiting.get(session.player, {}).values()):
            if session.room_left <= 0:
                return
            self._dispatch(room)

    def connected(self) -> Iterator[match_pb2.ConnectedPlayer]:
        """The players of whom a bot is connected, by name."""
        for player, by_credential in sorted(self._by_player.items()):
            sessions = by_credential.values()
            if sessions:
                yield match_pb2.ConnectedPlayer(
                    player=player,
                    sessions=len(sessions),
                    matches=sum(len(session.matches) for session in sessions),
                    capacity=sum(session.capacity for session in sessions),
                )

    # --- sessions ---

    def open_session(self, credential_id: str, player: str, hello: play_pb2.Hello) -> Session:
        """A bot connects. It gets back its seats, and what it missed in them.

        Raises:
            Draining: the server is going down.
            ServiceError: its Hello cannot be accepted.
        """
        if self.draining:
            raise Draining("the server is going down")
        check_hello(hello, all_rules())
        older = self.sessions.get(credential_id)
        if older is not None:
            older.goodbye(play_pb2.GOODBYE_REASON_REPLACED, "a newer session with the same token took over")
            self.close_session(older)
        session = Session(credential_id, player, hello, self.limits, self.freed)
        self.sessions[credential_id] = session
        self._by_player.setdefault(player, {})[credential_id] = session
        return session

    def resume(self, session: Session, hello: play_pb2.Hello) -> None:
        """After Welcome: give the session its seats back, then new matches."""
        for match_id, room in list(self._playing.get(session.player, {}).items()):
            if room.state != match_pb2.MATCH_STATE_RUNNING:
                continue
            seat = room.players.index(session.player)
            place = room.places[seat]
            mentioned = match_id in hello.resume
            ours = place.session is None and place.credential_id in ("", session.credential_id)
            if mentioned or ours:
                if place.session is not None and place.session is not session:
                    place.session.matches.pop(match_id, None)
                room.attach(seat, session, hello.resume[match_id] if mentioned else 0)
        for match_id, last_seq in hello.resume.items():
            if match_id not in session.matches:
                self._tell_the_end(session, match_id, last_seq)
        self.freed(session)

    def _tell_the_end(self, session: Session, match_id: str, last_seq: int) -> None:
        """A bot resumes a match that ended while it was away: it gets what it missed, the result last."""
        if match_id in self.rooms and session.player in self.rooms[match_id].players:
            return  # it waits for its players again; MatchStarted comes later
        try:
            course = history(read(self.replay_path(match_id)))
            seat = list(course.header.players).index(session.player)
        except (NotFound, BrokenReplay, OSError, ValueError):
            error = NotFound(f"you have no seat in a match {match_id!r}", field=f"hello.resume[{match_id!r}]")
            session.refuse(error, match_id)
            return
        for message in course.logs[seat].since(last_seq):
            session.send(message)

    def close_session(self, session: Session) -> None:
        """A bot's connection is gone, or a newer one took over."""
        if self.sessions.get(session.credential_id) is session:
            del self.sessions[session.credential_id]
            self._by_player[session.player].pop(session.credential_id, None)
        session.disconnect()

    # --- start and stop ---

    def restore(self) -> int:
        """Take up the matches that were not over when the server stopped. Returns how many."""
        for match_id, attempt, path in list(self.running.all()):
            try:
                records, journal = self.running.reopen(path)
                if not records:
                    path.unlink()  # it died while the header was being written: nobody was told of this match
                    journal.close()
                    continue
                if records[-1].HasField("end"):
                    journal.close()
                    path.rename(self.replays.path(match_id, attempt))
                    continue
                room = Room(records[0].header, journal, asyncio.get_running_loop(), self._closed, self.observer)
                self._add(room)
                room.restore(records[1:])
            except (GameError, OSError, AssertionError, IndexError) as error:
                log.error("match.not_restored", match=match_id, attempt=attempt, error=str(error))
                self.rooms.pop(match_id, None)
                continue
            if room.state == match_pb2.MATCH_STATE_WAITING:
                self._dispatch(room)
        return len(self.rooms)

    async def drain(self, grace: float) -> None:
        """Take nothing new, let running matches end for ``grace`` seconds, then say goodbye to everybody.

        Matches that are not over then stay in the journal and go on after the next start.
        """
        self.draining = True
        for room in list(self.rooms.values()):
            if room.state == match_pb2.MATCH_STATE_WAITING:
                self._shelve(room)
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(grace):
                await self._idle.wait()
        for session in list(self.sessions.values()):
            session.goodbye(play_pb2.GOODBYE_REASON_DRAINING, "the server is going down; come back later")
        for room in self.rooms.values():
            room.suspend()

    def _shelve(self, room: Room) -> None:
        """Leave a waiting match to the journal; the next start takes it up."""
        room.suspend()
        del self.rooms[room.match_id]
        if not self.rooms:
            self._idle.set()


def summary_of(records: list[replay_pb2.ReplayRecord]) -> match_pb2.Match:
    """The match that a complete replay is of."""
    header, end = records[0].header, records[-1].end
    void = any(seat.termination == match_pb2.TERMINATION_VOID for seat in end.result.seats)
    return match_pb2.Match(
        match_id=header.match_id,
        attempt=header.attempt,
        game=header.game,
        rules_version=header.rules_version,
        options=header.options,
        players=header.players,
        state=match_pb2.MATCH_STATE_VOID if void else match_pb2.MATCH_STATE_FINISHED,
        choices=sum(record.HasField("choice") for record in records),
        created=header.created,
        ended=end.time,
        result=end.result,
        seed_commitment=header.seed_commitment,
        time_control=header.time_control,
        policies=header.policies,
        void_reason=end.void_reason,
    )
