"""Built-in bots against each other in one process, without a server: quick measurements of strength.

    python -m palio.bots.arena fidelitas planner greedy --deals 200 --players 2

Every deal is played once for each seat: the first bot sits there, the second one (or copies of it) everywhere else. In
team matches the first bot has both seats of a team. A deal's average is the unit of statistics, since the games of one
deal are not independent.
"""

from __future__ import annotations

import math
import multiprocessing
import time
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import ExitStack
from functools import partial
from itertools import repeat
from typing import Final, NamedTuple

from palio.bots import bot_named
from palio.client import Bot, Decision, Factory, Match
from palio.codec import codec_of
from palio.codec.base import GameCodec
from palio.engine.chance import commitment, seed_from_text
from palio.engine.errors import GameError
from palio.engine.game import Event, Opaque, Outcome, State
from palio.games import rules_of
from palio.v1 import game_pb2, play_pb2

SURE: Final = 1.959964
"""Standard errors to either side of a 95 % interval."""


class Played(NamedTuple):
    """A finished match.

    Attributes:
        outcome: by the rules.
        decisions: how many each seat took.
        seconds: processor time that each seat took in all.
        options: how many all decisions had together.
        turns: how many there were.
    """

    outcome: Outcome
    decisions: list[int]
    seconds: list[float]
    options: int
    turns: int


class Strength(NamedTuple):
    """How the first bot fared.

    Attributes:
        games: how many were played.
        score: share of the opponents left behind, a tie counting half; 0 to 1.
        error: standard error of the score, by deals.
        points: mean points of the first bot and of its opponents.
        milliseconds: mean processor time of a decision of the first bot and of its opponents.
        slowest: longest mean processor time of a decision of the first bot in one game, in milliseconds.
    """

    games: int
    score: float
    error: float
    points: tuple[float, float]
    milliseconds: tuple[float, float]
    slowest: float

    @property
    def elo(self) -> tuple[float, float, float]:
        """Elo difference with the ends of its 95 % interval."""
        low, high = self.score - SURE * self.error, self.score + SURE * self.error
        return elo_of(self.score), elo_of(low), elo_of(high)


def elo_of(score: float) -> float:
    """The Elo difference that an expected score stands for; infinite at or beyond 0 and 1."""
    if score <= 0 or score >= 1:
        return -math.inf if score <= 0 else math.inf
    return -400 * math.log10(1 / score - 1)


def play_match(
    game: str,
    factories: Sequence[Factory],
    seed: bytes,
    match_id: str,
    options: Opaque = None,
    witness: Callable[[Event], None] | None = None,
) -> Played:
    """One match, each seat with the bot of its factory.

    Args:
        options: the game's options object; by default the game's defaults.
        witness: told every event, those for a single seat too.

    Raises:
        InvalidSetup: the game cannot be played so.
    """
    rules, codec = rules_of(game), codec_of(game)
    options = rules.options() if options is None else options
    state = rules.start(seed, len(factories), options)
    table = _Table(state, codec, witness)
    start = play_pb2.MatchStarted(
        game=game,
        rules_version=rules.version,
        players=[f"seat {seat}" for seat in range(len(factories))],
        seed_commitment=commitment(seed),
        attempt=1,
        options=codec.game_options(options),
    )
    for seat, factory in enumerate(factories):
        own = play_pb2.MatchStarted()
        own.CopyFrom(start)
        own.seat = seat
        table.seat(factory(Match(match_id, own, partial(table.hear, seat))))
    while table.ask():
        pass
    outcome = state.outcome()
    assert outcome is not None, "nobody is asked any more"
    return Played(outcome, table.decisions, table.seconds, table.options, state.turn)


class _Table:
    """The bots around a state: hands out events, asks, and passes signals on."""

    def __init__(self, state: State, codec: GameCodec, witness: Callable[[Event], None] | None) -> None:
        self._state = state
        self._codec = codec
        self._witness = witness
        self._bots: list[Bot] = []
        self._news: list[list[game_pb2.Event]] = []
        self.decisions: list[int] = []
        self.seconds: list[float] = []
        self.options = 0

    def seat(self, bot: Bot) -> None:
        self._bots.append(bot)
        self._news.append([])
        self.decisions.append(0)
        self.seconds.append(0.0)

    def hear(self, seat: int, request: play_pb2.PlayRequest) -> None:
        """What a bot says apart from its choices; what the rules refuse is dropped, as a server does."""
        if request.HasField("signal"):
            try:
                self._state.signal(seat, self._codec.read_words(request.signal.words))
            except GameError:
                return

    def ask(self) -> bool:
        """Ask the next seat; returns whether there was one."""
        self._spread(self._state.take_events())
        decision = self._state.decision()
        if decision is None:
            return False
        seat = decision.seat
        bot = self._bots[seat]
        question = play_pb2.Decision(decision_id=self.decisions[seat] + 1, kind=decision.kind)
        question.observation.ParseFromString(self._codec.observation(self._state.view(seat)))
        for option in decision.options:
            question.options.add().ParseFromString(self._codec.option(option))
        news, self._news[seat] = self._news[seat], []
        begin = time.thread_time()
        bot.observe(news)
        choice = bot.choose(Decision(bot.match, question))
        self.seconds[seat] += time.thread_time() - begin
        self.decisions[seat] += 1
        self.options += len(decision.options)
        assert isinstance(choice, int), "bots that need an event loop cannot play here"
        self._state.choose(choice)
        return True

    def _spread(self, events: Iterable[Event]) -> None:
        for event in events:
            if self._witness is not None:
                self._witness(event)
            viewers = range(len(self._bots)) if event.viewers is None else event.viewers
            for seat in viewers:
                if type(self._bots[seat]).observe is not Bot.observe:
                    self._news[seat].append(game_pb2.Event.FromString(self._codec.event(event.fact)))


