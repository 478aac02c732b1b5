"""One match."""

from __future__ import annotations

import asyncio
from typing import Final

from palio.conformance.line import QUIET, describe, match_of
from palio.conformance.obligation import Missing, Obligation
from palio.conformance.scenarios.greeting import HELLO_FIRST
from palio.conformance.script import scenario
from palio.conformance.stage import Stage, games_of
from palio.conformance.table import Table
from palio.v1 import play_pb2

READY: Final = Obligation(
    "O-07",
    "answers MatchStarted with Ready",
    tried="starts a match",
    expected="Ready with the match's id, once",
    mend="When MatchStarted comes, prepare, then send one Ready with Update.match_id.",
)
ANSWERS: Final = Obligation(
    "O-08",
    "answers a decision",
    tried="asks a question",
    expected="Choose with the match's id",
    mend="Send Choose for each Decision that has no 'answered', without waiting for anything else.",
)
ECHOES: Final = Obligation(
    "O-09",
    "names the decision that it answers",
    tried="reads the Choose",
    expected="Choose.decision_id as in the Decision",
    mend="Copy Decision.decision_id into Choose.decision_id; do not count decisions yourself.",
)
IN_RANGE: Final = Obligation(
    "O-10",
    "chooses an option that exists",
    tried="reads the choices of a few decisions",
    expected="0 <= Choose.option < number of Decision.options",
    mend="Choose.option is an index into Decision.options and begins with 0.",
)
ONCE: Final = Obligation(
    "O-11",
    "answers each decision exactly once",
    tried="counts the choices of a few decisions",
    expected="one Choose a decision",
    mend="Answer a decision when it comes and never again, unless it was rejected or the connection broke.",
)
BASICS: Final = (HELLO_FIRST, READY, ANSWERS)
"""Without these nothing else can be tried."""
_ROUNDS: Final = 5


@scenario(READY, ANSWERS, ECHOES, IN_RANGE, ONCE, needs=(HELLO_FIRST,))
async def basics(stage: Stage) -> None:
    line = await stage.connection()
    table = Table(line, "one", game=games_of(line)[0])
    table.announce()
    await table.flush()
    await line.hear("ready", "one")
    await line.fence()
    await asyncio.sleep(0)
    ready = sum(request.HasField("ready") for request in line.heard)
    stage.judge(READY, ready == 1, f"Ready came {_times(ready)}")
    table.deal()
    named: list[str] = []
    outside: list[str] = []
    for _ in range(_ROUNDS):
        asked, offered = table.decision.decision_id, len(table.decision.options)
        await table.flush()
        choose = await table.answer()
        stage.judge(ANSWERS, True, "Choose came")
        if choose.decision_id != asked:
            named.append(f"decision {asked} was answered as {choose.decision_id}")
        if not 0 <= choose.option < offered:
            outside.append(f"option {choose.option} of {offered}")
        table.accept(choose.option)
    stage.judge(ECHOES, not named, "; ".join(named) or "the decisions were named rightly")
    stage.judge(IN_RANGE, not outside, "; ".join(outside) or "all options were in range")
    await asyncio.sleep(QUIET)
    count = sum(request.HasField("choose") for request in line.heard)
    stage.judge(ONCE, count == _ROUNDS, f"{_ROUNDS} decisions were answered {_times(count)}")


JOINED: Final = Obligation(
    "O-12",
    "reads all updates of a message",
    tried="puts all that there is to say into one message: that a choice counts, events, the next question",
    expected="the same as if each update came by itself",
    mend="A PlayResponse holds one or more updates: loop over all of them, in order.",
)
WHOLE: Final = Obligation(
    "O-13",
    "plays whole matches of every game that it declares",
    tried="plays one match of each to its end",
    expected="an answer to every decision up to MatchEnded",
    mend="Look at what the program writes: it failed, gave up or stopped in the middle of a match.",
)
LARGE: Final = Obligation(
    "O-14",
    "takes decisions with many options",
    tried="asks a question with 5,000 options, in a message of about a megabyte",
    expected="an answer in range",
    mend="Keep options in a list that grows; allow messages of at least 4 MiB.",
)
LITTLE_TIME: Final = Obligation(
    "O-15",
    "keeps to little time",
    tried="asks ten questions with two seconds each",
    expected="each answer within Decision.clock.remaining",
    mend="Read Decision.clock.remaining and answer earlier, leaving some of it to the network.",
)
NO_CLOCK: Final = Obligation(
    "O-16",
    "plays without a clock",
    tried="asks questions that have no clock",
    expected="answers",
    mend="Decision.clock is unset where the match has no time limit: treat that as time without end.",
)
SILENT_AFTER: Final = Obligation(
    "O-17",
    "says nothing about a match that is over",
    tried="ends a match while a question is open, and starts another",
    expected="silence about it from then on",
    mend="Forget a match at MatchEnded; throw away an answer that comes later.",
)
AGAIN: Final = Obligation(
    "O-18",
    "plays a match that is started again",
    tried="ends a match as void and starts it again under the same id, with seq 1 and attempt 2",
    expected="Ready and answers as in a new match",
    mend="A MatchStarted with a higher attempt is a new match: forget the seqs and decisions of the one before.",
)


