"""What a bot has to say when it comes back after its connection broke."""

from __future__ import annotations

from typing import Final

from palio.conformance.obligation import Missing, Obligation
from palio.conformance.scenarios.concurrent import PONG_WHILE_ASKED
from palio.conformance.scenarios.playing import BASICS, ECHOES
from palio.conformance.script import scenario
from palio.conformance.stage import Stage, games_of
from palio.conformance.table import Table
from palio.v1 import play_pb2

_BROKEN: Final = "breaks the connection in the middle of a match"

COMES_BACK: Final = Obligation(
    "O-33",
    "comes back after its connection broke",
    tried=_BROKEN + " (status UNAVAILABLE)",
    expected="a new connection that names the match in Hello.resume, and the match played on",
    mend="Treat UNAVAILABLE as a lost connection: wait a little, connect again, list running matches in Hello.resume.",
)
LAST_SEQ: Final = Obligation(
    "O-34",
    "resumes from the last update that it has seen",
    tried=_BROKEN,
    expected="Hello.resume with the seq of the last update about the match",
    mend="Take note of Update.seq of every update about a match, whatever its kind, and send the last one.",
)
FORGETS: Final = Obligation(
    "O-35",
    "does not resume what is over",
    tried="ends one match, then breaks the connection",
    expected="Hello.resume without the match that ended",
    mend="Take a match out of what you will resume when MatchEnded comes.",
)
REPEATS_CHOICE: Final = Obligation(
    "O-36",
    "says again what may have been lost",
    tried="breaks the connection after an answer, before saying that it counts",
    expected="the same Choose again on the new connection",
    mend="Keep an answer until ChoiceAccepted comes for it; after Welcome send it again, with the same option.",
)
REPEATS_READY: Final = Obligation(
    "O-37",
    "says Ready again if nothing came after it",
    tried="breaks the connection after Ready",
    expected="Ready again on the new connection",
    mend="After Welcome send Ready again for every match in which neither events nor a decision came yet.",
)
HISTORY: Final = Obligation(
    "O-38",
    "does not answer what was answered already",
    tried="sends, after a reconnection, a decision with 'answered' set and then an open one",
    expected="an answer to the open one only",
    mend="A Decision that has 'answered' set (0 counts too) is history: ask nobody, answer nothing.",
)
GAP: Final = Obligation(
    "O-39",
    "notices that something is missing",
    tried="leaves out one seq",
    expected="a new connection that resumes from the last update before the gap",
    mend="If Update.seq is not the last one plus 1, end the stream and connect again with resume.",
)


@scenario(COMES_BACK, LAST_SEQ, needs=(*BASICS, PONG_WHILE_ASKED))
async def comes_back(stage: Stage) -> None:
    table = await stage.table()
    await table.play(2)
    choose = await table.answer()
    await table.line.fence()
    seen = table.last_seq
    table.accept(choose.option)
    table.line.cut()
    line = await stage.connection()
    if table.match_id not in line.hello.resume:
        raise Missing("it came back without the match in Hello.resume")
    told = line.hello.resume[table.match_id]
    await table.resume(line)
    await table.play(2)
    stage.judge(COMES_BACK, True, "it came back and played on")
    stage.judge(LAST_SEQ, told == seen, f"the last seq was {seen}, it resumed from {told}")


@scenario(FORGETS, needs=(*BASICS, COMES_BACK))
async def forgets(stage: Stage) -> str:
    first = await stage.table("over")
    await first.answer()
    await first.finish()
    second = Table(first.line, "running", game=games_of(first.line)[0])
    await second.start()
    await second.answer()
    await second.line.fence()
    second.line.cut()
    line = await stage.connection()
    if first.match_id in line.hello.resume:
        raise Missing("it asked for the match that was over")
    return "it asked for the running match only"


@scenario(REPEATS_CHOICE, needs=(*BASICS, COMES_BACK))
async def repeats_choice(stage: Stage) -> str:
    table = await stage.table()
    for _ in range(3):
        choose = await table.answer()
        await table.line.fence()
        table.line.cut()
        table.line = await stage.connection()
        again = await table.line.hear("choose", table.match_id)
        if (again.decision_id, again.option) != (choose.decision_id, choose.option):
            was = f"decision {choose.decision_id} with option {choose.option}"
            raise Missing(f"it had answered {was}, and came back with {again.decision_id} and {again.option}")
        table.accept(choose.option)
        await table.flush()
    return "it said the same again"


@scenario(REPEATS_READY, needs=(*BASICS, COMES_BACK))
async def repeats_ready(stage: Stage) -> str:
    line = await stage.connection()
    table = Table(line, "one", game=games_of(line)[0])
    table.announce()
    await table.flush()
    await line.hear("ready", "one")
    await line.fence()
    line.cut()
    table.line = await stage.connection()
    await table.line.hear("ready", "one")
    table.deal()
    await table.flush()
    await table.play(2)
    return "it said Ready again"


@scenario(HISTORY, needs=(*BASICS, ECHOES, COMES_BACK))
async def history(stage: Stage) -> str:
    table = await stage.table()
    choose = await table.answer()
    for _ in range(2):
        await table.line.fence()
        table.line.cut()
        line = await stage.connection()
        table.accept(choose.option)
        meanwhile = table.decision.decision_id
        table.accept(0)
        await table.resume(line)
        choose = await line.hear("choose", wanted=lambda choose: choose.decision_id == table.decision.decision_id)
        await line.fence()
        if any(request.choose.decision_id == meanwhile for request in line.heard):
            raise Missing(f"it answered decision {meanwhile}, which was answered already")
    return "it answered the open one only"


@scenario(GAP, needs=(*BASICS, COMES_BACK, LAST_SEQ))
async def gap(stage: Stage) -> str:
    table = await stage.table()
    choose = await table.answer()
    seen = table.last_seq
    table.notice(seat_status=play_pb2.SeatStatus(seat=1, connected=True))
    table.withhold()
    table.accept(choose.option)
    await table.line.say(table.withhold()[0])
    line = await stage.connection()
    told = line.hello.resume.get(table.match_id, 0)
    if told != seen:
        raise Missing(f"the last seq before the gap was {seen}, it resumed from {told}")
    await table.resume(line)
    await table.play(2)
    return "it came back for what was missing"
