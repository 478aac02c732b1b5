"""Servers that go down, are full, or are not there for a while."""

from __future__ import annotations

import asyncio
from typing import Final

from palio.codec.status import Draining, LimitReached
from palio.conformance.obligation import Missing, Obligation
from palio.conformance.scenarios.playing import BASICS
from palio.conformance.scenarios.resuming import COMES_BACK
from palio.conformance.script import scenario
from palio.conformance.stage import Stage
from palio.conformance.table import Table
from palio.v1 import play_pb2

_BACK: Final = "a new connection that resumes the match"
_NEEDS: Final = (*BASICS, COMES_BACK)

DRAINING: Final = Obligation(
    "O-40",
    "comes back to a draining server",
    tried="says Goodbye DRAINING in the middle of a match",
    expected=_BACK,
    mend="Goodbye DRAINING means later, not never: wait, connect again, resume.",
)
CLOSED: Final = Obligation(
    "O-41",
    "comes back when the stream ends without a word",
    tried="ends the stream with status OK, without Goodbye, in the middle of a match",
    expected=_BACK,
    mend="Only Goodbye LEFT is a regular end; treat any other end of the stream as a lost connection.",
)
UNKNOWN_GOODBYE: Final = Obligation(
    "O-42",
    "comes back after a Goodbye that it does not know",
    tried="says Goodbye with reason 99 in the middle of a match",
    expected=_BACK,
    mend="Treat a Goodbye with an unknown reason as a lost connection.",
)
RESTART: Final = Obligation(
    "O-43",
    "outlasts a restart of the server",
    tried="stops listening in the middle of a match, and listens again a second later",
    expected=_BACK,
    mend="A refused connection is as good as a broken one: go on trying, with growing pauses, for a minute.",
)
BACK_OFF: Final = Obligation(
    "O-44",
    "waits longer from try to try",
    tried="refuses five connections in a row with UNAVAILABLE, then lets the bot in",
    expected="pauses that grow, half a second or more in all",
    mend="Double the pause after each failure, from about 0.1 s up to 5 s, and vary it a little by chance.",
)
FULL: Final = Obligation(
    "O-45",
    "tries a full server again",
    tried="refuses the first connection with RESOURCE_EXHAUSTED",
    expected="another connection",
    mend="RESOURCE_EXHAUSTED passes: treat it like UNAVAILABLE.",
)
_UNKNOWN_REASON: Final = 99
_DOWN: Final = 1.0
_REFUSALS: Final = 5
_LEAST: Final = 0.5


async def _resumed(stage: Stage, table: Table) -> str:
    line = await stage.connection()
    if table.match_id not in line.hello.resume:
        raise Missing("it came back without the match in Hello.resume")
    await table.resume(line)
    await table.play(2)
    return "it came back and played on"


async def answered(stage: Stage) -> Table:
    """A match in which the last answer counts, but the bot has not been told."""
    table = await stage.table()
    choose = await table.answer()
    await table.line.fence()
    table.accept(choose.option)
    table.withhold()
    return table


@scenario(DRAINING, needs=_NEEDS)
async def draining(stage: Stage) -> str:
    table = await answered(stage)
    await table.line.goodbye(play_pb2.GOODBYE_REASON_DRAINING, "a trial of the conformance kit")
    return await _resumed(stage, table)


@scenario(CLOSED, needs=_NEEDS)
async def closed(stage: Stage) -> str:
    table = await answered(stage)
    table.line.end()
    return await _resumed(stage, table)


@scenario(UNKNOWN_GOODBYE, needs=_NEEDS)
async def unknown_goodbye(stage: Stage) -> str:
    table = await answered(stage)
    await table.line.goodbye(_UNKNOWN_REASON, "a trial of the conformance kit")
    return await _resumed(stage, table)


@scenario(RESTART, needs=_NEEDS)
async def restart(stage: Stage) -> str:
    table = await answered(stage)
    await stage.close()
    await asyncio.sleep(_DOWN)
    await stage.open()
    return await _resumed(stage, table)


@scenario(BACK_OFF, needs=BASICS)
async def back_off(stage: Stage) -> str:
    clock = asyncio.get_running_loop().time
    pauses: list[float] = []
    for _ in range(_REFUSALS):
        line = await stage.arrival()
        await line.hear("hello")
        line.refuse(Draining("a trial of the conformance kit"))
        refused = clock()
        following = await stage.arrival()
        pauses.append(following.arrived - refused)
        stage.put_back(following)
    await stage.connection()
    told = ", ".join(f"{pause:.2f}" for pause in pauses)
    if sum(pauses) < _LEAST:
        raise Missing(f"it hammered: the pauses were {told} s")
    if sum(pauses[-2:]) <= sum(pauses[:2]):
        raise Missing(f"the pauses did not grow: {told} s")
    return "the pauses grew"


@scenario(FULL, needs=BASICS)
async def full(stage: Stage) -> str:
    line = await stage.arrival()
    await line.hear("hello")
    line.refuse(LimitReached("a trial of the conformance kit"))
    await stage.connection()
    return "it tried again"
