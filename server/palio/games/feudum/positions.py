"""Positions: full states at the start of a turn, put together from outside and checked against all invariants."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sized
from dataclasses import dataclass

from palio.engine.chance import SEED_BYTES
from palio.engine.errors import InvalidSetup
from palio.games.feudum.data import (
    ALL_ACTIONS,
    DISC_VALUES,
    FEUDUM,
    GUILD,
    GUILDS,
    MAX_PLAYERS,
    MOVE,
    REPEAT,
    ROUNDS,
    TURNS_PER_ROUND,
    TYPES,
    WRITS,
    knight_colours,
)
from palio.games.feudum.flow import turn_frames
from palio.games.feudum.invariants import faults
from palio.games.feudum.settle import count_stars
from palio.games.feudum.state import FIELDS, TURNS, Table

_NOT_COMPARED = frozenset({"log", "offered", "stack", "dirty", "stars", "turns", "active", "phase"})
"""Derived, or no part of a position."""


@dataclass(frozen=True, slots=True, eq=False)
class Position:
    """A table at the start of a turn. What follows from the rest (stars, totals of points, the turn counter, what is
    under way) is worked out when a game is started from it, so it may be left at any value."""

    table: Table

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Position):
            return NotImplemented
        names = [name for name in FIELDS if name not in _NOT_COMPARED]
        return all(getattr(self.table, name) == getattr(other.table, name) for name in names)

    __hash__ = None  # type: ignore[assignment]


def position_of(table: Table) -> Position:
    """The position of a table whose pending question is the first of a turn."""
    return Position(table.clone())


def turn_count(n: int, round_no: int, turn_no: int, place: int) -> int:
    """The public turn counter: two parts a player at setup; in a round all turns, all players' nourishing, the end."""
    return 2 * n + (round_no - 1) * ((TURNS_PER_ROUND + 1) * n + 1) + (turn_no - 1) * n + place


def complete(table: Table) -> None:
    """Check a table that was filled from outside, and work out what follows from it.

    Raises:
        InvalidSetup: with the path of the first field that breaks a rule.
    """
    for path, message in _shape_faults(table):
        raise InvalidSetup(path, message)
    n = table.n
    table.phase = TURNS
    table.active = (table.starter + table.place) % n
    table.turns = turn_count(n, table.round, table.turn_no, table.place)
    table.scores = [sum(table.earned[16 * player : 16 * player + 16]) for player in range(n)]
    table.rosary = tuple(sorted(table.rosary))
    table.hands = [tuple(sorted(hand)) for hand in table.hands]
    table.stars = count_stars(table)
    table.fists = table.drawn = table.doing = ()
    table.hidden = table.card = -1
    table.bead = table.unfed = 0
    table.dirty = False
    for name, path, message in faults(table):
        raise InvalidSetup(path, f"{message} ({name})")
    for path, message in _course_faults(table):
        raise InvalidSetup(path, message)
    table.stack[:] = turn_frames(table.active)


