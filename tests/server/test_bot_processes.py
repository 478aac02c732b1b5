"""Bots that are processes: killed and stopped with the signals that nothing can catch."""

from __future__ import annotations

import asyncio
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.server.conftest import Start
from tests.support.waiting import until

from palio.server.match.clock import duration
from palio.v1 import match_pb2, play_pb2

FINISHED = match_pb2.TERMINATION_FINISHED
TIMEOUT = match_pb2.TERMINATION_FORFEIT_TIMEOUT

SLOW_BOT = str(Path(__file__).parent.parent / "support" / "slow_bot.py")


@pytest.fixture
def processes() -> Iterator[list[subprocess.Popen[bytes]]]:
    """Started by a test; killed at its end."""
    found: list[subprocess.Popen[bytes]] = []
    yield found
    for process in found:
        process.kill()
        process.wait()


def launch(address: str, name: str, thought: float, *arguments: str) -> subprocess.Popen[bytes]:
    return subprocess.Popen([sys.executable, SLOW_BOT, str(thought), "--server", address, "--name", name, *arguments])


@pytest.mark.slow
async def test_a_bot_that_is_killed_ten_times_in_one_match_finishes_it(
    start: Start, processes: list[subprocess.Popen[bytes]]
) -> None:
    host = await start(policies={"disconnection_grace": 120.0})
    (b,) = await host.connect("b")
    playing = asyncio.create_task(b.play_to_the_end())
    await host.create("a", "b", heap=60)
    processes.append(launch(host.address, "a", 0.05))
    (room,) = host.server.arena.rooms.values()
    kills = 0
    while kills < 10:
        seen = room.course.chain.next_id(0)
        await until(lambda seen=seen: room.course.chain.next_id(0) >= seen + 2, within=60)  # type: ignore[misc]
        processes[-1].kill()
        processes[-1].wait()
        processes.append(launch(host.address, "a", 0.05 if kills < 9 else 0.0, "--matches", "1"))
        kills += 1
    ended = await playing
    assert [seat.termination for seat in ended.result.seats] == [FINISHED, FINISHED]
    assert room.course.choices == 59
    lost = [u for u in b.seen if u.HasField("seat_status") and not u.seat_status.connected]
    assert len(lost) == 10


async def test_deadlines_hold_against_a_stopped_process(start: Start, processes: list[subprocess.Popen[bytes]]) -> None:
    host = await start()
    processes.append(launch(host.address, "a", 30.0, "--concurrency", "4"))
    b, c = await host.connect("b", "c", matches=4)
    await until(lambda: "open:a" in host.server.arena.sessions)
    controls = {
        "clock": match_pb2.TimeControl(per_decision=duration(1)),
        "bank": match_pb2.TimeControl(bank=duration(1), increment=duration(1)),
        "idle": match_pb2.TimeControl(idle_limit=duration(1)),
        "init": match_pb2.TimeControl(init_budget=duration(1)),
    }
    for match_id in ("clock", "bank", "idle"):
        await host.create("a", "b", match_id=match_id, time_control=controls[match_id])
        await b.ready(match_id)
    await until(lambda: all(room.course.begun for room in host.server.arena.rooms.values()))
    processes[0].send_signal(signal.SIGSTOP)
    await host.create("a", "b", match_id="init", time_control=controls["init"])
    await b.ready("init")
    await host.create("b", "c", match_id="others", heap=9)
    playing = [asyncio.create_task(bot.play_on()) for bot in (b, c)]
    for match_id in ("clock", "bank", "idle"):
        terminations = [seat.termination for seat in (await host.result(match_id)).result.seats]
        assert terminations == [TIMEOUT, FINISHED], match_id
    result = (await host.result("init")).result
    assert result.seats[0].termination == match_pb2.TERMINATION_FORFEIT_NO_SHOW
    others = await host.result("others")
    assert [seat.termination for seat in others.result.seats] == [FINISHED, FINISHED]
    for task in playing:
        task.cancel()


async def test_deadlines_hold_against_silent_deaf_and_absent_bots(start: Start) -> None:
    host = await start()
    silent, absent, b = await host.connect("silent", "absent", "b", matches=8)
    deaf = host.bot("deaf")
    hello = play_pb2.Hello(bot_name="deaf", protocol_version=1, max_concurrent_matches=8)
    await deaf.say(play_pb2.PlayRequest(hello=hello))
    await until(lambda: "open:deaf" in host.server.arena.sessions)
    playing = asyncio.create_task(b.play_on())
    made = []
    for kind, control in [
        ("clock", match_pb2.TimeControl(per_decision=duration(0.5))),
        ("idle", match_pb2.TimeControl(idle_limit=duration(0.5))),
    ]:
        for bot in (silent, deaf, absent):
            match_id = f"{bot.name}-{kind}"
            await host.create(bot.name, "b", match_id=match_id, time_control=control)
            await bot.ready(match_id)
            made.append(match_id)
    await until(lambda: all(room.course.begun for room in host.server.arena.rooms.values()))
    await absent.cut()
    for match_id in made:
        terminations = [seat.termination for seat in (await host.result(match_id)).result.seats]
        assert terminations == [TIMEOUT, FINISHED], match_id
    playing.cancel()
