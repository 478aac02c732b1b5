"""Answers that do not count, and messages that come twice or not at all."""

from __future__ import annotations

from typing import Final

from palio.conformance.obligation import Missing, Obligation
from palio.conformance.scenarios.concurrent import PONG_WHILE_ASKED
from palio.conformance.scenarios.playing import BASICS, ECHOES
from palio.conformance.script import scenario
from palio.conformance.stage import Stage
from palio.conformance.table import Table
from palio.v1 import play_pb2

STALE: Final = Obligation(
    "O-29",
    "lets a stale choice rest",
    tried="accepts a choice, then says of the same decision ChoiceRejected STALE",
    expected="no second answer to it, and an answer to the next decision",
    mend="At ChoiceRejected STALE do nothing: that decision is settled.",
)
ILLEGAL: Final = Obligation(
    "O-30",
    "answers again after an illegal choice",
    tried="says ChoiceRejected ILLEGAL with two tries left",
    expected="another Choose for the same decision",
    mend="The decision stays open: choose again, among the options that you were given.",
)
NO_TRIES: Final = Obligation(
    "O-31",
    "gives a decision up when no tries are left",
    tried="says ChoiceRejected ILLEGAL with no tries left",
    expected="no further answer to it",
    mend="Answer again only while ChoiceRejected.tries_left is more than 0.",
)
DUPLICATES: Final = Obligation(
    "O-32",
    "ignores what comes twice",
    tried="sends a question again with the seq that it had",
    expected="no second answer",
    mend="Keep the last seq of each match and pass over updates whose seq is not higher.",
)


_TRIES: Final = 2
_NEEDS: Final = (*BASICS, ECHOES, PONG_WHILE_ASKED)


@scenario(STALE, needs=_NEEDS)
async def stale(stage: Stage) -> str:
    table = await stage.table()
    for _ in range(3):
        choose = await table.answer()
        answered = table.decision.decision_id
        table.accept(choose.option)
        await table.flush()
        since = await table.line.fence()
        _reject(table, answered, play_pb2.REJECTION_REASON_STALE, _TRIES)
        await table.flush()
        await _no_answer(table, answered, since)
    return "it let them rest"


@scenario(ILLEGAL, needs=_NEEDS)
async def illegal(stage: Stage) -> str:
    table = await stage.table()
    asked = table.decision.decision_id
    await table.answer()
    for left in range(_TRIES, 0, -1):
        _reject(table, asked, play_pb2.REJECTION_REASON_ILLEGAL, left)
        await table.flush()
        choose = await table.line.hear("choose", table.match_id)
        if choose.decision_id != asked:
            raise Missing(f"instead of decision {asked} it answered {choose.decision_id}")
    table.accept(choose.option)
    await table.flush()
    await table.play(1)
    return "it chose again"


@scenario(NO_TRIES, needs=_NEEDS)
async def no_tries(stage: Stage) -> str:
    table = await stage.table()
    asked = table.decision.decision_id
    await table.answer()
    since = await table.line.fence()
    _reject(table, asked, play_pb2.REJECTION_REASON_ILLEGAL, 0)
    await table.flush()
    await _no_answer(table, asked, since)
    return "it gave up"


@scenario(DUPLICATES, needs=_NEEDS)
async def duplicates(stage: Stage) -> str:
    table = await stage.table()
    for _ in range(3):
        choose = await table.answer()
        since = await table.line.fence()
        for update in table.said[-2:]:
            await table.line.say(update)
        await _no_answer(table, table.decision.decision_id, since)
        table.accept(choose.option)
        await table.flush()
    return "it answered only once"


def _reject(table: Table, decision_id: int, reason: play_pb2.RejectionReason.ValueType, tries_left: int) -> None:
    rejected = play_pb2.ChoiceRejected(
        decision_id=decision_id, reason=reason, text="a trial of the conformance kit", tries_left=tries_left
    )
    table.notice(choice_rejected=rejected)


async def _no_answer(table: Table, decision_id: int, since: int) -> None:
    said = await table.line.quiet(since)
    if any(request.HasField("choose") and request.choose.decision_id == decision_id for request in said):
        raise Missing(f"it answered decision {decision_id} once more")
