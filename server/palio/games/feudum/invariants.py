"""What holds in every state between two decisions (section 13 of the rules): for tests, fuzzing and positions."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from itertools import pairwise

from palio.games.feudum.data import (
    BARN,
    BARREL,
    CHICKENS,
    DISC_VALUES,
    DISCS,
    FEUDUM,
    FEUDUMS_OF_A_GUILD,
    GOODS,
    GOODS_IN_GAME,
    GUILDS,
    HAND,
    KNIGHT_ROW,
    MARKERS,
    ROSARY,
    ROUNDS,
    ROW,
    SHILLINGS,
    STORE,
    SULFUR,
    TURNS_PER_ROUND,
    VESSELS,
    VESSELS_OF_A_KIND,
    VOYAGE,
    WRITS,
    track_spaces,
)
from palio.games.feudum.machine import preview
from palio.games.feudum.settle import count_stars
from palio.games.feudum.state import OVER, Table

Fault = tuple[str, str, str]
"""Invariant's id, path of the offending field in a position, what is wrong."""


def faults(table: Table) -> Iterator[Fault]:
    """Everything that is wrong with a state; nothing for a sound one."""
    yield from _bounds(table)
    yield from _locations(table)
    yield from _tracks(table)
    yield from _conserved(table)


def check(table: Table) -> None:
    """Raise AssertionError with the first thing that is wrong, the pending question included."""
    for name, path, message in faults(table):
        raise AssertionError(f"{name}: {path}: {message}")
    for message in _flow(table):
        raise AssertionError(f"I-14: {message}")


def _conserved(table: Table) -> Iterator[Fault]:
    n = table.n
    for good in range(5):
        total = sum(place[good] for place in (table.haversack, table.barn, table.rows, table.stores))
        total += sum(table.goods[good::5]) + sum(table.stock[good::5])
        if good == SULFUR:
            total += sum(table.barrel) + sum(table.pawn_wine)
        if total != GOODS_IN_GAME[good]:
            yield "I-01", "haversack", f"{total} {GOODS[good]} in the game, {GOODS_IN_GAME[good]} expected"
    total = table.bank + table.purse + table.coffer + sum(table.shillings)
    if total != SHILLINGS:
        yield "I-02", "bank", f"{total} shillings in the game, {SHILLINGS} expected"
    for colour in range(len(table.krows)):
        total = table.reserve[colour] + table.krows[colour]
        if colour < n:
            total += table.markers[colour] + sum(track.count(colour) for track in table.tracks)
            total += table.serf.count(colour)
            total += sum(1 + table.subject[at] for at, ruler in enumerate(table.ruler) if ruler == colour)
        if total != MARKERS:
            yield "I-03", f"reserve[{colour}]", f"{total} markers of colour {colour} in the game, {MARKERS} expected"
    for player in range(n):
        total = table.pool[player] + table.left.count(player) + table.right.count(player)
        total += table.military[player] + (table.voyage[player] > 0)
        if total != DISCS:
            yield "I-04", f"seats[{player}].pool", f"{total} discs of seat {player} in the game, {DISCS} expected"
    yield from _discs(table)
    for kind, name in enumerate(VESSELS):
        total = table.docks[kind] + table.sale[kind] + sum(table.vessels[kind::3])
        if total != VESSELS_OF_A_KIND:
            yield "I-06", "docks", f"{total} {name} in the game, {VESSELS_OF_A_KIND} expected"
    for guild, name in enumerate(GUILDS):
        total = table.feudums[guild] + table.guild_of.count(guild)
        if total != FEUDUMS_OF_A_GUILD:
            yield "I-07", f"feudum_discs[{guild}]", f"{total} {name} feudums in the game, {FEUDUMS_OF_A_GUILD} expected"
    cards = sorted((*table.deck, *table.discard, *table.drawn, *(card for hand in table.hands for card in hand)))
    if cards != list(range(len(WRITS))):
        odd = [name for card, name in enumerate(WRITS) if cards.count(card) != 1]
        yield "I-08", "deck", f"each writ must be in the game once; look at {', '.join(odd) or 'unknown cards'}"
    for pawn, at in enumerate(table.pawn_at):
        if (at > 0) != (table.pawn_char[pawn] >= 0) or (table.pawn_wine[pawn] and not at):
            yield "I-09", f"seats[{pawn // 3}].pawns[{pawn % 3}]", "location and character go together"


def _discs(table: Table) -> Iterator[Fault]:
    hidden = [value for value in table.scrolls if value] + [value for seals in table.seals for value in seals]
    public = [*table.rosary, *table.chickens, *table.fists, *(value for beads in table.beads for value in beads)]
    if table.bead:
        public.append(table.bead)
    if Counter([*table.discs, *hidden, *public]) != Counter(DISC_VALUES):
        yield "I-05", "discs", "the 17 seal and bead discs must be five of 2 and four each of 3, 4 and 5"


