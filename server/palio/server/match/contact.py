"""What a match and a bot's connection know of each other.

:class:`~palio.server.match.room.Room` is the match, :class:`~palio.server.sessions.Session` the connection; neither
imports the other.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from palio.v1 import game_pb2, play_pb2


class Queue(Protocol):
    """What waits to be sent to a bot."""

    def when_taken(self, call: Callable[[], None]) -> None:
        """Call back when what is put in next leaves, where nothing but this program is in the way of that."""


class Bot(Protocol):
    """A bot's connection, as a match knows it."""

    @property
    def session_id(self) -> str:
        """Names the connection in logs."""

    @property
    def credential_id(self) -> str:
        """Of the token that it came with."""

    @property
    def outbox(self) -> Queue:
        """What waits for it."""

    def send(self, message: bytes, /) -> None:
        """Queue a serialised ``PlayResponse``."""

    def tell(self, update: play_pb2.Update) -> None:
        """Queue one update."""

    def refuse(self, error: BaseException, match_id: str = "") -> None:
        """Tell it that something it said is refused."""

    def nonsense(self) -> None:
        """It said something that does not count."""

    def join(self, match: Match, seat: int) -> None:
        """It plays a match from now on."""

    def left(self, match: Match) -> None:
        """A match is over."""

    def replaced(self, match: Match) -> None:
        """Another connection plays a match in its place."""


class Match(Protocol):
    """A match, as a bot's connection knows it. No error comes out of it, whatever a bot says."""

    @property
    def match_id(self) -> str:
        """Unique among the matches that are not over."""

    def ready(self, seat: int, entropy: bytes = b"") -> None:
        """The bot is prepared."""

    def choose(self, seat: int, decision_id: int, option: int, network: float) -> None:
        """It answers a decision; ``network`` is the measured round trip in seconds."""

    def signal(self, seat: int, words: game_pb2.Words) -> None:
        """Team talk."""

    def resign(self, seat: int) -> None:
        """It gives up."""

    def detach(self, seat: int, session: Bot) -> None:
        """Its connection is gone."""
