"""``PlayService`` of the front: tells every bot to which worker it has to connect."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable

import grpc
import grpc.aio
import structlog

from palio.games import all_rules
from palio.server.access.credentials import Credential
from palio.server.access.streams import Streams
from palio.server.front.crew import Crew
from palio.server.front.member import Worker
from palio.server.services.entrance import Context, Entrance, play_handler, refuse
from palio.server.sessions import check_hello
from palio.v1 import play_pb2

log = structlog.get_logger(__name__)


class Door:
    """The servicer.

    Args:
        rank: how many older tokens of the same player can play, by the id of a token.
        entrance: where bots come in.
        streams: how many there may be.
    """

    def __init__(
        self,
        crew: Crew,
        rank: Callable[[str], Awaitable[int]],
        entrance: Entrance,
        streams: Streams,
    ) -> None:
        self._crew = crew
        self._rank = rank
        self._entrance = entrance
        self._streams = streams

    def handler(self) -> grpc.GenericRpcHandler:
        """What to register with a server."""
        return play_handler(self.play)

    async def play(self, requests: AsyncIterator[bytes], context: Context) -> None:
        """One bot, from Hello to Goodbye."""
        try:
            hello, credential = await self._entrance.enter(requests)
            with self._streams.one(credential.player, bounded=False):
                check_hello(hello, all_rules())
                worker = await self._worker_of(credential)
                address = worker.address_for(context.peer())
                log.info("session.moved", player=credential.player, worker=worker.number, address=address)
                await context.write(_goodbye(address))
        except grpc.aio.AbortError:
            raise
        except Exception as error:
            await refuse(context, error)

    async def _worker_of(self, credential: Credential) -> Worker:
        """Where a bot belongs: where it has seats in running matches, or else where the order of its player's tokens
        puts it. So every worker has bots of those players who have many, and the first bot of everybody is on the
        first worker.

        Raises:
            Unavailable: that worker is being started.
        """
        workers = self._crew.workers
        number = await self._rank(credential.credential_id) % len(workers)
        known = await self._crew.ask_all("bot", credential=credential.credential_id)
        seats = {worker.number: answer["seats"] for worker, answer in known if answer["seats"]}
        if seats:
            number = max(seats, key=lambda worker: seats[worker])
        chosen = workers[number]
        if not chosen.up:
            raise chosen.unavailable()
        # One session per token: where it had another one, that ends, as it would on the same worker.
        elsewhere = [worker for worker, answer in known if answer["connected"] and worker is not chosen]
        await asyncio.gather(*(worker.ask("replace", credential=credential.credential_id) for worker in elsewhere))
        return chosen


def _goodbye(address: str) -> bytes:
    goodbye = play_pb2.Goodbye(
        reason=play_pb2.GOODBYE_REASON_MOVED,
        text=f"your matches are hosted at {address}: connect there",
        address=address,
    )
    return play_pb2.PlayResponse(updates=[play_pb2.Update(goodbye=goodbye)]).SerializeToString()
