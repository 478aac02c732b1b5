"""Elo from the scores of whole blocks (trinomial, pentanomial and beyond), and the generalised likelihood ratio.

The unit is the block: its games share a deal, so they are not independent, but blocks are. A block of ``size`` games
has a mean score between 0 and 1; a sample is how often each mean score occurred. Single games are blocks of size 1
(trinomial), pairs with exchanged seats blocks of size 2 (pentanomial).

Sources: M. Van den Bergh, *Comments on Normalized Elo* and *A practical introduction to the GSPRT*; A. Wald,
*Sequential Analysis*, 1947; A. B. Owen, *Empirical Likelihood*, 2001 (the estimate under a fixed mean).
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from statistics import NormalDist
from typing import Final, Literal

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import brentq

Z95: Final = NormalDist().inv_cdf(0.975)
NELO: Final = 800.0 / math.log(10.0)
"""Normalised Elo per unit of (mean - 1/2) / standard deviation of a game, so that it is near Elo for close players."""

Model = Literal["logistic", "normalized"]
Floats = NDArray[np.float64]

_RARE: Final = 1e-3
"""Weight of a score that was possible but never seen, in blocks; keeps the likelihood ratio finite."""


def logistic_score(elo: float) -> float:
    """Expected score of a player that many Elo better."""
    return 1.0 / (1.0 + math.pow(10.0, -elo / 400.0))


def logistic_elo(score: float) -> float:
    """Elo difference with that expected score; infinite at 0 and 1 and beyond them."""
    if score <= 0.0:
        return -math.inf
    if score >= 1.0:
        return math.inf
    return -400.0 * math.log10(1.0 / score - 1.0)


@dataclass(frozen=True, slots=True)
class Sample:
    """How often each mean score of a block occurred.

    Attributes:
        values: possible mean scores, ascending, 0 to 1.
        counts: blocks with each.
        size: games per block.
    """

    values: tuple[float, ...]
    counts: tuple[float, ...]
    size: int

    @property
    def blocks(self) -> float:
        """How many blocks."""
        return sum(self.counts)

    def moments(self) -> tuple[float, float]:
        """Mean and variance of a block's mean score (maximum likelihood, divided by the number of blocks)."""
        n = self.blocks
        mean = sum(v * c for v, c in zip(self.values, self.counts, strict=True)) / n
        return mean, sum(c * (v - mean) ** 2 for v, c in zip(self.values, self.counts, strict=True)) / n


def trinomial(wins: float, draws: float, losses: float) -> Sample:
    """Single games."""
    return Sample((0.0, 0.5, 1.0), (losses, draws, wins), 1)


def pentanomial(counts: Sequence[float] | Mapping[str, float]) -> Sample:
    """Pairs of games: counts of 0, 1/2, 1, 3/2 and 2 points, or by the names LL, LD, WL, DD, WD, WW."""
    if isinstance(counts, Mapping):
        c = Counter(counts)
        counts = (c["LL"], c["LD"], c["WL"] + c["DD"], c["WD"], c["WW"])
    return Sample((0.0, 0.25, 0.5, 0.75, 1.0), tuple(counts), 2)


def sample_of(scores: Iterable[float], size: int) -> Sample:
    """From the mean scores of blocks of ``size`` games, each game worth 0, 1/2 or 1, or a multiple of 1/4 and so on.

    All multiples of ``1 / (2 * size)`` are listed as possible, so that never-seen ones get their small weight.
    """
    seen = Counter(round(score, 9) for score in scores)
    grid = {round(step / (2 * size), 9) for step in range(2 * size + 1)} if size <= 12 else {0.0, 0.5, 1.0}
    values = sorted(grid.union(seen))
    return Sample(tuple(values), tuple(seen[value] for value in values), size)


@dataclass(frozen=True, slots=True)
class BlockElo:
    """What a sample says.

    Attributes:
        score: mean score of a game.
        elo, low, high: Elo difference with its 95 % interval.
        error: half the length of that interval.
        normalized, normalized_error: normalised Elo and half its 95 % interval.
        los: likelihood of superiority, the probability that the true score is above 1/2.
        blocks: how many.
    """

    score: float
    elo: float
    low: float
    high: float
    error: float
    normalized: float
    normalized_error: float
    los: float
    blocks: float


