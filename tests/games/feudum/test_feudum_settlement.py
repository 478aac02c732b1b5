"""G-40 and G-47 against a second, slow account of them, written line by line after the rules, on random boards."""

from __future__ import annotations

from typing import NamedTuple

import pytest

from palio.engine.chance import Stream
from palio.games.feudum.data import FEUDUM, knight_colours
from palio.games.feudum.settle import settle
from palio.games.feudum.state import TURNS, Table

RELATED = (1, 2, 0, 1, 2, 0)
"""FARM, TOWN, OUTPOST, FARM, TOWN, OUTPOST (G-06)."""


class Account(NamedTuple):
    track: list[list[int]]
    waiting: list[list[int]]
    markers: list[int]
    pool: list[int]
    left: list[int]
    right: list[int]


def stars(table: Table, guild: int, player: int) -> int:
    """P + 3F + (L if P + F >= 1 else 0)."""
    ruled = [at for at in range(1, 23) if table.ruler[at] == player]
    pawns = sum(table.pawn_at[3 * player + i] > 0 and table.pawn_char[3 * player + i] == guild for i in range(3))
    feudums = sum(table.kind[at] == FEUDUM and table.guild_of[at] == guild for at in ruled)
    related = sum(table.kind[at] == RELATED[guild] for at in ruled)
    return pawns + 3 * feudums + (related if pawns + feudums >= 1 else 0)


def account(table: Table, first: int) -> Account:
    n = table.n
    spaces = 3 if n >= 4 else 2
    track, waiting = [list(found) for found in table.tracks], [list(found) for found in table.waiting]
    markers, pool = table.markers[:], table.pool[:]

    def by_stars(players: list[int], guild: int) -> list[int]:
        return sorted(players, key=lambda player: -stars(table, guild, player))

    for g in range(6):
        for p in list(track[g]):
            if stars(table, g, p) == 0:
                track[g].remove(p)
                markers[p] += 1
        waiting[g] = [p for p in waiting[g] if stars(table, g, p) > 0]
        for p in ((first + i) % n for i in range(n)):
            if stars(table, g, p) > 0 and p not in track[g] and p not in waiting[g]:
                waiting[g].append(p)
        track[g] = by_stars(track[g], g)
    changed = True
    while changed:
        changed = False
        for g in range(6):
            while able := [p for p in waiting[g] if markers[p] > 0]:
                c = by_stars(able, g)[0]
                if len(track[g]) == spaces and stars(table, g, c) <= stars(table, g, track[g][-1]):
                    break
                waiting[g].remove(c)
                markers[c] -= 1
                changed = True
                track[g].insert(len([q for q in track[g] if stars(table, g, q) >= stars(table, g, c)]), c)
                if len(track[g]) > spaces:
                    q = track[g].pop()
                    markers[q] += 1
                    waiting[g].append(q)
    left, right = [-1] * 6, [-1] * 6
    for g in range(6):
        for owner in (table.left[g], table.right[g]):
            if owner < 0:
                continue
            if owner in track[g][:1]:
                right[g] = owner
            elif owner in track[g][1:2]:
                left[g] = owner
            else:
                pool[owner] += 1
    return Account(track, waiting, markers, pool, left, right)


def change(table: Table, chance: Stream) -> None:
    """Something that a turn could do, though not by its rules."""
    pick = chance.uniform
    what = pick(4)
    if what == 0:
        pawn = pick(3 * table.n)
        there = table.pawn_at[pawn] > 0
        table.pawn_at[pawn], table.pawn_char[pawn] = (0, -1) if there else (1 + pick(22), pick(6))
    elif what == 1:
        table.ruler[1 + pick(22)] = pick(table.n + 1) - 1
    elif what == 2:
        at = 1 + pick(22)
        table.kind[at] = pick(4)
        table.guild_of[at] = pick(6) if table.kind[at] == FEUDUM else -1
    else:
        player = pick(table.n)
        table.markers[player] = max(0, table.markers[player] + pick(6) - 3)


def add_reeves(table: Table, chance: Stream) -> None:
    for guild, track in enumerate(table.tracks):
        for side, player in zip((table.right, table.left), track, strict=False):
            mine = player in (table.right[guild], table.left[guild])
            if side[guild] < 0 and not mine and table.pool[player] and not chance.uniform(5):
                side[guild] = player
                table.pool[player] -= 1


@pytest.mark.parametrize("n", [2, 3, 4, 5])
def test_g47_settlement_does_what_the_rules_say_line_by_line(n: int) -> None:
    chance = Stream(bytes(31) + bytes([n]), "settlement")
    entries = 0
    for _ in range(20):
        table = Table(bytes(32), n, True, knight_colours(n))
        table.phase = TURNS
        table.markers, table.pool = [chance.uniform(4) for _ in range(n)], [3] * n
        for at in range(1, 23):
            table.kind[at] = chance.uniform(4)
            table.guild_of[at] = chance.uniform(6) if table.kind[at] == FEUDUM else -1
        for _ in range(25):
            for _ in range(1 + chance.uniform(4)):
                change(table, chance)
            add_reeves(table, chance)
            table.active = chance.uniform(n)
            expected = account(table, table.active)
            before = table.tracks[:]
            settle(table)
            found = Account(
                [list(track) for track in table.tracks],
                [list(waiting) for waiting in table.waiting],
                table.markers,
                table.pool,
                table.left,
                table.right,
            )
            assert found == expected
            assert table.stars == [stars(table, guild, player) for guild in range(6) for player in range(n)]
            entries += before != table.tracks
    assert entries > 100
