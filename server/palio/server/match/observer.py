"""What the server tells those who watch it run: metrics and traces. Never hidden information, seeds or tokens."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Protocol

import structlog

from palio.v1 import match_pb2

log = structlog.get_logger(__name__)


class Observer:
    """Told what happens; does nothing itself. Subclasses must be quick: they are called on the way of each choice."""

    def started(self, match_id: str, game: str, players: list[str]) -> None:
        """A match began."""

    def chosen(self, match_id: str, game: str, *, think: float, network: float, journal: float, handle: float) -> None:
        """A choice was taken in.

        Args:
            think: seconds charged to the bot.
            network: seconds of the round trip that were not charged.
            journal: seconds that the journal took.
            handle: seconds from its arrival until everything that follows was queued.
        """

    def rejected(self, match_id: str, reason: str) -> None:
        """A choice did not count."""

    def fell(self, match_id: str, game: str, termination: str) -> None:
        """A seat fell out."""

    def ended(self, match: match_pb2.Match) -> None:
        """A match is over."""

    def close(self) -> None:
        """The server stops."""


class Spectator(Protocol):
    """Somebody who follows one match."""

    def step(self, choices: int, events: list[bytes]) -> None:
        """After ``choices`` choices: what everybody may see since the last step, as fields of ``SpectatorEvents``."""

    def ended(self, match: match_pb2.Match) -> None:
        """The match is over."""


class Observers(Observer):
    """Tells several. One that fails is told nothing more: matches go on without it."""

    def __init__(self, observers: Iterable[Observer]) -> None:
        self._observers = list(observers)

    def started(self, match_id: str, game: str, players: list[str]) -> None:
        self._tell(lambda observer: observer.started(match_id, game, players))

    def chosen(self, match_id: str, game: str, *, think: float, network: float, journal: float, handle: float) -> None:
        if self._observers:
            times = {"think": think, "network": network, "journal": journal, "handle": handle}
            self._tell(lambda observer: observer.chosen(match_id, game, **times))

    def rejected(self, match_id: str, reason: str) -> None:
        self._tell(lambda observer: observer.rejected(match_id, reason))

    def fell(self, match_id: str, game: str, termination: str) -> None:
        self._tell(lambda observer: observer.fell(match_id, game, termination))

    def ended(self, match: match_pb2.Match) -> None:
        self._tell(lambda observer: observer.ended(match))

    def close(self) -> None:
        self._tell(lambda observer: observer.close())

    def _tell(self, tell: Callable[[Observer], None]) -> None:
        for observer in list(self._observers):
            try:
                tell(observer)
            except Exception:
                log.exception("observer.failed", observer=type(observer).__name__)
                self._observers.remove(observer)
