"""Many games of one built-in bot with itself: how long they are, how they end, what the seats are worth.

A game may have a module ``tallies`` that names things worth counting (``TITLE``, ``DONE``, ``things(options)`` and
``mark(fact)``; see :mod:`palio.games.fidelitas.tallies`); the share of games that marked each of them is counted too.
"""

from __future__ import annotations

import math
import multiprocessing
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import ExitStack
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from typing import Any, NamedTuple, Protocol, cast

from palio.bots import bot_named, strategy
from palio.bots.arena import SURE, play_match
from palio.engine.chance import seed_from_text
from palio.engine.game import Event, Opaque
from palio.games import BUILT_IN, rules_of
from palio.games.variants import Variant


class Tallies(Protocol):
    """The interface of a game's module ``tallies``."""

    TITLE: str
    DONE: str

    def things(self, options: Opaque) -> Mapping[int, str]:
        """What is counted, by number, with a description."""

    def mark(self, fact: tuple[Any, ...]) -> int:
        """The thing that an event marks, 0 for none."""


@cache
def tallies_of(game: str) -> Tallies | None:
    """What a built-in game wants counted, if anything."""
    for package in BUILT_IN:
        name = f"{package}.tallies"
        if import_module(package).RULES.game_id == game and find_spec(name) is not None:
            return cast("Tallies", import_module(name))
    return None


class Game(NamedTuple):
    """One game.

    Attributes:
        decisions: of all seats.
        options: of all decisions together.
        turns: of all seats.
        ended_by: the rules' word.
        points: per seat.
        scores: per seat the share of the opponents left behind, a tie counting half; empty when there are none.
        marks: what was marked of the things that the game wants counted.
    """

    decisions: int
    options: int
    turns: int
    ended_by: str
    points: tuple[int, ...]
    scores: tuple[float, ...]
    marks: frozenset[int]


class Mean(NamedTuple):
    """A mean with half the width of its 95 % interval."""

    value: float
    sure: float


def mean_of(values: Sequence[float]) -> Mean:
    """The mean of independent values."""
    n = len(values)
    mean = math.fsum(values) / n
    variance = math.fsum((value - mean) ** 2 for value in values) / max(1, n - 1)
    return Mean(mean, SURE * math.sqrt(variance / n))


def wilson(hits: int, n: int) -> tuple[float, float]:
    """The 95 % interval of a share by Wilson's formula, which also holds near 0 and 1."""
    z2 = SURE * SURE
    centre, spread = (hits + z2 / 2) / (n + z2), SURE / (n + z2) * math.sqrt(hits * (n - hits) / n + z2 / 4)
    return max(0.0, centre - spread), min(1.0, centre + spread)


class Census(NamedTuple):
    """The games of one bot in one variant."""

    bot: str
    variant: Variant
    games: tuple[Game, ...]

    def mean(self, value: Callable[[Game], float]) -> Mean:
        """Over the games."""
        return mean_of([value(game) for game in self.games])

    @property
    def endings(self) -> list[tuple[str, float]]:
        """Share of each reason, the commonest first."""
        counts = Counter(game.ended_by for game in self.games)
        return [(reason, count / len(self.games)) for reason, count in counts.most_common()]

    def marked(self, thing: int) -> int:
        """In how many games it was marked."""
        return sum(thing in game.marks for game in self.games)


def play_one(game: str, bot: str, variant: Variant, label: str, number: int) -> Game:
    """The game of that number, its deal and its bots' chance following from the label and the number."""
    tallies = tallies_of(game)
    seen: set[int] = set()

    def witness(event: Event) -> None:
        if tallies is not None:
            seen.add(tallies.mark(event.fact))

    options = rules_of(game).options(**variant.given)
    seed = seed_from_text(f"{label}/{number}")
    factories = [bot_named(bot, str(seat)) for seat in range(variant.players)]
    sides = rules_of(game).start(seed, variant.players, options).sides
    played = play_match(game, factories, seed, f"{label}-{number}", options, witness)
    ended = played.outcome
    return Game(
        sum(played.decisions),
        played.options,
        played.turns,
        ended.ended_by,
        ended.points,
        tuple(_scores(ended.ranks, sides)),
        frozenset(seen - {0}),
    )


def _scores(ranks: Sequence[int], sides: Sequence[int]) -> Iterator[float]:
    for seat, own in enumerate(ranks):
        others = [rank for other, rank in enumerate(ranks) if sides[other] != sides[seat]]
        if others:
            yield sum(1.0 if own < rank else 0.5 if own == rank else 0.0 for rank in others) / len(others)


