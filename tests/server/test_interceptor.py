"""Who may call what, how often, and what callers are told otherwise."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Sequence
from pathlib import Path

import grpc
import grpc.aio
import pytest
from tests.support.wire import WireBot

from palio.codec.status import PalioError, from_rpc_error
from palio.server.access.accounts import Accounts
from palio.server.access.allowance import Allowance
from palio.server.access.credentials import Role
from palio.server.access.interceptor import RIGHTS
from palio.server.app import SERVICES, ArenaServer
from palio.server.config import ServerConfig
from palio.server.match.journal import unframe
from palio.server.match.verify import verify_file
from palio.v1 import catalog_pb2, catalog_pb2_grpc, match_pb2, match_pb2_grpc, play_pb2, simulation_pb2


def test_every_served_method_has_a_right() -> None:
    modules = (catalog_pb2, match_pb2, play_pb2, simulation_pb2)
    served = {
        f"/{service.full_name}/{method.name}"
        for module in modules
        for service in module.DESCRIPTOR.services_by_name.values()
        for method in service.methods
        if service.full_name in SERVICES
    }
    assert served - {"/palio.v1.PlayService/Play"} == set(RIGHTS)


def test_an_allowance_bears_a_burst_and_then_a_rate() -> None:
    allowance = Allowance(2.0, 3, now=10.0)
    assert [allowance.take(10.0) for _ in range(4)] == [True, True, True, False]
    assert [allowance.take(10.5), allowance.take(10.5)] == [True, False]
    assert [allowance.take(100.0) for _ in range(4)] == [True, True, True, False]


@pytest.fixture
def tokens(tmp_path: Path) -> dict[str, str]:
    """A token of each role, by the role's name; the players are called as their roles."""
    with Accounts.open(f"sqlite:///{tmp_path / 'palio.db'}") as accounts:
        found = {}
        for role in Role:
            accounts.create_player(role.value, role)
            found[role.value] = accounts.create_token(role.value)[0]
    return found


async def refusal(call: Awaitable[object]) -> PalioError | None:
    try:
        await call
    except grpc.aio.AioRpcError as error:
        return from_rpc_error(error)
    return None


async def test_roles(tmp_path: Path, tokens: dict[str, str]) -> None:
    with Accounts.open(f"sqlite:///{tmp_path / 'palio.db'}") as accounts:
        config = ServerConfig(listen=["127.0.0.1:0"], data=tmp_path)
        server = ArenaServer(config, accounts)
        await server.start()
        channel = grpc.aio.insecure_channel(server.addresses[0])
        matches = match_pb2_grpc.MatchServiceStub(channel)
        create = match_pb2.CreateMatchRequest(game="sticks", players=["player", "admin"])

        def bearer(role: str) -> tuple[tuple[str, str], ...]:
            return (("authorization", f"Bearer {tokens[role]}"),)

        for role, reason in [
            ("spectator", "PERMISSION_DENIED"),
            ("player", "PERMISSION_DENIED"),
            ("organiser", None),
            ("admin", None),
        ]:
            error = await refusal(matches.CreateMatch(create, metadata=bearer(role)))
            assert (error.reason if error else None) == reason, role
            assert await refusal(matches.ListMatches(match_pb2.ListMatchesRequest(), metadata=bearer(role))) is None
        for metadata in [(), (("authorization", "Bearer nonsense"),), (("authorization", tokens["admin"]),)]:
            error = await refusal(matches.CreateMatch(create, metadata=metadata))
            assert error is not None
            assert error.reason == "UNAUTHENTICATED"
        async with WireBot(server.addresses[0], "liar", tokens["player"]) as bot:
            await bot.hello()
            assert (await bot.next("welcome")).welcome.player_id == "player"
        async with WireBot(server.addresses[0], "looker", tokens["spectator"]) as bot:
            await bot.hello()
            await bot.end()
            assert bot.error is not None
            assert from_rpc_error(bot.error).reason == "PERMISSION_DENIED"
        await channel.close()
        await server.stop(grace=0)


