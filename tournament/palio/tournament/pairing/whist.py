"""Whist tournaments: who partners and opposes whom when teams change from round to round.

Perfect ones are looked for among the Z-cyclic designs (Moore 1896; Anderson, *Combinatorial Designs and Tournaments*,
1997): one first round whose shifts are the whole tournament. Where the search finds none, tables are chosen greedily.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from functools import lru_cache
from itertools import combinations
from typing import Final

TableOfFour = tuple[int, int, int, int]
"""Positions in seat order: 0 and 2 are partners against 1 and 3."""

_SEARCH_LIMIT: Final = 120_000


def whist_rounds(n: int, seed: str) -> list[list[TableOfFour]]:
    """Rounds of tables for n players (from 0), at least four; players left over rest that round."""
    if n == 4:
        return [[(0, 1, 2, 3)], [(0, 2, 1, 3)], [(0, 1, 3, 2)]]
    return _cyclic(n) or _greedy(n, seed)


@lru_cache(maxsize=16)
def _cyclic(n: int) -> list[list[TableOfFour]] | None:
    """Shift a first round modulo m; with n = 4k the last player is fixed, with n = 4k + 1 the round's zero rests."""
    if n % 4 > 1:
        return None
    m = n - 1 if n % 4 == 0 else n
    first = _Search(n, m).run()
    if first is None:
        return None
    return [[_shifted(table, shift, m) for table in first] for shift in range(m)]


def _shifted(table: TableOfFour, shift: int, m: int) -> TableOfFour:
    a, b, c, d = ((x + shift) % m if x < m else x for x in table)
    return a, b, c, d


class _Search:
    """Backtracking for a first round whose partner differences cover every class once and opponents' twice.

    A class is a difference up to sign, or "infinity" for meetings with the fixed player.
    """

    def __init__(self, n: int, m: int) -> None:
        self.m = m
        self.left = [x for x in range(n) if n % 4 == 0 or x]
        self.partners: Counter[int] = Counter()
        self.opponents: Counter[int] = Counter()
        self.tables: list[TableOfFour] = []
        self.steps = 0

    def run(self) -> tuple[TableOfFour, ...] | None:
        return tuple(self.tables) if self._place() else None

    def _class(self, a: int, b: int) -> int:
        if a >= self.m or b >= self.m:
            return 0
        return min((a - b) % self.m, (b - a) % self.m)

    def _place(self) -> bool:
        if not self.left:
            return True
        # The highest number first: the fixed player is the most constrained one.
        a = self.left[-1]
        for others in combinations(self.left[:-1], 3):
            for c, b, d in (others, (others[1], others[0], others[2]), (others[2], others[0], others[1])):
                self.steps += 1
                if self.steps > _SEARCH_LIMIT:
                    return False
                if self._try((a, b, c, d)):
                    return True
        return False

    def _try(self, table: TableOfFour) -> bool:
        a, b, c, d = table
        partners = Counter((self._class(a, c), self._class(b, d)))
        opponents = Counter(self._class(*pair) for pair in ((a, b), (b, c), (c, d), (d, a)))
        if any(self.partners[x] + y > 1 for x, y in partners.items()):
            return False
        if any(self.opponents[x] + y > 2 for x, y in opponents.items()):
            return False
        left = self.left
        self.partners += partners
        self.opponents += opponents
        self.left = [x for x in left if x not in table]
        self.tables.append(table)
        if self._place():
            return True
        self.tables.pop()
        self.left = left
        self.partners -= partners
        self.opponents -= opponents
        return False


def _greedy(n: int, seed: str) -> list[list[TableOfFour]]:
    """n rounds (n - 1 when nobody need rest); the least met join, ties by SHA-256 of the seed."""
    partners: Counter[frozenset[int]] = Counter()
    opponents: Counter[frozenset[int]] = Counter()
    played = [0] * n
    rounds = []
    for number in range(n - 1 if n % 4 == 0 else n):
        order = sorted(range(n), key=lambda x: (played[x], _tie(seed, number, x)))
        free = order[: n // 4 * 4]
        tables: list[TableOfFour] = []
        while free:
            a = free[0]
            c = min(free[1:], key=lambda x: (partners[frozenset((a, x))], opponents[frozenset((a, x))]))
            rest = [x for x in free if x not in (a, c)]
            b, d = min(
                combinations(rest, 2),
                key=lambda pair: (
                    partners[frozenset(pair)] * 2 + sum(opponents[frozenset((x, y))] ** 2 for x in (a, c) for y in pair)
                ),
            )
            tables.append((a, b, c, d))
            partners.update((frozenset((a, c)), frozenset((b, d))))
            opponents.update(frozenset(pair) for pair in ((a, b), (b, c), (c, d), (d, a)))
            for x in (a, b, c, d):
                played[x] += 1
            free = [x for x in rest if x not in (b, d)]
        rounds.append(tables)
    return rounds


def _tie(seed: str, number: int, player: int) -> bytes:
    return hashlib.sha256(f"{seed}/whist/{number}/{player}".encode()).digest()
