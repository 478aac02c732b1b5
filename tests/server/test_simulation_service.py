"""SimulationService over a real socket."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

import grpc
import grpc.aio
import pytest
from tests.support.arena import Host

from palio.codec.simulate import simulate
from palio.codec.status import from_rpc_error
from palio.v1 import simulation_pb2, simulation_pb2_grpc

Start = Callable[..., Awaitable[Host]]


async def apply(address: str, request: simulation_pb2.ApplyRequest) -> simulation_pb2.ApplyResponse:
    async with grpc.aio.insecure_channel(address) as channel:
        return await simulation_pb2_grpc.SimulationServiceStub(channel).Apply(request)


async def test_apply_does_what_the_rules_say(host: Host) -> None:
    request = simulation_pb2.ApplyRequest(game="fidelitas", seed_text="x", players=3, choices=[1, 1])
    assert await apply(host.address, request) == simulate(request)


async def test_apply_names_the_choice_that_cannot_be_made(host: Host) -> None:
    request = simulation_pb2.ApplyRequest(game="fidelitas", seed_text="x", players=3, choices=[1, 99])
    with pytest.raises(grpc.aio.AioRpcError) as caught:
        await apply(host.address, request)
    error = from_rpc_error(caught.value)
    assert (error.code, error.reason) == (grpc.StatusCode.FAILED_PRECONDITION, "ILLEGAL_ACTION")
    assert "choices[1]: 99" in error.message


async def test_apply_has_a_limit(start: Start) -> None:
    host = await start(limits={"apply_choices": 3})
    with pytest.raises(grpc.aio.AioRpcError) as caught:
        await apply(host.address, simulation_pb2.ApplyRequest(game="sticks", players=2, choices=[0] * 4))
    error = from_rpc_error(caught.value)
    assert (error.reason, error.field) == ("INVALID_REQUEST", "choices")
