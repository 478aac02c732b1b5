"""What is asked of the server for a match, as messages."""

from __future__ import annotations

from google.protobuf import duration_pb2

from palio.tournament.plan import Terms
from palio.tournament.runner.queue import Seating
from palio.v1 import match_pb2


def match_request(terms: Terms, seating: Seating, attempt: int) -> match_pb2.CreateMatchRequest:
    """The match that a seating is played as."""
    config = terms.config
    time_control = match_pb2.TimeControl()
    for name, seconds in config.time_control.model_dump().items():
        if seconds is not None:
            getattr(time_control, name).CopyFrom(_duration(seconds))
    policies = match_pb2.Policies(illegal_tries=config.policies.illegal_tries)
    policies.disconnection_grace.CopyFrom(_duration(config.policies.disconnection_grace))
    policies.no_show.CopyFrom(_duration(config.policies.no_show))
    return match_pb2.CreateMatchRequest(
        match_id=terms.match_id(*seating.key),
        game=config.game,
        players=seating.players,
        options=terms.options,
        time_control=time_control,
        policies=policies,
        seed=terms.match_seed(seating.block),
        attempt=attempt,
        withhold_seed=True,  # the same deal comes again: in the block's other seatings, and after a void attempt
    )


def _duration(seconds: float) -> duration_pb2.Duration:
    nanos = round(seconds * 1e9)
    return duration_pb2.Duration(seconds=nanos // 10**9, nanos=nanos % 10**9)
