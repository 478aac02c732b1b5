"""How much of a result is shown."""

from __future__ import annotations

from typing import Final

from palio.v1 import match_pb2, replay_pb2

_SEED_FIELDS: Final = ("seed", "secret", "entropy")


def shown_result(header: replay_pb2.ReplayHeader, result: match_pb2.MatchResult) -> match_pb2.MatchResult:
    """A result as players and the public may see it: without what gives the deal away where it is played again."""
    if not header.withhold_seed:
        return result
    shown = match_pb2.MatchResult()
    shown.CopyFrom(result)
    for name in _SEED_FIELDS:
        shown.ClearField(name)
    return shown
