"""Who meets whom when more than two sit at a table: every subset, cyclic designs, or a balanced choice."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from math import comb, gcd
from typing import Final

DIFFERENCE_SETS: Final[dict[tuple[int, int], tuple[int, ...]]] = {
    (7, 3): (0, 1, 3),
    (13, 4): (0, 1, 3, 9),
    (21, 5): (0, 1, 4, 14, 16),
}
"""Perfect difference sets (Singer 1938): their n shifts modulo n contain every pair of players exactly once."""


@dataclass(frozen=True, slots=True)
class Design:
    """A choice of groups.

    Attributes:
        groups: player numbers from 0, ascending within a group.
        kind: ``every subset``, ``cyclic`` or ``balanced``.
        imbalance: most minus fewest meetings over all pairs of players; 0 is perfect.
        sentence: kind and imbalance in words, for the organiser.
    """

    groups: tuple[tuple[int, ...], ...]
    kind: str
    imbalance: int
    sentence: str


def meetings(n: int, groups: Sequence[Sequence[int]]) -> dict[tuple[int, int], int]:
    """How often each pair (lower, higher) of n players is in a group together, pairs that never meet included."""
    counts = dict.fromkeys(combinations(range(n), 2), 0)
    for group in groups:
        for pair in combinations(sorted(group), 2):
            counts[pair] += 1
    return counts


def choose_design(n: int, k: int, affordable: int, seed: str) -> Design:
    """Groups of ``k`` out of ``n`` players.

    Every subset when there are at most ``affordable`` of them; else a cyclic design where one is known; else groups
    chosen one by one so that appearances and meetings stay even (ties broken by SHA-256 of the seed).

    Raises:
        ValueError: fewer players than seats.
    """
    if n < k:
        raise ValueError(f"{n} players for {k} seats")
    if comb(n, k) <= affordable:
        return _described(n, tuple(combinations(range(n), k)), "every subset")
    if (n, k) in DIFFERENCE_SETS:
        base = DIFFERENCE_SETS[n, k]
        shifts = tuple(tuple(sorted((at + shift) % n for at in base)) for shift in range(n))
        return _described(n, shifts, "cyclic")
    return _described(n, balanced_groups(n, k, group_count(n, k), seed), "balanced")


def group_count(n: int, k: int) -> int:
    """The smallest number of groups with equal appearances in which all pairs could meet at least once."""
    step = n // gcd(n, k)
    needed = -(-n * (n - 1) // (k * (k - 1)))
    return -(-needed // step) * step


def balanced_groups(n: int, k: int, count: int, seed: str) -> tuple[tuple[int, ...], ...]:
    """``count`` groups, grown player by player: fewest appearances, then fewest meetings with the group."""
    met = dict.fromkeys(combinations(range(n), 2), 0)
    played = [0] * n
    groups: list[tuple[int, ...]] = []
    for number in range(count):
        group: list[int] = []
        while len(group) < k:
            free = [player for player in range(n) if player not in group]

            def cost(player: int, group: list[int] = group, number: int = number) -> tuple[int, int, int, bytes]:
                counts = [met[min(player, other), max(player, other)] for other in group]
                spread = sum(c * c for c in counts)
                tie = hashlib.sha256(f"{seed}/group/{number}/{player}".encode()).digest()
                return played[player], spread, sum(counts), tie

            group.append(min(free, key=cost))
        group.sort()
        for player in group:
            played[player] += 1
        for pair in combinations(group, 2):
            met[pair] += 1
        groups.append(tuple(group))
    return _improved(n, groups)


def _improved(n: int, groups: list[tuple[int, ...]]) -> tuple[tuple[int, ...], ...]:
    """Swap two players between two groups while that makes the meetings more even (appearances stay as they are)."""
    met = meetings(n, groups)
    tables = [set(group) for group in groups]
    better = True
    while better:
        better = False
        for first, second in combinations(range(len(tables)), 2):
            better |= _swap(met, tables[first], tables[second])
    return tuple(sorted(tuple(sorted(table)) for table in tables))


def _swap(met: dict[tuple[int, int], int], one: set[int], two: set[int]) -> bool:
    for a in sorted(one - two):
        for b in sorted(two - one):
            lost = [_pair(a, x) for x in one - {a}] + [_pair(b, x) for x in two - {b}]
            gained = [_pair(b, x) for x in one - {a}] + [_pair(a, x) for x in two - {b}]
            change: dict[tuple[int, int], int] = {}
            for pair in lost:
                change[pair] = change.get(pair, 0) - 1
            for pair in gained:
                change[pair] = change.get(pair, 0) + 1
            if sum((met[pair] + by) ** 2 - met[pair] ** 2 for pair, by in change.items()) < 0:
                for pair, by in change.items():
                    met[pair] += by
                one.symmetric_difference_update((a, b))
                two.symmetric_difference_update((a, b))
                return True
    return False


def _pair(a: int, b: int) -> tuple[int, int]:
    return (a, b) if a < b else (b, a)


def _described(n: int, groups: tuple[tuple[int, ...], ...], kind: str) -> Design:
    counts = meetings(n, groups).values()
    low, high = (min(counts), max(counts)) if n > 1 else (0, 0)
    number = f"{len(groups)} group" + ("" if len(groups) == 1 else "s")
    if low == high:
        text = f"{kind}: {number}, every two players meet {_times(low)}"
    else:
        text = f"{kind}: {number}, two players meet {low} to {high} times (imbalance {high - low})"
    return Design(groups, kind, high - low, text)


def _times(count: int) -> str:
    return {1: "once", 2: "twice"}.get(count, f"{count} times")
