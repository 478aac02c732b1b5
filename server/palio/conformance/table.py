"""A match with the bot under test: real rules and real messages, but what is sent when is up to the script."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from google.protobuf import timestamp_pb2

from palio.codec import codec_of
from palio.codec.wire import tag
from palio.conformance.line import Line
from palio.engine.chance import Stream, commitment, seed_from_text
from palio.games import rules_of
from palio.server.match.clock import TimeControl, duration
from palio.server.match.course import Course
from palio.server.match.results import final_result, void_result
from palio.v1 import game_pb2, match_pb2, play_pb2, replay_pb2

DEFAULT_GAME: Final = "fidelitas"
_EPOCH: Final = 1_700_000_000  # when all matches of the kit are played, for messages that do not differ from run to run
_PER_DECISION: Final = 60.0


class Table:
    """One match. The bot has one seat, uniformly random options are chosen for the others.

    Args:
        line: the bot's connection; scripts that cut it put the next one in its place.
        per_decision: seconds to think; ``None`` for a match without time control.
        change: applied to every update before it is said.

    Attributes:
        said: all updates of the match up to now, sent or not.
        decision: the open question to the bot.
        rounds: how many of its decisions counted.
        over: whether the game has ended.
    """

    def __init__(
        self,
        line: Line,
        match_id: str,
        *,
        game: str = DEFAULT_GAME,
        attempt: int = 1,
        per_decision: float | None = _PER_DECISION,
        change: Callable[[play_pb2.Update], None] = lambda _: None,
    ) -> None:
        self.line = line
        self.match_id = match_id
        self.said: list[play_pb2.Update] = []
        self.decision = play_pb2.Decision()
        self.rounds = 0
        self._fresh: list[play_pb2.Update] = []
        self._claimed: set[int] = set()
        self._change = change
        self._per_decision = per_decision
        seed = seed_from_text(f"palio check/{match_id}/{attempt}")
        self._others = Stream(seed, "others")
        rules, codec = rules_of(game), codec_of(game)
        self._seats = min(seats for seats in rules.seats if seats > 1)
        header = replay_pb2.ReplayHeader(
            match_id=match_id,
            attempt=attempt,
            game=game,
            rules_version=rules.version,
            options=codec.game_options(codec.read_game_options(game_pb2.GameOptions())),
            players=["you", *(f"opponent-{seat}" for seat in range(1, self._seats))],
            seed_commitment=commitment(seed),
            created=timestamp_pb2.Timestamp(seconds=_EPOCH),
            time_control=TimeControl(per_decision=per_decision).message(),
            policies=match_pb2.Policies(illegal_tries=3, disconnection_grace=duration(60), no_show=duration(60)),
            seed=seed,
        )
        self._course = Course(header, self._tell, self._face)

    # --- what the course says ---

    def _tell(self, seat: int, message: bytes) -> None:
        if seat:
            return
        (update,) = play_pb2.PlayResponse.FromString(message).updates
        if update.HasField("decision"):
            self.decision = update.decision
            if self._per_decision is None:
                update.decision.ClearField("clock")
        self._change(update)
        self.said.append(update)
        self._fresh.append(update)

    def _face(self, _seat: int) -> bytes:
        limit = self._per_decision or 0.0
        return play_pb2.Clock(
            remaining=duration(limit),
            deadline=timestamp_pb2.Timestamp(seconds=_EPOCH + round(limit)),
            server_time=timestamp_pb2.Timestamp(seconds=_EPOCH),
        ).SerializeToString()

    # --- moving on ---

    async def flush(self, *, together: bool = False) -> None:
        """Say what has not been said yet: one update a message, or all in one."""
        fresh, self._fresh = self._fresh, []
        if together:
            await self.line.say(*fresh)
            return
        for update in fresh:
            await self.line.say(update)

    def withhold(self) -> list[play_pb2.Update]:
        """Take what has not been said yet; it is then never said by itself."""
        fresh, self._fresh = self._fresh, []
        return fresh

    def announce(self) -> None:
        """MatchStarted, not yet said."""
        for seat in range(self._seats):
            self._course.start(seat)

    def deal(self) -> None:
        """All are ready: go to the bot's first decision."""
        for seat in range(self._seats):
            self._course.apply(replay_pb2.ReplayRecord(ready=replay_pb2.ReplayReady(seat=seat)))
        self._to_the_bot()

    async def start(self) -> None:
        """MatchStarted, Ready, and everything up to the bot's first decision."""
        self.announce()
        await self.flush()
        await self.line.hear("ready", self.match_id)
        self.deal()
        await self.flush()

    async def answer(self) -> play_pb2.Choose:
        """Hear the answer to the open decision. Which decision it names is the script's business, but one that was
        named before is passed over."""
        choose: play_pb2.Choose = await self.line.hear(
            "choose", self.match_id, lambda choose: choose.decision_id not in self._claimed
        )
        self._claimed.add(choose.decision_id)
        return choose

    def accept(self, option: int) -> None:
        """Count an answer and go on to the bot's next decision; one out of range is taken for the first option."""
        self.rounds += 1
        counted = option if 0 <= option < len(self._offered) else 0
        asked = self.decision
        self._take(0, counted)
        asked.answered = counted  # from now on it is history
        self._to_the_bot()

    async def play(self, rounds: int) -> None:
        """So many decisions from answer to answer, or fewer if the game ends."""
        for _ in range(rounds):
            if self.over:
                return
            choose = await self.answer()
            self.accept(choose.option)
            await self.flush()

    def notice(self, **notice: object) -> None:
        """Something else that the server says about the match: a field of ``ReplayNotice``."""
        self._course.apply(replay_pb2.ReplayRecord(notice=replay_pb2.ReplayNotice(seat=0, **notice)))  # type: ignore[arg-type]

    def unknown(self, field: int) -> None:
        """An update of a kind that this version does not have."""
        self._course.tell(0, tag(field), b"\x0a\x05later")

    def end(self, *, void: bool = False) -> None:
        """End the match: by the rules if they have, else because an opponent resigned."""
        if void:
            end = replay_pb2.ReplayEnd(result=void_result(self._course), void_reason="tried again")
        else:
            if not self.over:
                fault = replay_pb2.ReplayFault(seat=1, termination=match_pb2.TERMINATION_RESIGNED)
                self._course.apply(replay_pb2.ReplayRecord(fault=fault))
            end = replay_pb2.ReplayEnd(result=final_result(self._course))
        self._course.apply(replay_pb2.ReplayRecord(end=end))

    async def finish(self) -> None:
        """End the match and say so."""
        self.end()
        await self.flush()

    async def resume(self, line: Line) -> None:
        """Go on over another connection: say what came after the last that the bot says it has seen."""
        last = line.hello.resume.get(self.match_id, 0)
        self.line = line
        self._fresh = []
        for update in self.said:
            if update.seq > last:
                await line.say(update)

    @property
    def last_seq(self) -> int:
        """Number of the last update."""
        return self.said[-1].seq if self.said else 0

    @property
    def over(self) -> bool:
        return self._course.decision is None and self._course.begun

    @property
    def _offered(self) -> range:
        decision = self._course.decision
        assert decision is not None
        return range(len(decision.options))

    def _to_the_bot(self) -> None:
        while (decision := self._course.decision) is not None and decision.seat:
            self._take(decision.seat, self._others.uniform(len(decision.options)))

    def _take(self, seat: int, option: int) -> None:
        choice = replay_pb2.ReplayChoice(
            seat=seat, decision_id=self._course.chain.next_id(seat), option=option, offered=len(self._offered)
        )
        self._course.apply(replay_pb2.ReplayRecord(choice=choice))
