"""``random``: a uniformly random option, in any game.

The same seed, match, seat and decision give the same choice, also in a process that was started anew in mid-match.
"""

from __future__ import annotations

from typing import Final

from palio.client import Bot, Decision, Match
from palio.engine.chance import Stream, seed_from_text


class Random(Bot):
    """The bot; ``seed`` is a text that tells bots of this kind apart."""

    blocking = False

    def __init__(self, match: Match, seed: str = "") -> None:
        super().__init__(match)
        self._seed = seed_from_text(f"random/{seed}")
        self._place = f"{match.match_id}/{match.seat}"

    def choose(self, decision: Decision) -> int:
        return Stream(self._seed, f"{self._place}/{decision.decision_id}").uniform(len(decision.options))


BOT: Final = Random
