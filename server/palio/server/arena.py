"""The arena: all matches of a server, from their creation to the archive."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Final

import structlog

from palio.codec.status import AlreadyExists, Draining, InvalidRequest, LimitReached, NotFound, NotNow, Unavailable
from palio.engine.errors import GameError
from palio.games import all_rules
from palio.server.archive import LONGEST_ID, Archive
from palio.server.lobby import Lobby
from palio.server.logs import outline
from palio.server.match.history import history, joined
from palio.server.match.journal import ATTEMPTS_APART, BrokenReplay, ReplayStore, read, unframe
from palio.server.match.ledger import Ledger
from palio.server.match.observer import Observer
from palio.server.match.results import void_end
from palio.server.match.room import Room
from palio.server.sessions import Session, SessionLimits
from palio.server.setup import Defaults, header_of
from palio.server.storage import Storage
from palio.v1 import match_pb2, play_pb2, replay_pb2

LOOKING_AT_ONCE: Final = 2
"""Matches that are over and are played through at the same time, for bots that come back."""
READ_PAUSE: Final = 0.05
"""Seconds after which it is looked again whether a bot has read what was sent to it."""

log = structlog.get_logger(__name__)


class Arena:
    """All matches and sessions of one server process.

    Args:
        data: the data directory; ``journal/`` holds running matches, ``replays/`` those that are over.
        sync: wait for the disk after each record.
        journal: another folder for running matches.

    Attributes:
        rooms: matches that wait or run, by id, oldest first.
        storage_changed: called when the disk fails and when it works again.
    """

    def __init__(
        self,
        data: Path,
        defaults: Defaults | None = None,
        limits: SessionLimits | None = None,
        *,
        sync: bool = False,
        journal: Path | None = None,
    ) -> None:
        self.defaults = defaults or Defaults()
        self.limits = limits or SessionLimits()
        self.running = ReplayStore(journal or data / "journal", sync=sync)
        self.replays = ReplayStore(data / "replays", sync=sync)
        self.running.folder.chmod(0o700)  # it holds the seeds of running matches
        self.archive = Archive(self.replays)
        self.storage = Storage(self.running, self.replays, self._storage_changed)
        self.lobby = Lobby(self.limits, lambda: self.draining or bool(self.storage.fault))
        self.rooms: dict[str, Room] = {}
        self.observer = Observer()
        self.draining = False
        self.storage_changed: Callable[[], None] = lambda: None
        self._idle = asyncio.Event()
        self._idle.set()
        self._hurry = asyncio.Event()
        self._looking = asyncio.Semaphore(LOOKING_AT_ONCE)
        self._telling: set[asyncio.Task[None]] = set()

    @property
    def sessions(self) -> dict[str, Session]:
        """The bots that are connected, by the id of their token."""
        return self.lobby.sessions

    # --- matches ---

    def create(self, request: match_pb2.CreateMatchRequest) -> Room:
        """A new match. It starts at once if all its players are there and free.

        Raises:
            InvalidRequest, InvalidSetup: a field is wrong; the error names it.
            AlreadyExists: the id is taken.
            LimitReached, Draining: not now.
            Unavailable: the journal cannot be written.
        """
        if self.draining:
            raise Draining("the server is going down and takes no new matches")
        if self.storage.fault:
            raise self._unavailable(self.storage.fault)
        if len(self.rooms) >= self.defaults.max_matches:
            raise LimitReached(f"{self.defaults.max_matches} matches wait or run already")
        header = header_of(request, self.defaults)
        match_id, attempt = header.match_id, header.attempt
        if match_id in self.rooms:
            raise AlreadyExists(f"there is a match {match_id!r} already", field="match_id")
        if attempt > ATTEMPTS_APART:
            known = self.replays.attempts(match_id)
            latest = (known[-1] if known else 0) + ATTEMPTS_APART
            if attempt > latest:
                text = f"{attempt} is too far from the attempts before; at most {latest}"
                raise InvalidRequest(text, field="attempt")
        if (match_id, attempt) in self.storage.unfiled or self.replays.path(match_id, attempt).exists():
            raise AlreadyExists(f"attempt {attempt} of match {match_id!r} is over already", field="match_id")
        for index, player in enumerate(header.players):
            if self.lobby.matches_of(player) >= self.defaults.matches_per_player:
                raise LimitReached(
                    f"{self.defaults.matches_per_player} matches of {player} wait or run already",
                    field=f"players[{index}]",
                )
        room = self._open_room(header)
        self.lobby.dispatch(room)
        return room

    def _open_room(self, header: replay_pb2.ReplayHeader) -> Room:
        try:
            journal = self.running.create(header.match_id, header.attempt)
            try:
                journal.append(replay_pb2.ReplayRecord(header=header))
            except OSError:
                journal.close()
                raise
        except OSError as error:
            with contextlib.suppress(OSError):
                self.running.path(header.match_id, header.attempt).unlink(missing_ok=True)
            self.storage.failed(error)
            raise self._unavailable(self.storage.fault) from None
        room = Room(header, journal, asyncio.get_running_loop(), self, self.observer)
        self._add(room)
        return room

    def _unavailable(self, why: str) -> Unavailable:
        return Unavailable(f"the server cannot write its journal: {why}", metadata={"cause": "storage"})

    def cancel(self, match_id: str, reason: str) -> Room:
        """End a match as void.

        Raises:
            NotFound: there is no such match.
            NotNow: it is over.
        """
        room = self.rooms.get(match_id)
        if room is None:
            self.archive.find(match_id)
            raise NotNow(f"match {match_id!r} is over already")
        room.void(reason or "cancelled by the organiser")
        return room

    def find(self, match_id: str) -> match_pb2.Match:
        """A match as it stands, also one that was over before the server started.

        Raises:
            NotFound: there is no such match.
        """
        room = self.rooms.get(match_id)
        return room.summary() if room is not None else self.archive.find(match_id)

    def replay_path(self, match_id: str, attempt: int = 0) -> Path:
        """Where the replay of a match that is over lies; attempt 0 means the last.

        Raises:
            NotFound: there is no such match, or it is not over.
        """
        return self.archive.replay_path(match_id, attempt)

    def listed(self, *, over: bool) -> Iterator[match_pb2.Match]:
        """The matches, newest first: waiting and running ones, then those that are over.

        Args:
            over: whether the latter are wanted; beyond those in memory, the iterator then reads them from the disk.
        """
        unfinished = [room.summary() for room in reversed(self.rooms.values())]
        done = self.archive.remembered() if over else []
        known = frozenset(match.match_id for match in (*unfinished, *done))

        def found() -> Iterator[match_pb2.Match]:
            yield from unfinished
            yield from done
            if over:
                yield from self.archive.older(known)

        return found()

    def _add(self, room: Room) -> None:
        self.rooms[room.match_id] = room
        self._idle.clear()
        self.lobby.add(room)

    def _remove(self, room: Ledger) -> None:
        self.rooms.pop(room.match_id, None)
        self.lobby.remove(room)
        if not self.rooms:
            self._idle.set()

    def closed(self, room: Ledger) -> None:
        """A room's match is over: its journal becomes its replay."""
        match = room.summary()
        end = None if room.recorded else replay_pb2.ReplayRecord(end=room.end)
        self.storage.file(room.match_id, match.attempt, room.journal_path, end)
        self.archive.add(match)
        self._remove(room)
        room.log.info(
            "match.ended",
            choices=match.choices,
            state=match_pb2.MatchState.Name(match.state),
            ranks=[seat.rank for seat in match.result.seats],
            terminations=[match_pb2.Termination.Name(seat.termination) for seat in match.result.seats],
            **({"void_reason": match.void_reason} if match.void_reason else {}),
        )

    def storage_failed(self, error: OSError) -> None:
        """A journal cannot be written."""
        self.storage.failed(error)

    def _storage_changed(self) -> None:
        self.storage_changed()
        if not self.storage.fault:
            self.lobby.look_again()

    # --- sessions ---

    def connected(self) -> Iterator[match_pb2.ConnectedPlayer]:
        """The players of whom a bot is connected, by name."""
        return self.lobby.connected()

    def open_session(self, credential_id: str, player: str, hello: play_pb2.Hello) -> Session:
        """A bot connects. While the server drains, only bots that have a match to finish are let in.

        Raises:
            Draining: the server is going down.
            ServiceError: its Hello cannot be accepted.
        """
        if self.draining and not self.lobby.playing(player):
            raise Draining("the server is going down")
        return self.lobby.open(credential_id, player, hello)

    def resume(self, session: Session, hello: play_pb2.Hello) -> None:
        """After Welcome: give the session its seats back and what it missed in them, then new matches."""
        over = {match_id: hello.resume[match_id] for match_id in self.lobby.resume(session, hello)}
        if over:
            session.missed = True
            task = asyncio.get_running_loop().create_task(self._tell_the_ends(session, over))
            self._telling.add(task)
            task.add_done_callback(self._telling.discard)
        self.lobby.freed(session)

    async def _tell_the_ends(self, session: Session, over: dict[str, int]) -> None:
        """A bot resumes matches that ended while it was away: of each it gets what it missed, the result last. They are
        played through for that, perhaps a thousand of them: one after the other, beside what runs, and no faster than
        the bot reads."""
        for match_id, last_seq in over.items():
            async with self._looking:
                messages = await asyncio.to_thread(self._missed, session.player, match_id, last_seq)
            if messages is None:
                named = match_id[:LONGEST_ID]
                error = NotFound(f"you have no seat in a match {named!r}", field=f"hello.resume[{named!r}]")
                session.refuse(error, named)
            for message in messages or ():
                session.send(message)
            while len(session.outbox.messages) > self.limits.queued_messages // 2:  # noqa: ASYNC110
                await asyncio.sleep(READ_PAUSE)
            if session.outbox.closed:
                return
        session.missed = False
        session.say_goodbye_if_done()

    def _missed(self, player: str, match_id: str, last_seq: int) -> list[bytes] | None:
        """What a player's seat was told in a match that is over; ``None`` where there is no such match or seat."""
        try:
            records = read(self.replay_path(match_id))
            seat = list(records[0].header.players).index(player)
            return joined(history(records).logs[seat].since(last_seq))
        except (GameError, NotFound, OSError, ValueError):
            return None

    def close_session(self, session: Session) -> None:
        """A bot's connection is gone, or a newer one took over."""
        self.lobby.close(session)

    # --- start and stop ---

    def restore(self) -> int:
        """Take up the matches that were not over when the server stopped. Returns how many."""
        for match_id, attempt, path in list(self.running.all()):
            try:
                self._restore(match_id, attempt, path)
            except OSError as error:
                log.error("match.not_restored", match=match_id, attempt=attempt, error=str(error))
            except BrokenReplay as error:
                log.error("match.not_restored", match=match_id, attempt=attempt, error=str(error))
                self._set_aside(match_id, attempt, path, str(error))
        return len(self.rooms)

    def _restore(self, match_id: str, attempt: int, path: Path) -> None:
        records, journal = self.running.reopen(path)
        if not records:
            journal.close()
            path.unlink()  # it died while the header was being written: nobody was told of this match
            return
        header = records[0].header
        if records[-1].HasField("end"):
            journal.close()
            self.storage.file(match_id, attempt, path, None)
            return
        if path != self.running.path(match_id, attempt):
            journal.close()
            end = void_end(header, "the server could not write its journal")
            self.storage.file(match_id, attempt, path, replay_pb2.ReplayRecord(end=end))
            return
        rules = all_rules().get(header.game)
        if rules is not None and rules.version != header.rules_version:
            journal.close()
            reason = f"the rules have changed from version {header.rules_version} to {rules.version}"
            self.storage.file(match_id, attempt, path, replay_pb2.ReplayRecord(end=void_end(header, reason)))
            return
        try:
            room = Room(header, journal, asyncio.get_running_loop(), self, self.observer)
            self._add(room)
            room.restore(records[1:], self.defaults.restart_grace)
        except Exception as error:
            # Rules that fail, or that are not installed any more.
            log.error("match.not_restored", match=match_id, error=type(error).__name__, stack=outline(error))
            journal.close()
            if match_id in self.rooms:
                self.rooms[match_id].suspend()
                self._remove(self.rooms[match_id])
            end = void_end(header, "the server could not take the match up again after a restart")
            self.storage.file(match_id, attempt, path, replay_pb2.ReplayRecord(end=end))
            return
        self.lobby.dispatch(room)

    def _set_aside(self, match_id: str, attempt: int, path: Path, reason: str) -> None:
        """A journal is damaged in its middle: keep it for whoever looks into it; the match is void."""
        damaged = path.rename(path.with_suffix(".damaged"))
        # The first record is read on its own: with it the match can be named as void.
        with contextlib.suppress(BrokenReplay, OSError, IndexError):
            data = damaged.read_bytes()
            size = int.from_bytes(data[:4], "little") + 8
            header = unframe(data[:size])[0][0].header
            end = void_end(header, f"its journal is damaged: {reason}")
            journal = self.running.create(match_id, attempt)
            journal.append(replay_pb2.ReplayRecord(header=header))
            journal.close()
            self.storage.file(match_id, attempt, journal.path, replay_pb2.ReplayRecord(end=end))

    async def drain(self, grace: float) -> None:
        """Take nothing new, let running matches end for ``grace`` seconds, then say goodbye to everybody.

        Matches that are not over then stay in the journal and go on after the next start.
        """
        self.draining = True
        for room in list(self.rooms.values()):
            if room.state == match_pb2.MATCH_STATE_WAITING:
                room.suspend()
                self._remove(room)
        done = asyncio.ensure_future(self._idle.wait())
        hurried = asyncio.ensure_future(self._hurry.wait())
        await asyncio.wait((done, hurried), timeout=grace, return_when=asyncio.FIRST_COMPLETED)
        done.cancel()
        hurried.cancel()
        for session in list(self.sessions.values()):
            session.goodbye(play_pb2.GOODBYE_REASON_DRAINING, "the server is going down; come back later")
        for room in self.rooms.values():
            room.suspend()
        self.storage.close()

    def hurry(self) -> None:
        """Wait no longer for matches to end."""
        self._hurry.set()
