"""How matches end: their results, and their last records."""

from __future__ import annotations

from palio.engine.game import Outcome
from palio.server.match.course import Course
from palio.server.match.ranking import ranked
from palio.v1 import match_pb2, replay_pb2


def final_result(course: Course) -> match_pb2.MatchResult:
    """The result of a match that is decided."""
    outcome = course.state.outcome()
    result = _result(course, outcome, rated=True)
    ranks = ranked(course.state.sides, outcome.ranks if outcome else None, list(course.faults))
    for seat in result.seats:
        seat.rank = ranks[seat.seat]
    return result


def void_result(course: Course) -> match_pb2.MatchResult:
    """The result of a match that does not count."""
    result = _result(course, None, rated=False)
    for seat in result.seats:
        seat.termination = match_pb2.TERMINATION_VOID
    return result


def _result(course: Course, outcome: Outcome | None, *, rated: bool) -> match_pb2.MatchResult:
    header = course.header
    return match_pb2.MatchResult(
        seats=[
            match_pb2.SeatResult(
                seat=seat,
                points=outcome.points[seat] if outcome else 0,
                termination=course.faults.get(seat, match_pb2.TERMINATION_FINISHED),
            )
            for seat in range(course.seats)
        ],
        ended_by=outcome.ended_by if outcome else "",
        seed=course.seed,
        secret=header.seed if header.player_entropy else b"",
        entropy=course.entropy if header.player_entropy else [],
        replay_digest=course.chain.hexdigest(),
        rated=rated,
    )


def void_end(header: replay_pb2.ReplayHeader, reason: str) -> replay_pb2.ReplayEnd:
    """The end of a match that cannot even be played again up to where it stood."""
    seats = [
        match_pb2.SeatResult(seat=seat, termination=match_pb2.TERMINATION_VOID) for seat in range(len(header.players))
    ]
    return replay_pb2.ReplayEnd(result=match_pb2.MatchResult(seats=seats, seed=header.seed), void_reason=reason)


def void_end_of(course: Course, reason: str) -> replay_pb2.ReplayEnd:
    """The end of a match that is void where it stands."""
    return replay_pb2.ReplayEnd(result=void_result(course), void_reason=reason)
