"""Several matches at once, and heartbeats meanwhile."""

from __future__ import annotations

import asyncio
from typing import Final

from palio.conformance.line import Line
from palio.conformance.obligation import Missing, Obligation
from palio.conformance.scenarios.playing import BASICS, ECHOES
from palio.conformance.script import scenario
from palio.conformance.stage import Stage, games_of
from palio.conformance.table import Table

MANY: Final = 3
_MOST: Final = 32
_ROUNDS: Final = 6
_ONE_MATCH: Final = "it declares one match at a time, so there is nothing to try"

MIXES_NOTHING: Final = Obligation(
    "O-19",
    "does not mix its matches up",
    tried="plays three matches at once, one step of each in turn",
    expected="each answer under the id of the match that asked",
    mend="Keep everything that you know per match_id, and answer with the Update.match_id of the decision.",
)
NO_WAITING: Final = Obligation(
    "O-20",
    "does not let one match wait for another",
    tried="asks in three matches and tells nobody yet whether a choice counts",
    expected="an answer in all three",
    mend="Give each match its own task or thread; a match whose answer is not confirmed must not hold the others up.",
)
AS_DECLARED: Final = Obligation(
    "O-21",
    "plays as many matches as it declares",
    tried="starts as many matches at once as Hello declares, 32 at most",
    expected="Ready and an answer in every one",
    mend="Declare in Hello.max_concurrent_matches what you can really play at the same time.",
)
PONG_WHILE_ASKED: Final = Obligation(
    "O-22",
    "answers a Ping while it thinks",
    tried="sends a Ping behind a question, and one before it says that the choice counts, ten times",
    expected="Pong each time, without the rest of the match having to go on",
    mend="Read the stream in a task of its own: thinking must not keep you from answering heartbeats.",
)


async def _tables(line: Line, count: int) -> list[Table]:
    tables = [Table(line, f"match-{n}", game=games_of(line)[0]) for n in range(count)]
    for table in tables:
        table.announce()
        await table.flush()
    for table in tables:
        await line.hear("ready", table.match_id)
        table.deal()
    return tables


@scenario(MIXES_NOTHING, needs=(*BASICS, ECHOES))
async def mixes_nothing(stage: Stage) -> str:
    line = await stage.connection()
    if line.capacity == 1:
        return _ONE_MATCH
    tables = await _tables(line, min(MANY, line.capacity))
    for table in tables:
        await table.flush()
    for _ in range(_ROUNDS):
        for table in tables:
            asked = table.decision.decision_id
            choose = await table.answer()
            if choose.decision_id != asked:
                raise Missing(f"decision {asked} of {table.match_id} was answered as {choose.decision_id}")
            table.accept(choose.option)
            await table.flush()
    return f"{len(tables)} matches went on side by side"


@scenario(NO_WAITING, needs=(*BASICS, MIXES_NOTHING))
async def no_waiting(stage: Stage) -> str:
    line = await stage.connection()
    if line.capacity == 1:
        return _ONE_MATCH
    tables = await _tables(line, min(MANY, line.capacity))
    for _ in range(2):
        for table in tables:
            await table.flush()
        for table in reversed(tables):
            table.accept((await table.answer()).option)
    return f"{len(tables)} matches answered without waiting for each other"


@scenario(AS_DECLARED, needs=(*BASICS, MIXES_NOTHING, NO_WAITING))
async def as_declared(stage: Stage) -> str:
    line = await stage.connection()
    tables = await _tables(line, min(_MOST, line.capacity))
    for table in tables:
        await table.flush()
    await asyncio.gather(*(table.answer() for table in tables))
    return f"it played {len(tables)} matches at once"


@scenario(PONG_WHILE_ASKED, needs=BASICS)
async def pong_while_asked(stage: Stage) -> str:
    line = await stage.connection()
    (table,) = await _tables(line, 1)
    count = 10
    for _ in range(count):
        await table.flush()
        await line.fence()
        choose = await table.answer()
        await line.fence()
        table.accept(choose.option)
    return f"{count} pings were answered while a question was open"
