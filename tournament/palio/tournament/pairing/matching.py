"""Perfect matchings in general graphs (Edmonds' blossom algorithm): can everybody who is left still be paired?"""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence


def maximum_matching(neighbours: Sequence[Sequence[int]]) -> list[int]:
    """A largest set of disjoint edges: for each vertex its partner, or -1.

    Args:
        neighbours: for each vertex those it may be paired with (symmetric). Time grows with the cube of the vertices.
    """
    n = len(neighbours)
    match = [-1] * n
    for root in range(n):
        if match[root] == -1:
            _augment(neighbours, match, root)
    return match


def can_pair_all(neighbours: Sequence[Sequence[int]]) -> bool:
    """Whether a perfect matching exists."""
    return -1 not in maximum_matching(neighbours)


def _augment(neighbours: Sequence[Sequence[int]], match: list[int], root: int) -> None:
    """Grow an alternating tree from a free root; flip the path to another free vertex if one is reached."""
    n = len(neighbours)
    parent = [-1] * n
    base = list(range(n))
    outer = [False] * n
    outer[root] = True
    queue = deque([root])
    while queue:
        v = queue.popleft()
        for w in neighbours[v]:
            if base[v] == base[w] or match[v] == w:
                continue
            if w == root or (match[w] != -1 and parent[match[w]] != -1):
                _contract(v, w, match, parent, base, outer, queue)
            elif parent[w] == -1:
                parent[w] = v
                if match[w] == -1:
                    _flip(w, match, parent)
                    return
                outer[match[w]] = True
                queue.append(match[w])


def _flip(vertex: int, match: list[int], parent: list[int]) -> None:
    while vertex != -1:
        before = parent[vertex]
        after = match[before]
        match[vertex], match[before] = before, vertex
        vertex = after


def _contract(
    v: int, w: int, match: list[int], parent: list[int], base: list[int], outer: list[bool], queue: deque[int]
) -> None:
    """An odd cycle (blossom) through v and w becomes one outer vertex."""
    stem = _common_base(v, w, match, parent, base)
    inside = [False] * len(base)
    for start, child in ((v, w), (w, v)):
        at, below = start, child
        while base[at] != stem:
            inside[base[at]] = inside[base[match[at]]] = True
            parent[at] = below
            below = match[at]
            at = parent[match[at]]
    for vertex in range(len(base)):
        if inside[base[vertex]]:
            base[vertex] = stem
            if not outer[vertex]:
                outer[vertex] = True
                queue.append(vertex)


def _common_base(v: int, w: int, match: list[int], parent: list[int], base: list[int]) -> int:
    above = set()
    at = v
    while True:
        at = base[at]
        above.add(at)
        if match[at] == -1:
            break
        at = parent[match[at]]
    at = base[w]
    while at not in above:
        at = base[parent[match[at]]]
    return at
