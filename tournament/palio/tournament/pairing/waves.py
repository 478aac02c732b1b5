"""Formats in which results decide who meets next: they go from wave to wave."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence

from palio.tournament.pairing.block import Block
from palio.tournament.pairing.format import Results


class Waves(ABC):
    """A wave is made once every block of the wave before is complete, so it cannot depend on who finished first.

    Waves made are kept; the results given to one object may therefore only grow.
    """

    static = False

    def __init__(self) -> None:
        self._waves: list[list[Block]] = []
        self._over = False

    @abstractmethod
    def _next_wave(self, results: Results, first_index: int) -> list[Block]:
        """The next blocks; none when the tournament is over."""

    def blocks(self, results: Results) -> Sequence[Block]:
        while not self._over and all(block.index in results for block in (self._waves[-1] if self._waves else [])):
            wave = self._next_wave(results, sum(map(len, self._waves)))
            if wave:
                self._waves.append(wave)
            else:
                self._over = True
        return [block for wave in self._waves for block in wave]

    def finished(self, results: Results) -> bool:
        self.blocks(results)
        return self._over

    def counted(self, results: Results) -> int | None:  # noqa: ARG002 - the protocol's signature
        return None
