"""A bot with vices, for tournaments in tests: ``python testbot.py MODE [ARGUMENT]``.

Its choices depend on the match, seat and decision alone, so the same tournament has the same results whatever
happens to the processes in between. Modes: ``good``; ``crash N`` ends with exit code 3 at its Nth decision; ``slow S``
thinks for S seconds each time; ``mute`` never connects; ``broken`` ends at once; ``hog MIB`` takes that much memory at
its first decision and thinks until somebody stops it; ``forker N`` starts N processes that would outlive it.
"""

from __future__ import annotations

import subprocess
import sys
import time

from palio.client import Bot, Decision, main
from palio.engine.chance import Stream, seed_from_text

MODE, ARGUMENT = (*sys.argv[1:], "0", "0")[:2]
DECISIONS = 0
HOARD: list[bytearray] = []


class TestBot(Bot):
    """Chooses by hash."""

    __test__ = False
    blocking = MODE == "slow"

    def choose(self, decision: Decision) -> int:
        global DECISIONS
        DECISIONS += 1
        if MODE == "crash" and int(ARGUMENT) <= DECISIONS:
            print("I cannot go on", flush=True)
            sys.stdout.flush()
            import os

            os._exit(3)
        if MODE == "slow":
            time.sleep(float(ARGUMENT))
        if MODE == "hog" and not HOARD:
            HOARD.append(bytearray(int(ARGUMENT) << 20))
            time.sleep(600)  # on a quick machine its matches would be over before anybody looked
        stream = Stream(seed_from_text(f"{self.match.match_id}/{self.match.seat}"), str(decision.decision_id))
        return stream.uniform(len(decision.options))


if __name__ == "__main__":
    if MODE == "mute":
        print("I sit here", flush=True)
        time.sleep(600)
    if MODE == "broken":
        sys.exit("no such model: weights.bin")
    if MODE == "forker":
        for _ in range(int(ARGUMENT)):
            subprocess.Popen(["sleep", "600"], start_new_session=True)
    main(TestBot, [])