@scenario(JOINED, needs=BASICS)
async def joined(stage: Stage) -> str:
    line = await stage.connection()
    table = Table(line, "one", game=games_of(line)[0])
    table.announce()
    await table.flush()
    await line.hear("ready", table.match_id)
    table.deal()
    for _ in range(_ROUNDS):
        table.notice(seat_status=play_pb2.SeatStatus(seat=1, connected=True))
        await table.flush(together=True)
        table.accept((await table.answer()).option)
    return "all updates were read"


@scenario(WHOLE, needs=BASICS)
async def whole(stage: Stage) -> str:
    line = await stage.connection()
    games = games_of(line)
    for game in games:
        table = Table(line, f"whole-{game}", game=game)
        await table.start()
        while not table.over:
            await table.play(1)
            if any(request.resign.match_id == table.match_id for request in line.heard):
                raise Missing(f"it resigned a match of {game} after {table.rounds} decisions")
        await table.finish()
        await line.fence()
    return "it played " + ", ".join(games)


@scenario(LARGE, needs=(*BASICS, IN_RANGE))
async def large(stage: Stage) -> str:
    many, length = 5_000, 200

    def swell(update: play_pb2.Update) -> None:
        if update.HasField("decision"):
            options = update.decision.options
            first = options[0]
            del options[:]
            for number in range(many):
                options.add().CopyFrom(first)
                options[number].text = f"option {number} ".ljust(length, ".")

    table = await stage.table(change=swell)
    choose = await table.answer()
    if not 0 <= choose.option < many:
        raise Missing(f"it chose option {choose.option} of {many}")
    return f"a decision with {many} options was answered"


@scenario(LITTLE_TIME, needs=BASICS)
async def little_time(stage: Stage) -> str:
    limit, rounds = 2.0, 10
    table = await stage.table(per_decision=limit)
    clock = asyncio.get_running_loop().time
    for _ in range(rounds):
        asked = clock()
        choose = await table.answer()
        if (taken := clock() - asked) > limit:
            raise Missing(f"decision {table.decision.decision_id} took {taken:.1f} s of {limit:g}")
        table.accept(choose.option)
        await table.flush()
    return f"{rounds} answers came in time"


@scenario(NO_CLOCK, needs=BASICS)
async def no_clock(stage: Stage) -> str:
    table = await stage.table(per_decision=None)
    await table.play(_ROUNDS)
    return "decisions without a clock were answered"


@scenario(SILENT_AFTER, needs=BASICS)
async def silent_after(stage: Stage) -> str:
    table = await stage.table()
    await table.play(2)
    table.end()
    await table.flush()
    following = Table(table.line, "next", game=games_of(table.line)[0])
    following.announce()
    await following.flush()
    await table.line.hear("ready", following.match_id)  # which proves that the end was read
    since = len(table.line.heard)
    said = [request for request in await table.line.quiet(since) if match_of(request) == table.match_id]
    if said:
        raise Missing("after the end it said " + ", ".join(map(describe, said)))
    return "it was silent after the end"


@scenario(AGAIN, needs=BASICS)
async def again(stage: Stage) -> str:
    first = await stage.table()
    await first.play(2)
    await first.answer()
    first.end(void=True)
    await first.flush()
    await first.line.fence()
    second = Table(first.line, first.match_id, game=games_of(first.line)[0], attempt=2)
    await second.start()
    await second.play(_ROUNDS)
    return "it played the second attempt"


def _times(count: int) -> str:
    return {0: "not at all", 1: "once", 2: "twice"}.get(count, f"{count} times")
