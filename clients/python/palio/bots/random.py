"""``random``: a uniformly random option, in any game. The same seed, match and seat give the same choices."""

from __future__ import annotations

from typing import Final

from palio.client import Bot, Decision, Match
from palio.engine.chance import Stream, seed_from_text


class Random(Bot):
    """The bot; ``seed`` is a text that tells bots of this kind apart."""

    blocking = False

    def __init__(self, match: Match, seed: str = "") -> None:
        super().__init__(match)
        self._stream = Stream(seed_from_text(f"random/{seed}"), f"{match.match_id}/{match.seat}")

    def choose(self, decision: Decision) -> int:
        return self._stream.uniform(len(decision.options))


BOT: Final = Random
