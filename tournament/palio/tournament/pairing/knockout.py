"""Knockout: who loses a match goes out. Matches are decided by blocks."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from palio.engine.errors import InvalidSetup
from palio.tournament.pairing.block import Block, Entry, Table
from palio.tournament.pairing.format import Results
from palio.tournament.pairing.waves import Waves


@dataclass(frozen=True, slots=True)
class Tie:
    """One match-up of the bracket.

    Attributes:
        round: from 1.
        entries: names; the second is ``None`` for a bye.
        blocks: indices of the blocks so far.
        scores: sum of the blocks' scores per entry.
        winner: name, or ``None`` while undecided.
        decided_by: ``score``, ``points``, ``seed``, ``bye`` or "" while undecided.
    """

    round: int
    entries: tuple[str, str | None]
    blocks: tuple[int, ...]
    scores: tuple[float, float]
    winner: str | None
    decided_by: str


def bracket_order(size: int) -> list[int]:
    """Seeds (from 0) in the order of the bracket, so that the first two can meet in the final only."""
    order = [0]
    while len(order) < size:
        order = [x for seed in order for x in (seed, 2 * len(order) - 1 - seed)]
    return order


class Knockout(Waves):
    """The order of the entries is their seeding; byes go to the first seeds.

    A match is ``deals`` blocks, then one more at a time while the scores are equal, at most ``extra`` of them; then the
    higher mean points decide, then the better seed.

    Raises:
        InvalidSetup: fewer than two entries, a table where more than two meet, or too few deals.
    """

    name = "knockout"

    def __init__(
        self, entries: Sequence[Entry], table: Table, deals: int, *, extra: int = 10, shared_deals: bool = False
    ) -> None:
        super().__init__()
        if table.entries_per_block != 2:
            raise InvalidSetup("players", "knockout needs two sides to a match: 2 seats, or 4 in teams")
        if len(entries) < 2:
            raise InvalidSetup("bots", f"{len(entries)} are too few; this format needs at least 2")
        if deals < 1:
            raise InvalidSetup("deals", f"{deals}; at least 1 is needed")
        self._entries = {entry.name: entry for entry in entries}
        self._seed = {entry.name: at for at, entry in enumerate(entries)}
        self._table = table
        self._deals = deals
        self._extra = extra
        self._shared = shared_deals
        size = 1 << (len(entries) - 1).bit_length()
        self._first: list[str | None] = [
            entries[seed].name if seed < len(entries) else None for seed in bracket_order(size)
        ]
        self.expected_blocks = (len(entries) - 1) * deals
        note = (
            f"knockout: {len(entries)} entries, {size - len(entries)} byes, {deals} blocks a match, "
            f"at most {extra} more if tied, then points, then the better seed"
        )
        self.notes: tuple[str, ...] = (note,)

    def bracket(self, results: Results) -> list[list[Tie]]:
        """The rounds so far, each a list of match-ups in the order of the bracket."""
        made: dict[tuple[int, str], list[Block]] = {}
        for wave in self._waves:
            for block in wave:
                made.setdefault((block.round, block.entries[0]), []).append(block)
        rounds: list[list[Tie]] = []
        line = list(self._first)
        while len(line) > 1:
            number = len(rounds) + 1
            ties = [
                self._tie(number, line[at], line[at + 1], made.get((number, line[at] or ""), []), results)
                for at in range(0, len(line), 2)
            ]
            rounds.append(ties)
            if any(tie.winner is None for tie in ties):
                break
            line = [tie.winner for tie in ties]
        return rounds

    def champion(self, results: Results) -> str | None:
        """The winner of the final, once there is one."""
        last = self.bracket(results)[-1]
        return last[0].winner if len(last) == 1 else None

    def _tie(self, number: int, one: str | None, two: str | None, blocks: list[Block], results: Results) -> Tie:
        assert one is not None  # byes are always the second of a pair: there are fewer byes than first seeds
        if two is None:
            return Tie(number, (one, None), (), (0.0, 0.0), one, "bye")
        indices = tuple(block.index for block in blocks)
        done = [results[index] for index in indices if index in results]
        a, b = (round(sum(result.score_of(name) for result in done), 9) for name in (one, two))
        winner, by = None, ""
        if len(done) == len(indices) >= self._deals:
            if a != b:
                winner, by = (one if a > b else two), "score"
            elif len(indices) >= self._deals + self._extra:
                p, q = (sum(r.points[r.block.entries.index(name)] for r in done) for name in (one, two))
                if p != q:
                    winner, by = (one if p > q else two), "points"
                else:
                    winner, by = min(one, two, key=self._seed.__getitem__), "seed"
        return Tie(number, (one, two), indices, (a, b), winner, by)

    def _next_wave(self, results: Results, first_index: int) -> list[Block]:
        blocks: list[Block] = []
        ties = [tie for tie in self.bracket(results)[-1] if tie.winner is None]
        # Shared deals: the deal counts on from the deals that earlier waves used.
        before = 1 + max((block.deal for wave in self._waves for block in wave), default=-1)
        fresh = not any(tie.blocks for tie in ties)
        for number in range(self._deals if fresh else 1):
            for tie in ties:
                index = first_index + len(blocks)
                pair = [self._entries[name] for name in tie.entries if name is not None]
                deal = before + number if self._shared else index
                blocks.append(self._table.block(index, deal, pair, tie.round, len(tie.blocks) + number))
        return blocks
