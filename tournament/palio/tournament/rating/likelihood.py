"""Likelihoods of rankings, their slopes and curvatures, for all rows at once.

A row is a game with V utilities; a better utility means a better chance of a better rank.

* :func:`plackett_luce`: places are filled from the top, each with chances in proportion to exp(utility) of those left
  (Plackett 1975; Luce 1959). Of tied sides every order is taken for equally likely and the *logarithms* are averaged,
  so for two sides a draw is half a win and half a loss (Bradley and Terry 1952).
* :func:`davidson`: two sides and the utility of a draw (Davidson 1970).

Each returns, per row, the log-likelihood, its gradient (V) and minus its second derivatives (V x V).
"""

from __future__ import annotations

from functools import lru_cache
from itertools import combinations
from math import comb

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

Derivatives = tuple[Floats, Floats, Floats]


@lru_cache(maxsize=1024)
def _choices(ranks: tuple[int, ...]) -> tuple[tuple[float, tuple[int, ...]], ...]:
    """The choices that make up a ranking: (weight, who could be chosen).

    When ``a`` of a group of t tied sides are left, each subset of that size is left with probability 1 / C(t, a).
    """
    choices = []
    for rank in sorted(set(ranks)):
        tied = [side for side, r in enumerate(ranks) if r == rank]
        below = [side for side, r in enumerate(ranks) if r > rank]
        for left in range(1, len(tied) + 1):
            weight = 1.0 / comb(len(tied), left)
            choices += [(weight, tuple(sorted((*subset, *below)))) for subset in combinations(tied, left)]
    return tuple(choices)


def plackett_luce(utilities: Floats, ranks: Ints) -> Derivatives:
    """See the module's text.

    Args:
        utilities: rows x sides.
        ranks: rows x sides, 1 is best, equal ranks are ties.
    """
    rows, sides = utilities.shape
    value = utilities.sum(axis=1)
    slope = np.ones((rows, sides))
    curve = np.zeros((rows, sides, sides))
    patterns, which = np.unique(ranks, axis=0, return_inverse=True)
    which = which.reshape(-1)
    for number, pattern in enumerate(patterns):
        at = np.flatnonzero(which == number)
        for weight, subset in _choices(tuple(int(r) for r in pattern)):
            columns = np.array(subset)
            chosen = utilities[np.ix_(at, columns)]
            top = chosen.max(axis=1, keepdims=True)
            share = np.exp(chosen - top)
            total = share.sum(axis=1, keepdims=True)
            share /= total
            value[at] -= weight * (top + np.log(total))[:, 0]
            slope[np.ix_(at, columns)] -= weight * share
            spread = share[:, :, None] * (np.eye(len(columns)) - share[:, None, :])
            curve[np.ix_(at, columns, columns)] += weight * spread
    return value, slope, curve


def davidson(utilities: Floats, ranks: Ints) -> Derivatives:
    """See the module's text.

    Args:
        utilities: rows x 3: the two sides, and the draw's own utility (log nu).
        ranks: rows x 2.
    """
    mix = np.array([[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.5, 0.5, 1.0]])
    logits = utilities @ mix.T
    outcome = np.where(ranks[:, 0] < ranks[:, 1], 0, np.where(ranks[:, 0] > ranks[:, 1], 1, 2))
    top = logits.max(axis=1, keepdims=True)
    share = np.exp(logits - top)
    total = share.sum(axis=1, keepdims=True)
    share /= total
    rows = np.arange(len(outcome))
    value = logits[rows, outcome] - (top + np.log(total))[:, 0]
    seen = np.zeros_like(share)
    seen[rows, outcome] = 1.0
    spread = share[:, :, None] * (np.eye(3) - share[:, None, :])
    return value, (seen - share) @ mix, np.einsum("ki,rkl,lj->rij", mix, spread, mix)
