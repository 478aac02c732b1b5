"""SampleState: random states that a seat cannot tell from the true one, and nothing more."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable

import grpc
import grpc.aio
import pytest
from tests.support.arena import Host

from palio.codec import codec_of
from palio.codec.status import PalioError, from_rpc_error
from palio.games import rules_of
from palio.server.match.course import Course
from palio.v1 import match_pb2, play_pb2, simulation_pb2, simulation_pb2_grpc

RULES, CODEC = rules_of("fidelitas"), codec_of("fidelitas")
PLAYERS = ("alice", "bob")
QUOTA = 20

Start = Callable[..., Awaitable[Host]]


class Table:
    """A match of Fidelitas between alice and bob, played by hand."""

    def __init__(self, host: Host, channel: grpc.aio.Channel) -> None:
        self._host = host
        self._stub = simulation_pb2_grpc.SimulationServiceStub(channel)

    async def begin(self) -> play_pb2.Decision:
        self._bots = await self._host.connect(*PLAYERS)
        request = match_pb2.CreateMatchRequest(match_id="m", game="fidelitas", players=PLAYERS, seed=bytes(32))
        await self._host.matches.CreateMatch(request)
        for bot in self._bots:
            await bot.next("match_started")
            await bot.ready("m")
        return await self.decision()

    @property
    def course(self) -> Course:
        return self._host.server.arena.rooms["m"].course

    @property
    def asked(self) -> int:
        assert self.course.decision is not None
        return self.course.decision.seat

    async def decision(self, seat: int = 0) -> play_pb2.Decision:
        return (await self._bots[seat].next("decision")).decision

    async def choose(self, decision: play_pb2.Decision) -> play_pb2.Decision:
        """The seat that is asked takes the first option; returns the next decision, whoever's it is."""
        seat = self.asked
        await self._bots[seat].choose("m", decision.decision_id, 0)
        await self._bots[seat].next("choice_accepted")
        return await self.decision(self.asked)

    async def sample(self, player: str, nonce: int = 0, match: str = "m") -> simulation_pb2.SampleStateResponse:
        request = simulation_pb2.SampleStateRequest(match_id=match, nonce=nonce)
        return await self._stub.SampleState(request, metadata=(("palio-player", player),))

    async def refused(self, player: str, match: str = "m") -> PalioError:
        with pytest.raises(grpc.aio.AioRpcError) as caught:
            await self.sample(player, match=match)
        return from_rpc_error(caught.value)


@pytest.fixture
async def table(start: Start) -> AsyncIterator[Table]:
    host = await start(limits={"samples_per_match": QUOTA})
    async with grpc.aio.insecure_channel(host.address) as channel:
        yield Table(host, channel)


async def test_a_sample_looks_to_the_seat_like_the_truth(table: Table) -> None:
    """At every start of a turn in the first 40 choices: its view of the sample is its view of the match."""
    decision = await table.begin()
    left = [QUOTA, QUOTA]
    for _ in range(40):
        seat = table.asked
        if decision.kind == "PLAY_CARD" and left[seat]:
            left[seat] -= 1
            response = await table.sample(PLAYERS[seat])
            assert response.quota_left == left[seat]
            sampled = RULES.from_position(CODEC.read_position(response.position))
            assert CODEC.observation(sampled.view(seat)) == decision.observation.SerializeToString(deterministic=True)
            asked = sampled.decision()
            assert asked is not None
            assert (asked.seat, asked.kind) == (seat, "PLAY_CARD")
            assert [CODEC.option(option) for option in asked.options] == [
                option.SerializeToString(deterministic=True) for option in decision.options
            ]
        decision = await table.choose(decision)
    assert min(left) < QUOTA - 3


async def test_samples_are_random_and_repeatable(table: Table) -> None:
    await table.begin()
    samples = [(await table.sample("alice", nonce)).position.fidelitas for nonce in range(10)]
    assert (await table.sample("alice", 3)).position.fidelitas == samples[3]
    assert len({sample.SerializeToString(deterministic=True) for sample in samples}) == 10
    assert len({str(sample.hand[1]) for sample in samples}) > 1
    assert len({str(sample.missio[1]) for sample in samples}) > 1


async def test_a_sample_does_not_hold_the_matchs_seed(table: Table) -> None:
    await table.begin()
    truth = table.course.header.seed
    for nonce in range(5):
        assert (await table.sample("alice", nonce)).position.fidelitas.seed != truth


async def test_only_for_the_seat_that_starts_its_turn(table: Table) -> None:
    decision = await table.begin()
    assert (await table.refused("bob")).reason == "NOT_NOW"
    assert "yours is not" in (await table.refused("bob")).message
    while decision.kind == "PLAY_CARD":
        decision = await table.choose(decision)
    error = await table.refused(PLAYERS[table.asked])
    assert (error.reason, "within one" in error.message) == ("NOT_NOW", True)


@pytest.mark.parametrize(("player", "match"), [("carol", "m"), ("", "m"), ("alice", "nothing")])
async def test_only_for_players_of_a_running_match(table: Table, player: str, match: str) -> None:
    await table.begin()
    error = await table.refused(player, match)
    assert (error.reason, error.field) == ("NOT_FOUND", "match_id")
    assert error.message == f"you have no seat in a running match {match!r}"


async def test_samples_are_metered(table: Table) -> None:
    await table.begin()
    for left in reversed(range(QUOTA)):
        assert (await table.sample("alice", left)).quota_left == left
    error = await table.refused("alice")
    assert (error.code, error.reason) == (grpc.StatusCode.RESOURCE_EXHAUSTED, "QUOTA_EXCEEDED")


async def test_who_samples_for_the_first_time_late_knows_as_much(table: Table) -> None:
    """The room forgets messages that a seat has surely seen; they come from the journal then."""
    decision = await table.begin()
    for _ in range(30):
        decision = await table.choose(decision)
    while decision.kind != "PLAY_CARD":
        decision = await table.choose(decision)
    seat = table.asked
    assert table.course.logs[seat].first > 1
    response = await table.sample(PLAYERS[seat])
    sampled = RULES.from_position(CODEC.read_position(response.position))
    assert CODEC.observation(sampled.view(seat)) == decision.observation.SerializeToString(deterministic=True)
