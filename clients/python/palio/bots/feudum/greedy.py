"""``greedy``: the action after which it stands best, as if the game ended soon. See ``docs/feudum.md``."""

from __future__ import annotations

from typing import Final

from palio.bots.feudum._lines import lines_of
from palio.bots.feudum._seat import Seat
from palio.bots.feudum._worth import standing
from palio.client import Decision


class Greedy(Seat):
    """Tries every way through its action in one sampled world and takes the first step of the best."""

    def choose(self, decision: Decision) -> int:
        options = self.options_of(decision)
        best = lines_of(self.world(decision), self.match.seat, standing)[0].options[0]
        return options.index(best) if best in options else 0


BOT: Final = Greedy
