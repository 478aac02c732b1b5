"""Games as arrays of parameter numbers: what the maximum likelihood fit works on."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from palio.tournament.rating.likelihood import Floats, Ints
from palio.tournament.results import Kinds, player_names


@dataclass(frozen=True, slots=True)
class Layout:
    """Which parameter is where.

    Attributes:
        players: their strengths are parameters 0, 1, ...
        seat_families: (seats, sides) of each kind of game; its seat effects, one per side in the order of the seats,
            follow family by family. Games with teams have one effect per side.
        draw: whether the last parameter is the logarithm of Davidson's nu.
    """

    players: tuple[str, ...]
    seat_families: tuple[tuple[int, int], ...] = ()
    draw: bool = False

    @property
    def size(self) -> int:
        """Number of parameters."""
        return len(self.players) + sum(sides for _, sides in self.seat_families) + self.draw

    def family_start(self, family: tuple[int, int]) -> int:
        """Number of the first seat effect of a kind of game."""
        at = self.seat_families.index(family)
        return len(self.players) + sum(sides for _, sides in self.seat_families[:at])

    def basis(self) -> Floats:
        """Columns that span all parameter vectors in which strengths, and each family's seat effects, add up to 0."""
        sizes = [len(self.players), *(sides for _, sides in self.seat_families)]
        free = self.size - len(sizes)
        columns = np.zeros((self.size, free))
        row = column = 0
        for size in sizes:
            columns[row : row + size, column : column + size - 1] = _contrasts(size)
            row, column = row + size, column + size - 1
        if self.draw:
            columns[row, column] = 1.0
        return columns


def _contrasts(size: int) -> Floats:
    """An orthonormal basis of the vectors of that length that add up to 0 (Helmert)."""
    contrasts = np.zeros((size, size - 1))
    for k in range(1, size):
        contrasts[:k, k - 1] = 1.0
        contrasts[k, k - 1] = -float(k)
        contrasts[:, k - 1] /= np.sqrt(k * (k + 1.0))
    return contrasts


@dataclass(frozen=True, slots=True)
class Rows:
    """Games with the same number of sides and of members to a side.

    Attributes:
        index: games x utilities x terms: a utility is the sum of these parameters; the number one past the last
            parameter stands for 0.
        ranks: games x sides.
        cluster: per game the number of its deal: games of one deal depend on each other.
        of_game: per game its row in ``index`` and ``ranks``, where equal games share one; ``None``: each has its own.
    """

    index: Ints
    ranks: Ints
    cluster: Ints
    of_game: Ints | None = None


def encode(kinds: Kinds, players: Sequence[str], *, seats: bool, draw: bool) -> tuple[Layout, list[Rows]]:
    """Arrays of all games that have at least two sides.

    Args:
        seats: whether the seats have effects.
        draw: whether draws have a parameter of their own; then every game must have two sides.
    """
    played = [(game, deals) for game, deals in zip(kinds.games, kinds.deals, strict=True) if len(game.side_ranks()) > 1]
    names = player_names((game for game, _ in played), players)
    families = tuple(sorted({(len(game.players), len(game.side_ranks())) for game, _ in played})) if seats else ()
    layout = Layout(names, families, draw)
    number = {name: at for at, name in enumerate(names)}
    starts = {family: layout.family_start(family) for family in families}
    found: dict[tuple[int, int], _Group] = defaultdict(_Group)
    for game, deals in played:
        ranks = game.side_ranks()
        start = starts.get((len(game.players), len(ranks)))
        terms = []
        for place, side in enumerate(ranks):
            members = [number[name] for name, at in zip(game.players, game.sides, strict=True) if at == side]
            terms.append([*members, layout.size if start is None else start + place])
        width = max(map(len, terms))
        if draw:
            terms.append([layout.size - 1])
        group = found[len(ranks), width]
        group.cluster += deals
        group.of_game += [len(group.index)] * len(deals)
        group.index.append([term + [layout.size] * (width - len(term)) for term in terms])
        group.ranks.append(list(ranks.values()))
    return layout, [group.rows() for _, group in sorted(found.items(), key=lambda item: item[0])]


@dataclass(slots=True)
class _Group:
    """Kinds of games of one shape, as they are collected."""

    index: list[list[list[int]]] = field(default_factory=list)
    ranks: list[list[int]] = field(default_factory=list)
    cluster: list[int] = field(default_factory=list)
    of_game: list[int] = field(default_factory=list)

    def rows(self) -> Rows:
        return Rows(*(np.array(part, dtype=np.int64) for part in (self.index, self.ranks, self.cluster, self.of_game)))
