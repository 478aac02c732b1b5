"""A match as it is recorded: journal first, then the course, then the messages; and how it ends."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from pathlib import Path
from typing import Protocol

import structlog

from palio.server.logs import outline
from palio.server.match.clock import timestamp
from palio.server.match.containment import contained
from palio.server.match.course import Course
from palio.server.match.journal import Journal
from palio.server.match.observer import Observer, Spectator
from palio.server.match.results import void_end_of
from palio.server.match.summaries import summary
from palio.v1 import match_pb2, replay_pb2

log = structlog.get_logger(__name__)


class Keeper(Protocol):
    """Whom matches belong to."""

    def closed(self, room: Ledger) -> None:
        """The match is over."""

    def storage_failed(self, error: OSError) -> None:
        """A journal cannot be written."""


class Ledger(ABC):
    """Writes down what happens in a match and tells it, until the match ends.

    Args:
        header: the first record; already in the journal.
        journal: where the further records go.
        keeper: told when the match is over, and when its journal fails.
        observer: told what happens.
        wall: the wall clock, for what is shown and recorded.

    Attributes:
        state: where the match stands.
        over: whether nothing more can happen in it here.
        end: the last record, once it is over.
        recorded: whether its journal has that record.
        course: what follows from the records.
        spectators: told each step's public events, and the end.
    """

    def __init__(
        self,
        header: replay_pb2.ReplayHeader,
        journal: Journal,
        keeper: Keeper,
        observer: Observer,
        wall: Callable[[], float],
    ) -> None:
        self.header = header
        self.match_id: str = header.match_id
        self.game: str = header.game
        self.players = list(header.players)
        self.state = match_pb2.MATCH_STATE_WAITING
        self.over = False
        self.end: replay_pb2.ReplayEnd | None = None
        self.recorded = False
        self.course = Course(header, self._tell, self._ask)
        self.course.watch = self._watch
        self.spectators: list[Spectator] = []
        self.log = log.bind(match=self.match_id, game=self.game)
        self._journal = journal
        self._keeper = keeper
        self._observer = observer
        self._wall = wall

    @abstractmethod
    def _tell(self, seat: int, message: bytes) -> None:
        """Send a serialised ``PlayResponse`` to a seat."""

    @abstractmethod
    def _ask(self, seat: int) -> bytes:
        """A seat is asked: start its clock, and give the serialised ``Clock`` that goes out with the decision."""

    @abstractmethod
    def _stop(self) -> None:
        """Nothing more will happen: stop all clocks and timers."""

    @abstractmethod
    def _leave(self) -> None:
        """The match is over, and everybody knows it: let the bots go."""

    @property
    def journal_path(self) -> Path:
        """Where the records lie while it runs."""
        return self._journal.path

    def summary(self) -> match_pb2.Match:
        """The match as organisers and spectators see it. How many choices were made is told when it has ended: before,
        it would tell of decisions that nobody else knows of, such as whether a player could have scored."""
        return summary(self.header, self.state, self.course.choices if self.end is not None else 0, self.end)

    # --- from records to messages ---

    def _watch(self, choices: int, events: list[bytes]) -> None:
        if self.spectators:
            self._show(lambda spectator: spectator.step(choices, events))

    def _show(self, show: Callable[[Spectator], None]) -> None:
        """Those who only watch can do a match no harm."""
        for spectator in list(self.spectators):
            try:
                show(spectator)
            except Exception as error:
                self.log.error("spectator.failed", error=type(error).__name__, stack=outline(error))
                self.spectators.remove(spectator)

    def _commit(self, record: replay_pb2.ReplayRecord) -> None:
        """Journal, then consequences."""
        if self._write(record.SerializeToString()):
            self.course.apply(record)

    def _write(self, record: bytes) -> bool:
        """A serialised record goes to the journal. One that cannot be written voids the match: that is our fault."""
        try:
            self._journal.append_payload(record)
        except OSError as error:
            self._abandon(error)
            return False
        return True

    # --- end ---

    @contained
    def void(self, reason: str) -> None:
        """End the match without a result: the server's or the organiser's doing."""
        if not self.over:
            self._finish(void_end_of(self.course, reason))

    def broke(self, error: Exception) -> None:
        """Something inside failed, which is the server's fault: the match is void."""
        # The text of the error may name hidden cards, so it is left out; the journal shows it to who plays it again.
        self.log.error("match.broken", choices=self.course.choices, error=type(error).__name__, stack=outline(error))
        if not self.over:
            self._finish(void_end_of(self.course, "a fault of the server; its log says more"))

    def _abandon(self, error: OSError) -> None:
        """End the match as void although the journal cannot be written."""
        reason = f"the server cannot write its journal: {error.strerror or error}"
        self.log.error("match.not_journaled", choices=self.course.choices, error=error.strerror or str(error))
        end = void_end_of(self.course, reason)
        end.time.CopyFrom(timestamp(self._wall()))
        self._close(end)
        self._keeper.storage_failed(error)

    def _finish(self, end: replay_pb2.ReplayEnd) -> None:
        end.time.CopyFrom(timestamp(self._wall()))
        try:
            self._journal.append(replay_pb2.ReplayRecord(end=end))
        except OSError as error:
            self._abandon(error)
            return
        self.recorded = True
        self._close(end)

    def _close(self, end: replay_pb2.ReplayEnd) -> None:
        self.state = match_pb2.MATCH_STATE_VOID if end.void_reason else match_pb2.MATCH_STATE_FINISHED
        self.over = True
        self.end = end
        self._stop()
        try:
            self.course.apply(replay_pb2.ReplayRecord(end=end))
        finally:
            self._journal.close()
            self._keeper.closed(self)
            self._leave()
            match = self.summary()
            self._observer.ended(match)
            self._show(lambda spectator: spectator.ended(match))

    def suspend(self) -> None:
        """The server goes down with this match unfinished: from here on it is a journal, for the next start."""
        self.over = True
        self._stop()
        self._journal.close()
