"""Servers of several processes, which tell bots where to go."""

from __future__ import annotations

from typing import Final

from palio.conformance.line import Line
from palio.conformance.obligation import Missing, Obligation
from palio.conformance.scenarios.concurrent import PONG_WHILE_ASKED
from palio.conformance.scenarios.greeting import TOKEN_SENT
from palio.conformance.scenarios.playing import BASICS
from palio.conformance.scenarios.returning import answered
from palio.conformance.script import scenario
from palio.conformance.stage import TOKEN, Stage, games_of
from palio.conformance.table import Table
from palio.v1 import play_pb2

MOVES: Final = Obligation(
    "O-54",
    "goes where it is sent",
    tried="answers the Hello with Goodbye MOVED and another address",
    expected="a connection to that address with the same Hello, and a match played there",
    mend="At Goodbye MOVED connect to Goodbye.address at once, with the same token, and say Hello again.",
)
MOVES_BETWEEN: Final = Obligation(
    "O-55",
    "resumes where it is sent in the middle of a match",
    tried="says Goodbye MOVED with another address in the middle of a match",
    expected="a connection to that address that resumes the match",
    mend="Goodbye MOVED ends no match: connect to Goodbye.address and list running matches in Hello.resume.",
)
CIRCLES: Final = Obligation(
    "O-56",
    "does not run in circles",
    tried="sends the bot to an address that sends it on to itself, over and over",
    expected="a connection to the first address again, after 20 others at most",
    mend="Count Goodbyes MOVED without a Welcome in between; after five go back to PALIO_SERVER, with a pause.",
)
_MOST: Final = 20
_TEXT: Final = "a trial of the conformance kit"


async def _move(line: Line, address: str) -> None:
    await line.hear("hello")
    await line.goodbye(play_pb2.GOODBYE_REASON_MOVED, _TEXT, address)


def _arrived(line: Line, address: str) -> None:
    if line.address != address:
        raise Missing("it connected to the address that it came from")


@scenario(MOVES, needs=(*BASICS, TOKEN_SENT))
async def moves(stage: Stage) -> str:
    address = await stage.open_elsewhere()
    await _move(await stage.arrival(), address)
    line = await stage.connection()
    _arrived(line, address)
    if line.hello.token != TOKEN:
        raise Missing("it came with another token")
    table = Table(line, "one", game=games_of(line)[0])
    await table.start()
    await table.play(2)
    return "it went there and played"


@scenario(MOVES_BETWEEN, needs=(*BASICS, PONG_WHILE_ASKED, MOVES))
async def moves_between(stage: Stage) -> str:
    table = await answered(stage)
    address = await stage.open_elsewhere()
    await table.line.goodbye(play_pb2.GOODBYE_REASON_MOVED, _TEXT, address)
    line = await stage.connection()
    _arrived(line, address)
    if table.match_id not in line.hello.resume:
        raise Missing("it came there without the match in Hello.resume")
    await table.resume(line)
    await table.play(2)
    return "it went there and played on"


@scenario(CIRCLES, needs=(*BASICS, MOVES))
async def circles(stage: Stage) -> str:
    address = await stage.open_elsewhere()
    await _move(await stage.arrival(), address)
    for _ in range(_MOST):
        line = await stage.arrival()
        if line.address != address:
            return "it went back to the first address"
        await _move(line, address)
    raise Missing(f"it followed {_MOST} times in a row")
