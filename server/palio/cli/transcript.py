"""A replay on paper: lines for people, JSON for programs."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from palio.cli.output import print_table, printable
from palio.codec import codec_of
from palio.codec.jsons import payload_of, to_json
from palio.engine.game import Event
from palio.games import rules_of
from palio.server.match.clock import seconds_of
from palio.server.match.transcript import Audience, Choice, Noted, entries
from palio.v1 import game_pb2, match_pb2, replay_pb2

Records = list[replay_pb2.ReplayRecord]


def print_transcript(records: Records, audience: Audience) -> None:
    """The match as text on stdout.

    Raises:
        GameError: it cannot be played again.
    """
    header = records[0].header
    rules = rules_of(header.game)
    _say(f"match {header.match_id}, attempt {header.attempt}: {rules.title}, rules version {header.rules_version}")
    for seat, player in enumerate(header.players):
        _say(f"  seat {seat}: {player}")
    _say(f"  begun {header.created.ToDatetime():%Y-%m-%d %H:%M:%S} UTC, seed commitment {header.seed_commitment}")
    for line in _set_up(header):
        _say(f"  {line}")
    for entry in entries(records, audience):
        match entry:
            case Choice(number, record, kind, option):
                chooser = "the caretaker of seat" if record.caretaker else "seat"
                time = "" if record.caretaker else f", {seconds_of(record.charged):.3f} s"
                text = rules.describe_option(option)
                _say(f"{number:4}. {chooser} {record.seat} {kind}: {text} [of {record.offered}{time}]")
            case Event(fact, viewers):
                only = f" (seen by {_seats(viewers)})" if viewers is not None else ""
                _say(f"      {rules.describe_event(fact)}{only}")
            case Noted(record):
                _print_note(record, list(header.players))


def _set_up(header: replay_pb2.ReplayHeader) -> Iterator[str]:
    """How the match differs from one that nobody sets anything for."""
    rules, codec = rules_of(header.game), codec_of(header.game)
    given = to_json(payload_of(header.options))
    usual = to_json(payload_of(codec.game_options(rules.options())))
    for name, value in given.items():
        if value != usual.get(name):
            shown = json.dumps(value) if not isinstance(value, dict) else "of its own; --json shows all of it"
            yield f"option {name}: {shown}"
    if header.HasField("position"):
        yield "starts from a position, not from a deal"


def _seats(seats: tuple[int, ...]) -> str:
    return f"seat{'s' if len(seats) > 1 else ''} {', '.join(map(str, seats))}"


def _print_note(record: replay_pb2.ReplayRecord, players: list[str]) -> None:
    match record.WhichOneof("record"):
        case "ready":
            _say(f"   -- seat {record.ready.seat} is ready")
        case "fault":
            _say(f"   -- seat {record.fault.seat} is out: {_word(record.fault.termination)}")
        case "notice" if record.notice.HasField("choice_rejected"):
            _say(f"   -- seat {record.notice.seat}: choice rejected, {record.notice.choice_rejected.text}")
        case "notice" if record.notice.HasField("refused"):
            _say(f"   -- seat {record.notice.seat}: refused, {record.notice.refused.text}")
        case "notice" if record.notice.HasField("seat_status"):
            state = "connected" if record.notice.seat_status.connected else "lost its connection"
            _say(f"   -- seat {record.notice.seat_status.seat} {state} (told to seat {record.notice.seat})")
        case "end":
            _print_end(record.end, players)
        case _:
            pass


def _print_end(end: replay_pb2.ReplayEnd, players: list[str]) -> None:
    result = end.result
    how = f"void: {end.void_reason}" if end.void_reason else f"ended by {result.ended_by or 'a fault'}"
    _say(f"{how}; seed {result.seed.hex()}, digest {result.replay_digest}")
    print_table(
        [">seat", "player", ">rank", ">points", "how"],
        [
            (str(seat.seat), players[seat.seat], str(seat.rank), str(seat.points), _word(seat.termination))
            for seat in result.seats
        ],
    )


def _word(termination: match_pb2.Termination.ValueType) -> str:
    return match_pb2.Termination.Name(termination).removeprefix("TERMINATION_").lower().replace("_", " ")


def transcript_json(records: Records, audience: Audience) -> dict[str, Any]:
    """The match as JSON: ``header``, ``entries`` (each with one key that says what it is), ``end`` or null.

    Raises:
        GameError: it cannot be played again.
    """
    codec = codec_of(records[0].header.game)
    header = replay_pb2.ReplayHeader()
    header.CopyFrom(records[0].header)
    if audience != "all":
        # Until the match is over these are the server's secrets; afterwards the result has the seed.
        header.ClearField("seed")
        header.ClearField("position")
    found: list[dict[str, Any]] = []
    end: dict[str, Any] | None = None
    for entry in entries(records, audience):
        match entry:
            case Choice(number, record, kind, option):
                taken = to_json(game_pb2.Option.FromString(codec.option(option)))
                found.append({"choice": to_json(record) | {"number": number, "kind": kind, "taken": taken}})
            case Event(fact, viewers):
                event = to_json(game_pb2.Event.FromString(codec.event(fact)))
                found.append({"event": event, "viewers": None if viewers is None else list(viewers)})
            case Noted(record) if record.HasField("end"):
                end = to_json(record.end)
            case Noted(record):
                name = record.WhichOneof("record")
                assert name is not None
                found.append({name: to_json(getattr(record, name))})
    return {"header": to_json(header), "entries": found, "end": end}


def _say(line: str) -> None:
    """Names and reasons in a replay are whatever its file says."""
    print(printable(line))