def block_elo(sample: Sample) -> BlockElo:
    """Elo, normalised Elo, their errors and the likelihood of superiority.

    Raises:
        ValueError: no blocks.
    """
    n = sample.blocks
    if n <= 0:
        raise ValueError("no blocks, no Elo")
    mean, variance = sample.moments()
    se = math.sqrt(variance / n)
    low, high = logistic_elo(mean - Z95 * se), logistic_elo(mean + Z95 * se)
    per_game = math.sqrt(variance * sample.size)
    if se > 0.0:
        normalized, los = NELO * (mean - 0.5) / per_game, NormalDist().cdf((mean - 0.5) / se)
    else:
        normalized, los = math.copysign(math.inf, mean - 0.5) if mean != 0.5 else 0.0, (1.0 + _sign(mean - 0.5)) / 2
    return BlockElo(
        score=mean,
        elo=logistic_elo(mean),
        low=low,
        high=high,
        error=(high - low) / 2.0 if se > 0.0 else math.inf,
        normalized=normalized,
        normalized_error=Z95 * NELO / math.sqrt(n * sample.size),
        los=los,
        blocks=n,
    )


def log_likelihood_ratio(sample: Sample, elo0: float, elo1: float, model: Model) -> float:
    """Generalised log-likelihood ratio of ``elo1`` to ``elo0``: the best fitting distributions under each, compared.

    ``logistic`` fixes the mean score; ``normalized`` fixes (mean - 1/2) / standard deviation. No blocks give 0.
    """
    values, weights, n = _regular(sample)
    if n == 0.0:
        return 0.0
    if model == "logistic":
        fitted = [_with_mean(values, weights, logistic_score(elo)) for elo in (elo0, elo1)]
    else:
        scale = math.sqrt(sample.size) / NELO
        fitted = [_with_ratio(values, weights, elo * scale) for elo in (elo0, elo1)]
    return n * float(weights @ (np.log(fitted[1]) - np.log(fitted[0])))


def _regular(sample: Sample) -> tuple[Floats, Floats, float]:
    values = np.array(sample.values, dtype=np.float64)
    counts = np.array(sample.counts, dtype=np.float64)
    if not counts.sum():
        return values, counts, 0.0
    counts = np.maximum(counts, _RARE)
    n = float(counts.sum())
    return values, counts / n, n


def _with_zero_mean(direction: Floats, weights: Floats) -> Floats:
    """The distribution nearest to ``weights`` (in likelihood) under which ``direction`` has mean 0."""
    low, high = float(direction.min()), float(direction.max())
    if low >= 0.0 or high <= 0.0:
        raise ValueError("the hypothesis lies outside what the scores can reach")
    margin = 1e-12
    left, right = -1.0 / high * (1.0 - margin), -1.0 / low * (1.0 - margin)
    theta = brentq(lambda t: float(weights @ (direction / (1.0 + t * direction))), left, right, xtol=1e-14)
    tilted: Floats = weights / (1.0 + theta * direction)
    return tilted


def _with_mean(values: Floats, weights: Floats, mean: float) -> Floats:
    return _with_zero_mean(values - mean, weights)


def _with_ratio(values: Floats, weights: Floats, ratio: float) -> Floats:
    """The likeliest distribution with (mean - 1/2) = ratio * standard deviation, by repeated linearisation.

    It starts from ratio 0, where the standard deviation is far from 0 even if all scores were equal.
    """
    fitted = _with_mean(values, weights, 0.5)
    for _ in range(50):
        mean = float(fitted @ values)
        sd = math.sqrt(float(fitted @ (values - mean) ** 2))
        direction = values - 0.5 - ratio * sd / 2.0 * (1.0 + ((values - mean) / sd) ** 2)
        before, fitted = fitted, _with_zero_mean(direction, weights)
        if float(np.abs(fitted - before).max()) < 1e-12:
            break
    return fitted


def _sign(x: float) -> int:
    return (x > 0.0) - (x < 0.0)