async def test_players_have_an_allowance_and_organisers_do_not(tmp_path: Path, tokens: dict[str, str]) -> None:
    with Accounts.open(f"sqlite:///{tmp_path / 'palio.db'}") as accounts:
        config = ServerConfig.model_validate(
            {
                "listen": ["127.0.0.1:0"],
                "data": tmp_path,
                "limits": {"requests_per_second": 0.001, "request_burst": 3},
            }
        )
        server = ArenaServer(config, accounts)
        await server.start()
        channel = grpc.aio.insecure_channel(server.addresses[0])
        catalog = catalog_pb2_grpc.CatalogServiceStub(channel)
        expectations: list[tuple[str, Sequence[str | None]]] = [
            ("player", [None, None, None, "LIMIT_REACHED"]),
            ("organiser", [None] * 4),
        ]
        for role, expected in expectations:
            metadata = (("authorization", f"Bearer {tokens[role]}"),)
            seen = [
                await refusal(catalog.ListGames(catalog_pb2.ListGamesRequest(), metadata=metadata)) for _ in expected
            ]
            assert [error.reason if error else None for error in seen] == expected
        await channel.close()
        await server.stop(grace=0)


@pytest.mark.parametrize(
    ("request_", "field"),
    [
        (match_pb2.CreateMatchRequest(game="chess", players=["a", "b"]), "game"),
        (match_pb2.CreateMatchRequest(game="sticks"), "players"),
        (match_pb2.CreateMatchRequest(game="sticks", players=["a", "a"]), "players[1]"),
        (match_pb2.CreateMatchRequest(game="sticks", players=["a", ""]), "players[1]"),
        (match_pb2.CreateMatchRequest(game="sticks", players=["a", "b"], match_id="../x"), "match_id"),
        (match_pb2.CreateMatchRequest(game="sticks", players=["a", "b"], seed=b"short"), "seed"),
        (match_pb2.CreateMatchRequest(game="sticks", players=["a", "b"], attempt=-1), "attempt"),
    ],
)
async def test_a_wrong_match_is_refused_by_field(
    tmp_path: Path, request_: match_pb2.CreateMatchRequest, field: str
) -> None:
    server = ArenaServer(ServerConfig(listen=["127.0.0.1:0"], data=tmp_path, open=True))
    await server.start()
    async with grpc.aio.insecure_channel(server.addresses[0]) as channel:
        error = await refusal(match_pb2_grpc.MatchServiceStub(channel).CreateMatch(request_))
    assert error is not None
    assert (error.code, error.field) == (grpc.StatusCode.INVALID_ARGUMENT, field)
    await server.stop(grace=0)


async def test_the_seed_of_a_deal_that_is_played_again_is_the_organisers(
    tmp_path: Path, tokens: dict[str, str]
) -> None:
    with Accounts.open(f"sqlite:///{tmp_path / 'palio.db'}") as accounts:
        server = ArenaServer(ServerConfig(listen=["127.0.0.1:0"], data=tmp_path), accounts)
        await server.start()
        channel = grpc.aio.insecure_channel(server.addresses[0])
        matches = match_pb2_grpc.MatchServiceStub(channel)

        def bearer(role: str) -> tuple[tuple[str, str], ...]:
            return (("authorization", f"Bearer {tokens[role]}"),)

        seed = bytes(range(32))
        request = match_pb2.CreateMatchRequest(
            match_id="m", game="sticks", players=["player", "admin"], seed=seed, withhold_seed=True
        )
        await matches.CreateMatch(request, metadata=bearer("organiser"))
        async with (
            WireBot(server.addresses[0], "", tokens["player"]) as one,
            WireBot(server.addresses[0], "", tokens["admin"]) as two,
        ):
            for bot in (one, two):
                await bot.hello()
            ended, other = await asyncio.gather(one.play_to_the_end(), two.play_to_the_end())
        match = await matches.GetMatch(match_pb2.GetMatchRequest(match_id="m"), metadata=bearer("spectator"))
        for result in (ended.result, other.result, match.match.result):
            assert result.rated
            assert not result.seed
        replay = match_pb2.GetReplayRequest(match_id="m")
        for role in ("spectator", "player"):
            error = await refusal(matches.GetReplay(replay, metadata=bearer(role)))
            assert error is not None
            assert error.reason == "PERMISSION_DENIED"
        found = await matches.GetReplay(replay, metadata=bearer("organiser"))
        (tmp_path / "m.replay").write_bytes(found.replay)
        assert not verify_file(tmp_path / "m.replay").difference
        assert unframe(found.replay)[0][-1].end.result.seed == seed
        await channel.close()
        await server.stop(grace=0)
