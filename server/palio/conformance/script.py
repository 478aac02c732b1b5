"""The scripts that try obligations, and the list of them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from palio.conformance.obligation import Obligation
from palio.conformance.stage import Play


@dataclass(frozen=True, slots=True)
class Scenario:
    """A script that tries one or more obligations with a freshly started program.

    Attributes:
        obligations: in the order in which they are judged. If the script cannot go on, the first that has no verdict
            yet is broken, and the rest could not be tried.
        needs: obligations without which this makes no sense; where one is broken, these are not tried.
    """

    play: Play
    obligations: tuple[Obligation, ...]
    needs: tuple[Obligation, ...]


SCENARIOS: Final[list[Scenario]] = []
"""All of them, in the order of their definition; filled by importing :mod:`palio.conformance.scenarios`."""


def scenario(*obligations: Obligation, needs: tuple[Obligation, ...] = ()) -> Callable[[Play], Play]:
    """Register the decorated script."""

    def register(play: Play) -> Play:
        SCENARIOS.append(Scenario(play, obligations, needs))
        return play

    return register
