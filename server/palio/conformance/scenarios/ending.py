"""When to stop, and how."""

from __future__ import annotations

from typing import Final

from palio.codec.status import ServiceError, Unauthenticated, UnsupportedVersion
from palio.conformance.obligation import Missing, Obligation
from palio.conformance.scenarios.playing import BASICS
from palio.conformance.scenarios.resuming import COMES_BACK
from palio.conformance.script import scenario
from palio.conformance.stage import Stage
from palio.conformance.table import Table
from palio.v1 import play_pb2

_ENDS: Final = "the program ends with an exit code other than 0, without another try"

UNAUTHENTICATED: Final = Obligation(
    "O-46",
    "gives up when its token is refused",
    tried="refuses the Hello with UNAUTHENTICATED",
    expected=_ENDS,
    mend="UNAUTHENTICATED does not heal: say so on stderr and exit with 1.",
)
REFUSED_HELLO: Final = Obligation(
    "O-47",
    "gives up when its Hello is refused",
    tried="refuses the Hello with FAILED_PRECONDITION (UNSUPPORTED_VERSION)",
    expected=_ENDS,
    mend="Try again only after UNAVAILABLE, RESOURCE_EXHAUSTED and broken connections; every other status is final.",
)
REPLACED: Final = Obligation(
    "O-48",
    "makes room for a newer session",
    tried="says Goodbye REPLACED in the middle of a match",
    expected=_ENDS,
    mend="Another program plays with the same token now: stop, or the two of you throw each other out for ever.",
)
PROTOCOL: Final = Obligation(
    "O-49",
    "stops when it broke the protocol",
    tried="says Goodbye PROTOCOL in the middle of a match",
    expected=_ENDS,
    mend="Goodbye PROTOCOL means that the program is wrong: print the text and exit with 1.",
)
LEAVES: Final = Obligation(
    "O-50",
    "says Leave at SIGTERM",
    tried="sends the program SIGTERM in the middle of a match",
    expected="Leave",
    mend="Catch SIGTERM and SIGINT and send Leave instead of ending.",
)
PLAYS_ON: Final = Obligation(
    "O-51",
    "finishes its matches after Leave",
    tried="goes on with the match after Leave",
    expected="answers as before",
    mend="After Leave no new match comes; play the running ones until Goodbye.",
)
EXIT_CODE: Final = Obligation(
    "O-52",
    "ends with exit code 0 after Goodbye LEFT",
    tried="ends the match and says Goodbye LEFT",
    expected="the program ends with exit code 0",
    mend="Goodbye LEFT is the regular end: return from main without an error.",
)
LEAVES_AGAIN: Final = Obligation(
    "O-53",
    "says Leave again after a broken connection",
    tried="breaks the connection after Leave, in the middle of a match",
    expected="a new connection, and Leave on it",
    mend="The server forgets Leave with the connection: after Welcome send it again if you want to go.",
)
_TEXT: Final = "a trial of the conformance kit"


async def _gives_up(stage: Stage) -> str:
    code = await stage.end_of_program()
    if code == 0:
        raise Missing("it ended as if all were well, with exit code 0")
    return "it ended with an exit code other than 0"


async def _refused(stage: Stage, error: ServiceError) -> str:
    line = await stage.arrival()
    await line.hear("hello")
    line.refuse(error)
    return await _gives_up(stage)


async def _dismissed(stage: Stage, reason: play_pb2.GoodbyeReason.ValueType) -> str:
    table = await stage.table()
    await table.answer()
    await table.line.goodbye(reason, _TEXT)
    return await _gives_up(stage)


@scenario(UNAUTHENTICATED, needs=BASICS)
async def unauthenticated(stage: Stage) -> str:
    return await _refused(stage, Unauthenticated(_TEXT))


@scenario(REFUSED_HELLO, needs=BASICS)
async def refused_hello(stage: Stage) -> str:
    return await _refused(stage, UnsupportedVersion(_TEXT, field="hello.protocol_version"))


@scenario(REPLACED, needs=BASICS)
async def replaced(stage: Stage) -> str:
    return await _dismissed(stage, play_pb2.GOODBYE_REASON_REPLACED)


@scenario(PROTOCOL, needs=BASICS)
async def protocol(stage: Stage) -> str:
    return await _dismissed(stage, play_pb2.GOODBYE_REASON_PROTOCOL)


@scenario(LEAVES, PLAYS_ON, EXIT_CODE, needs=BASICS)
async def leaves(stage: Stage) -> None:
    table = await _leaving(stage)
    stage.judge(LEAVES, True, "Leave came")
    await table.play(3)
    stage.judge(PLAYS_ON, True, "it played on")
    await table.answer()
    await table.finish()
    await table.line.goodbye(play_pb2.GOODBYE_REASON_LEFT, _TEXT)
    code = await stage.end_of_program()
    stage.judge(EXIT_CODE, code == 0, f"the exit code was {code}")


@scenario(LEAVES_AGAIN, needs=(*BASICS, COMES_BACK, LEAVES))
async def leaves_again(stage: Stage) -> str:
    table = await _leaving(stage)
    await table.line.fence()
    table.line.cut()
    line = await stage.connection()
    await line.hear("leave")
    return "Leave came again"


async def _leaving(stage: Stage) -> Table:
    """A match in which the bot was told to end."""
    table = await stage.table()
    await table.play(1)
    stage.terminate()
    await table.line.hear("leave")
    return table
