"""The lobby: who is connected, which matches wait for their players, and which bot takes which seat."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from typing import Final

from palio.games import all_rules
from palio.server.match.ledger import Ledger
from palio.server.match.room import Room
from palio.server.sessions import Session, SessionLimits, check_hello
from palio.v1 import match_pb2, play_pb2

LOOK_AGAIN: Final = 1.0
"""Seconds after which a match that could not start, though nobody is missing, is looked at again."""


class Lobby:
    """All sessions and all matches that are not over.

    Args:
        limits: of each session.
        closed: asked whether matches may start now.

    Attributes:
        sessions: by the id of the token that they came with.
    """

    def __init__(self, limits: SessionLimits, closed: Callable[[], bool]) -> None:
        self._limits = limits
        self._closed = closed
        self.sessions: dict[str, Session] = {}
        self._by_player: dict[str, dict[str, Session]] = {}
        self._playing: dict[str, dict[str, Room]] = {}
        self._waiting: dict[str, dict[str, Room]] = {}
        self._patience: dict[str, asyncio.TimerHandle] = {}

    # --- matches ---

    def add(self, room: Room) -> None:
        """A new match."""
        for player in room.players:
            self._playing.setdefault(player, {})[room.match_id] = room

    def remove(self, room: Ledger) -> None:
        """A match is over, or left to the next start of the server."""
        self._stop_waiting(room)
        for player in room.players:
            _drop(self._playing, player, room.match_id)

    def matches_of(self, player: str) -> int:
        """How many matches of that player wait or run."""
        return len(self._playing.get(player, ()))

    def playing(self, player: str) -> bool:
        """Whether one of them runs."""
        running = match_pb2.MATCH_STATE_RUNNING
        return any(room.state == running for room in self._playing.get(player, {}).values())

    def dispatch(self, room: Room) -> None:
        """Start a match that waits if all its players are there and free; otherwise let it wait."""
        if self._closed() or room.state != match_pb2.MATCH_STATE_WAITING:
            return
        found = self._free_sessions(room)
        if len(found) == len(room.players):
            self._start(room, found)
            return
        for player in room.players:
            self._waiting.setdefault(player, {})[room.match_id] = room
        if room.match_id not in self._patience:
            self._look_later(room, room.no_show_after)

    def _look_later(self, room: Room, seconds: float) -> None:
        self._patience[room.match_id] = asyncio.get_running_loop().call_later(seconds, self._no_show, room)

    def _stop_waiting(self, room: Ledger) -> None:
        for player in room.players:
            _drop(self._waiting, player, room.match_id)
        timer = self._patience.pop(room.match_id, None)
        if timer is not None:
            timer.cancel()

    def _start(self, room: Room, sessions: dict[int, Session]) -> None:
        self._stop_waiting(room)
        room.log.info("match.started", players=room.players)
        room.start(sessions)
        for seat, session in sessions.items():
            said = session.early.pop(room.match_id, None)
            if said is not None:
                room.ready(seat, said)

    def _no_show(self, room: Room) -> None:
        """A match waited long enough: seats of players who are not connected are no-shows."""
        if self._closed():
            self._look_later(room, LOOK_AGAIN)
            return
        present = sum(self._present(player, room.header.game) for player in room.players)
        if not present:
            room.void("none of its players connected")
            return
        free = self._free_sessions(room)
        if present == len(room.players) or len(free) < present:
            # Everybody is here but busy, or those who are here are: that is nobody's fault.
            self._look_later(room, LOOK_AGAIN)
            return
        self._start(room, free)

    def _free_sessions(self, room: Room) -> dict[int, Session]:
        """By seat: of each player the session with most room for another match, where it has one."""
        found: dict[int, Session] = {}
        for seat, player in enumerate(room.players):
            free = [s for s in self._sessions_of(player) if s.room_left > 0 and s.plays(room.header.game)]
            if free:
                found[seat] = max(free, key=lambda session: session.room_left)
        return found

    def _present(self, player: str, game: str) -> bool:
        return any(session.plays(game) and not session.leaving for session in self._sessions_of(player))

    def _sessions_of(self, player: str) -> list[Session]:
        return list(self._by_player.get(player, {}).values())

    def freed(self, session: Session) -> None:
        """A session may have room for another match."""
        for room in list(self._waiting.get(session.player, {}).values()):
            if session.room_left <= 0:
                return
            self.dispatch(room)

    def look_again(self) -> None:
        """Matches may start again."""
        for rooms in list(self._playing.values()):
            for room in list(rooms.values()):
                self.dispatch(room)

    def connected(self) -> Iterator[match_pb2.ConnectedPlayer]:
        """The players of whom a bot is connected, by name."""
        for player, by_credential in sorted(self._by_player.items()):
            sessions = by_credential.values()
            yield match_pb2.ConnectedPlayer(
                player=player,
                sessions=len(sessions),
                matches=sum(len(session.matches) for session in sessions),
                capacity=sum(session.capacity for session in sessions),
            )

    # --- sessions ---

    def open(self, credential_id: str, player: str, hello: play_pb2.Hello) -> Session:
        """A bot connects; a session with the same token ends.

        Raises:
            UnsupportedVersion, InvalidRequest: its Hello cannot be accepted.
        """
        check_hello(hello, all_rules())
        older = self.sessions.get(credential_id)
        if older is not None:
            older.goodbye(play_pb2.GOODBYE_REASON_REPLACED, "a newer session with the same token took over")
            self.close(older)
        session = Session(credential_id, player, hello, self._limits, self.freed)
        self.sessions[credential_id] = session
        self._by_player.setdefault(player, {})[credential_id] = session
        return session

    def resume(self, session: Session, hello: play_pb2.Hello) -> list[str]:
        """After Welcome: give the session its seats back. Returns the matches that it named and does not play."""
        for match_id, room in list(self._playing.get(session.player, {}).items()):
            if room.state != match_pb2.MATCH_STATE_RUNNING:
                if match_id in hello.resume:
                    session.early[match_id] = None
                continue
            seat = room.players.index(session.player)
            place = room.seats[seat]
            mentioned = match_id in hello.resume
            ours = place.session is None and place.credential_id in ("", session.credential_id)
            if mentioned or ours:
                if place.session is not None and place.session is not session:
                    place.session.replaced(room)
                room.attach(seat, session, hello.resume[match_id] if mentioned else 0)
        # Those that wait for their players again begin later.
        return [
            match_id
            for match_id in hello.resume
            if match_id not in session.matches and match_id not in self._playing.get(session.player, {})
        ]

    def close(self, session: Session) -> None:
        """A bot's connection is gone, or a newer one took over."""
        if self.sessions.get(session.credential_id) is session:
            del self.sessions[session.credential_id]
            _drop(self._by_player, session.player, session.credential_id)
        session.disconnect()


def _drop(table: dict[str, dict[str, Room]] | dict[str, dict[str, Session]], name: str, key: str) -> None:
    """Remove an entry, and the entry of the name with its last one: names come and go without a bound."""
    inner = table.get(name)
    if inner is not None:
        inner.pop(key, None)
        if not inner:
            del table[name]
