"""Guild membership: status stars, and the settlement that keeps every track in order (G-40 to G-48, G-60)."""

from __future__ import annotations

from palio.games.feudum.data import FEUDUM, RING_RELATED, track_spaces
from palio.games.feudum.events import emit
from palio.games.feudum.state import Table


def count_stars(table: Table) -> list[int]:
    """Stars of every player in every guild, ``stars[guild * n + player]``: a pure function of the board (G-40)."""
    n = table.n
    stars = [0] * (6 * n)
    for pawn, character in enumerate(table.pawn_char):
        if character >= 0:
            stars[character * n + pawn // 3] += 1
    ruled = [0] * (4 * n)
    kinds = table.kind
    for location, ruler in enumerate(table.ruler):
        if ruler >= 0:
            kind = kinds[location]
            if kind == FEUDUM:
                stars[table.guild_of[location] * n + ruler] += 3
            else:
                ruled[kind * n + ruler] += 1
    for at, primary in enumerate(stars):
        if primary:
            guild, player = divmod(at, n)
            stars[at] = primary + ruled[RING_RELATED[guild] * n + player]
    return stars


def settle(table: Table) -> None:
    """Bring all tracks, waiting lists and reeves up to date with the board (G-47, to the letter)."""
    table.dirty = False
    before = (table.tracks[:], table.waiting[:], table.left[:], table.right[:])
    table.stars = count_stars(table)
    _losses_and_order(table)
    while _entries(table):
        pass
    if table.advanced:
        _move_reeves(table)
    if table.log is not None:
        _report(table, *before)


def _losses_and_order(table: Table) -> None:
    """Phase 1: who has no stars left goes, who has new ones waits, and one stable sort orders each track."""
    n, markers = table.n, table.markers
    order = table.clockwise(table.first)
    for guild in range(6):
        stars = table.stars[guild * n : guild * n + n]
        if not (any(stars) or table.tracks[guild]):
            table.waiting[guild] = ()
            continue
        track = list(table.tracks[guild])
        for player in table.tracks[guild]:
            if not stars[player]:
                track.remove(player)
                markers[player] += 1
        waiting = [player for player in table.waiting[guild] if stars[player]]
        waiting += [p for p in order if stars[p] and p not in track and p not in waiting]
        track.sort(key=stars.__getitem__, reverse=True)  # stable: equal stars keep their order
        table.tracks[guild] = tuple(track)
        table.waiting[guild] = tuple(waiting)


def _entries(table: Table) -> bool:
    """One pass of phase 2 over the ring; whether anybody entered a track."""
    n, markers = table.n, table.markers
    spaces = track_spaces(n)
    changed = False
    for guild in range(6):
        if not table.waiting[guild]:
            continue
        stars = table.stars[guild * n : guild * n + n]
        track, waiting = list(table.tracks[guild]), list(table.waiting[guild])
        while able := [player for player in waiting if markers[player] > 0]:
            claimant = max(able, key=stars.__getitem__)  # the first of the best: who waits longest
            if len(track) == spaces and stars[claimant] <= stars[track[-1]]:
                break
            waiting.remove(claimant)
            markers[claimant] -= 1
            changed = True
            track.insert(sum(stars[q] >= stars[claimant] for q in track), claimant)
            if len(track) > spaces:
                bumped = track.pop()
                markers[bumped] += 1
                waiting.append(bumped)
        table.tracks[guild] = tuple(track)
        table.waiting[guild] = tuple(waiting)
    return changed


def _move_reeves(table: Table) -> None:
    """Phase 3: a reeve stands right for the MASTER, left for the JOURNEYMAN, else it goes home (G-60)."""
    for guild in range(6):
        owners = [p for p in (table.right[guild], table.left[guild]) if p >= 0]
        if not owners:
            continue
        table.right[guild] = table.left[guild] = -1
        for player in owners:
            rank = table.rank(guild, player)
            if rank == 0:
                table.right[guild] = player
            elif rank == 1:
                table.left[guild] = player
            else:
                table.pool[player] += 1


def _report(
    table: Table,
    tracks: list[tuple[int, ...]],
    waiting: list[tuple[int, ...]],
    left: list[int],
    right: list[int],
) -> None:
    """One public event per guild where something changed."""
    for guild in range(6):
        was, now = tracks[guild], table.tracks[guild]
        reeves = (table.left[guild], table.right[guild])
        if was == now and waiting[guild] == table.waiting[guild] and reeves == (left[guild], right[guild]):
            continue
        entered = tuple(player for player in now if player not in was)
        gone = tuple(player for player in was if player not in now)
        emit(table, "settled", guild, entered, gone, now, table.waiting[guild], *reeves)
