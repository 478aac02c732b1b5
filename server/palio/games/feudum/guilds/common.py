"""What the guilds share: payments, transfers of goods, fists with beads, rewards (G-51 to G-56, G-87 to G-92)."""

from __future__ import annotations

from typing import Final

from palio.games.feudum.data import (
    ALCHEMIST,
    COFFER,
    COLUMNS,
    FARMER,
    FEAST_VP,
    LOW_IN_LEFT,
    MERCHANT,
    PULL_VP,
    PURSE,
    PUSH_VP,
    RING_CHARITY,
    ROW,
    ROWS,
    STORE,
    VP_FEAST,
    VP_PULL,
    VP_PUSH,
)
from palio.games.feudum.events import TO_COFFER, TO_PURSE, TO_SUPPLY, emit, emit_to
from palio.games.feudum.state import Frame, Questions, Steps, Table
from palio.games.feudum.supply import gain_vp
from palio.games.feudum.writs import draw

PULL_WRITS: Final = 2
BARN_TO_ROWS, ROWS_TO_STORES = range(2)
"""The two transfers of goods; from the Farmer to the Merchant, from the Merchant to the Alchemist Guild."""
_FROM: Final = (FARMER, MERCHANT)
_TO: Final = (MERCHANT, ALCHEMIST)
_CAP: Final = (ROW, STORE)


# Payments. -----------------------------------------------------------------------------------------------------------


def pay(table: Table, player: int, cost: int, guild: int) -> None:
    """One trade's cost, coin by coin to MASTER, JOURNEYMAN, charity (G-51 to G-53)."""
    table.shillings[player] -= cost
    coffer = RING_CHARITY[guild] == COFFER
    receivers = []
    for coin in range(cost):
        receiver = table.holder(guild, coin % 3) if coin % 3 < 2 else TO_COFFER if coffer else TO_PURSE
        if receiver >= 0:
            table.shillings[receiver] += 1
        elif receiver == TO_COFFER:
            table.coffer += 1
        elif receiver == TO_PURSE:
            table.purse += 1
        else:
            table.bank += 1
        receivers.append(receiver)
    emit(table, "paid", player, guild, tuple(receivers))


assert TO_SUPPLY == -1  # what `holder` says for nobody: such a coin goes to the general supply (G-52)


