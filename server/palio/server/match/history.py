"""What was said in a match before, told again from its records."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

from palio.server.match.course import Course
from palio.server.match.journal import read
from palio.server.outbox import LARGEST_JOINED
from palio.v1 import replay_pb2


def history(records: Iterable[replay_pb2.ReplayRecord]) -> Course:
    """A course replayed from its records, the header first, with every message kept: for who asks for old ones."""
    stream = iter(records)
    course = _opened(next(stream))
    for record in stream:
        course.apply(record)
    return course


def _opened(header: replay_pb2.ReplayRecord) -> Course:
    course = Course(header.header)
    for seat in range(course.seats):
        course.start(seat)
    return course


class Step(NamedTuple):
    """Something that everybody learns of.

    Attributes:
        turn: ``State.turn`` then.
        records: how many it takes to get there, the header included.
        events: the public ones since the step before, serialised.
    """

    turn: int
    records: int
    events: list[bytes]


class Steps(NamedTuple):
    """What a spectator could have been told of a match so far.

    Attributes:
        turn: ``State.turn`` now.
        first: records until the game begins, the header included.
        told: in order.
    """

    turn: int
    first: int
    told: list[Step]


def public_steps(records: Iterable[replay_pb2.ReplayRecord]) -> Steps:
    """The public side of a match, from its records, the header first."""
    stream = iter(records)
    course = _opened(next(stream))
    number = first = 1
    told: list[Step] = []
    course.watch = lambda _, events: told.append(Step(course.state.turn, number, events))
    for record in stream:
        number += 1
        begun = course.begun
        course.apply(record)
        if not begun:
            first = number
    return Steps(course.state.turn, first, told)


def joined(messages: Iterable[bytes]) -> list[bytes]:
    """As few messages with the same updates: who comes back to many matches must not be taken for one who does not
    read, because so much waits at once."""
    large: list[bytes] = []
    parts: list[bytes] = []
    size = 0
    for message in messages:
        if size + len(message) > LARGEST_JOINED and parts:
            large.append(b"".join(parts))
            parts, size = [], 0
        parts.append(message)
        size += len(message)
    return [*large, b"".join(parts)] if parts else large


def told_since(course: Course, journal: Path, seat: int, seq: int) -> list[bytes]:
    """The messages to a seat of a running match after ``seq``, joined to few: what the course does not keep any more is
    told again from the journal.

    Raises:
        BrokenReplay, OSError: the journal cannot be read.
    """
    log = course.logs[seat]
    if seq + 1 < log.first:
        # They are kept from now on: else a bot that comes back again and again would have the match played through on
        # the event loop each time.
        log.fill(history(read(journal)).logs[seat].kept[: log.first - 1])
    return joined(log.since(seq))
