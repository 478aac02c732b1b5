"""Sequential tests on blocks: is one player at least so much better than another?

The log-likelihood ratio is that of :mod:`palio.tournament.rating.block_elo`, recomputed after each block in their
order. Wald's bounds log(beta / (1 - alpha)) and log((1 - beta) / alpha) suit a process that stops on them
exactly; blocks make it jump past them. The bounds are therefore moved inwards by the mean overshoot of a random walk,
0.583 standard deviations of a step (D. Siegmund, *Sequential Analysis*, 1985, chapter 10).

After stopping, the mean score is biased away from 1/2, since luck stops a test early. The estimate given instead is
median-unbiased: the Elo at which an outcome no better than the one seen had probability 1/2; its 95 % interval ends
where that probability is 0.975 and 0.025. Outcomes are ordered by stage (stopped below, not stopped, stopped above);
the process is taken for a Brownian motion (Siegmund 1985, chapter 3; M. Van den Bergh's notes on sequential testing).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Final, Literal

from scipy.optimize import brentq

from palio.engine.errors import InvalidSetup
from palio.tournament.rating.block_elo import NELO, Model, Sample, log_likelihood_ratio, logistic_score, sample_of
from palio.tournament.rating.brownian import outcome_below

OVERSHOOT: Final = 0.5826
"""-zeta(1/2) / sqrt(2 pi): mean overshoot of a normal random walk over a far bound, in deviations of a step."""

_WIDEST: Final = 8000.0

Decision = Literal["elo0", "elo1", "undecided"]


@dataclass(frozen=True, slots=True)
class Hypotheses:
    """What is tested.

    Attributes:
        elo0, elo1: differences; acceptance of ``elo1`` means that the first player is better than ``elo0``.
        alpha, beta: probabilities of wrongly accepting ``elo1`` and ``elo0``.
        model: ``logistic`` (Elo) or ``normalized`` (normalised Elo, which needs about the same number of games
            whatever the share of draws).

    Raises:
        InvalidSetup: bounds in the wrong order or probabilities outside 0 to 1/2.
    """

    elo0: float
    elo1: float
    alpha: float = 0.05
    beta: float = 0.05
    model: Model = "logistic"

    def __post_init__(self) -> None:
        if not self.elo0 < self.elo1:
            raise InvalidSetup("sprt.elo1", f"{self.elo1:g}; it must be greater than elo0 = {self.elo0:g}")
        for field in ("alpha", "beta"):
            if not 0.0 < getattr(self, field) < 0.5:
                raise InvalidSetup(f"sprt.{field}", f"{getattr(self, field):g}; it must lie between 0 and 0.5")
        if self.model not in ("logistic", "normalized"):
            raise InvalidSetup("sprt.model", f"unknown model {self.model!r}; allowed are logistic, normalized")

    @property
    def bounds(self) -> tuple[float, float]:
        """Wald's bounds of the log-likelihood ratio."""
        return math.log(self.beta / (1.0 - self.alpha)), math.log((1.0 - self.beta) / self.alpha)


@dataclass(frozen=True, slots=True)
class Estimate:
    """An Elo difference (normalised Elo in the normalised model) with its 95 % interval."""

    elo: float
    low: float
    high: float


@dataclass(frozen=True, slots=True)
class Verdict:
    """Where a test stands.

    Attributes:
        blocks: how many were counted; those after the decision are not.
        llr: log-likelihood ratio.
        lower, upper: bounds, moved inwards by the overshoot.
        decision: ``elo0`` or ``elo1`` accepted, or ``undecided``.
    """

    blocks: int
    llr: float
    lower: float
    upper: float
    decision: Decision


def step_deviation(sample: Sample, hypotheses: Hypotheses) -> float:
    """Standard deviation of the log-likelihood ratio's change by one block.

    One more block, half of it lost and half won throughout, is counted in, so that a few equal results do not look
    like certainty.
    """
    if hypotheses.model == "normalized":
        return (hypotheses.elo1 - hypotheses.elo0) * math.sqrt(sample.size) / NELO
    n = sample.blocks
    mean, variance = sample.moments() if n else (0.5, 0.0)
    extreme = ((1.0 - mean) ** 2 + mean**2) / 2.0
    variance = (n * variance + extreme) / (n + 1.0)
    return (logistic_score(hypotheses.elo1) - logistic_score(hypotheses.elo0)) / math.sqrt(variance)


