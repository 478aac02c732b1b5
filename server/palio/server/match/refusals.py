"""Telling a seat that something it said does not count."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from palio.codec.status import field_of, row_of, shortened, text_of
from palio.server.match.attendance import Attendance
from palio.server.match.clock import duration
from palio.server.match.objections import Objection
from palio.v1 import play_pb2, replay_pb2

MOST_NOTICES: Final = 100
"""Refusals of one seat since its last choice that counted, after which they are no longer kept for it."""


def refusal(error: BaseException) -> play_pb2.Refused:
    """An error as the message of a play stream."""
    return play_pb2.Refused(reason=row_of(error).reason, field=shortened(field_of(error)), text=text_of(error))


class Refusals:
    """Refuses what the seats of one match say.

    Args:
        match_id: of the match.
        seats: of the match.
        tries: rejected choices that a decision bears.
        commit: takes a record: what is numbered has to be kept.
    """

    def __init__(
        self, match_id: str, seats: Attendance, tries: int, commit: Callable[[replay_pb2.ReplayRecord], None]
    ) -> None:
        self._match_id = match_id
        self._seats = seats
        self._tries = tries
        self._commit = commit

    def repeat(self, seat: int) -> None:
        """The same choice was sent again: the same answer, as a message of the session (it has no new number)."""
        place = self._seats[seat]
        decision_id, option, charged = place.answered
        accepted = play_pb2.ChoiceAccepted(decision_id=decision_id, option=option, charged=duration(charged))
        if place.session is not None:
            place.session.tell(play_pb2.Update(match_id=self._match_id, choice_accepted=accepted))
            place.session.nonsense()

    def reject(self, seat: int, decision_id: int, wrong: Objection) -> int:
        """A choice does not count. Returns how many more the decision bears; negative if that was one too many."""
        place = self._seats[seat]
        if wrong.counts:
            place.tries += 1
        left = self._tries - place.tries
        rejected = play_pb2.ChoiceRejected(
            decision_id=decision_id, reason=wrong.reason, text=wrong.text, tries_left=max(0, left)
        )
        self._notify(seat, replay_pb2.ReplayNotice(seat=seat, choice_rejected=rejected))
        return left

    def refuse(self, seat: int, error: BaseException) -> None:
        """Something other than a choice is refused."""
        self._notify(seat, replay_pb2.ReplayNotice(seat=seat, refused=refusal(error)))

    def _notify(self, seat: int, notice: replay_pb2.ReplayNotice) -> None:
        """What is numbered has to be kept, so there is a bound to it; beyond, the seat is told without a number."""
        place = self._seats[seat]
        place.noise += 1
        if place.noise <= MOST_NOTICES:
            self._commit(replay_pb2.ReplayRecord(notice=notice))
        elif place.session is not None:
            update = play_pb2.Update(match_id=self._match_id)
            if notice.HasField("choice_rejected"):
                update.choice_rejected.CopyFrom(notice.choice_rejected)
            else:
                update.refused.CopyFrom(notice.refused)
            place.session.tell(update)
        if place.session is not None:
            place.session.nonsense()
