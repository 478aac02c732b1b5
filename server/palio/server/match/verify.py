"""Checking a replay by playing it again: commitment, every choice, outcome and digest."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from google.protobuf.message import Message

from palio.engine.chance import commitment
from palio.engine.errors import GameError
from palio.server.match.course import Course
from palio.server.match.journal import BrokenReplay, unframe
from palio.server.match.results import final_result, void_result
from palio.v1 import match_pb2, replay_pb2


@dataclass(slots=True)
class Verdict:
    """What a check came to.

    Attributes:
        match_id, attempt, game: of the match; empty and 0 where the file does not even say that.
        choices: that were played again without a difference.
        digest: of those choices.
        difference: the first thing that does not fit, or empty.
    """

    match_id: str = ""
    attempt: int = 0
    game: str = ""
    choices: int = 0
    digest: str = ""
    difference: str = ""


class Difference(GameError):
    """Something in a replay does not fit; the message says what."""


def verify_file(path: Path) -> Verdict:
    """Check a replay file.

    Raises:
        OSError: it cannot be read.
    """
    data = path.read_bytes()
    try:
        records, size = unframe(data)
    except BrokenReplay as error:
        return Verdict(difference=str(error))
    verdict = verify(records)
    if not verdict.difference and size != len(data):
        verdict.difference = f"{len(data) - size} bytes follow that are no record"
    return verdict


def verify(records: list[replay_pb2.ReplayRecord]) -> Verdict:
    """Check the records of a match, the header first."""
    verdict = Verdict()
    if not records or not records[0].HasField("header"):
        verdict.difference = "this is no replay: it does not begin with a header"
        return verdict
    header = records[0].header
    verdict.match_id, verdict.attempt, verdict.game = header.match_id, header.attempt, header.game
    try:
        _check(records, verdict)
    except GameError as difference:
        verdict.difference = str(difference)
    return verdict


def _check(records: list[replay_pb2.ReplayRecord], verdict: Verdict) -> None:
    header = records[0].header
    if commitment(header.seed) != header.seed_commitment:
        raise Difference("the seed is not the one that was committed to before the match")
    course = Course(header)
    if course.rules.version != header.rules_version:
        raise Difference(
            f"it was played by version {header.rules_version} of the rules of {header.game}, "
            f"and this program has version {course.rules.version}"
        )
    if course.state.players != len(header.players):
        raise Difference(f"{len(header.players)} players are named, {course.state.players} have a seat")
    for number, record in enumerate(records[1:], 2):
        if course.result is not None:
            raise Difference(f"record {number} comes after the end")
        try:
            check_record(course, record)
        except GameError as error:
            raise Difference(f"record {number}: {error}") from None
        course.apply(record)
        verdict.choices, verdict.digest = course.choices, course.chain.hexdigest()
    if course.result is None:
        raise Difference(f"the match is not over: there is no result after {course.choices} choices")


def check_record(course: Course, record: replay_pb2.ReplayRecord) -> None:
    """Whether the next record of a match can be one.

    Raises:
        GameError: it cannot; the message says why.
    """
    kind = record.WhichOneof("record")
    match kind:
        case "choice":
            _check_choice(course, record.choice)
        case "signal":
            _check_seat(course, record.signal.seat)
            course.state.clone().signal(record.signal.seat, course.codec.read_words(record.signal.words))
        case "ready":
            _check_seat(course, record.ready.seat)
            if record.ready.seat in course.ready:
                raise Difference(f"seat {record.ready.seat} was ready before")
        case "fault":
            _check_seat(course, record.fault.seat)
            if record.fault.seat in course.faults:
                raise Difference(f"seat {record.fault.seat} fell out before")
        case "notice":
            _check_seat(course, record.notice.seat)
        case "end":
            _check_result(course, record.end.result)
        case _:
            raise Difference(f"a {kind or 'record of an unknown kind'} has no place here")


def _check_seat(course: Course, seat: int) -> None:
    if not 0 <= seat < course.seats:
        raise Difference(f"there is no seat {seat}")


def _check_choice(course: Course, choice: replay_pb2.ReplayChoice) -> None:
    what = f"choice {course.choices + 1}"
    decision = course.decision
    if decision is None:
        raise Difference(f"{what}: {'the game is over already' if course.begun else 'the game has not begun'}")
    if choice.seat != decision.seat:
        raise Difference(f"{what}: made by seat {choice.seat}, but seat {decision.seat} is asked")
    expected = course.chain.next_id(choice.seat)
    if choice.decision_id != expected:
        raise Difference(f"{what}: decision_id {choice.decision_id} is recorded, {expected} expected")
    offered = len(decision.options)
    if choice.offered != offered:
        raise Difference(f"{what}: {choice.offered} options are recorded, {offered} offered by the rules")
    if not 0 <= choice.option < offered:
        raise Difference(f"{what}: option {choice.option} is not between 0 and {offered - 1}")
    if choice.caretaker != (choice.seat in course.faults):
        raise Difference(f"{what}: only for a seat that fell out the caretaker chooses")
    if choice.caretaker:
        option = course.caretaker.preview(choice.seat, offered)
        if choice.option != option:
            raise Difference(f"{what}: the caretaker took option {choice.option}, its stream says {option}")


def _check_result(course: Course, recorded: match_pb2.MatchResult) -> None:
    void = any(seat.termination == match_pb2.TERMINATION_VOID for seat in recorded.seats)
    if not void and not course.decided():
        raise Difference(f"a result after {course.choices} choices, though the match is not decided")
    expected = void_result(course) if void else final_result(course)
    difference = _first_difference(recorded, expected, "result")
    if difference:
        raise Difference(difference)


def _first_difference(recorded: Message, expected: Message, path: str) -> str:
    """Of two messages of one type: ``path: A is recorded, B expected``; empty if they are equal."""
    for field in recorded.DESCRIPTOR.fields:
        one, two = getattr(recorded, field.name), getattr(expected, field.name)
        name = f"{path}.{field.name}"
        if one == two:
            continue
        if not field.is_repeated:
            return f"{name}: {_text(one)} is recorded, {_text(two)} expected"
        if len(one) != len(two):
            return f"{name}: {len(one)} entries are recorded, {len(two)} expected"
        index = next(index for index, pair in enumerate(zip(one, two, strict=True)) if pair[0] != pair[1])
        if isinstance(one[index], Message):
            return _first_difference(one[index], two[index], f"{name}[{index}]")
        return f"{name}[{index}]: {_text(one[index])} is recorded, {_text(two[index])} expected"
    return ""


def _text(value: object) -> str:
    return value.hex() if isinstance(value, bytes) else repr(value)