def judge(sample: Sample, hypotheses: Hypotheses) -> Verdict:
    """The verdict at this moment, with overshoot-corrected bounds (at most half of them is taken away)."""
    lower, upper = hypotheses.bounds
    overshoot = OVERSHOOT * step_deviation(sample, hypotheses)
    lower, upper = lower + min(overshoot, -lower / 2.0), upper - min(overshoot, upper / 2.0)
    llr = log_likelihood_ratio(sample, hypotheses.elo0, hypotheses.elo1, hypotheses.model)
    decision: Decision = "elo1" if llr >= upper else "elo0" if llr <= lower else "undecided"
    return Verdict(round(sample.blocks), llr, lower, upper, decision)


def run(scores: Iterable[float], size: int, hypotheses: Hypotheses) -> tuple[Verdict, Sample]:
    """Take in blocks one by one until a bound is reached.

    Args:
        scores: mean score of the first player in each block, in the order of the schedule.
        size: games per block.

    Returns:
        The verdict and the blocks that led to it.
    """
    test = SequentialTest(size, hypotheses)
    for score in scores:
        if test.add(score).decision != "undecided":
            break
    return test.verdict, test.sample


class SequentialTest:
    """A test in progress: add the blocks' scores in the order of the schedule."""

    def __init__(self, size: int, hypotheses: Hypotheses) -> None:
        self.hypotheses = hypotheses
        self.sample = sample_of((), size)
        self._counts = dict(zip(self.sample.values, self.sample.counts, strict=True))
        self.verdict = judge(self.sample, hypotheses)

    def add(self, score: float) -> Verdict:
        """Count a block, unless the test is over already."""
        if self.verdict.decision == "undecided":
            at = round(score, 9)
            self._counts[at] = self._counts.get(at, 0) + 1
            values = sorted(self._counts)
            self.sample = Sample(tuple(values), tuple(self._counts[v] for v in values), self.sample.size)
            self.verdict = judge(self.sample, self.hypotheses)
        return self.verdict


def estimate(sample: Sample, hypotheses: Hypotheses) -> Estimate:
    """The median-unbiased estimate and its interval, whether the test has stopped or not.

    Raises:
        ValueError: no blocks.
    """
    n = sample.blocks
    if n <= 0:
        raise ValueError("no blocks, no estimate")
    verdict = judge(sample, hypotheses)
    lower, upper = hypotheses.bounds
    # A test that has stopped is at a bound of the continuous process, by however much it jumped.
    at = {"elo0": lower, "elo1": upper}.get(verdict.decision, verdict.llr)
    if hypotheses.model == "normalized":
        deviation = NELO / math.sqrt(sample.size)
    else:
        deviation = math.sqrt(max(sample.moments()[1], 1e-9))

    def standard(elo: float) -> float:
        """Distance of a block's mean from the fair one, in standard deviations, if that were the true difference."""
        score = elo if hypotheses.model == "normalized" else logistic_score(elo)
        return score / deviation

    # Between close hypotheses the log-likelihood ratio moves by (x - middle) * sigma with x = standardised mean.
    sigma = standard(hypotheses.elo1) - standard(hypotheses.elo0)
    middle = (standard(hypotheses.elo1) + standard(hypotheses.elo0)) / 2.0

    def below(elo: float) -> float:
        return outcome_below((standard(elo) - middle) * sigma, sigma, lower, upper, n, at)

    centre = (hypotheses.elo0 + hypotheses.elo1) / 2.0
    step = hypotheses.elo1 - hypotheses.elo0
    return Estimate(*(_solve(below, level, centre, step) for level in (0.5, 0.975, 0.025)))


def _solve(below: Callable[[float], float], level: float, centre: float, step: float) -> float:
    """The Elo at which a falling function passes ``level``; infinite when it does not within reason."""
    low = high = centre
    while below(low) < level:
        low, step = low - step, 2.0 * step
        if low < -_WIDEST:
            return -math.inf
    while below(high) > level:
        high, step = high + step, 2.0 * step
        if high > _WIDEST:
            return math.inf
    return low if low == high else float(brentq(lambda elo: below(elo) - level, low, high, xtol=1e-6))
