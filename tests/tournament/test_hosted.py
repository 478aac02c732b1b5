"""Tournaments that the server hosts among players who connect to it."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Awaitable
from pathlib import Path

import grpc
import grpc.aio
import pytest
from tests.support.arena import sticks
from tests.support.wire import WireBot

from palio.codec.status import from_rpc_error
from palio.server.app import ArenaServer
from palio.server.config import ServerConfig
from palio.tournament.hosted import TournamentExtension
from palio.tournament.ledger import Ledger
from palio.tournament.ledger.store import Entry
from palio.v1 import tournament_pb2, tournament_pb2_grpc

Stub = tournament_pb2_grpc.TournamentServiceStub
PLAYERS = ["a", "b", "c"]


@contextlib.asynccontextmanager
async def hosting(data: Path) -> AsyncIterator[tuple[str, tournament_pb2_grpc.TournamentServiceAsyncStub]]:
    config = ServerConfig(listen=["127.0.0.1:0"], data=data, open=True)
    server = ArenaServer(config, None, [TournamentExtension(f"sqlite:///{data / 'tournaments.db'}")])
    await server.start()
    address = server.addresses[0]
    async with grpc.aio.insecure_channel(address) as channel:
        try:
            yield address, Stub(channel)
        finally:
            await server.stop(grace=0)


@contextlib.asynccontextmanager
async def playing(address: str, *names: str) -> AsyncIterator[None]:
    """Bots that play whatever comes, each always its first option."""

    async def life(bot: WireBot) -> None:
        async for _ in bot.play():
            pass

    bots = [await WireBot(address, name).hello(matches=4) for name in names]
    tasks = [asyncio.create_task(life(bot)) for bot in bots]
    try:
        yield
    finally:
        for task, bot in zip(tasks, bots, strict=True):
            task.cancel()
            await bot.cut()


def request(**fields: object) -> tournament_pb2.CreateTournamentRequest:
    given: dict[str, object] = {"name": "Cup", "game": "sticks", "players": PLAYERS, "deals": 2, "options": sticks(6)}
    return tournament_pb2.CreateTournamentRequest(**(given | fields))  # type: ignore[arg-type]


async def test_a_tournament_waits_for_its_players_and_runs_to_its_end(tmp_path: Path) -> None:
    async with hosting(tmp_path) as (address, stub):
        created = (await stub.CreateTournament(request())).tournament
        assert created.tournament_id == "cup"
        assert created.state == tournament_pb2.TOURNAMENT_STATE_WAITING
        assert created.games_total == 3 * 2 * 2
        async with playing(address, *PLAYERS):
            watch = stub.WatchTournament(tournament_pb2.WatchTournamentRequest(tournament_id="cup"))
            seen = [update async for update in watch]
        assert sum(update.HasField("match") for update in seen) == 12
        assert seen[-1].tournament.state == tournament_pb2.TOURNAMENT_STATE_FINISHED
        assert seen[-1].tournament.games_played == 12
        standings = (await stub.GetStandings(tournament_pb2.GetStandingsRequest(tournament_id="cup"))).standings
        assert [(line.player, line.games, line.score, line.forfeits) for line in standings] == [
            (name, 8, 4.0, 0) for name in PLAYERS
        ]
        listed = (await stub.ListTournaments(tournament_pb2.ListTournamentsRequest())).tournaments
        assert [tournament.tournament_id for tournament in listed] == ["cup"]


async def test_a_tournament_goes_on_after_a_restart(tmp_path: Path) -> None:
    async with hosting(tmp_path) as (address, stub):
        await stub.CreateTournament(request(options=sticks(40)))
        async with playing(address, *PLAYERS):
            games = 0
            async for update in stub.WatchTournament(tournament_pb2.WatchTournamentRequest(tournament_id="cup")):
                games += update.HasField("match")
                if games == 4:
                    break
    async with hosting(tmp_path) as (address, stub):
        found = (await stub.GetTournament(tournament_pb2.GetTournamentRequest(tournament_id="cup"))).tournament
        assert 4 <= found.games_played < 12
        async with playing(address, *PLAYERS):
            async for update in stub.WatchTournament(tournament_pb2.WatchTournamentRequest(tournament_id="cup")):
                if update.HasField("tournament"):
                    found = update.tournament
        assert (found.games_played, found.state) == (12, tournament_pb2.TOURNAMENT_STATE_FINISHED)


async def test_a_result_that_cannot_be_written_is_written_later(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    record = Ledger.record
    failed: list[str] = []

    def failing(ledger: Ledger, entry: Entry) -> bool:
        if len(failed) < 2:
            failed.append(entry.match_id)
            raise OSError("the disk is full")
        return record(ledger, entry)

    monkeypatch.setattr(Ledger, "record", failing)
    async with hosting(tmp_path) as (address, stub):
        await stub.CreateTournament(request(deals=1))
        async with playing(address, *PLAYERS):
            watch = stub.WatchTournament(tournament_pb2.WatchTournamentRequest(tournament_id="cup"))
            seen = [update async for update in watch]
        ids = [update.match.match_id for update in seen if update.HasField("match")]
        assert len(ids) == len(set(ids)) == 6
        assert set(failed) < set(ids)


async def test_cancelling_voids_what_runs(tmp_path: Path) -> None:
    async with hosting(tmp_path) as (address, stub):
        await stub.CreateTournament(request())
        bots = [await WireBot(address, name).hello(matches=4) for name in PLAYERS]
        await bots[0].next("match_started")
        cancel = tournament_pb2.CancelTournamentRequest(tournament_id="cup", reason="rain")
        cancelled = (await stub.CancelTournament(cancel)).tournament
        assert cancelled.state == tournament_pb2.TOURNAMENT_STATE_CANCELLED
        ended = (await bots[0].next("match_ended")).match_ended
        assert ended.void_reason == "the tournament was cancelled: rain"
        for bot in bots:
            await bot.cut()
        with pytest.raises(grpc.aio.AioRpcError) as caught:
            await stub.CancelTournament(cancel)
        assert from_rpc_error(caught.value).reason == "NOT_NOW"


@pytest.mark.parametrize(
    ("fields", "field"),
    [
        ({"game": "chess"}, "game"),
        ({"format": "robin"}, "format"),
        ({"seats": 9}, "seats"),
        ({"players": ["a", "A"]}, "players[1].name"),
        ({"players": ["a", "b c"]}, "players[1]"),
        ({"players": []}, "players"),
        ({"deals": -1}, "deals[0]"),
        ({"name": ""}, "name"),
        ({"name": "Cup\n\x1b[31m"}, "name"),
        ({"deals": 100_000}, "deals"),
        ({"format": "swiss", "deals": 10_000}, "deals"),
        ({"players": [f"p{number}" for number in range(600)]}, "players"),
    ],
)
async def test_a_wrong_request_is_refused_by_field(tmp_path: Path, fields: dict[str, object], field: str) -> None:
    async with hosting(tmp_path) as (_, stub):
        with pytest.raises(grpc.aio.AioRpcError) as caught:
            await stub.CreateTournament(request(**fields))
        error = from_rpc_error(caught.value)
        assert (error.code, error.field) == (grpc.StatusCode.INVALID_ARGUMENT, field)


async def test_names_and_ids_that_do_not_fit(tmp_path: Path) -> None:
    async with hosting(tmp_path) as (_, stub):
        await stub.CreateTournament(request())
        calls: list[tuple[Awaitable[object], str]] = [
            (stub.CreateTournament(request()), "ALREADY_EXISTS"),
            (stub.GetTournament(tournament_pb2.GetTournamentRequest(tournament_id="none")), "NOT_FOUND"),
        ]
        for call, reason in calls:
            with pytest.raises(grpc.aio.AioRpcError) as caught:
                await call
            assert from_rpc_error(caught.value).reason == reason
