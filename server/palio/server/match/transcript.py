"""A replay as a list of entries that a given audience may see, for people and programs."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal, NamedTuple, TypeAlias

from palio.engine.game import Event, Option
from palio.server.match.course import Course
from palio.server.match.verify import check_record
from palio.v1 import replay_pb2

Audience: TypeAlias = int | Literal["public", "all"]
"""A seat; what everybody may see; or everything."""


class Choice(NamedTuple):
    """A choice that the audience may see.

    Attributes:
        number: 1, 2, 3 ... in the match; where the audience is one seat, of its own choices.
        record: as it stands in the replay.
        kind: of the decision.
        option: that was taken.
    """

    number: int
    record: replay_pb2.ReplayChoice
    kind: str
    option: Option


class Noted(NamedTuple):
    """A record that is no choice: a seat is ready, fell out or was told something; or the end."""

    record: replay_pb2.ReplayRecord


Entry: TypeAlias = Choice | Event | Noted


def entries(records: list[replay_pb2.ReplayRecord], audience: Audience) -> Iterator[Entry]:
    """What happened, oldest first. Of the other seats' choices a seat, and the public, see only the events.

    Args:
        records: the header first; the end may be missing.

    Raises:
        GameError: this record cannot be (``palio replay verify`` says the same).
    """
    course = Course(records[0].header)
    happened: list[Event] = []
    course.trace(happened.append)
    for record in records[1:]:
        check_record(course, record)
        if record.HasField("choice"):
            if audience in ("all", record.choice.seat):
                assert course.decision is not None
                option = course.decision.options[record.choice.option]
                # A count over all seats would tell a single one how many hidden decisions the others had.
                number = course.choices + 1 if audience == "all" else record.choice.decision_id
                yield Choice(number, record.choice, course.decision.kind, option)
        elif not record.HasField("signal") and (
            not record.HasField("notice") or audience in ("all", record.notice.seat)
        ):
            yield Noted(record)
        course.apply(record)
        yield from (event for event in happened if _sees(audience, event))
        happened.clear()


def _sees(audience: Audience, event: Event) -> bool:
    return event.viewers is None or audience == "all" or audience in event.viewers
