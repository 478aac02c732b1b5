"""Ranks of a match in which seats fell out (see docs/decisions: faults and ranks)."""

from __future__ import annotations

from collections.abc import Sequence


def ranked(sides: Sequence[int], ranks: Sequence[int] | None, fallen: Sequence[int]) -> list[int]:
    """The rank of every seat; a rank is 1 + the number of sides that stand better.

    Args:
        sides: per seat the side it plays for.
        ranks: per seat the rank by the rules, or ``None`` where the game did not come to its end.
        fallen: the seats that fell out, in that order. Their sides stand below all others; who fell out later stands
            better.
    """
    order = {side: index for index, side in reversed(list(enumerate(sides[seat] for seat in fallen)))}
    strength: dict[int, tuple[int, int]] = {}
    for seat, side in enumerate(sides):
        if side in order:
            strength[side] = (0, order[side])
        else:
            strength[side] = (1, -(ranks[seat] if ranks is not None else 1))
    return [1 + sum(other > strength[side] for other in strength.values()) for side in sides]
