"""Setting up a fresh table (section 3 of the rules)."""

from __future__ import annotations

from palio.games.feudum.data import (
    BARN,
    CHICKEN_LEVEL,
    DISC_VALUES,
    DISCS,
    FARM,
    FEUDUMS_OF_A_GUILD,
    FOOD,
    GOODS_IN_GAME,
    KNIGHT_LEVEL,
    LOCATIONS,
    MARKERS,
    OUTPOST,
    REGION_IDS,
    ROSARY_LEVEL,
    ROW_LEVELS,
    S_LOCATIONS,
    S_SEALS,
    S_START,
    S_WRITS,
    SALE_LEVEL,
    SCROLL_LEVEL,
    SHILLINGS,
    STARTS,
    STORE_LEVELS,
    TOWN,
    VESSELS_OF_A_KIND,
    WRITS,
    knight_colours,
)
from palio.games.feudum.events import emit
from palio.games.feudum.state import Frame, Table
from palio.games.feudum.supply import closed, draw_goods, draw_vessels, opened, shuffled

START_GIFT = 7
"""Influence markers, food and shillings that every player starts with (G-15)."""


def set_up(table: Table) -> None:
    """Fill a new table (G-14 to G-23) and put the players' first choices on the stack (G-24, G-25)."""
    n = table.n
    colours = knight_colours(n)
    source = opened(table, S_START)
    table.starter = table.active = source.uniform(n)
    closed(table, S_START, source)
    emit(table, "started", table.starter)

    table.markers = [START_GIFT] * n
    table.shillings = [START_GIFT] * n
    table.pool = [DISCS] * n
    for player in range(n):
        table.goods[5 * player + FOOD] = START_GIFT
    table.reserve = [MARKERS - START_GIFT if colour < n else MARKERS for colour in range(colours)]
    table.bank = SHILLINGS - START_GIFT * n
    table.feudums = [FEUDUMS_OF_A_GUILD] * 6
    table.docks = [VESSELS_OF_A_KIND] * 3

    _locations(table)
    table.deck = shuffled(table, S_WRITS, tuple(range(len(WRITS))))
    table.rows = list(ROW_LEVELS)
    table.stores = list(STORE_LEVELS)
    draw_vessels(table, SALE_LEVEL)
    table.haversack = [GOODS_IN_GAME[good] - ROW_LEVELS[good] - STORE_LEVELS[good] for good in range(5)]
    table.haversack[FOOD] -= START_GIFT * n
    for colour in range(colours):
        table.krows[colour] = KNIGHT_LEVEL
        table.reserve[colour] -= KNIGHT_LEVEL
    _discs(table)
    table.barn = draw_goods(table, BARN)
    emit(table, "goods_drawn", 0, tuple(table.barn))
    season(table, 1)

    order = table.clockwise(table.starter)
    frames: list[Frame] = [("GOOD_PICK", player, 3, 0, 0, 0) for player in order]
    frames += [("PAWN_CHARACTER", player, 1) for player in order]
    table.stack = [("first_round",), *reversed(frames)]


def season(table: Table, number: int) -> None:
    """One random good to one location of each region (G-23, G-129, G-132)."""
    for ids in REGION_IDS:
        location = ids[number % len(ids)]
        goods = draw_goods(table, 1)
        if any(goods):
            table.stock[5 * location + goods.index(1)] += 1
            emit(table, "goods_drawn", location, tuple(goods))


def _locations(table: Table) -> None:
    """Types of the 22 locations (G-17)."""
    kinds = shuffled(table, S_LOCATIONS, (OUTPOST,) * 2 + (FARM,) * 2 + (TOWN,) * 2)
    for location, kind in zip(STARTS, kinds, strict=True):
        table.kind[location] = kind
    others = [location for location in range(1, LOCATIONS + 1) if location not in STARTS]
    kinds = shuffled(table, S_LOCATIONS, (OUTPOST,) * 6 + (FARM,) * 6 + (TOWN,) * 4)
    for location, kind in zip(others, kinds, strict=True):
        table.kind[location] = kind


def _discs(table: Table) -> None:
    """Seals on the scrolls, beads on the rosary and on a chicken (G-21)."""
    discs = shuffled(table, S_SEALS, DISC_VALUES)
    cells = len(SCROLL_LEVEL)
    for cell, value in zip(SCROLL_LEVEL, discs, strict=False):
        table.scrolls[cell - 1] = value
    beads = cells + ROSARY_LEVEL
    table.rosary = tuple(sorted(discs[cells:beads]))
    table.chickens = discs[beads : beads + CHICKEN_LEVEL]
    table.discs = discs[beads + CHICKEN_LEVEL :]
