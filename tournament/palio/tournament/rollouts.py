"""What a deal is worth to each of its seats: many games of one built-in bot with itself, in this process or others.

The games run on the rules alone, without server or gRPC. They know nothing of the tournament's results, so what they
foretell may be subtracted from them (:mod:`palio.tournament.rating.luck`). All chance in them follows from the deal
and the rollout's number: the same rollouts come out the same wherever and whenever they are played.
"""

from __future__ import annotations

import multiprocessing
import random
import signal
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import dataclass
from functools import partial
from typing import Final, NamedTuple

from palio.bots import bot_named, strategy
from palio.bots.arena import play_match
from palio.client import Bot, Decision, Factory, Match
from palio.codec import codec_of
from palio.engine.errors import InvalidSetup
from palio.engine.game import Opaque
from palio.tournament.ledger import Ledger
from palio.tournament.pairing import deal_seed
from palio.tournament.plan import Schedule
from palio.tournament.results import Game
from palio.v1 import game_pb2

EXPLORE: Final = 0.1
"""Share of the decisions that are taken at random: ``greedy`` leaves nothing to chance, and would play a deal in one
way only, however many rollouts there are."""
MOST: Final = 10_000


@dataclass(frozen=True, slots=True)
class Policy:
    """Who plays the rollouts.

    Attributes:
        bot: name of a built-in bot.
        rollouts: games per deal.
    """

    bot: str
    rollouts: int

    def __str__(self) -> str:
        return f"{self.bot}:{self.rollouts}"


def policy_of(bot: str, rollouts: int, game: str) -> Policy:
    """A policy that can play the game.

    Raises:
        InvalidSetup: no such bot, it does not play that game, or a number out of bounds.
    """
    if not 1 <= rollouts <= MOST:
        raise InvalidSetup("--rollouts", f"{rollouts}; allowed are 1 to {MOST}")
    try:
        strategy(bot, game)
    except InvalidSetup as error:
        raise InvalidSetup("--bot", error.reason) from None
    return Policy(bot, rollouts)


class Task(NamedTuple):
    """The rollouts of one deal, as it is sent to a worker process.

    Attributes:
        deal: its number.
        seats: players.
        seed: of the match.
        options: of the game, a serialised ``GameOptions``.
        policy: who plays.
    """

    game: str
    deal: int
    seats: int
    seed: bytes
    options: bytes
    policy: Policy


class Explorer(Bot):
    """A bot that takes every now and then a decision at random."""

    def __init__(self, match: Match, bot: Bot, rng: random.Random) -> None:
        super().__init__(match)
        self._bot = bot
        self._rng = rng

    def observe(self, events: Sequence[game_pb2.Event]) -> None:
        self._bot.observe(events)

    def choose(self, decision: Decision) -> int:
        choice = self._bot.choose(decision)  # asked in any case: it may want to remember what it saw
        assert isinstance(choice, int), "built-in bots need no event loop"
        return self._rng.randrange(len(decision.options)) if self._rng.random() < EXPLORE else choice


def play_deal(task: Task) -> list[float]:
    """By how many points each seat was ahead of the mean of all seats, on average over the rollouts of a deal.

    Points rather than places: they say more about a deal in as many games, and the adjustment finds their worth itself.
    """
    options = codec_of(task.game).read_game_options(game_pb2.GameOptions.FromString(task.options))
    totals = [0.0] * task.seats
    for number in range(task.policy.rollouts):
        points = _rollout(task, options, number)
        mean = sum(points) / task.seats
        for seat, own in enumerate(points):
            totals[seat] += own - mean
    return [total / task.policy.rollouts for total in totals]


def _rollout(task: Task, options: Opaque, number: int) -> tuple[int, ...]:
    label = f"{task.deal}/{number}"

    def explorer(inner: Factory, seat: int, match: Match) -> Bot:
        return Explorer(match, inner(match), random.Random(f"{label}/{seat}"))  # noqa: S311 (chance for a rollout)

    factories = [partial(explorer, bot_named(task.policy.bot, label), seat) for seat in range(task.seats)]
    return play_match(task.game, factories, task.seed, f"rollout-{task.deal}-{number}", options).outcome.points


def tasks_of(schedule: Schedule, games: Iterable[Game], policy: Policy) -> list[Task]:
    """One task for each deal of the games, in the order of the deals; games of one seat have no luck to speak of."""
    seats = {game.deal: len(game.players) for game in games if len(game.side_ranks()) > 1}
    options = schedule.options.SerializeToString(deterministic=True)
    return [
        Task(schedule.config.game, deal, seats[deal], deal_seed(schedule.seed, deal), options, policy)
        for deal in sorted(seats)
    ]


def fill(ledger: Ledger, tasks: Sequence[Task], jobs: int, progress: Callable[[int], None] | None = None) -> int:
    """Play the rollouts of the deals that the ledger does not have yet, and keep each deal's when they are done.

    Args:
        jobs: processes to use; with one, everything is played in this one.
        progress: told how many deals are done, those that were there included.

    Returns:
        How many deals were played. Whenever this is interrupted, the deals that are done are kept.
    """
    if not tasks:
        return 0
    name = str(tasks[0].policy)
    known = {deal for deal, _ in ledger.luck().get(name, {})}
    missing = [task for task in tasks if task.deal not in known]
    for done, (task, scores) in enumerate(_played(missing, jobs), 1):
        ledger.record_luck(name, task.deal, scores)
        if progress is not None:
            progress(len(tasks) - len(missing) + done)
    return len(missing)


def _leave_interrupts_to_the_parent() -> None:
    """Ctrl-C reaches all processes of a terminal; one of them is to say so."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)


def _played(tasks: Sequence[Task], jobs: int) -> Iterator[tuple[Task, list[float]]]:
    """Each task with its scores, as they come."""
    if jobs < 2 or len(tasks) < 2:
        for task in tasks:
            yield task, play_deal(task)
        return
    with ProcessPoolExecutor(jobs, multiprocessing.get_context("spawn"), _leave_interrupts_to_the_parent) as pool:
        futures = {pool.submit(play_deal, task): task for task in tasks}
        try:
            for future in as_completed(futures):
                yield futures[future], future.result()
        finally:
            pool.shutdown(wait=False, cancel_futures=True)
