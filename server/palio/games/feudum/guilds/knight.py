"""The Knight Guild: markers back, one invention, markers away for seals on the scrolls (G-107 to G-109)."""

from __future__ import annotations

from palio.games.feudum.data import KNIGHT, ROW_PRICE, SCROLL_COLUMNS, SCROLL_ROWS
from palio.games.feudum.events import emit
from palio.games.feudum.guilds.common import lines_reward, pay, pull_reward
from palio.games.feudum.state import Frame, Questions, Steps, Table
from palio.games.feudum.supply import take_disc

PUSH_LIMIT = 3
NOBLE_PULL_LIMIT = 2


def can_trade(table: Table, player: int) -> bool:
    return table.krows[player] > 0 and table.shillings[player] >= ROW_PRICE


def trade(table: Table, player: int) -> None:
    pay(table, player, ROW_PRICE, KNIGHT)
    count = table.krows[player]
    table.krows[player] = 0
    table.markers[player] += count
    table.dirty = True
    emit(table, "markers_taken", player, count)


def pull(table: Table, player: int) -> None:
    table.stack.append(("INVENT", player, 0, 0, 1))


def can_seal(table: Table) -> bool:
    """A marker can go and a seal can come."""
    return any(table.krows) and 0 in table.scrolls and bool(table.discs)


def lines(table: Table) -> tuple[int, int]:
    """Complete rows and columns of the scrolls."""
    scrolls = table.scrolls
    return (
        sum(all(scrolls[cell - 1] for cell in line) for line in SCROLL_ROWS),
        sum(all(scrolls[cell - 1] for cell in line) for line in SCROLL_COLUMNS),
    )


def push(table: Table, player: int) -> None:
    table.stack += [("scrolls_pushed", player, *lines(table)), ("MARKER_COLOR", player, 0, PUSH_LIMIT, 1)]


def noble_pull(table: Table, player: int) -> None:
    """NOBLE PULL: the same with two markers and without stopping early (G-111)."""
    table.stack += [("scrolls_pulled", player, *lines(table)), ("MARKER_COLOR", player, 0, NOBLE_PULL_LIMIT, 0)]


def _marker_options(table: Table, frame: Frame) -> list[Frame]:
    _, _, used, left, may_stop = frame
    options: list[Frame] = []
    if left and 0 in table.scrolls and table.discs:
        options += [("color", c) for c, count in enumerate(table.krows) if count and not used >> c & 1]
    if used and (may_stop or not options):
        options.append(("done",))
    return options


def _marker_answer(table: Table, frame: Frame, option: Frame, forced: bool) -> None:
    _, player, used, left, may_stop = frame
    if option[0] == "done":
        return
    colour = option[1]
    table.krows[colour] -= 1
    table.reserve[colour] += 1
    emit(table, "marker_removed", player, colour, forced)
    table.stack += [("MARKER_COLOR", player, used | 1 << colour, left - 1, may_stop), ("SCROLL_PUT", player)]


def _put_options(table: Table, frame: Frame) -> list[Frame]:
    return [("cell", cell) for cell in range(1, 7) if not table.scrolls[cell - 1]]


def _put_answer(table: Table, frame: Frame, option: Frame, forced: bool) -> None:
    cell = option[1]
    table.scrolls[cell - 1] = take_disc(table)
    emit(table, "seal_placed", frame[1], cell, forced)


def _pushed(table: Table, frame: Frame) -> None:
    _, player, rows, columns = frame
    rows_now, columns_now = lines(table)
    lines_reward(table, player, rows_now - rows, columns_now - columns)


def _pulled(table: Table, frame: Frame) -> None:
    _, player, rows, columns = frame
    pull_reward(table, player, lines(table) != (rows, columns))


QUESTIONS: Questions = {
    "MARKER_COLOR": (_marker_options, _marker_answer),
    "SCROLL_PUT": (_put_options, _put_answer),
}
STEPS: Steps = {"scrolls_pushed": _pushed, "scrolls_pulled": _pulled}
