"""Matches of Fidelitas on a real server."""

from __future__ import annotations

from typing import Any

from tests.support.arena import Host
from tests.support.waiting import until
from tests.support.wire import WireBot

from palio.codec import codec_of
from palio.games.fidelitas import Position
from palio.v1 import game_pb2, match_pb2, play_pb2

FOUR = ("a", "b", "c", "d")


async def create(host: Host, *players: str, **fields: Any) -> match_pb2.Match:
    """A match "m"; the seed is fixed where there is no position."""
    if "position" not in fields:
        fields.setdefault("seed", bytes(32))
    request = match_pb2.CreateMatchRequest(match_id="m", game="fidelitas", players=players, **fields)
    return (await host.matches.CreateMatch(request)).match


async def begin(host: Host, *players: str, **fields: Any) -> list[WireBot]:
    """The same with all bots there and ready."""
    bots = await host.connect(*players)
    await create(host, *players, **fields)
    for bot in bots:
        await bot.next("match_started")
        await bot.ready("m")
    return bots


def message_of(start: Position) -> game_pb2.Position:
    return codec_of("fidelitas").position(start)


async def asked(host: Host, bots: list[WireBot]) -> tuple[play_pb2.Decision, int]:
    """The pending decision and its seat."""
    room = host.server.arena.rooms["m"]
    await until(lambda: room.over or room.course.decision is not None)
    assert room.course.decision is not None, "the game ended too soon for this test"
    seat = room.course.decision.seat
    return (await bots[seat].next("decision")).decision, seat
