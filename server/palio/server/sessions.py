"""Sessions: one connected bot each, with all its matches and what waits to be sent to it."""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import structlog
from google.protobuf.message import DecodeError

from palio.codec.status import InvalidRequest, NotFound, ServiceError, UnsupportedVersion, field_of, row_of, text_of
from palio.codec.wire import nested, tag
from palio.server.allowance import Allowance
from palio.v1 import play_pb2

if TYPE_CHECKING:
    from palio.server.room import Room

_UPDATES: Final = tag(play_pb2.PlayResponse.UPDATES_FIELD_NUMBER)
PROTOCOL_VERSION: Final = 1
LARGEST_JOINED: Final = 1 << 20
"""Bytes of a message up to which further ones are joined to it: well below the 4 MiB that gRPC libraries bear unless
they are told otherwise, so that a bot which resumes many long matches is not cut off again."""
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


def refusal(error: BaseException) -> play_pb2.Refused:
    """An error as the message of a play stream."""
    return play_pb2.Refused(reason=row_of(error).reason, field=field_of(error), text=text_of(error))


class Outbox:
    """What waits to be sent. Messages are whole ``PlayResponse``s; joined they are one with all their updates."""

    __slots__ = ("_ended", "_limit", "_waiter", "_watchers", "closed", "messages", "overflow", "taking")

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._ended = asyncio.Event()
        self._waiter: asyncio.Future[None] | None = None
        self._watchers: list[Callable[[], None]] = []
        self.taking = False
        self.messages: list[bytes] = []
        self.closed = False
        self.overflow = False

    def put(self, message: bytes) -> None:
        if self.closed:
            return
        if len(self.messages) >= self._limit:
            self.overflow = True
            self.messages.clear()
            self.close()
            return
        self.messages.append(message)
        self._wake()

    def when_taken(self, call: Callable[[], None]) -> None:
        """Call back once what is put in next has been taken, if nothing but this program is in the way of that: a
        reader that does not read is no reason to wait."""
        if self.taking:
            self._watchers.append(call)

    def close(self) -> None:
        """Nothing more goes in; what is in it can still be taken."""
        self.closed = True
        self._ended.set()
        self._wake()

    async def wait_closed(self) -> None:
        """Until it is closed."""
        await self._ended.wait()

    def _wake(self) -> None:
        if self._waiter is not None and not self._waiter.done():
            self._waiter.set_result(None)

    async def take(self) -> bytes | None:
        """Wait until there is something, and take all of it that fits into one message of a size that every gRPC
        library takes by default; ``None`` when it is closed and empty."""
        while not self.messages:
            if self.closed:
                return None
            self.taking = True
            self._waiter = asyncio.get_running_loop().create_future()
            await self._waiter
        self.taking = False
        if self._watchers:
            for call in self._watchers:
                call()
            self._watchers.clear()
        size = count = 0
        for message in self.messages:
            size += len(message)
            if count and size > LARGEST_JOINED:
                break
            count += 1
        joined = b"".join(self.messages[:count])
        del self.messages[:count]
        return joined


class Session:
    """One bot's connection.

    Args:
        credential_id: id of the token it came with; one credential has one session.
        player: name of the player that the token belongs to.
        hello: what it said first.
        limits: what the server bears.
        freed: called when a match ended, so that another may start.

    Attributes:
        matches: by match id, the room and the seat.
        round_trip: measured network time to it and back, in seconds.
        opened: when, by the loop's clock.
        early: matches that it was told of before the server went down and that begin again later: ``None``, or the
            randomness of the Ready that it has said meanwhile. It does not say that twice.
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
        self.matches: dict[str, tuple[Room, int]] = {}
        self.outbox = Outbox(limits.queued_messages)
        self.early: dict[str, bytes | None] = {}
        self.leaving = False
        self.round_trip = 0.0
        self.unreadable = 0
        self.expelled: ServiceError | None = None
        self._refusals = Allowance(REFUSED_PER_SECOND, REFUSED_AT_ONCE, self.opened)
        self._freed = freed
        self._pings: dict[int, float] = {}
        self._unanswered = 0
        self.log = log.bind(player=player, session=self.session_id)

    # --- out ---

    def send(self, message: bytes) -> None:
        """Queue a serialised ``PlayResponse``."""
        self.outbox.put(message)

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

    def join(self, room: Room, seat: int) -> None:
        self.matches[room.match_id] = (room, seat)

    def left(self, room: Room) -> None:
        """A match is over."""
        if self.matches.pop(room.match_id, None) is not None:
            self.say_goodbye_if_done()
            self._freed(self)

    def say_goodbye_if_done(self) -> None:
        if self.leaving and not self.matches:
            self.goodbye(play_pb2.GOODBYE_REASON_LEFT, "all your matches are over")

    def disconnect(self) -> None:
        """The connection is gone: tell the rooms."""
        self.outbox.close()
        matches = list(self.matches.values())
        self.matches.clear()
        for room, seat in matches:
            room.detach(seat, self)

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
                self._choose(request.choose)
            case "pong":
                self._pong(request.pong.nonce, now)
            case "ready":
                self._ready(request.ready)
            case "signal":
                self._with_match(request.signal.match_id, lambda room, seat: room.signal(seat, request.signal.words))
            case "resign":
                self._with_match(request.resign.match_id, lambda room, seat: room.resign(seat))
            case "leave":
                self.leaving = True
                self.say_goodbye_if_done()
            case "hello":
                self.refuse(InvalidRequest("Hello is said once, first of all", field="hello"))
            case _:
                # Perhaps a message of a later version of the protocol: say so, and bear a few.
                self._not_understood("an empty message, or one that this server does not know")

    def _choose(self, choose: play_pb2.Choose) -> None:
        found = self.matches.get(choose.match_id)
        if found is None:
            rejected = play_pb2.ChoiceRejected(
                decision_id=choose.decision_id,
                reason=play_pb2.REJECTION_REASON_STALE,
                text=f"you play no match {choose.match_id!r} now: it is over, or it never was yours",
            )
            self.tell(play_pb2.Update(match_id=choose.match_id, choice_rejected=rejected))
            self.nonsense()
            return
        room, seat = found
        room.choose(seat, choose.decision_id, choose.option, self.round_trip)

    def _ready(self, ready: play_pb2.Ready) -> None:
        if ready.match_id in self.early:
            self.early[ready.match_id] = ready.entropy
        else:
            self._with_match(ready.match_id, lambda room, seat: room.ready(seat, ready.entropy))

    def _pong(self, nonce: int, now: float) -> None:
        sent = self._pings.pop(nonce, None)
        if sent is not None:
            measured = now - sent
            self.round_trip = measured if not self.round_trip else 0.75 * self.round_trip + 0.25 * measured

    def _with_match(self, match_id: str, act: Callable[[Room, int], None]) -> None:
        found = self.matches.get(match_id)
        if found is None:
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
