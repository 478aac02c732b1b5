"""What was said in a match before, told again from its records."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path

from palio.server.course import Course
from palio.server.journal import read
from palio.v1 import replay_pb2


def history(
    records: Iterable[replay_pb2.ReplayRecord],
    until: int | None = None,
    watch: Callable[[int, list[bytes]], None] | None = None,
) -> Course:
    """A course replayed from its records with every message kept, for a seat that asks for old messages.

    Args:
        records: the header first.
        until: stop before the choice of that number (from 0); ``None`` goes to the end.
        watch: told the public events of each step, as a spectator would be.
    """
    stream = iter(records)
    course = Course(next(stream).header)
    course.watch = watch
    for seat in range(course.seats):
        course.start(seat)
    for record in stream:
        if until is not None and course.choices >= until and record.HasField("choice"):
            break
        course.apply(record)
    return course


def told_since(course: Course, journal: Path, seat: int, seq: int) -> list[bytes]:
    """The messages to a seat of a running match after ``seq``: what the course does not keep any more is told again
    from the journal.

    Raises:
        BrokenReplay, OSError: the journal cannot be read.
    """
    log = course.logs[seat]
    if seq + 1 >= log.first:
        return log.since(seq)
    forgotten = history(read(journal)).logs[seat].kept[seq : log.first - 1]
    return forgotten + log.since(seq)
