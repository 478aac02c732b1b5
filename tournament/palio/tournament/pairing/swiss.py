"""Swiss system: entries with like scores meet, nobody twice while that is possible."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from itertools import combinations

from palio.engine.errors import InvalidSetup
from palio.tournament.pairing.block import Block, Entry, Table
from palio.tournament.pairing.format import Results
from palio.tournament.pairing.matching import can_pair_all
from palio.tournament.pairing.waves import Waves


class Swiss(Waves):
    """Rounds by score groups. The order of the entries is their seeding.

    A meeting is worth the mean score of its blocks (0 to 1); a bye 1. Byes go to the lowest placed of those who had
    fewest. Two at a table: within a score group the upper half meets the lower half (Dutch system); a rematch happens
    only if no pairing of the whole round avoids it (never in the first n/2 rounds, by Dirac's theorem). More at a
    table: neighbours in the standings, improved by swaps that remove rematches.

    Args:
        rounds: at least 1.
        deals: blocks per meeting.

    Raises:
        InvalidSetup: too few entries, rounds or deals; or a game for one seat.
    """

    name = "swiss"

    def __init__(
        self, entries: Sequence[Entry], table: Table, rounds: int, deals: int, *, shared_deals: bool = False
    ) -> None:
        super().__init__()
        width = table.entries_per_block
        if width == 1:
            raise InvalidSetup("format", "swiss needs opponents; with one seat use round_robin")
        if len(entries) < width:
            raise InvalidSetup("bots", f"{len(entries)} are too few; this format needs at least {width}")
        for field, value in (("rounds", rounds), ("deals", deals)):
            if value < 1:
                raise InvalidSetup(field, f"{value}; at least 1 is needed")
        self._entries = tuple(entries)
        self._table = table
        self._rounds = rounds
        self._deals = deals
        self._shared = shared_deals
        self._byes: list[list[int]] = []
        per_round = len(entries) // width
        self.expected_blocks = per_round * deals * rounds
        self.notes: tuple[str, ...] = (f"swiss: {rounds} rounds of {per_round} tables, {deals} deals each",)

    def byes(self) -> Counter[str]:
        """Rounds without a game per entry, in the rounds made so far."""
        return Counter(self._entries[at].name for sitting_out in self._byes for at in sitting_out)

    def scores(self, results: Results) -> dict[str, float]:
        """Score of each entry over complete blocks, byes of begun rounds included."""
        total = {entry.name: 0.0 for entry in self._entries}
        for result in results.values():
            for name, score in zip(result.block.entries, result.scores, strict=True):
                total[name] += score / self._deals
        for name, count in self.byes().items():
            total[name] += count
        return total

    def _next_wave(self, results: Results, first_index: int) -> list[Block]:
        number = len(self._waves) + 1
        if number > self._rounds:
            return []
        score = [self.scores(results)[entry.name] for entry in self._entries]
        # Sums of thirds differ in the last bit with the order of addition: that must not make a score group.
        score = [round(value, 9) for value in score]
        order = sorted(range(len(self._entries)), key=lambda at: (-score[at], at))
        met = self._met()
        width = self._table.entries_per_block
        playing, sitting_out = self._choose_byes(order, len(order) % width)
        self._byes.append(sitting_out)
        groups = pair_round(playing, score, met) if width == 2 else group_round(playing, score, met, width)
        blocks: list[Block] = []
        for deal in range(self._deals):
            for group in groups:
                index = first_index + len(blocks)
                shared = (number - 1) * self._deals + deal
                entries = [self._entries[at] for at in group]
                blocks.append(self._table.block(index, shared if self._shared else index, entries, number, deal))
        return blocks

    def _met(self) -> Counter[tuple[int, int]]:
        at = {entry.name: number for number, entry in enumerate(self._entries)}
        met: Counter[tuple[int, int]] = Counter()
        for wave in self._waves:
            for block in wave[: len(wave) // self._deals]:
                met.update(combinations(sorted(at[name] for name in block.entries), 2))
        return met

    def _choose_byes(self, order: list[int], count: int) -> tuple[list[int], list[int]]:
        had = Counter(at for sitting_out in self._byes for at in sitting_out)
        place = {at: number for number, at in enumerate(order)}
        sitting_out = sorted(order, key=lambda at: (had[at], -place[at]))[:count]
        return [at for at in order if at not in sitting_out], sitting_out


def pair_round(order: Sequence[int], score: Sequence[float], met: Counter[tuple[int, int]]) -> list[tuple[int, int]]:
    """Pair everybody, the best placed first, with the fewest possible meetings of the same two.

    Args:
        order: an even number of players by standing.
        score: per player number.
        met: earlier meetings by (lower, higher) player number.
    """
    limit = 0
    while not can_pair_all(_allowed(order, met, limit)):
        limit += 1
    pairs = []
    left = list(order)
    while left:
        top = left[0]
        for rival in _preferences(left, score):
            rest = [at for at in left if at not in (top, rival)]
            if met[_pair(top, rival)] <= limit and can_pair_all(_allowed(rest, met, limit)):
                pairs.append((top, rival))
                left = rest
                break
    return pairs


def _preferences(left: Sequence[int], score: Sequence[float]) -> list[int]:
    """Whom the first of ``left`` would like to meet: half a score group below, near that, then lower groups."""
    group = [at for at in left if score[at] == score[left[0]]]
    middle = max(len(group) // 2, 1)
    inside = sorted(range(1, len(group)), key=lambda place: (abs(place - middle), place))
    return [group[place] for place in inside] + list(left[len(group) :])


def _allowed(players: Sequence[int], met: Counter[tuple[int, int]], limit: int) -> list[list[int]]:
    return [[j for j, b in enumerate(players) if a != b and met[_pair(a, b)] <= limit] for i, a in enumerate(players)]


def group_round(
    order: Sequence[int], score: Sequence[float], met: Counter[tuple[int, int]], width: int
) -> list[tuple[int, ...]]:
    """Tables of ``width`` by standing, then swaps between tables while they lower rematches, then score differences."""
    tables = [list(order[at : at + width]) for at in range(0, len(order), width)]
    place = {player: number for number, player in enumerate(order)}

    def cost(table: Sequence[int]) -> tuple[int, float]:
        pairs = [_pair(a, b) for a, b in combinations(table, 2)]
        return sum(met[pair] ** 2 for pair in pairs), sum((score[a] - score[b]) ** 2 for a, b in pairs)

    better = True
    while better:
        better = False
        for one, two in combinations(tables, 2):
            for i in range(width):
                for j in range(width):
                    before = (cost(one), cost(two))
                    one[i], two[j] = two[j], one[i]
                    after = (cost(one), cost(two))
                    change = (
                        after[0][0] + after[1][0] - before[0][0] - before[1][0],
                        after[0][1] + after[1][1] - before[0][1] - before[1][1],
                    )
                    if change < (0, -1e-9):
                        better = True
                    else:
                        one[i], two[j] = two[j], one[i]
    return [tuple(sorted(table, key=place.__getitem__)) for table in tables]


def _pair(a: int, b: int) -> tuple[int, int]:
    return (a, b) if a < b else (b, a)
