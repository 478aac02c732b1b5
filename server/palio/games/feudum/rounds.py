"""The end of a round: nourishing the pawns, and the dawns of the epochs (section 10 of the rules)."""

from __future__ import annotations

from palio.games.feudum.actions.migrate import send_home
from palio.games.feudum.data import (
    BARN,
    CHICKEN_LEVEL,
    CHICKENS,
    DISLOYAL_SPACES,
    DISLOYALTY,
    FEED_CARRIED,
    FEED_FOOD,
    FEED_NONE,
    FEED_WINE,
    FEUDUM,
    FOOD,
    KNIGHT_LEVEL,
    RANK_VP,
    REGION_OF,
    REGION_VP,
    ROSARY_LEVEL,
    ROW_LEVELS,
    SALE_LEVEL,
    SCROLL_LEVEL,
    STORE_LEVELS,
    SULFUR,
    UNFED,
    VP_DISLOYALTY,
    VP_RANK,
    VP_REGIONS,
)
from palio.games.feudum.events import emit
from palio.games.feudum.scoring import final_scoring
from palio.games.feudum.setup import season
from palio.games.feudum.state import Frame, Questions, Steps, Table
from palio.games.feudum.supply import draw_goods, draw_vessels, gain_vp, pay_good, return_discs, take_disc

_REFILL_EPOCH = 3
_LAST_EPOCH = 5


def _end_of_round(table: Table, frame: Frame) -> None:
    table.stack += [("round_over",), ("dawn",), ("hungry",)]
    table.stack += [("nourish", player, 0) for player in reversed(table.clockwise(table.starter))]


def _nourish(table: Table, frame: Frame) -> None:
    """The next pawn of a player, in number order (G-123)."""
    _, player, number = frame
    while number < 3:
        pawn = 3 * player + number
        number += 1
        if not table.pawn_at[pawn]:
            continue
        if table.pawn_wine[pawn]:
            table.pawn_wine[pawn] = 0
            table.haversack[SULFUR] += 1
            emit(table, "fed", player, pawn % 3, FEED_CARRIED, True)
            continue
        table.stack += [("nourish", player, number), ("NOURISH", player, pawn % 3)]
        return
    table.turns += 1


def _feed_options(table: Table, frame: Frame) -> list[Frame]:
    """Nothing is offered only while there is not enough for all that are still hungry (G-124)."""
    _, player, number = frame
    food, wine = table.goods[5 * player + FOOD], table.barrel[player]
    base = 3 * player
    hungry = sum(table.pawn_at[pawn] > 0 and not table.pawn_wine[pawn] for pawn in range(base + number, base + 3))
    options: list[Frame] = []
    if food:
        options.append(("feed", number, FEED_FOOD))
    if wine:
        options.append(("feed", number, FEED_WINE))
    if food + wine < hungry:
        options.append(("feed", number, FEED_NONE))
    return options


def _feed_answer(table: Table, frame: Frame, option: Frame, forced: bool) -> None:
    player = frame[1]
    _, number, feed = option
    pawn = 3 * player + number
    if feed == FEED_FOOD:
        pay_good(table, player, FOOD)
    elif feed == FEED_WINE:
        table.barrel[player] -= 1
        table.pawn_wine[pawn] = 1
    else:
        table.unfed |= 1 << pawn
    emit(table, "fed", player, number, feed, forced)


def _hungry(table: Table, frame: Frame) -> None:
    """All unfed pawns leave together (G-125)."""
    for pawn in range(3 * table.n):
        if table.unfed >> pawn & 1:
            send_home(table, pawn, UNFED, True)
    table.unfed = 0


def _dawn(table: Table, frame: Frame) -> None:
    """At the end of every second round (G-126)."""
    if table.round % 2:
        return
    table.epoch += 1
    emit(table, "dawn", table.epoch)
    _ranks_and_regions(table)
    _disloyalty(table)
    if table.epoch == _LAST_EPOCH:
        final_scoring(table)
        return
    season(table, table.epoch)
    if len(table.chickens) == CHICKENS:
        beads = table.chickens
        table.chickens = ()
        return_discs(table, beads)
        emit(table, "chickens_emptied", len(beads))
    if table.epoch == _REFILL_EPOCH:
        refill(table)


def _ranks_and_regions(table: Table) -> None:
    for track in table.tracks:
        for player, vp in zip(track, RANK_VP, strict=False):
            gain_vp(table, player, vp, VP_RANK)
    for player in table.clockwise(table.starter):
        regions = {REGION_OF[at] for at, ruler in enumerate(table.ruler) if ruler == player}
        gain_vp(table, player, REGION_VP[len(regions)], VP_REGIONS)


def _disloyalty(table: Table) -> None:
    due = DISLOYALTY[: DISLOYAL_SPACES.get(table.epoch, 0)]
    for player in table.clockwise(table.starter):
        if table.count_ruled(player, FEUDUM):
            gain_vp(table, player, -sum(due[table.military[player] :]), VP_DISLOYALTY)


def refill(table: Table) -> None:
    """The guilds are filled up to what they held at setup, as far as the supplies allow (G-131, R-37)."""
    added: list[list[int]] = []
    for target, levels in ((table.rows, ROW_LEVELS), (table.stores, STORE_LEVELS)):
        moved = [0] * 5
        for good, level in enumerate(levels):
            count = max(0, min(level - target[good], table.haversack[good]))
            table.haversack[good] -= count
            target[good] += count
            moved[good] = count
        added.append(moved)
    vessels = draw_vessels(table, max(0, SALE_LEVEL - sum(table.sale)))
    markers = [0] * len(table.krows)
    for colour, count in enumerate(table.krows):
        markers[colour] = max(0, min(KNIGHT_LEVEL - count, table.reserve[colour]))
        table.krows[colour] += markers[colour]
        table.reserve[colour] -= markers[colour]
    cells = []
    for cell in SCROLL_LEVEL:
        if not table.scrolls[cell - 1] and table.discs:
            table.scrolls[cell - 1] = take_disc(table)
            cells.append(cell)
    rosary: list[int] = []
    while len(table.rosary) + len(rosary) < ROSARY_LEVEL and table.discs:
        rosary.append(take_disc(table))
    table.rosary = tuple(sorted((*table.rosary, *rosary)))
    chickens: list[int] = []
    while len(table.chickens) + len(chickens) < CHICKEN_LEVEL and table.discs:
        chickens.append(take_disc(table))
    table.chickens += tuple(chickens)
    emit(table, "refilled", *map(tuple, (*added, vessels, markers, cells, rosary, chickens)))
    goods = draw_goods(table, max(0, BARN - sum(table.barn)))
    for good, count in enumerate(goods):
        table.barn[good] += count
    if any(goods):
        emit(table, "goods_drawn", 0, tuple(goods))


QUESTIONS: Questions = {"NOURISH": (_feed_options, _feed_answer)}
STEPS: Steps = {"end_of_round": _end_of_round, "nourish": _nourish, "hungry": _hungry, "dawn": _dawn}
