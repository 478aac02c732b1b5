"""``SimulationService``: the rules for bots that have none."""

from __future__ import annotations

from functools import partial
from typing import Final

from palio.codec.simulate import simulate
from palio.codec.status import InvalidRequest
from palio.server.access.interceptor import CALLER, Context
from palio.server.aside import Aside
from palio.server.samples import Samples
from palio.v1 import simulation_pb2, simulation_pb2_grpc

GAMES_AT_ONCE: Final = 4
GAMES_OF_EACH: Final = 16


class Applying(simulation_pb2_grpc.SimulationServiceServicer):
    """What needs no match.

    Args:
        most_choices: that one request of Apply may carry.
    """

    def __init__(self, most_choices: int) -> None:
        self._most_choices = most_choices
        self._games = Aside(GAMES_AT_ONCE, GAMES_OF_EACH)

    async def Apply(self, request: simulation_pb2.ApplyRequest, context: Context) -> simulation_pb2.ApplyResponse:
        if len(request.choices) > self._most_choices:
            raise InvalidRequest(f"at most {self._most_choices} choices a request", field="choices")
        # Thousands of choices take a while; running matches go on meanwhile.
        return await self._games.do(CALLER.get().player, partial(simulate, request))


class Simulation(Applying):
    """The servicer.

    Args:
        samples: of the running matches.
        most_choices: that one request of Apply may carry.
    """

    def __init__(self, samples: Samples, most_choices: int) -> None:
        super().__init__(most_choices)
        self._samples = samples

    async def SampleState(
        self, request: simulation_pb2.SampleStateRequest, context: Context
    ) -> simulation_pb2.SampleStateResponse:
        return self._samples.take(CALLER.get().player, request.match_id, request.nonce)
