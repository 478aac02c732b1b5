"""Do 95 % intervals contain the truth in 95 % of tournaments? Simulated tournaments with known strengths.

The ranking of a game follows Plackett-Luce exactly: seat s gets the utility (player + seat effect + Gumbel noise) and
the highest comes first. The games of a block share part of each seat's noise (a Gaussian copula with correlation
``luck``), as duplicate deals do: a good hand is good for whoever sits there. So games depend on each other within
blocks, while every single game keeps its exact chances, and the true values are known without any approximation.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from itertools import combinations
from typing import Final

import numpy as np
from scipy.special import ndtr

from palio.tournament.pairing.block import Table, entries_of
from palio.tournament.pairing.fixed import round_robin
from palio.tournament.rating.encode import Layout, Rows
from palio.tournament.rating.fit import Fit, fit
from palio.tournament.rating.likelihood import Floats, Ints
from palio.tournament.rating.ml import ELO, precision, quantile


@dataclass(frozen=True, slots=True)
class Setting:
    """What is simulated: a round robin with duplicates.

    Attributes:
        players: how many compete.
        seats: of a game.
        deals: blocks per group.
        spread: standard deviation of true strengths, Elo; drawn anew for each tournament.
        seat_effect: the first seat's true advantage over the last, Elo, falling evenly in between.
        luck: correlation between the noises of the same seat in the games of a block, 0 to 1.
    """

    players: int = 4
    seats: int = 2
    deals: int = 25
    spread: float = 100.0
    seat_effect: float = 60.0
    luck: float = 0.5

    def __str__(self) -> str:
        return (
            f"{self.players} players, {self.seats} seats, {self.deals} deals, spread {self.spread:g}, "
            f"seat effect {self.seat_effect:g}, luck {self.luck:g}"
        )


BENCH: Final = (
    Setting(),
    Setting(players=4, seats=3, deals=20),
    Setting(players=6, seats=4, deals=6),
    Setting(players=8, seats=2, deals=6),
    Setting(spread=250.0, luck=0.0),
)
"""The settings that the documentation shows, 2,000 tournaments each."""


@dataclass(slots=True)
class Coverage:
    """What was found.

    Attributes:
        setting: what was simulated.
        tournaments: how many.
        differences: share of the intervals of pairwise Elo differences that contain the truth, 0 to 1.
        ratings: the same for ratings against the mean of the field.
        seats: the same for seat effects.
        naive: the same for pairwise differences if games were taken to be independent.
        width: mean length of the differences' intervals, Elo.
    """

    setting: Setting
    tournaments: int
    differences: float = 0.0
    ratings: float = 0.0
    seats: float = 0.0
    naive: float = 0.0
    width: float = field(default=0.0)


@dataclass(frozen=True, slots=True)
class _Schedule:
    layout: Layout
    index: Ints
    player: Ints
    block: Ints
    blocks: int


def _schedule(setting: Setting) -> _Schedule:
    names = [f"{at:03d}" for at in range(setting.players)]
    fmt = round_robin(entries_of(names), Table(setting.seats), setting.deals, "coverage")
    layout = Layout(tuple(names), ((setting.seats, setting.seats),))
    player = np.array([[int(name) for name in seating] for block in fmt.all_blocks for seating in block.seatings])
    block = np.array([block.index for block in fmt.all_blocks for _ in block.seatings])
    seat = np.broadcast_to(np.arange(setting.seats) + setting.players, player.shape)
    return _Schedule(layout, np.stack([player, seat], axis=2), player, block, len(fmt.all_blocks))


def simulate(setting: Setting, tournaments: int = 2000, seed: int = 1) -> Coverage:
    """Simulate tournaments, rate each, count the intervals that contain the truth."""
    schedule = _schedule(setting)
    rng = np.random.default_rng(seed)
    seat_truth = setting.seat_effect * np.linspace(0.5, -0.5, setting.seats)
    found = Coverage(setting, tournaments)
    players = setting.players
    pairs = np.array(list(combinations(range(players), 2)))
    for _ in range(tournaments):
        strength = rng.normal(0.0, setting.spread, players)
        truth = np.concatenate([strength - strength.mean(), seat_truth])
        result = _rated(schedule, setting, truth / ELO, rng)
        assert result.robust is not None
        level, error = quantile(result), result.beta - truth / ELO
        standard = np.sqrt(np.diag(result.robust))
        inside = np.abs(error) <= level * standard
        found.ratings += float(inside[:players].mean())
        found.seats += float(inside[players:].mean())
        gap = np.abs(error[pairs[:, 0]] - error[pairs[:, 1]])
        robust, naive = (_pair_deviation(matrix, pairs) for matrix in (result.robust, result.model))
        found.differences += float((gap <= level * robust).mean())
        found.naive += float((gap <= level * naive).mean())
        found.width += float(2.0 * level * ELO * robust.mean())
    for name in ("differences", "ratings", "seats", "naive", "width"):
        setattr(found, name, getattr(found, name) / tournaments)
    return found


def _pair_deviation(matrix: Floats, pairs: Ints) -> Floats:
    i, j = pairs.T
    deviation: Floats = np.sqrt(matrix[i, i] + matrix[j, j] - 2.0 * matrix[i, j])
    return deviation


def _rated(schedule: _Schedule, setting: Setting, beta: Floats, rng: np.random.Generator) -> Fit:
    games, seats = schedule.player.shape
    hands = rng.normal(size=(schedule.blocks, seats))[schedule.block]
    normal = math.sqrt(setting.luck) * hands + math.sqrt(1.0 - setting.luck) * rng.normal(size=(games, seats))
    gumbel = -np.log(-np.log(np.clip(ndtr(normal), 1e-300, 1.0 - 1e-16)))
    utility = beta[schedule.index].sum(axis=2) + gumbel
    ranks = (-utility).argsort(axis=1).argsort(axis=1) + 1
    return fit(schedule.layout, [Rows(schedule.index, ranks, schedule.block)], precision(schedule.layout))