def share(table: Table, pot: int) -> None:
    """Purse or coffer between the master and the journeyman of its guild (G-54 to G-56)."""
    guild, _, host = table.doing
    total = table.purse if pot == PURSE else table.coffer
    if not total:
        return
    journeyman = table.holder(guild, 1)
    master = table.active if host >= 0 else table.holder(guild, 0)
    shares = [(master, (total + 1) // 2)]
    rest = total // 2
    if journeyman >= 0 and rest:
        shares.append((journeyman, rest))
        rest = 0
    for player, coins in shares:
        table.shillings[player] += coins
    if pot == PURSE:
        table.purse = rest
    else:
        table.coffer = rest
    emit(table, "shared", pot, guild, tuple(shares), rest)


# Rewards. ------------------------------------------------------------------------------------------------------------


def pull_reward(table: Table, player: int, earned: bool) -> None:
    """What a PULL brings; a feast's points come even if the pull itself earns nothing (G-86 to G-88)."""
    if earned:
        gain_vp(table, player, PULL_VP, VP_PULL)
    _feast_vp(table, player)
    if earned:
        draw(table, player, PULL_WRITS)


def push_reward(
    table: Table, player: int, units: int, forced: bool = True, lines: tuple[int, int, int] = (0, 0, -1)
) -> None:
    """What a PUSH brings for that many units (G-89); ``lines``: rows, columns and the axis that scores."""
    vp = PUSH_VP[min(units, len(PUSH_VP) - 1)]
    guild, function, _ = table.doing
    emit(table, "scored", player, guild, function, units, *lines, vp, forced)
    gain_vp(table, player, vp, VP_PUSH)
    _feast_vp(table, player)


def lines_reward(table: Table, player: int, rows: int, columns: int) -> None:
    """A PUSH that completed rows or columns: never both count (G-90)."""
    if rows and columns:
        table.stack.append(("SCORE_AXIS", player, rows, columns))
    else:
        axis = ROWS if rows else COLUMNS if columns else -1
        push_reward(table, player, rows + columns, lines=(rows, columns, axis))


def _feast_vp(table: Table, player: int) -> None:
    if table.doing[2] >= 0:
        gain_vp(table, player, FEAST_VP, VP_FEAST)


def _axis_options(table: Table, frame: Frame) -> list[Frame]:
    return [("axis", ROWS), ("axis", COLUMNS)]


def _axis_answer(table: Table, frame: Frame, option: Frame, forced: bool) -> None:
    _, player, rows, columns = frame
    axis = option[1]
    push_reward(table, player, rows if axis == ROWS else columns, forced, (rows, columns, axis))


# Transfers of goods. -------------------------------------------------------------------------------------------------


def _ends(table: Table, path: int) -> tuple[list[int], list[int]]:
    return (table.barn, table.rows) if path == BARN_TO_ROWS else (table.rows, table.stores)


def movable(table: Table, path: int) -> int:
    """How many goods could move (G-91)."""
    source, target = _ends(table, path)
    cap = _CAP[path]
    return sum(min(have, cap - there) for have, there in zip(source, target, strict=True))


def transfer(table: Table, player: int, path: int, limit: int) -> None:
    """As many goods as possible up to the limit; without a question where all can go (G-91, R-17)."""
    possible = movable(table, path)
    if possible > limit:
        table.stack.append(("TRANSFER_GOOD", player, path, limit))
        return
    source, target = _ends(table, path)
    for good in range(5):
        for _ in range(min(source[good], _CAP[path] - target[good])):
            _move(table, player, path, good, True)


def _move(table: Table, player: int, path: int, good: int, forced: bool) -> None:
    source, target = _ends(table, path)
    source[good] -= 1
    target[good] += 1
    emit(table, "transferred", player, good, _FROM[path], _TO[path], forced)


def _transfer_options(table: Table, frame: Frame) -> list[Frame]:
    path = frame[2]
    source, target = _ends(table, path)
    return [("good", good) for good in range(5) if source[good] and target[good] < _CAP[path]]


def _transfer_answer(table: Table, frame: Frame, option: Frame, forced: bool) -> None:
    _, player, path, left = frame
    _move(table, player, path, option[1], forced)
    if left > 1:
        table.stack.append(("TRANSFER_GOOD", player, path, left - 1))


def full(counts: list[int], cap: int) -> int:
    """Bit mask of what is complete."""
    return sum(1 << good for good, count in enumerate(counts) if count == cap)


# Fists (G-92): afterwards `table.bead` is the chosen bead. ------------------------------------------------------------


def fists(table: Table, player: int) -> None:
    rosary = table.rosary
    low, high = rosary[0], rosary[-1]
    if low == high:  # also a single bead
        table.rosary = rosary[1:]
        table.bead = low
        emit(table, "fist_picked", player, -1, low, 0, True)
        return
    table.rosary = rosary[1:-1]
    table.fists = (low, high)
    table.stack.append(("OPPONENT", player))


def place_on_chicken(table: Table, player: int) -> int:
    """The chosen bead goes on an empty chicken; the sum there now."""
    emit(table, "bead_placed", player, table.bead, True)
    table.chickens += (table.bead,)
    table.bead = 0
    return sum(table.chickens)


def _opponent_options(table: Table, frame: Frame) -> list[Frame]:
    return [("opponent", seat) for seat in range(table.n) if seat != frame[1]]


def _opponent_answer(table: Table, frame: Frame, option: Frame, forced: bool) -> None:
    emit(table, "beads_given", option[1], *table.fists, forced)
    table.stack.append(("HIDE", option[1], frame[1]))


def _hide_options(table: Table, frame: Frame) -> list[Frame]:
    return [("hide", 0), ("hide", 1)]


def _hide_answer(table: Table, frame: Frame, option: Frame, forced: bool) -> None:
    _, hider, performer = frame
    table.hidden = option[1]
    emit(table, "beads_hidden", hider)
    emit_to(table, hider, "beads_assigned", hider, option[1])
    table.stack.append(("FIST", performer, hider))


def _fist_options(table: Table, frame: Frame) -> list[Frame]:
    return [("fist", 0), ("fist", 1)]


def _fist_answer(table: Table, frame: Frame, option: Frame, forced: bool) -> None:
    player, fist = frame[1], option[1]
    low, high = table.fists
    low_fist = 0 if table.hidden == LOW_IN_LEFT else 1
    chosen, back = (low, high) if fist == low_fist else (high, low)
    table.fists = ()
    table.hidden = -1
    table.bead = chosen
    table.rosary = tuple(sorted((*table.rosary, back)))
    emit(table, "fist_picked", player, fist, chosen, back, forced)


QUESTIONS: Questions = {
    "SCORE_AXIS": (_axis_options, _axis_answer),
    "TRANSFER_GOOD": (_transfer_options, _transfer_answer),
    "OPPONENT": (_opponent_options, _opponent_answer),
    "HIDE": (_hide_options, _hide_answer),
    "FIST": (_fist_options, _fist_answer),
}


def _share_step(table: Table, frame: Frame) -> None:
    share(table, frame[1])


STEPS: Steps = {"share": _share_step}
