"""A bot of the Python SDK as a process of its own: takes the first option after a moment's thought.

``python slow_bot.py SECONDS [arguments of palio.client.main]``
"""

from __future__ import annotations

import sys
import time

from palio.client import Bot, Decision, main

THOUGHT = float(sys.argv[1])


class Slow(Bot):
    def choose(self, decision: Decision) -> int:
        time.sleep(THOUGHT)
        return 0


if __name__ == "__main__":
    main(Slow, sys.argv[2:])
