"""Ranks where seats fell out."""

from __future__ import annotations

import pytest

from palio.server.match.ranking import ranked


@pytest.mark.parametrize(
    ("sides", "ranks", "fallen", "expected"),
    [
        ((0, 1), (1, 2), [], [1, 2]),
        ((0, 1), None, [0], [2, 1]),
        ((0, 1, 2), (1, 2, 2), [], [1, 2, 2]),
        ((0, 1, 2), (1, 2, 3), [0], [3, 1, 2]),
        ((0, 1, 2), None, [2, 0], [2, 1, 3]),
        ((0, 1, 2, 3), (1, 1, 3, 4), [3, 1], [1, 3, 2, 4]),
        ((0, 1, 0, 1), (1, 2, 1, 2), [], [1, 2, 1, 2]),
        ((0, 1, 0, 1), None, [2], [2, 1, 2, 1]),
        ((0,), None, [0], [1]),
    ],
)
def test_ranked(sides: tuple[int, ...], ranks: tuple[int, ...] | None, fallen: list[int], expected: list[int]) -> None:
    assert ranked(sides, ranks, fallen) == expected
