"""A bot for Fidelitas: scores whenever it can, and otherwise plays at random."""

import random

from palio.client import Bot, Decision, main


class FirstBot(Bot):
    def choose(self, decision: Decision) -> int:
        options = decision.options
        if decision.kind == "SCORE_MISSIO":
            return len(options) - 1  # the first option is to pass
        return random.randrange(len(options))


main(FirstBot)
