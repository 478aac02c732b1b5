"""Who can be compared with whom: groups that no game connects, and groups that never lost."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
from scipy.sparse import coo_matrix
from scipy.sparse.csgraph import connected_components

from palio.tournament.results import Game

Groups = list[tuple[str, ...]]


class Disconnected(ValueError):
    """Ratings of all players on one scale do not exist.

    Attributes:
        groups: names, one tuple for each group.
    """

    def __init__(self, message: str, groups: Groups) -> None:
        super().__init__(message)
        self.groups = groups


def separate_groups(games: Iterable[Game], players: Sequence[str]) -> Groups:
    """Players by the chains of games that connect them; one group is as it should be. Order of ``players``."""
    return _groups(games, players, strong=False)


def unbeaten_groups(games: Iterable[Game], players: Sequence[str]) -> Groups:
    """Players by chains of points: a and b are together if a took (half) a point from somebody who took one from ...
    who took one from b, and the other way round. More than one group: no finite ratings without a prior (Ford 1957).
    """
    return _groups(games, players, strong=True)


def _groups(games: Iterable[Game], players: Sequence[str], *, strong: bool) -> Groups:
    at = {name: number for number, name in enumerate(players)}
    edges = {
        (at[a], at[b])
        for game in games
        for a, x, p in zip(game.players, game.ranks, game.sides, strict=True)
        for b, y, q in zip(game.players, game.ranks, game.sides, strict=True)
        if p != q and x <= y
    }
    source, target = (np.array([edge[end] for edge in edges], dtype=np.int64) for end in (0, 1))
    graph = coo_matrix((np.ones(len(edges)), (source, target)), shape=(len(players), len(players)))
    count, label = connected_components(graph, directed=True, connection="strong" if strong else "weak")
    groups: list[list[str]] = [[] for _ in range(count)]
    for name, number in at.items():
        groups[int(label[number])].append(name)
    return sorted((tuple(group) for group in groups), key=lambda group: at[group[0]])


def described(groups: Groups) -> str:
    """The groups in words: ``{a, b} and {c}``."""
    return " and ".join("{" + ", ".join(group) + "}" for group in groups)
