"""Brownian motion with drift between two absorbing bounds: where it is likely to be after a sequential test.

A path X(t) = mu * t + sigma * W(t) starts at 0 and stops when it leaves (a, b), a < 0 < b. Both formulas are sums over
mirror images of the start (method of images; Karatzas and Shreve, *Brownian Motion and Stochastic Calculus*, 2.8;
Darling and Siegert 1953). Each term is kept as a logarithm because large and tiny factors meet in it.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray
from scipy.special import log_ndtr

Floats = NDArray[np.float64]


def _images(mu: float, sigma: float, a: float, b: float, time: float) -> Floats:
    """Shifts 2k(b - a) that can matter: within reach of the path, of its drift and of rounding."""
    width = b - a
    reach = 9.0 * sigma * math.sqrt(time) + abs(mu) * time
    most = math.ceil(reach / (2.0 * width)) + 2
    return 2.0 * width * np.arange(-most, most + 1, dtype=np.float64)


def _log_interval(low: Floats, high: Floats) -> Floats:
    """log(Phi(high) - Phi(low)), low < high, without cancellation in either tail."""
    flip = low > 0.0
    lower = np.where(flip, -high, low)
    upper = np.where(flip, -low, high)
    log_upper = log_ndtr(upper)
    difference: Floats = log_upper + np.log(-np.expm1(np.minimum(log_ndtr(lower) - log_upper, -1e-300)))
    return difference


def alive_below(mu: float, sigma: float, a: float, b: float, time: float, y: float) -> float:
    """P(still inside at ``time`` and X(time) <= y), for a <= y <= b."""
    if y <= a:
        return 0.0
    shifts = _images(mu, sigma, a, b, time)
    root = sigma * math.sqrt(time)
    slope = mu / sigma**2
    total = 0.0
    for sign, starts in ((1.0, shifts), (-1.0, 2.0 * a + shifts)):
        centre = starts + mu * time
        logs = slope * starts + _log_interval((a - centre) / root, (y - centre) / root)
        total += sign * float(np.exp(logs).sum())
    return total


def stopped_below(mu: float, sigma: float, a: float, b: float, time: float) -> float:
    """P(the path left through ``a``, and did so by ``time``)."""
    distances = _images(mu, sigma, a, b, time) - a
    root = sigma * math.sqrt(time)
    slope = mu / sigma**2
    size, drift = np.abs(distances), abs(mu) * time
    first = -size * abs(slope) + log_ndtr((drift - size) / root)
    second = size * abs(slope) + log_ndtr((-drift - size) / root)
    logs = slope * a + np.logaddexp(first, second)
    return float((np.sign(distances) * np.exp(logs)).sum())


def outcome_below(mu: float, sigma: float, a: float, b: float, time: float, y: float) -> float:
    """P(the test ends no better than this): stopped at ``a`` by then, or not stopped at ``b`` and X(time) <= y.

    It falls as ``mu`` grows, which makes it the basis of estimates and intervals after stopping.
    """
    y = min(max(y, a), b)
    return min(max(stopped_below(mu, sigma, a, b, time) + alive_below(mu, sigma, a, b, time, y), 0.0), 1.0)
