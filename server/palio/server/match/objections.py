"""Why a choice does not count."""

from __future__ import annotations

from typing import Final, NamedTuple

from palio.server.match.course import Course
from palio.v1 import play_pb2

_STALE: Final = play_pb2.REJECTION_REASON_STALE
_ILLEGAL: Final = play_pb2.REJECTION_REASON_ILLEGAL
_NOT_YOURS: Final = play_pb2.REJECTION_REASON_NOT_YOURS


class Objection(NamedTuple):
    """What is wrong with a choice.

    Attributes:
        reason: for programs.
        text: for people, with what would be right.
        counts: whether it is one of the tries that a decision bears: who only repeats itself does no wrong.
    """

    reason: play_pb2.RejectionReason.ValueType
    text: str
    counts: bool = True


def objection(course: Course, seat: int, decision_id: int, option: int) -> Objection | None:
    """What is wrong with that choice of a seat now, ``None`` if it counts."""
    decision = course.decision
    expected = course.chain.next_id(seat)
    if decision_id < expected:
        return Objection(_STALE, f"decision {decision_id} is answered already", counts=False)
    if decision is None or decision.seat != seat or seat in course.faults:
        return Objection(_NOT_YOURS, f"seat {seat} is not asked now")
    if decision_id > expected:
        return Objection(_NOT_YOURS, f"the pending decision is {expected}")
    if not 0 <= option < len(decision.options):
        return Objection(_ILLEGAL, f"option {option} is not between 0 and {len(decision.options) - 1}")
    return None
