"""Sessions: one connected bot each, with all its matches and what waits to be sent to it."""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final

import structlog
from google.protobuf.message import DecodeError

from palio.codec.status import InvalidRequest, NotFound, ServiceError, UnsupportedVersion
from palio.codec.wire import nested, tag
from palio.server.access.allowance import Allowance
from palio.server.archive import LONGEST_ID
from palio.server.match.contact import Match
from palio.server.match.refusals import refusal
from palio.server.outbox import Outbox
from palio.v1 import play_pb2

_UPDATES: Final = tag(play_pb2.PlayResponse.UPDATES_FIELD_NUMBER)
PROTOCOL_VERSION: Final = 1
UNREADABLE_LIMIT: Final = 10
"""Messages that cannot be read, after which a bot is sent away."""
REFUSED_PER_SECOND: Final = 10.0
REFUSED_AT_ONCE: Final = 1000
"""Refused choices and the like that one connection may cause; a bot that sends more is sent away."""
LONGEST_LABEL: Final = 200
"""Characters of a bot's labels."""
MOST_RESUMED: Final = 1000
"""Matches that one Hello may name: those that are over cost a look at the disk each."""

log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class SessionLimits:
    """What the server bears from one session.

    Attributes:
        message_bytes: largest message to the server.
        matches: at the same time.
        queued_messages: waiting for a reader that does not read.
        heartbeat: seconds between pings.
    """

    message_bytes: int = 64 * 1024
    matches: int = 64
    queued_messages: int = 4096
    heartbeat: float = 15.0