def _bounds(table: Table) -> Iterator[Fault]:
    limits = [
        ("barn", [sum(table.barn)], BARN),
        ("chickens", [len(table.chickens)], CHICKENS),
        ("rows", table.rows, ROW),
        ("stores", table.stores, STORE),
        ("knight_rows[{0}]", table.krows, KNIGHT_ROW),
        ("rosary", [len(table.rosary)], ROSARY),
        ("seats[{0}].barrel", table.barrel, BARREL),
        ("seats[{0}].military", table.military, 3),
        ("seats[{0}].voyage", table.voyage, VOYAGE),
    ]
    for path, values, most in limits:
        for at, value in enumerate(values):
            if not 0 <= value <= most:
                yield "I-10", path.format(at), f"must be 0 to {most}, not {value}"
    limit_pending = any(frame[0] == "WRIT_LIMIT" for frame in table.stack)
    for player, hand in enumerate(table.hands):
        if len(hand) > HAND + limit_pending:
            yield "I-10", f"hands[{player}]", f"at most {HAND} writs, not {len(hand)}"
    counts = {
        "seats[{1}].goods": table.goods,
        "seats[{0}].shillings": table.shillings,
        "seats[{0}].markers": table.markers,
        "seats[{0}].pool": table.pool,
        "seats[{2}].vessels": table.vessels,
        "locations[{3}].goods": table.stock,
        "barn": table.barn,
        "sale": table.sale,
        "docks": table.docks,
        "feudum_discs[{0}]": table.feudums,
        "haversack": table.haversack,
        "reserve[{0}]": table.reserve,
        "purse": [table.purse],
        "coffer": [table.coffer],
        "bank": [table.bank],
    }
    for path, counted in counts.items():
        for at, value in enumerate(counted):
            if value < 0:
                yield "I-10", path.format(at, at // 5, at // 3, at // 5 - 1), f"must not be negative, is {value}"


def _locations(table: Table) -> Iterator[Fault]:
    for at in range(1, 23):
        path = f"locations[{at - 1}]"
        ruler, serf = table.ruler[at], table.serf[at]
        if ruler < 0 and (serf >= 0 or table.subject[at]):
            yield "I-11", path, "there is no subject or serf without a ruler"
        if ruler >= 0 and serf == ruler:
            yield "I-11", path, "the serf must be of another player than the ruler"
        if (table.kind[at] == FEUDUM) != (table.guild_of[at] >= 0):
            yield "I-11", path, "a guild is set exactly for feudums"


def _tracks(table: Table) -> Iterator[Fault]:
    n, spaces = table.n, track_spaces(table.n)
    stars = count_stars(table)
    if table.stars != stars:
        yield "I-12", "stars", "are not those of the board"
    for guild, name in enumerate(GUILDS):
        track, waiting = table.tracks[guild], table.waiting[guild]
        mine = stars[guild * n : guild * n + n]
        path = f"guilds[{guild}]"
        if len(track) > spaces:
            yield "I-12", f"{path}.track", f"at most {spaces} markers at the {name} guild, not {len(track)}"
        if sorted((*track, *waiting)) != [player for player in range(n) if mine[player]]:
            yield "I-12", f"{path}.track", "track and waiting list hold exactly the players with stars, each once"
            continue
        if any(mine[a] < mine[b] for a, b in pairwise(track)):
            yield "I-12", f"{path}.track", f"stars must not increase towards the left; they are {mine}"
        for player in waiting:
            if table.markers[player] and (len(track) < spaces or mine[player] > mine[track[-1]]):
                yield "I-12", f"{path}.waiting", f"seat {player} has a marker and would enter"
        if table.right[guild] not in (-1, table.holder(guild, 0)):
            yield "I-13", f"{path}.right_reeve", "must be the MASTER's or absent"
        if table.left[guild] not in (-1, table.holder(guild, 1)):
            yield "I-13", f"{path}.left_reeve", "must be the JOURNEYMAN's or absent"


def _flow(table: Table) -> Iterator[str]:
    if table.phase == OVER:
        if (table.round, table.turn_no, table.epoch) != (ROUNDS, TURNS_PER_ROUND, 5):
            yield f"over in turn {table.turn_no} of round {table.round}"
        return
    options = table.offered
    if len(options) < 2 or len(set(options)) != len(options):
        yield f"{table.stack[-1]}: needs two different options, has {options}"
    if options != preview(table):
        yield f"{table.stack[-1]}: options are not those of the state"
    if options != canonical(options):
        yield f"{table.stack[-1]}: options are out of order: {options}"
    if table.stack[-1][0] == "ACTION" and options[-1] != ("pass",):
        yield "ACTION does not end with pass"
    if sum(table.earned) != sum(table.scores):
        yield "points do not add up by reason (I-15)"


_SHAPE_ORDER = {"action": 0, "writ": 1, "function": 0, "feast": 1, "target": 0, "feudum": 1, "done": 9, "pass": 9}


def canonical(options: list[tuple[object, ...]]) -> list[tuple[object, ...]]:
    """The options in the order of G-31."""
    return sorted(options, key=lambda option: (_SHAPE_ORDER.get(str(option[0]), 0), *option[1:]))