def take_census(
    game: str,
    bots: Mapping[str, int],
    variants: Sequence[Variant],
    *,
    label: str = "census",
    jobs: int = 1,
    progress: Callable[[int, int], None] | None = None,
) -> list[Census]:
    """Play every variant with every bot.

    Args:
        bots: by name how many games each plays of each variant.
        label: text that the games follow from.
        jobs: processes to use.
        progress: told after each game how many of how many are done.

    Raises:
        InvalidSetup: no such game, or a bot that does not play it.
    """
    for bot in bots:
        strategy(bot, game)
    groups = [(bot, variant) for variant in variants for bot in bots]
    tasks = [(game, bot, variant, label, number) for bot, variant in groups for number in range(bots[bot])]
    games: list[Game] = []
    with ExitStack() as stack:
        run: Callable[..., Iterable[Game]] = map
        if jobs > 1:
            run = stack.enter_context(ProcessPoolExecutor(jobs, multiprocessing.get_context("spawn"))).map
        for played in run(_play_task, tasks):
            games.append(played)
            if progress is not None:
                progress(len(games), len(tasks))
    found: list[Census] = []
    for bot, variant in groups:
        found.append(Census(bot, variant, tuple(games[: bots[bot]])))
        del games[: bots[bot]]
    return found


def _play_task(task: tuple[str, str, Variant, str, int]) -> Game:
    return play_one(*task)


Row = tuple[str, ...]


class Table(NamedTuple):
    """A table for people, cells as text.

    Attributes:
        columns: headings; one that begins with ``>`` is for numbers.
    """

    title: str
    columns: Row
    rows: list[Row]


def tables(game: str, found: Sequence[Census]) -> list[Table]:
    """What the games show: their length and ends, the seats, and what the game wants counted."""
    made = [_lengths(found), _seats([census for census in found if census.games[0].scores])]
    tallies = tallies_of(game)
    if tallies is not None:
        options = rules_of(game).options()
        bots = dict.fromkeys(census.bot for census in found)
        made += [_counted(tallies, options, [census for census in found if census.bot == bot]) for bot in bots]
    return made


def _lengths(found: Sequence[Census]) -> Table:
    rows: list[Row] = []
    for census in found:
        options = sum(game.options for game in census.games) / max(1, sum(game.decisions for game in census.games))
        rows.append(
            (
                census.variant.name,
                census.bot,
                f"{len(census.games):,}",
                _text(census.mean(lambda game: game.decisions), 1),
                f"{options:.1f}",
                _text(census.mean(lambda game: game.turns), 1),
                _text(census.mean(lambda game: sum(game.points) / len(game.points)), 2),
                ", ".join(f"{reason.replace('_', ' ')} {100 * share:.1f} %" for reason, share in census.endings),
            )
        )
    columns = ("variant", "bot", ">games", ">decisions", ">options a decision", ">turns", ">points a seat", "ended by")
    return Table("Games", columns, rows)


def _seats(found: Sequence[Census]) -> Table:
    most = max((census.variant.players for census in found), default=0)
    rows: list[Row] = []
    for census in found:
        seats = zip(*(game.scores for game in census.games), strict=True)
        shares = [mean_of([100 * score for score in seat]) for seat in seats]
        cells = [_text(share, 1) for share in shares] + [""] * (most - len(shares))
        rows.append((census.variant.name, census.bot, f"{len(census.games):,}", *cells))
    columns = ("variant", "bot", ">games", *(f">seat {seat}, %" for seat in range(most)))
    return Table("Opponents left behind, by seat", columns, rows)


def _counted(tallies: Tallies, options: Opaque, found: Sequence[Census]) -> Table:
    """Shares of the games that marked each thing.

    Games of one player alone stand in a column of their own, but not in the total: nobody takes anything away there.
    """
    pooled = [census for census in found if census.games[0].scores] or found
    games = sum(len(census.games) for census in pooled)
    rows: list[Row] = []
    for thing, text in tallies.things(options).items():
        shares = [100 * census.marked(thing) / len(census.games) for census in found]
        hits = sum(census.marked(thing) for census in pooled)
        low, high = wilson(hits, games)
        total = (f"{100 * hits / games:.1f}", f"{100 * low:.1f} to {100 * high:.1f}")
        rows.append((str(thing), text, *(f"{share:.1f}" for share in shares), *total))
    total_name = "together" if pooled == found else "with opponents"
    columns = (f">{tallies.TITLE}", "which", *(f">{census.variant.name}" for census in found), f">{total_name}")
    title = f"{tallies.TITLE}s {tallies.DONE}, % of the games of {found[0].bot}"
    return Table(title, (*columns, ">95 % interval"), rows)


def _text(mean: Mean, digits: int) -> str:
    return f"{mean.value:.{digits}f} ± {mean.sure:.{digits}f}"