class Session:
    """One bot's connection.

    Args:
        credential_id: id of the token it came with; one credential has one session.
        player: name of the player that the token belongs to.
        hello: what it said first.
        limits: what the server bears.
        freed: called when a match ended, so that another may start.

    Attributes:
        matches: by match id, the match and the seat.
        send: queues a serialised ``PlayResponse``.
        round_trip: measured network time to it and back, in seconds.
        opened: when, by the loop's clock.
        early: matches that it was told of before the server went down and that begin again later: ``None``, or the
            randomness of the Ready that it has said meanwhile. It does not say that twice.
        missed: whether it is still to be told of matches that ended while it was away.
        expelled: why it ended, where its bot may not be here any more.
    """

    def __init__(
        self,
        credential_id: str,
        player: str,
        hello: play_pb2.Hello,
        limits: SessionLimits,
        freed: Callable[[Session], None],
    ) -> None:
        self.session_id = secrets.token_hex(8)
        self.opened = asyncio.get_running_loop().time()
        self.credential_id = credential_id
        self.player = player
        self.games = frozenset(hello.games)
        self.capacity = min(max(1, hello.max_concurrent_matches), limits.matches)
        self.limits = limits
        self.matches: dict[str, tuple[Match, int]] = {}
        self.outbox = Outbox(limits.queued_messages)
        self.send = self.outbox.put
        self.early: dict[str, bytes | None] = {}
        self.leaving = False
        self.missed = False
        self.round_trip = 0.0
        self.unreadable = 0
        self.expelled: ServiceError | None = None
        self._refusals = Allowance(REFUSED_PER_SECOND, REFUSED_AT_ONCE, self.opened)
        self._freed = freed
        self._pings: dict[int, float] = {}
        self._unanswered = 0
        self.log = log.bind(player=player, session=self.session_id)

    # --- out ---

    def tell(self, update: play_pb2.Update) -> None:
        """Queue one update."""
        self.send(nested(_UPDATES, update.SerializeToString()))

    def refuse(self, error: BaseException, match_id: str = "") -> None:
        self.tell(play_pb2.Update(match_id=match_id, refused=refusal(error)))

    def nonsense(self) -> None:
        """It said something that does not count. Now and then that happens to every bot."""
        if not self.outbox.closed and not self._refusals.take(asyncio.get_running_loop().time()):
            self.goodbye(play_pb2.GOODBYE_REASON_PROTOCOL, f"more than {REFUSED_AT_ONCE} messages did not count")

    def goodbye(self, reason: play_pb2.GoodbyeReason.ValueType, text: str) -> None:
        """Say that the session ends, and end it once that is sent."""
        self.tell(play_pb2.Update(goodbye=play_pb2.Goodbye(reason=reason, text=text)))
        self.outbox.close()

    def ping(self, now: float) -> bool:
        """Send a heartbeat. Returns whether the bot is alive: it answered one of the last three."""
        if self._unanswered >= 3:
            return False
        self._unanswered += 1
        nonce = secrets.randbits(63)
        self._pings = {nonce: now}
        self.tell(play_pb2.Update(ping=play_pb2.Ping(nonce=nonce)))
        return True

    # --- matches ---

    @property
    def room_left(self) -> int:
        """How many more matches it can play now."""
        return 0 if self.leaving or self.outbox.closed else self.capacity - len(self.matches)

    def plays(self, game: str) -> bool:
        return not self.games or game in self.games

    def join(self, match: Match, seat: int) -> None:
        self.matches[match.match_id] = (match, seat)

    def left(self, match: Match) -> None:
        """A match is over."""
        if self.matches.pop(match.match_id, None) is not None:
            self.say_goodbye_if_done()
            self._freed(self)

    def replaced(self, match: Match) -> None:
        """Another connection plays a match in its place."""
        self.matches.pop(match.match_id, None)

    def say_goodbye_if_done(self) -> None:
        if self.leaving and not self.matches and not self.missed:
            self.goodbye(play_pb2.GOODBYE_REASON_LEFT, "all your matches are over")

    def disconnect(self) -> None:
        """The connection is gone: tell the matches."""
        self.outbox.close()
        matches = list(self.matches.values())
        self.matches.clear()
        for match, seat in matches:
            match.detach(seat, self)

    # --- in ---

    def receive(self, data: bytes, now: float) -> None:
        """One message from the bot, as it came."""
        try:
            request = play_pb2.PlayRequest.FromString(data)
        except DecodeError:
            self._not_understood("this is no PlayRequest message")
            return
        self._unanswered = 0
        self._take(request, now)
        for further in request.more:
            self._take(further, now)

    def _take(self, request: play_pb2.PlayRequest, now: float) -> None:
        match request.WhichOneof("message"):
            case "choose":
                choose = request.choose
                playing = self.matches.get(choose.match_id)
                if playing is None:
                    self._chose_nowhere(choose)
                    return
                match, seat = playing
                match.choose(seat, choose.decision_id, choose.option, self.round_trip)
            case "pong":
                self._pong(request.pong.nonce, now)
            case "ready":
                self._ready(request.ready)
            case "signal":
                self._with_match(request.signal.match_id, lambda match, seat: match.signal(seat, request.signal.words))
            case "resign":
                self._with_match(request.resign.match_id, lambda match, seat: match.resign(seat))
            case "leave":
                self.leaving = True
                self.say_goodbye_if_done()
            case "hello":
                self.refuse(InvalidRequest("Hello is said once, first of all", field="hello"))
            case _:
                # Perhaps a message of a later version of the protocol: say so, and bear a few.
                self._not_understood("an empty message, or one that this server does not know")

    def _chose_nowhere(self, choose: play_pb2.Choose) -> None:
        match_id = choose.match_id[:LONGEST_ID]
        rejected = play_pb2.ChoiceRejected(
            decision_id=choose.decision_id,
            reason=play_pb2.REJECTION_REASON_STALE,
            text=f"you play no match {match_id!r} now: it is over, or it never was yours",
        )
        self.tell(play_pb2.Update(match_id=match_id, choice_rejected=rejected))
        self.nonsense()

    def _ready(self, ready: play_pb2.Ready) -> None:
        if ready.match_id in self.early:
            self.early[ready.match_id] = ready.entropy
        else:
            self._with_match(ready.match_id, lambda match, seat: match.ready(seat, ready.entropy))

    def _pong(self, nonce: int, now: float) -> None:
        sent = self._pings.pop(nonce, None)
        if sent is not None:
            measured = now - sent
            self.round_trip = measured if not self.round_trip else 0.75 * self.round_trip + 0.25 * measured

    def _with_match(self, match_id: str, act: Callable[[Match, int], None]) -> None:
        found = self.matches.get(match_id)
        if found is None:
            match_id = match_id[:LONGEST_ID]
            self.refuse(NotFound(f"you play no match {match_id!r} now", field="match_id"), match_id)
            self.nonsense()
        else:
            act(*found)

    def _not_understood(self, text: str) -> None:
        self.unreadable += 1
        if self.unreadable > UNREADABLE_LIMIT:
            self.goodbye(play_pb2.GOODBYE_REASON_PROTOCOL, f"{UNREADABLE_LIMIT} messages could not be read")
        else:
            self.refuse(InvalidRequest(text))


def check_hello(hello: play_pb2.Hello, games: Mapping[str, object]) -> None:
    """Whether a bot's first message can be accepted.

    Raises:
        UnsupportedVersion: it speaks another version.
        InvalidRequest: it names a game that is not here, or a number makes no sense.
    """
    if hello.protocol_version != PROTOCOL_VERSION:
        raise UnsupportedVersion(
            f"protocol_version {hello.protocol_version} is not spoken here; use {PROTOCOL_VERSION}",
            field="hello.protocol_version",
        )
    for index, game in enumerate(hello.games):
        if game not in games:
            raise InvalidRequest(
                f"there is no game {game!r}; known games: {', '.join(games)}", field=f"hello.games[{index}]"
            )
    for name, label in (("bot_name", hello.bot_name), ("bot_version", hello.bot_version), ("sdk", hello.sdk)):
        if len(label) > LONGEST_LABEL:
            raise InvalidRequest(f"at most {LONGEST_LABEL} characters are allowed", field=f"hello.{name}")
    if len(hello.resume) > MOST_RESUMED:
        raise InvalidRequest(f"at most {MOST_RESUMED} matches can be resumed at once", field="hello.resume")
    if hello.max_concurrent_matches < 0:
        raise InvalidRequest("max_concurrent_matches must not be negative", field="hello.max_concurrent_matches")
