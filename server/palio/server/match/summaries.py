"""Matches as organisers and spectators see them."""

from __future__ import annotations

from palio.server.match.disclosure import shown_result
from palio.v1 import match_pb2, replay_pb2


def summary(
    header: replay_pb2.ReplayHeader,
    state: match_pb2.MatchState.ValueType,
    choices: int,
    end: replay_pb2.ReplayEnd | None,
) -> match_pb2.Match:
    """A match by its header, where it stands, and its end if there is one."""
    match = match_pb2.Match(
        match_id=header.match_id,
        attempt=header.attempt,
        game=header.game,
        rules_version=header.rules_version,
        options=header.options,
        players=header.players,
        state=state,
        choices=choices,
        created=header.created,
        seed_commitment=header.seed_commitment,
        time_control=header.time_control,
        policies=header.policies,
    )
    if end is not None:
        match.result.CopyFrom(shown_result(header, end.result))
        match.ended.CopyFrom(end.time)
        match.void_reason = end.void_reason
    return match


def summary_of(records: list[replay_pb2.ReplayRecord]) -> match_pb2.Match:
    """The match that a complete replay is of."""
    end = records[-1].end
    void = any(seat.termination == match_pb2.TERMINATION_VOID for seat in end.result.seats)
    state = match_pb2.MATCH_STATE_VOID if void else match_pb2.MATCH_STATE_FINISHED
    return summary(records[0].header, state, sum(record.HasField("choice") for record in records), end)
