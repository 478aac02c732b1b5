"""One match as the client sees it: which decision is open, what was answered, and the task that runs the bot."""

from __future__ import annotations

import asyncio
import inspect
import logging
import operator
import secrets
import time
from collections.abc import Awaitable, Callable, Coroutine
from typing import Any, Final, TypeAlias

from palio.client.bot import Bot, Decision, Match
from palio.client.worker import Worker
from palio.engine.chance import commitment, mixed_seed
from palio.v1 import catalog_pb2, match_pb2, play_pb2

log = logging.getLogger("palio.client")

Factory: TypeAlias = Callable[[Match], Bot]
"""Makes the bot for a match; a subclass of :class:`Bot` is one."""

Lookup: TypeAlias = Callable[[str], Awaitable[catalog_pb2.GetGameResponse]]
"""Finds a game in the server's catalogue."""

_MAX_INDEX: Final = 2**31 - 1
_ENTROPY_BYTES: Final = 32
_RETRYABLE: Final = (
    play_pb2.REJECTION_REASON_ILLEGAL,
    play_pb2.REJECTION_REASON_UNREADABLE,
    play_pb2.REJECTION_REASON_NOT_YOURS,
)


class Playing:
    """A running match.

    :meth:`take` is called by the reader for every update in order and never waits; the bot's methods run in a task
    of their own, one after another.

    Attributes:
        last_seq: the last ``seq`` that was taken.
        attempt: which attempt of the match this is.
    """

    def __init__(
        self, start: play_pb2.MatchStarted, match_id: str, send: Callable[[play_pb2.PlayRequest], None]
    ) -> None:
        self.match_id = match_id
        self.attempt = start.attempt
        self.last_seq = 0
        self._start = start
        self._send = send
        self._entropy = secrets.token_bytes(_ENTROPY_BYTES) if start.player_entropy else b""
        self._bot: Bot | None = None
        self._inbox: asyncio.Queue[tuple[Step, Any]] = asyncio.Queue()
        self._worker = Worker(f"palio-{match_id}")
        self._pending: play_pb2.Decision | None = None
        self._received = 0.0
        self._answer: int | None = None
        self._ready = False
        self._asked = False
        self._resigned = False
        self._over = False

    def take(self, update: play_pb2.Update) -> None:
        """Take in one update of this match."""
        match update.WhichOneof("message"):
            case "events":
                self._inbox.put_nowait((Playing._observe, update.events))
            case "decision":
                self._take_decision(update.decision)
            case "choice_accepted":
                self._settle(update.choice_accepted.decision_id)
            case "choice_rejected":
                self._take_rejection(update.choice_rejected)
            case "seat_status":
                self._inbox.put_nowait((Playing._seat_status, update.seat_status))
            case "match_ended":
                self._pending, self._over = None, True
                self._inbox.put_nowait((Playing._ended, update.match_ended))
            case _:  # a kind of a newer protocol
                pass

    def resume(self) -> None:
        """Say again what the server may not have heard before the connection broke."""
        if self._resigned:
            self._resign()
        elif self._pending is not None and self._answer is not None:
            self._choose(self._pending.decision_id, self._answer)
        elif self._ready and not self._asked:
            self._say_ready()

    async def run(self, factory: Factory, lookup: Lookup) -> None:
        """Run the bot from the first to the last message of the match."""
        try:
            info = await lookup(self._start.game)
            await self._guard(self._begin(factory, Match(self.match_id, self._start, self._send, info)))
            self._ready = not self._resigned
            if self._ready:
                self._say_ready()
            step: Step | None = None
            while step is not Playing._ended:
                step, message = await self._inbox.get()
                if self._bot is not None and (not self._resigned or step is Playing._ended):
                    await self._guard(step(self, self._bot, message))
        finally:
            self._worker.close()

    # What the reader does at once.

    def _take_decision(self, decision: play_pb2.Decision) -> None:
        self._asked = True
        if decision.HasField("answered"):
            self._settle(decision.decision_id)
        elif self._pending is not None and self._pending.decision_id == decision.decision_id:
            if self._answer is not None:  # asked again, though it was answered: the answer must have been lost
                self._choose(decision.decision_id, self._answer)
        else:
            self._pending, self._received, self._answer = decision, time.monotonic(), None
            self._inbox.put_nowait((Playing._decide, decision))

    def _settle(self, decision_id: int) -> None:
        if self._pending is not None and self._pending.decision_id <= decision_id:
            self._pending = self._answer = None

    def _take_rejection(self, rejection: play_pb2.ChoiceRejected) -> None:
        if rejection.reason not in _RETRYABLE:
            return
        if self._pending is not None and self._pending.decision_id == rejection.decision_id:
            self._answer = None
        self._inbox.put_nowait((Playing._rejected, rejection))

    # What the bot does in its own time.

    async def _begin(self, factory: Factory, match: Match) -> None:
        self._bot = await self._call(factory, match)
        await self._call(self._bot.started, match)

    async def _observe(self, bot: Bot, events: play_pb2.Events) -> None:
        if type(bot).observe is not Bot.observe:
            await self._call(bot.observe, events.events)

    async def _seat_status(self, bot: Bot, status: play_pb2.SeatStatus) -> None:
        if type(bot).seat_status is not Bot.seat_status:
            await self._call(bot.seat_status, status)

    async def _ended(self, bot: Bot, ended: play_pb2.MatchEnded) -> None:
        if not seed_is_honest(self._start, ended.result, self._entropy):
            log.warning("%s: the seed is not the one that was committed to", self.match_id)
        await self._call(bot.ended, ended)

    async def _rejected(self, bot: Bot, rejection: play_pb2.ChoiceRejected) -> None:
        await self._call(bot.rejected, rejection)
        decision = self._pending
        if decision is not None and decision.decision_id == rejection.decision_id and rejection.tries_left > 0:
            await self._decide(bot, decision)

    async def _decide(self, bot: Bot, decision: play_pb2.Decision) -> None:
        if self._pending is not decision:  # settled while it waited
            return
        question = Decision(bot.match, decision, self._received)
        option = operator.index(await self._call(bot.choose, question))
        if not -_MAX_INDEX <= option <= _MAX_INDEX:
            raise ValueError(f"choose() returned {option}, which is no index")
        if self._pending is decision:  # else: too late
            self._answer = option
            self._choose(decision.decision_id, option)

    def _say_ready(self) -> None:
        ready = play_pb2.Ready(match_id=self.match_id, entropy=self._entropy)
        self._send(play_pb2.PlayRequest(ready=ready))

    def _choose(self, decision_id: int, option: int) -> None:
        choose = play_pb2.Choose(match_id=self.match_id, decision_id=decision_id, option=option)
        self._send(play_pb2.PlayRequest(choose=choose))

    def _resign(self) -> None:
        self._resigned = True
        self._send(play_pb2.PlayRequest(resign=play_pb2.Resign(match_id=self.match_id)))

    async def _guard(self, work: Coroutine[Any, Any, None]) -> None:
        """Run the bot's code; where it fails, say so and give the match up rather than let it hang."""
        try:
            await work
        except Exception:
            log.exception("%s: the bot failed; the match is resigned", self.match_id)
            if not self._resigned and not self._over:
                self._resign()

    async def _call(self, function: Callable[..., Any], *args: Any) -> Any:
        owner = getattr(function, "__self__", function)
        if inspect.iscoroutinefunction(function) or not getattr(owner, "blocking", True):
            result = function(*args)
        else:
            result = await self._worker.call(function, *args)
        return await result if inspect.isawaitable(result) else result


Step: TypeAlias = Callable[[Playing, Bot, Any], Coroutine[Any, Any, None]]


def seed_is_honest(start: play_pb2.MatchStarted, result: match_pb2.MatchResult, entropy: bytes) -> bool:
    """Whether the seed that a result reveals is the one that was settled before the match; true if it reveals none.

    Args:
        entropy: what this seat contributed to the seed.
    """
    if not result.seed:
        return True
    if not start.player_entropy:
        return commitment(result.seed) == start.seed_commitment
    return (
        commitment(result.secret) == start.seed_commitment
        and result.entropy[start.seat : start.seat + 1] == [entropy]
        and mixed_seed(result.secret, result.entropy) == result.seed
    )
