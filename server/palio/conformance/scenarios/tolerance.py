"""What a later version of the protocol, or a rare moment, may bring."""

from __future__ import annotations

from typing import Final

from google.protobuf.message import Message

from palio.conformance.obligation import Obligation
from palio.conformance.scenarios.playing import BASICS
from palio.conformance.script import scenario
from palio.conformance.stage import Stage, games_of
from palio.conformance.table import Table
from palio.v1 import game_pb2, match_pb2, play_pb2

_GO_ON: Final = "the match goes on as if nothing had been said"
_LATER: Final = b"\xc2\x3e\x05later\xc8\x3e\x2a"  # fields 1000, a text, and 1001, a number
_UNKNOWN_UPDATE: Final = 99
_UNKNOWN_VALUE: Final = 99
_ROUNDS: Final = 3

UNKNOWN_FIELDS: Final = Obligation(
    "O-23",
    "bears unknown fields",
    tried="adds fields of a later version to every message, at every depth",
    expected=_GO_ON,
    mend="Do not compare messages with what you know: protobuf skips unknown fields if you let it.",
)
UNKNOWN_UPDATES: Final = Obligation(
    "O-24",
    "bears unknown kinds of updates",
    tried="sends updates of a later kind, about the match and about the session",
    expected=_GO_ON + "; their seq counts",
    mend="Where no case of Update.message is set, take note of seq and do nothing else.",
)
UNKNOWN_VALUES: Final = Obligation(
    "O-25",
    "bears unknown enum values",
    tried="sends a SeatStatus with termination 99 and, about an answered decision, a ChoiceRejected with reason 99",
    expected=_GO_ON,
    mend="Enums are open: give every switch over one a default that does nothing.",
)
UNKNOWN_EVENTS: Final = Obligation(
    "O-26",
    "bears unknown events",
    tried="sends events of which nothing but unknown fields is set",
    expected=_GO_ON,
    mend="Pass over an Event whose game, or whose kind within the game, you do not know.",
)
REFUSALS: Final = Obligation(
    "O-27",
    "bears Refused",
    tried="sends Refused about the match and about the session",
    expected=_GO_ON,
    mend="Refused changes nothing: write it into a log and go on.",
)
SEATS: Final = Obligation(
    "O-28",
    "bears SeatStatus",
    tried="tells that another seat lost its connection, came back, and fell out",
    expected=_GO_ON,
    mend="SeatStatus is about the seat that it names; the match goes on for you.",
)


def _season(message: Message) -> None:
    """Put unknown fields into a message and all that it holds."""
    for field, value in message.ListFields():
        if field.message_type is None or field.message_type.GetOptions().map_entry:
            continue
        for inner in [value] if isinstance(value, Message) else value:
            _season(inner)
    message.MergeFromString(_LATER)


@scenario(UNKNOWN_FIELDS, needs=BASICS)
async def unknown_fields(stage: Stage) -> str:
    line = await stage.connection()
    ping = play_pb2.PlayResponse(updates=[line.next_ping()])
    _season(ping)
    await line.send(ping)
    await line.hear("pong")
    table = Table(line, "one", game=games_of(line)[0], change=_season)
    await table.start()
    await table.play(_ROUNDS)
    return "it played on"


@scenario(UNKNOWN_UPDATES, needs=BASICS)
async def unknown_updates(stage: Stage) -> str:
    table = await stage.table()
    later = play_pb2.Update()
    later.MergeFromString(_LATER)
    for _ in range(_ROUNDS):
        choose = await table.answer()
        table.unknown(_UNKNOWN_UPDATE)
        await table.line.say(later)
        table.accept(choose.option)
        await table.flush()
    await table.answer()
    return "it played on"


@scenario(UNKNOWN_VALUES, needs=BASICS)
async def unknown_values(stage: Stage) -> str:
    table = await stage.table()
    status = play_pb2.SeatStatus(seat=1, termination=_UNKNOWN_VALUE)  # type: ignore[arg-type]
    for _ in range(_ROUNDS):
        choose = await table.answer()
        answered = table.decision.decision_id
        table.accept(choose.option)
        rejected = play_pb2.ChoiceRejected(decision_id=answered, reason=_UNKNOWN_VALUE, text="later")  # type: ignore[arg-type]
        table.notice(choice_rejected=rejected)
        table.notice(seat_status=status)
        await table.flush()
    await table.answer()
    return "it played on"


@scenario(UNKNOWN_EVENTS, needs=BASICS)
async def unknown_events(stage: Stage) -> str:
    later = game_pb2.Event()
    later.MergeFromString(_LATER)

    def spice(update: play_pb2.Update) -> None:
        if update.HasField("events"):
            seasoned = [event for known in update.events.events for event in (later, known)]
            del update.events.events[:]
            update.events.events.extend(seasoned)
            kind = update.events.events.add()
            kind.CopyFrom(seasoned[-1])
            game = kind.WhichOneof("game")
            if game is not None and game != "other":
                inner: Message = getattr(kind, game)
                inner.Clear()
                inner.MergeFromString(_LATER)

    table = await stage.table(change=spice)
    await table.play(_ROUNDS * 2)
    return "it played on"


@scenario(REFUSALS, needs=BASICS)
async def refusals(stage: Stage) -> str:
    table = await stage.table()
    refused = play_pb2.Refused(reason="INVALID_REQUEST", field="signal.words", text="a trial of the conformance kit")
    for _ in range(_ROUNDS):
        choose = await table.answer()
        table.notice(refused=refused)
        await table.line.say(play_pb2.Update(refused=refused))
        table.accept(choose.option)
        await table.flush()
    await table.answer()
    return "it played on"


@scenario(SEATS, needs=BASICS)
async def seats(stage: Stage) -> str:
    table = await stage.table()
    for status in (
        play_pb2.SeatStatus(seat=1, connected=False),
        play_pb2.SeatStatus(seat=1, connected=True),
        play_pb2.SeatStatus(seat=1, termination=match_pb2.TERMINATION_RESIGNED),
    ):
        choose = await table.answer()
        table.notice(seat_status=status)
        table.accept(choose.option)
        await table.flush()
    await table.answer()
    return "it played on"