def _shape_faults(table: Table) -> Iterator[tuple[str, str]]:
    """Lengths and ranges: after this every index that the rules form is sound. Lists that a player or a location has
    for itself are put together by whoever fills a table, so their lengths are."""
    n = table.n
    if not 2 <= n <= MAX_PLAYERS:
        yield "players", f"must be 2 to {MAX_PLAYERS}, not {n}"
        return
    if len(table.seed) != SEED_BYTES:
        yield "seed", f"must have {SEED_BYTES} bytes, not {len(table.seed)}"
    colours = knight_colours(n)
    lengths: dict[str, tuple[Sized, int]] = {
        "knight_rows": (table.krows, colours),
        "scrolls": (table.scrolls, 6),
        "reserve": (table.reserve, colours),
        "feudum_discs": (table.feudums, 6),
    }
    for path, (values, length) in lengths.items():
        if len(values) != length:
            yield path, f"must have {length} entries, has {len(values)}"
    for path, value, least, most in (
        ("round", table.round, 1, ROUNDS),
        ("turn", table.turn_no, 1, TURNS_PER_ROUND),
        ("starting_seat", table.starter, 0, n - 1),
    ):
        if not least <= value <= most:
            yield path, f"must be {least} to {most}, not {value}"
    yield from _ranges("streams[{0}]", table.streams, 0, 1 << 62)
    yield from _ranges("seats[{0}].used", table.used, 0, ALL_ACTIONS)
    yield from _ranges("seats[{0}].engaged", table.engaged, 0, 63)
    yield from _ranges("seats[{0}].moves", table.moves, 0, 2)
    yield from _ranges("seats[{1}].pawns[{2}].location", table.pawn_at, 0, 22)
    yield from _ranges("seats[{1}].pawns[{2}].character", table.pawn_char, -1, len(GUILDS) - 1)
    yield from _ranges("locations[{0}].type", table.kind[1:], 0, len(TYPES) - 1)
    yield from _ranges("locations[{0}].guild", table.guild_of[1:], -1, len(GUILDS) - 1)
    yield from _ranges("locations[{0}].ruler", table.ruler[1:], -1, n - 1)
    yield from _ranges("locations[{0}].serf", table.serf[1:], -1, n - 1)
    for guild in range(6):
        yield from _ranges(f"guilds[{guild}].track[{{0}}]", table.tracks[guild], 0, n - 1)
        yield from _ranges(f"guilds[{guild}].waiting[{{0}}]", table.waiting[guild], 0, n - 1)
    yield from _ranges("guilds[{0}].left_reeve", table.left, -1, n - 1)
    yield from _ranges("guilds[{0}].right_reeve", table.right, -1, n - 1)
    yield from _ranges("scrolls[{0}]", table.scrolls, 0, max(DISC_VALUES))
    yield from _ranges("deck[{0}]", table.deck, 0, len(WRITS) - 1)
    yield from _ranges("discard[{0}]", table.discard, 0, len(WRITS) - 1)
    for player, hand in enumerate(table.hands):
        yield from _ranges(f"hands[{player}].cards[{{0}}]", hand, 0, len(WRITS) - 1)


def _ranges(path: str, values: Iterable[int], least: int, most: int) -> Iterator[tuple[str, str]]:
    """``path`` names a value by its index, or by its index divided by three and the rest (three pawns a seat)."""
    for at, value in enumerate(values):
        if not least <= value <= most:
            yield path.format(at, at // 3, at % 3), f"must be {least} to {most}, not {value}"


def _course_faults(table: Table) -> Iterator[tuple[str, str]]:
    """What the course of a game so far cannot have led to."""
    if table.epoch != (due := 1 + (table.round - 1) // 2):
        yield "epoch", f"must be {due} in round {table.round}, not {table.epoch}"
    for player in range(table.n):
        path = f"seats[{player}]"
        before = (player - table.starter) % table.n < table.place
        turns = table.turn_no - 1 + before
        used = table.used[player]
        if used.bit_count() > turns:
            yield f"{path}.used", f"at most {turns} action cards can have been used, not {used.bit_count()}"
        again = used >> REPEAT & 1
        if table.moves[player] > (used >> MOVE & 1) * (1 + again):
            yield f"{path}.moves", "more MOVE actions than the used cards allow"
        if table.engaged[player].bit_count() > (used >> GUILD & 1) * (1 + again):
            yield f"{path}.engaged", "more guilds than the used cards allow"
        if table.military[player] > table.successes[player]:
            yield f"{path}.military", "more spaces covered than successes in CONQUER"
    if not table.advanced and any(owner >= 0 for owner in (*table.left, *table.right)):
        yield "guilds[0].left_reeve", "there are no reeves without the option advanced"
    for at in range(1, len(table.kind)):
        if table.kind[at] == FEUDUM and table.ruler[at] < 0:
            yield f"locations[{at - 1}].ruler", "a feudum always has a ruler"
