"""Formats whose whole schedule is known beforehand: round robin, double round robin, gauntlet, changing partners."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

from palio.engine.errors import InvalidSetup
from palio.tournament.pairing.berger import berger_table
from palio.tournament.pairing.block import Block, Entry, Table
from palio.tournament.pairing.design import choose_design, meetings
from palio.tournament.pairing.format import Results
from palio.tournament.pairing.whist import whist_rounds

AFFORDABLE: Final = 150
"""Every subset of the players is a group as long as there are no more of them than this."""

Meeting = tuple[int, tuple[int, ...]]
"""(round, entry numbers in the order of the first seating)."""


@dataclass(frozen=True, slots=True)
class Fixed:
    """A schedule without decisions. Blocks are ordered by deal, then round, so that an unfinished tournament is even.

    Attributes:
        name: format as in the tournament file.
        all_blocks: index ascending from 0.
        notes: what design was used.
    """

    name: str
    all_blocks: tuple[Block, ...]
    notes: tuple[str, ...] = ()
    static: bool = True

    @property
    def expected_blocks(self) -> int:
        return len(self.all_blocks)

    def blocks(self, results: Results) -> Sequence[Block]:  # noqa: ARG002 - the protocol's signature
        return self.all_blocks

    def finished(self, results: Results) -> bool:
        return len(results) == len(self.all_blocks)

    def counted(self, results: Results) -> int | None:  # noqa: ARG002 - the protocol's signature
        return None


def round_robin(
    entries: Sequence[Entry],
    table: Table,
    deals: int,
    seed: str,
    *,
    double: bool = False,
    shared_deals: bool = False,
    affordable: int = AFFORDABLE,
) -> Fixed:
    """Everybody meets everybody.

    Two entries at a table: Berger rounds. More: see :func:`palio.tournament.pairing.design.choose_design`. One seat:
    everybody plays the same deals alone.

    Args:
        deals: blocks for each group of entries.
        double: everything twice, the second time with new deals and the seats of the first seating reversed.
        shared_deals: all groups play the same deals (always so with one seat); else each block has a fresh deal.

    Raises:
        InvalidSetup: too few entries, or no deals.
    """
    width = table.entries_per_block
    _check(entries, width, deals)
    n = len(entries)
    meetings_: list[Meeting]
    if width == 1:
        meetings_, notes = [(1, (at,)) for at in range(n)], ("every player plays the same deals alone",)
        shared_deals = True
    elif width == 2:
        meetings_ = [(number, pair) for number, pairs in enumerate(berger_table(n), 1) for pair in pairs]
        notes = (_described(n, len(meetings_), meetings_[-1][0]),)
    else:
        design = choose_design(n, width, affordable, seed)
        meetings_ = list(enumerate(design.groups, 1))
        notes = (design.sentence,)
    legs = [meetings_]
    if double:
        last = meetings_[-1][0]
        legs.append([(last + number, tuple(reversed(group))) for number, group in meetings_])

    def make(index: int, deal: int, group: tuple[int, ...], number: int, turn: int) -> Block:
        return table.block(index, deal, [entries[at] for at in group], number, turn)

    return _laid_out("double_round_robin" if double else "round_robin", legs, deals, shared_deals, notes, make)


def gauntlet(
    entries: Sequence[Entry],
    challengers: Sequence[str],
    table: Table,
    deals: int,
    seed: str,
    *,
    shared_deals: bool = False,
    affordable: int = AFFORDABLE,
) -> Fixed:
    """Each challenger meets every group of the others; challengers never meet each other.

    Args:
        challengers: names of entries, at least one.

    Raises:
        InvalidSetup: unknown or repeated challengers, or too few others.
    """
    names = [entry.name for entry in entries]
    for name in challengers:
        if name not in names:
            raise InvalidSetup("challengers", f"unknown name {name!r}; the bots are {', '.join(names)}")
    if not challengers or len(set(challengers)) < len(challengers):
        raise InvalidSetup("challengers", "name at least one, and none twice")
    width = table.entries_per_block
    if width == 1:
        raise InvalidSetup("format", "a gauntlet needs opponents; with one seat use round_robin")
    rest = [at for at, name in enumerate(names) if name not in challengers]
    if len(rest) < width - 1:
        raise InvalidSetup("challengers", f"leave {len(rest)} others to be met; at least {width - 1} are needed")
    _check([entries[at] for at in rest], width - 1, deals)
    design = choose_design(len(rest), width - 1, affordable, seed)
    chosen = [names.index(name) for name in challengers]
    meetings_ = [
        (number, (challenger, *(rest[at] for at in group)))
        for number, group in enumerate(design.groups, 1)
        for challenger in chosen
    ]
    notes: tuple[str, ...] = (f"gauntlet: {len(chosen)} against {len(rest)}, {len(meetings_)} groups",)
    if width > 2:
        notes += (f"groups of opponents: {design.sentence}",)

    def make(index: int, deal: int, group: tuple[int, ...], number: int, turn: int) -> Block:
        return table.block(index, deal, [entries[at] for at in group], number, turn)

    return _laid_out("gauntlet", [meetings_], deals, shared_deals, notes, make)


def changing_partners(
    players: Sequence[str], table: Table, deals: int, seed: str, *, shared_deals: bool = False
) -> Fixed:
    """A whist tournament: everybody partners everybody once and opposes everybody twice, as nearly as can be.

    Raises:
        InvalidSetup: fewer than four players, a table without teams, or no deals.
    """
    if not table.teams:
        raise InvalidSetup("teams", "changing partners need a game with teams")
    _check(players, 4, deals)
    rounds = whist_rounds(len(players), seed)
    meetings_ = [(number, group) for number, tables in enumerate(rounds, 1) for group in tables]
    groups = [group for _, group in meetings_]
    with_partner = meetings(len(players), [pair for a, b, c, d in groups for pair in ((a, c), (b, d))]).values()
    against = meetings(
        len(players), [pair for a, b, c, d in groups for pair in ((a, b), (b, c), (c, d), (d, a))]
    ).values()
    note = (
        f"changing partners: {len(groups)} tables in {len(rounds)} rounds; two players are partners "
        f"{_span(min(with_partner), max(with_partner))} and opponents {_span(min(against), max(against))} times "
        f"(imbalance {max(with_partner) - min(with_partner)} and {max(against) - min(against)})"
    )

    def make(index: int, deal: int, group: tuple[int, ...], number: int, turn: int) -> Block:
        return table.partners_block(index, deal, [players[at] for at in group], number, turn)

    return _laid_out("round_robin", [meetings_], deals, shared_deals, (note,), make)


def _laid_out(
    name: str,
    legs: Sequence[Sequence[Meeting]],
    deals: int,
    shared_deals: bool,
    notes: tuple[str, ...],
    make: Callable[[int, int, tuple[int, ...], int, int], Block],
) -> Fixed:
    blocks: list[Block] = []
    for turn in range(deals * len(legs)):
        for number, group in legs[turn % len(legs)]:
            index = len(blocks)
            blocks.append(make(index, turn if shared_deals else index, group, number, turn))
    return Fixed(name, tuple(blocks), notes)


def _check(entries: Sequence[object], width: int, deals: int) -> None:
    if len(entries) < max(width, 1):
        raise InvalidSetup("bots", f"{len(entries)} are too few; this format needs at least {max(width, 1)}")
    if deals < 1:
        raise InvalidSetup("deals", f"{deals}; at least 1 is needed")


def _span(low: int, high: int) -> str:
    return str(low) if low == high else f"{low} to {high}"


def _described(entries: int, pairings: int, rounds: int) -> str:
    if pairings == 1:
        return f"round robin: {entries} entries, one pairing"
    return f"round robin: {entries} entries, {pairings} pairings in {rounds} rounds"
