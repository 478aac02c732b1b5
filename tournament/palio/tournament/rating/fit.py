"""Maximum likelihood with a weak prior, and its covariance by the sandwich over deals."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from palio.tournament.rating.encode import Layout, Rows
from palio.tournament.rating.likelihood import Floats, Ints, davidson, plackett_luce


@dataclass(frozen=True, slots=True)
class Fit:
    """The best parameters and how sure they are.

    Attributes:
        layout: which parameter is where.
        beta: parameters, in units in which a difference d means odds of exp(d).
        robust: covariance by the sandwich; ``None`` with too few deals for it.
        model: covariance if all games were independent and the model true.
        clusters: number of different deals.
        freedom: number of free parameters.
        log_likelihood: without the prior.
        converged: whether Newton's method came to rest.
    """

    layout: Layout
    beta: Floats
    robust: Floats | None
    model: Floats
    clusters: int
    freedom: int
    log_likelihood: float
    converged: bool


@dataclass(frozen=True, slots=True)
class _Distinct:
    """Rows without repetitions: equal games need be looked at once only."""

    index: Ints
    ranks: Ints
    count: Floats
    of_game: Ints
    cluster: Ints


def _distinct(rows: Rows) -> _Distinct:
    if rows.of_game is not None:
        times = np.bincount(rows.of_game, minlength=len(rows.index)).astype(np.float64)
        return _Distinct(rows.index, rows.ranks, times, rows.of_game, rows.cluster)
    games = len(rows.index)
    flat = np.concatenate([rows.index.reshape(games, -1), rows.ranks], axis=1)
    _, first, of_game, count = np.unique(flat, axis=0, return_index=True, return_inverse=True, return_counts=True)
    return _Distinct(
        rows.index[first],
        rows.ranks[first],
        count.astype(np.float64),
        of_game.reshape(-1).astype(np.int64),
        rows.cluster,
    )


def fit(layout: Layout, rows: Sequence[Rows], precision: Floats, *, rounds: int = 100) -> Fit:
    """Newton's method with step halving, then the covariances.

    Args:
        precision: per parameter 1 / variance of its normal prior around 0; 0 for none.
    """
    basis = layout.basis()
    groups = [_distinct(group) for group in rows]
    free = np.zeros(basis.shape[1])
    prior = basis.T @ (precision[:, None] * basis)
    value, slope, curve = _total(layout, groups, basis, free)
    converged = False
    for _ in range(rounds):
        gradient = slope - prior @ free
        step = _solve(curve + prior, gradient)
        if float(np.abs(step).max(initial=0.0)) < 1e-10:
            converged = True
            break
        before = value - free @ prior @ free / 2.0
        length = 1.0
        while True:
            trial = free + length * step
            value, slope, curve = _total(layout, groups, basis, trial)
            if value - trial @ prior @ trial / 2.0 >= before - 1e-12 * abs(before) or length < 1e-6:
                break
            length /= 2.0
        free = trial
    bread = np.linalg.pinv(curve + prior, hermitian=True)
    meat, clusters = _meat(layout, groups, basis, free)
    dimension = len(free)
    robust = None
    if clusters > dimension:
        # As for a variance: dividing by the number of deals would forget that the parameters were fitted to them.
        robust = basis @ bread @ meat @ bread @ basis.T * (clusters / (clusters - dimension))
    return Fit(layout, basis @ free, robust, basis @ bread @ basis.T, clusters, dimension, value, converged)


def _solve(matrix: Floats, vector: Floats) -> Floats:
    solution: Floats = np.linalg.lstsq(matrix, vector, rcond=1e-12)[0].astype(np.float64)
    return solution


def _derivatives(layout: Layout, group: _Distinct, beta: Floats) -> tuple[Floats, Floats, Floats]:
    utilities = np.append(beta, 0.0)[group.index].sum(axis=2)
    return (davidson if layout.draw else plackett_luce)(utilities, group.ranks)


def _total(layout: Layout, groups: Sequence[_Distinct], basis: Floats, free: Floats) -> tuple[float, Floats, Floats]:
    """Log-likelihood, gradient and minus second derivatives in the free parameters."""
    size = layout.size + 1
    beta = basis @ free
    total, slope, curve = 0.0, np.zeros(size), np.zeros(size * size)
    for group in groups:
        value, by_utility, between = _derivatives(layout, group, beta)
        total += float(value @ group.count)
        weighted = by_utility * group.count[:, None]
        terms = group.index.shape[2]
        slope += np.bincount(group.index.ravel(), np.repeat(weighted.ravel(), terms), size)
        pairs = group.index[:, :, None, :, None] * size + group.index[:, None, :, None, :]
        heavy = np.broadcast_to((between * group.count[:, None, None])[:, :, :, None, None], pairs.shape)
        curve += np.bincount(pairs.ravel(), heavy.ravel(), size * size)
    square = curve.reshape(size, size)[:-1, :-1]
    return total, basis.T @ slope[:-1], basis.T @ square @ basis


def _meat(layout: Layout, groups: Sequence[_Distinct], basis: Floats, free: Floats) -> tuple[Floats, int]:
    """Sum over deals of the outer product of the deal's gradient, and the number of deals."""
    if not groups:
        return np.zeros((len(free), len(free))), 0
    size = layout.size + 1
    _, number = np.unique(np.concatenate([group.cluster for group in groups]), return_inverse=True)
    clusters = int(number.max()) + 1
    scores = np.zeros(clusters * size)
    start = 0
    for group in groups:
        _, by_utility, _ = _derivatives(layout, group, basis @ free)
        games = len(group.of_game)
        mine = number[start : start + games].reshape(-1, 1, 1)
        start += games
        index = group.index[group.of_game]
        heavy = np.broadcast_to(by_utility[group.of_game][:, :, None], index.shape)
        scores += np.bincount((mine * size + index).ravel(), heavy.ravel(), clusters * size)
    per_deal = scores.reshape(clusters, size)[:, :-1] @ basis
    return per_deal.T @ per_deal, clusters