class _Deal(NamedTuple):
    score: float
    games: int
    points: tuple[float, float]
    seconds: tuple[float, float]
    decisions: tuple[int, int]
    slowest: float


def _play_deal(game: str, first: str, second: str, players: int, teams: bool, label: str, number: int) -> _Deal:
    """One deal in all seatings."""
    rules = rules_of(game)
    options = rules.options(teams=True) if teams else rules.options()
    seed = seed_from_text(f"{label}/{number}")
    sides = tuple(seat % 2 for seat in range(players)) if teams else tuple(range(players))
    scores: list[float] = []
    points, seconds, decisions, slowest = [0.0, 0.0], [0.0, 0.0], [0, 0], 0.0
    seatings = sorted(set(sides))
    for side in seatings:
        names = [first if own == side else second for own in sides]
        factories = [bot_named(name, str(seat)) for seat, name in enumerate(names)]
        played = play_match(game, factories, seed, f"{label}-{number}-{side}", options)
        ranks = played.outcome.ranks
        others = [seat for seat in range(players) if sides[seat] != side]
        own = sides.index(side)
        scores += [1.0 if ranks[own] < ranks[o] else 0.5 if ranks[own] == ranks[o] else 0.0 for o in others]
        for seat in range(players):
            which = int(sides[seat] != side)
            share = sides.count(side) if which == 0 else len(others)
            points[which] += played.outcome.points[seat] / share
            seconds[which] += played.seconds[seat]
            decisions[which] += played.decisions[seat]
            if which == 0 and played.decisions[seat]:
                slowest = max(slowest, played.seconds[seat] / played.decisions[seat])
    return _Deal(
        sum(scores) / len(scores),
        len(seatings),
        (points[0], points[1]),
        (seconds[0], seconds[1]),
        (decisions[0], decisions[1]),
        slowest,
    )


def measure(
    game: str,
    first: str,
    second: str,
    *,
    deals: int,
    players: int = 2,
    teams: bool = False,
    label: str = "arena",
    jobs: int = 1,
    progress: Callable[[int], None] | None = None,
) -> Strength:
    """Duplicate deals between two built-in bots.

    Args:
        label: text that the deals follow from.
        jobs: processes to use.
        progress: told after each deal how many are done.

    Raises:
        InvalidSetup: no such game or bot, or the game cannot be played so.
    """
    for name in (first, second):
        bot_named(name)
    arguments = (repeat(game), repeat(first), repeat(second), repeat(players), repeat(teams), repeat(label))
    found: list[_Deal] = []
    with ExitStack() as stack:
        run: Callable[..., Iterable[_Deal]] = map
        if jobs > 1:
            run = stack.enter_context(ProcessPoolExecutor(jobs, multiprocessing.get_context("spawn"))).map
        for deal in run(_play_deal, *arguments, range(deals)):
            found.append(deal)
            if progress is not None:
                progress(len(found))
    return _strength(found)


def _strength(deals: Sequence[_Deal]) -> Strength:
    n = len(deals)
    score = sum(deal.score for deal in deals) / n
    variance = sum((deal.score - score) ** 2 for deal in deals) / max(1, n - 1)
    games = sum(deal.games for deal in deals)

    points = [sum(deal.points[which] for deal in deals) / games for which in (0, 1)]
    seconds = [sum(deal.seconds[which] for deal in deals) for which in (0, 1)]
    decisions = [max(1, sum(deal.decisions[which] for deal in deals)) for which in (0, 1)]
    return Strength(
        games,
        score,
        math.sqrt(variance / n),
        (points[0], points[1]),
        (1000 * seconds[0] / decisions[0], 1000 * seconds[1] / decisions[1]),
        1000 * max(deal.slowest for deal in deals),
    )
