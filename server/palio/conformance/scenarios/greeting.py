"""How a session begins."""

from __future__ import annotations

import asyncio
from typing import Final

from palio.conformance.line import describe
from palio.conformance.obligation import Missing, Obligation
from palio.conformance.script import scenario
from palio.conformance.stage import TOKEN, Stage
from palio.games import all_rules

HELLO_FIRST: Final = Obligation(
    "O-01",
    "says Hello first",
    tried="starts the program and listens",
    expected="a connection whose first message is Hello",
    mend="Connect to the address in PALIO_SERVER, open PlayService/Play and send Hello before anything else.",
)
TOKEN_SENT: Final = Obligation(
    "O-02",
    "carries the token",
    tried="reads the Hello",
    expected="Hello.token as it is in PALIO_TOKEN",
    mend="Copy PALIO_TOKEN into Hello.token, every character of it.",
)
VERSION: Final = Obligation(
    "O-03",
    "speaks protocol version 1",
    tried="reads the Hello",
    expected="Hello.protocol_version 1",
    mend="Set Hello.protocol_version to the version that your code was written for: 1.",
)
DECLARES: Final = Obligation(
    "O-04",
    "declares games and a capacity that make sense",
    tried="reads the Hello",
    expected="Hello.games empty or ids of known games, Hello.max_concurrent_matches not negative",
    mend="List in Hello.games the ids that ListGames tells, or nothing for all; declare 0 or more matches at a time.",
)
WAITS: Final = Obligation(
    "O-05",
    "waits for Welcome",
    tried="leaves the Hello without an answer for a moment",
    expected="silence between Hello and Welcome",
    mend="Say Hello once, and hold everything else back until Welcome has come.",
)
PONG: Final = Obligation(
    "O-06",
    "answers a Ping with its nonce",
    tried="sends a Ping whose nonce fills all 64 bits",
    expected="Pong with the same nonce",
    mend="Send Pong with Ping.nonce for every Ping at once; keep it as an unsigned 64-bit integer, not as a float.",
)


_A_MOMENT: Final = 0.3


@scenario(HELLO_FIRST, TOKEN_SENT, VERSION, DECLARES, WAITS, PONG)
async def greeting(stage: Stage) -> None:
    line = await stage.arrival()
    first = await line.first()
    if not first.HasField("hello"):
        raise Missing(f"it began with {describe(first)}")
    stage.judge(HELLO_FIRST, True, "Hello came first")
    line.hello = hello = first.hello
    if not hello.token:
        stage.judge(TOKEN_SENT, False, "Hello.token was empty")
    stage.judge(TOKEN_SENT, hello.token == TOKEN, _compared("the token", hello.token == TOKEN))
    version = hello.protocol_version
    stage.judge(VERSION, version == 1, f"Hello.protocol_version was {version}")
    unknown = [game for game in hello.games if game not in all_rules()]
    capacity = hello.max_concurrent_matches
    games = ", ".join(hello.games) or "all games"
    stage.judge(DECLARES, not unknown and capacity >= 0, f"it declared {games}, {capacity} matches at a time")
    await asyncio.sleep(_A_MOMENT)
    said = ", ".join(map(describe, line.heard[1:]))
    stage.judge(WAITS, not said, f"before Welcome it said {said}" if said else "it was silent until Welcome")
    await line.welcome()
    nonce = await line.ping()
    pong = await line.hear("pong")
    stage.judge(PONG, pong.nonce == nonce, f"the nonce {nonce} came back as {pong.nonce}")


def _compared(what: str, same: bool) -> str:
    return f"{what} was the right one" if same else f"{what} was another one"
