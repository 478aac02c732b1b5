"""What a bot author writes: a subclass of :class:`Bot`. One instance plays one match."""

from __future__ import annotations

import logging
import time
from collections.abc import Awaitable, Callable, Sequence
from datetime import UTC, datetime
from typing import TYPE_CHECKING, TypeAlias

from palio.v1 import catalog_pb2, game_pb2, play_pb2

if TYPE_CHECKING:
    Send: TypeAlias = Callable[[play_pb2.PlayRequest], None]

log = logging.getLogger("palio.client")


class Match:
    """The match that a bot plays.

    Attributes:
        match_id: its id.
        start: the whole ``MatchStarted`` message: options, time control, policies, seed commitment, attempt.
        info: the game as the server's catalogue describes it, cards included; empty where the server has none.
    """

    __slots__ = ("_send", "info", "match_id", "start")

    def __init__(
        self,
        match_id: str,
        start: play_pb2.MatchStarted,
        send: Send,
        info: catalog_pb2.GetGameResponse | None = None,
    ) -> None:
        self.match_id = match_id
        self.start = start
        self.info = info or catalog_pb2.GetGameResponse()
        self._send = send

    @property
    def game(self) -> str:
        """Id of the game."""
        return self.start.game

    @property
    def seat(self) -> int:
        """This bot's seat, from 0."""
        return self.start.seat

    @property
    def players(self) -> Sequence[str]:
        """Names of the players by seat."""
        return self.start.players

    @property
    def options(self) -> game_pb2.GameOptions:
        """The game's options."""
        return self.start.options

    @property
    def catalogue(self) -> game_pb2.Catalogue:
        """The cards of the game as data."""
        return self.info.catalogue

    def signal(self, words: game_pb2.Words) -> None:
        """Talk to the partner in a team match. Lost where there is no connection at that moment."""
        self._send(play_pb2.PlayRequest(signal=play_pb2.Signal(match_id=self.match_id, words=words)))

    def resign(self) -> None:
        """Give up the match."""
        self._send(play_pb2.PlayRequest(resign=play_pb2.Resign(match_id=self.match_id)))


class Decision:
    """A question with at least two answers.

    Attributes:
        match: the match that asks.
        message: the whole ``palio.v1.Decision``.
    """

    __slots__ = ("_received", "match", "message")

    def __init__(self, match: Match, message: play_pb2.Decision, received: float | None = None) -> None:
        self.match = match
        self.message = message
        self._received = time.monotonic() if received is None else received

    @property
    def decision_id(self) -> int:
        """1, 2, 3 ... per match and seat."""
        return self.message.decision_id

    @property
    def kind(self) -> str:
        """Name of the kind in the game's rules, e.g. ``PLAY_CARD``."""
        return self.message.kind

    @property
    def observation(self) -> game_pb2.Observation:
        """What this seat sees now: ``decision.observation.fidelitas`` is the game's own message."""
        return self.message.observation

    @property
    def options(self) -> Sequence[game_pb2.Option]:
        """The legal choices in the rules' order; ``options[i].text`` is a description for people."""
        return self.message.options

    @property
    def remaining(self) -> float | None:
        """Seconds left now (negative when it is too late); ``None`` without a time limit."""
        if not self.message.HasField("clock"):
            return None
        left = self.message.clock.remaining
        return left.seconds + left.nanos / 1e9 - (time.monotonic() - self._received)

    @property
    def deadline(self) -> datetime | None:
        """When the time runs out, by the server's clock; ``None`` without a time limit."""
        if not self.message.HasField("clock"):
            return None
        return self.message.clock.deadline.ToDatetime(UTC)


class Bot:
    """Plays one match; subclass it and write :meth:`choose`. Every method may be ``async``.

    The methods of one bot are never called at the same time. Ordinary (not ``async``) methods run in a thread of the
    match, so that a bot that thinks for long delays neither its other matches nor its heartbeats. A bot that always
    answers within a millisecond may set ``blocking = False``: it is then called on the event loop itself, which saves
    the two thread switches. ``async`` methods always run on the event loop.

    What a method raises is logged and the match is resigned; the other matches go on.
    """

    blocking = True

    def __init__(self, match: Match) -> None:
        self.match = match

    def choose(self, decision: Decision) -> int | Awaitable[int]:
        """The index of an option."""
        raise NotImplementedError(f"{type(self).__name__} has no choose(decision)")

    def started(self, match: Match) -> Awaitable[None] | None:
        """The match begins; the clocks start when this returns."""

    def observe(self, events: Sequence[game_pb2.Event]) -> Awaitable[None] | None:
        """What happened, oldest first; always called before the decision that follows from it."""

    def seat_status(self, status: play_pb2.SeatStatus) -> Awaitable[None] | None:
        """Another seat lost or found its connection."""

    def rejected(self, rejection: play_pb2.ChoiceRejected) -> Awaitable[None] | None:
        """A choice did not count. ``choose`` is asked again if the decision is still open and tries are left."""
        log.warning("%s: choice rejected: %s", self.match.match_id, rejection.text)
        return None

    def ended(self, ended: play_pb2.MatchEnded) -> Awaitable[None] | None:
        """The match is over; ``ended.result.seats[self.match.seat].rank`` is this bot's rank."""
