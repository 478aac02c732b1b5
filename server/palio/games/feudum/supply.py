"""Moving things between players and supplies, random draws and points: the verbs that all rules share."""

from __future__ import annotations

from palio.engine.chance import Stream
from palio.games.feudum.data import BARREL, S_HAVERSACK, S_SEALS, S_VESSELS, STREAMS, SULFUR
from palio.games.feudum.events import emit
from palio.games.feudum.state import Frame, Questions, Table


def opened(table: Table, stream: int) -> Stream:
    """A chance stream where it was left; :func:`closed` notes how far it was read."""
    return Stream(table.seed, STREAMS[stream], table.streams[stream])


def closed(table: Table, stream: int, source: Stream) -> None:
    table.streams[stream] = source.position


def shuffled(table: Table, stream: int, items: tuple[int, ...]) -> tuple[int, ...]:
    """The items in random order (G-34)."""
    order = list(items)
    source = opened(table, stream)
    source.shuffle(order)
    closed(table, stream, source)
    return tuple(order)


def pick_kind(source: Stream, counts: list[int]) -> int:
    """One random thing out of counted kinds: its kind (G-34)."""
    r = source.uniform(sum(counts))
    for kind, count in enumerate(counts):
        if r < count:
            return kind
        r -= count
    raise AssertionError("uniform() stays below the total")


def draw_goods(table: Table, count: int) -> list[int]:
    """Take random goods from the haversack, fewer if it runs empty; counts by kind."""
    drawn = [0] * 5
    source = opened(table, S_HAVERSACK)
    haversack = table.haversack
    for _ in range(min(count, sum(haversack))):
        kind = pick_kind(source, haversack)
        haversack[kind] -= 1
        drawn[kind] += 1
    closed(table, S_HAVERSACK, source)
    return drawn


def draw_vessels(table: Table, count: int) -> list[int]:
    """Put random vessels of the supply up for sale; counts by kind."""
    added = [0] * 3
    source = opened(table, S_VESSELS)
    for _ in range(min(count, sum(table.docks))):
        kind = pick_kind(source, table.docks)
        table.docks[kind] -= 1
        table.sale[kind] += 1
        added[kind] += 1
    closed(table, S_VESSELS, source)
    return added


def pay_good(table: Table, player: int, good: int, count: int = 1) -> None:
    """Goods from a player's supply to the haversack."""
    table.goods[5 * player + good] -= count
    table.haversack[good] += count


def gain_shillings(table: Table, player: int, count: int) -> int:
    """Shillings from the general supply, fewer if it is short (R-29); how many it were."""
    count = min(count, table.bank)
    table.bank -= count
    table.shillings[player] += count
    return count


def gain_markers(table: Table, player: int, count: int) -> int:
    """Own markers from the general supply, fewer if it is short; how many it were."""
    count = min(count, table.reserve[player])
    table.reserve[player] -= count
    table.markers[player] += count
    table.dirty = True
    return count


def gain_vp(table: Table, player: int, amount: int, reason: int) -> None:
    """Points, the only way to change a score (I-15). No event for no points."""
    if amount:
        table.scores[player] += amount
        table.earned[16 * player + reason] += amount
        emit(table, "vp", player, amount, reason)


def take_disc(table: Table) -> int:
    """The next seal of the supply; its value."""
    value = table.discs[0]
    table.discs = table.discs[1:]
    return value


def return_discs(table: Table, values: tuple[int, ...]) -> None:
    """Discs back to the supply, which is then reshuffled (G-13)."""
    table.discs = shuffled(table, S_SEALS, table.discs + values)


def spend_seal(table: Table, player: int) -> None:
    """A player's oldest seal back to the supply."""
    seals = table.seals[player]
    table.seals[player] = seals[1:]
    return_discs(table, seals[:1])


def ask_sulfur(table: Table, player: int, count: int) -> None:
    """Ask next how much of the sulfur that one effect gave goes into the barrel (G-122)."""
    if count and table.barrel[player] < BARREL:
        table.stack.append(("SULFUR_STORE", player, count))


def _sulfur_options(table: Table, frame: Frame) -> list[Frame]:
    _, player, count = frame
    return [("barrel", k) for k in range(min(count, BARREL - table.barrel[player]) + 1)]


def _sulfur_answer(table: Table, frame: Frame, option: Frame, forced: bool) -> None:
    player, k = frame[1], option[1]
    table.goods[5 * player + SULFUR] -= k
    table.barrel[player] += k
    emit(table, "sulfur_stored", player, k, forced)


QUESTIONS: Questions = {"SULFUR_STORE": (_sulfur_options, _sulfur_answer)}
