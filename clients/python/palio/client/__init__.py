"""The Python SDK: a bot in a few lines.

from palio.client import Bot, main

class First(Bot):
    def choose(self, decision):
        return 0

main(First)
"""

from palio.client.bot import Bot, Decision, Match
from palio.client.playing import Factory
from palio.client.run import main, play, play_async
from palio.client.settings import Settings, from_environment
from palio.codec.status import PalioError

__all__ = [
    "Bot",
    "Decision",
    "Factory",
    "Match",
    "PalioError",
    "Settings",
    "from_environment",
    "main",
    "play",
    "play_async",
]
