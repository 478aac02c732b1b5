"""A sequential test between two entries as a format: blocks until one hypothesis is accepted."""

from __future__ import annotations

from collections.abc import Sequence

from palio.engine.errors import InvalidSetup
from palio.tournament.pairing.block import Block, Entry, Table
from palio.tournament.pairing.format import Results
from palio.tournament.rating.block_elo import Sample
from palio.tournament.rating.sprt import Hypotheses, SequentialTest, Verdict


class Sprt:
    """Blocks count in the order of the schedule, whatever the order in which they finish.

    So that no core idles, ``ahead`` blocks beyond the counted ones may be in play. Blocks that were in play or even
    complete when an earlier one decided the test do not count, which keeps the result the same on every machine.
    The object keeps what it has counted; the results given to it may only grow.

    Args:
        entries: two; the hypotheses are about the first.
        most: the test ends undecided after that many blocks.
        ahead: at least 1.

    Raises:
        InvalidSetup: not two entries, a table where more than two meet, or numbers below 1.
    """

    name = "sprt"
    static = False

    def __init__(
        self, entries: Sequence[Entry], table: Table, hypotheses: Hypotheses, *, most: int = 100_000, ahead: int = 32
    ) -> None:
        if table.entries_per_block != 2:
            raise InvalidSetup("players", "sprt needs two sides to a match: 2 seats, or 4 in teams")
        if len(entries) != 2:
            raise InvalidSetup("bots", f"sprt is between 2 entries, not {len(entries)}")
        for field, value in (("deals", most), ("ahead", ahead)):
            if value < 1:
                raise InvalidSetup(field, f"{value}; at least 1 is needed")
        self._entries = tuple(entries)
        self._table = table
        self._most = most
        self._ahead = ahead
        self._blocks: list[Block] = []
        self._counted = 0
        self._test = SequentialTest(table.seatings_per_block, hypotheses)
        self.expected_blocks = most
        note = (
            f"sprt: {entries[0].name} against {entries[1].name}, {hypotheses.model} "
            f"[{hypotheses.elo0:g}, {hypotheses.elo1:g}], at most {most} blocks"
        )
        self.notes: tuple[str, ...] = (note,)

    def blocks(self, results: Results) -> Sequence[Block]:
        self._count(results)
        if not self._over:
            for index in range(len(self._blocks), min(self._counted + self._ahead, self._most)):
                self._blocks.append(self._table.block(index, index, self._entries, 1, index))
        return self._blocks

    def finished(self, results: Results) -> bool:
        self._count(results)
        return self._over

    def counted(self, results: Results) -> int | None:
        self._count(results)
        return self._counted if self._over else None

    def verdict(self, results: Results) -> Verdict:
        """Where the test stands."""
        self._count(results)
        return self._test.verdict

    def sample(self, results: Results) -> Sample:
        """The counted blocks, for :func:`palio.tournament.rating.sprt.estimate`."""
        self._count(results)
        return self._test.sample

    @property
    def _over(self) -> bool:
        return self._test.verdict.decision != "undecided" or self._counted == self._most

    def _count(self, results: Results) -> None:
        while not self._over and self._counted in results:
            self._test.add(results[self._counted].scores[0])
            self._counted += 1
