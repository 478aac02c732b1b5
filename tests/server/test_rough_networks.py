"""Bots of the Python SDK over a network that delays, stalls, cuts, and cuts in the middle of a message."""

from __future__ import annotations

import asyncio
import random

import pytest
from tests.server.conftest import Start
from tests.support.arena import Host
from tests.support.proxy import Proxy
from tests.support.waiting import until

from palio.client import Bot, Decision, Match, play_async
from palio.server.match.clock import duration, seconds_of
from palio.server.match.journal import read
from palio.v1 import match_pb2, play_pb2

HEAP = 80


class First(Bot):
    """Takes the first option, and remembers what it was told."""

    blocking = False
    results: dict[str, match_pb2.MatchResult] = {}  # noqa: RUF012 (of all bots; emptied by each test)

    def __init__(self, match: Match) -> None:
        super().__init__(match)
        self.asked: list[int] = []

    def choose(self, decision: Decision) -> int:
        self.asked.append(decision.decision_id)
        return 0

    def ended(self, ended: play_pb2.MatchEnded) -> None:
        # Nothing twice, nothing missed: each decision was asked once, in order.
        assert self.asked == list(range(1, len(self.asked) + 1))
        self.results[self.match.players[self.match.seat]] = ended.result


async def run(address: str, name: str) -> int:
    return await play_async(First, server=address, name=name, matches=1, first_delay=0.01, longest_delay=0.05)


async def undisturbed(host: Host) -> str:
    """Digest of the same match on a good network."""
    await host.create("a", "b", heap=HEAP, match_id="calm")
    First.results.clear()
    await asyncio.gather(run(host.address, "a"), run(host.address, "b"))
    return First.results["a"].replay_digest


@pytest.mark.parametrize("seed", [1, 2, 3])
async def test_cuts_within_messages_lose_and_repeat_nothing(start: Start, seed: int) -> None:
    host = await start()
    calm = await undisturbed(host)
    sizes = random.Random(seed)
    First.results.clear()
    async with Proxy(host.address) as proxy:
        await host.create("a", "b", heap=HEAP, match_id="rough")
        proxy.cut_again_and_again(lambda: sizes.randrange(1000, 4000))
        bots = [run(proxy.address, name) for name in "ab"]
        await asyncio.gather(*bots)
        match = await host.result("rough")
        assert proxy.cuts >= 4
    assert [seat.termination for seat in match.result.seats] == [match_pb2.TERMINATION_FINISHED] * 2
    assert First.results["a"] == First.results["b"] == match.result
    # The digest's head has the match's setup and not its name, so both are the same match.
    assert match.result.replay_digest == calm


async def test_a_slow_network_is_measured_and_not_charged(start: Start) -> None:
    host = await start(heartbeat=0.2)
    async with Proxy(host.address) as proxy:
        proxy.delay = 0.05
        control = match_pb2.TimeControl(per_decision=duration(30), lag_allowance=duration(5))
        await host.create("a", "b", heap=16, time_control=control)
        await asyncio.gather(run(proxy.address, "a"), run(host.address, "b"))
    records = read(host.server.arena.replay_path("m"))
    times: dict[int, list[tuple[float, float]]] = {0: [], 1: []}
    for record in records:
        if record.HasField("choice"):
            times[record.choice.seat].append((seconds_of(record.choice.network), seconds_of(record.choice.charged)))
    # Both directions take 50 ms each; the first decisions come before a ping has been answered.
    network = [network for network, _ in times[0]]
    assert max(network) >= 0.09
    assert max(network) > max(network for network, _ in times[1])


async def test_a_pulled_cable_costs_the_grace_and_others_play_on(start: Start) -> None:
    host = await start(heartbeat=0.1)
    policies = match_pb2.Policies()
    policies.disconnection_grace.FromMilliseconds(200)
    async with Proxy(host.address) as proxy:
        bots = [asyncio.create_task(run(proxy.address, "a")), asyncio.create_task(run(host.address, "b"))]
        (other,) = await host.connect("other")
        await until(lambda: "open:a" in host.server.arena.sessions)
        proxy.stall()
        await host.create("a", "b", match_id="m", policies=policies)
        match = await host.result("m")
        assert match.result.seats[0].termination in (
            match_pb2.TERMINATION_FORFEIT_DISCONNECTED,
            match_pb2.TERMINATION_FORFEIT_NO_SHOW,
        )
        assert match.result.seats[1].rank == 1
        assert other.error is None
        await bots[1]
        bots[0].cancel()
        await asyncio.gather(*bots, return_exceptions=True)
