"""A bot of the plug-in: leaves a multiple of four and one, whenever it can."""

from __future__ import annotations

from palio.client import Bot, Decision, Match
from palio_sticks.codec import CODEC


class Perfect(Bot):
    blocking = False

    def __init__(self, match: Match, seed: str = "") -> None:
        super().__init__(match)

    def choose(self, decision: Decision) -> int:
        heap = CODEC.read_observation(decision.observation).heap
        return max(0, (heap - 1) % 4 - 1)
