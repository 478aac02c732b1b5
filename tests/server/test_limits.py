"""What callers may cost, all of it set in one file; and who is within the limits notices nothing of who is not."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path
from typing import Any

import grpc
import grpc.aio
import pytest
from grpc_health.v1 import health_pb2, health_pb2_grpc
from tests.server.conftest import Start
from tests.support.arena import Host
from tests.support.waiting import until
from tests.support.wire import WireBot

from palio.codec.status import PalioError, from_rpc_error
from palio.server.access.accounts import Accounts
from palio.server.access.allowance import Allowances
from palio.server.access.credentials import Role
from palio.server.access.streams import Streams
from palio.server.app import ArenaServer
from palio.server.config import ServerConfig
from palio.server.match.room import Room
from palio.server.services.matches import Feed
from palio.v1 import catalog_pb2, catalog_pb2_grpc, match_pb2, match_pb2_grpc, play_pb2

EXHAUSTED = grpc.StatusCode.RESOURCE_EXHAUSTED

Begin = Callable[..., Awaitable[tuple[Host, Accounts]]]


async def refusal(call: Awaitable[object]) -> PalioError | None:
    try:
        await call
    except grpc.aio.AioRpcError as error:
        return from_rpc_error(error)
    return None


async def end_of(bot: WireBot) -> PalioError:
    """Why a stream ended."""
    await bot.end()
    assert bot.error is not None
    return from_rpc_error(bot.error)


async def others_play(host: Host, match_id: str = "others") -> None:
    """Two bots play a match, undisturbed."""
    bots = await host.connect("x", "y")
    await host.create("x", "y", heap=9, match_id=match_id)
    ended, _ = await asyncio.gather(*(bot.play_to_the_end() for bot in bots))
    assert [seat.termination for seat in ended.result.seats] == [match_pb2.TERMINATION_FINISHED] * 2
    for bot in bots:
        assert bot.error is None
        await bot.cut()


@pytest.fixture
async def guarded(tmp_path: Path) -> AsyncIterator[Begin]:
    """Starts a server with accounts; keyword arguments are fields of Limits."""
    opened: list[tuple[Host, Accounts]] = []

    async def begin(**limits: object) -> tuple[Host, Accounts]:
        accounts = Accounts.open(f"sqlite:///{tmp_path / 'palio.db'}")
        config = {"listen": ["127.0.0.1:0"], "data": tmp_path, "limits": limits}
        server = ArenaServer(ServerConfig.model_validate(config), accounts)
        await server.start()
        opened.append((Host(server), accounts))
        return opened[-1]

    yield begin
    for host, accounts in opened:
        await host.close()
        accounts.close()


def token_of(accounts: Accounts, name: str, role: Role = Role.PLAYER, tokens: int = 1) -> list[str]:
    accounts.create_player(name, role)
    return [accounts.create_token(name)[0] for _ in range(tokens)]


# --- sizes ---


async def test_a_message_beyond_64_kib_ends_its_own_stream_alone(host: Host) -> None:
    (bot,) = await host.connect("big")
    limits = next(update.welcome.limits for update in bot.seen if update.HasField("welcome"))
    assert limits.max_message_bytes == 64 * 1024
    await bot.say(play_pb2.PlayRequest(ready=play_pb2.Ready(match_id="m", entropy=bytes(64 * 1024 - 20))))
    assert (await bot.next("refused")).refused.reason == "NOT_FOUND"
    await bot.say(play_pb2.PlayRequest(ready=play_pb2.Ready(match_id="m", entropy=bytes(64 * 1024))))
    assert (await end_of(bot)).code == EXHAUSTED
    await others_play(host)
    await host.connect("big")


async def test_metadata_beyond_the_limit_is_refused(host: Host) -> None:
    request = match_pb2.ListMatchesRequest()
    assert await refusal(host.matches.ListMatches(request, metadata=(("x-note", "x" * 6000),))) is None
    error = await refusal(host.matches.ListMatches(request, metadata=(("x-note", "x" * 9000),)))
    assert error is not None
    assert error.code == EXHAUSTED


async def test_a_page_is_no_larger_than_the_operator_says(start: Start) -> None:
    host = await start(limits={"max_page_size": 2})
    await host.connect("a", "b", "c")
    async with grpc.aio.insecure_channel(host.address) as channel:
        stub = match_pb2_grpc.MatchServiceStub(channel)
        first = await stub.ListPlayers(match_pb2.ListPlayersRequest(page_size=50))
        rest = await stub.ListPlayers(match_pb2.ListPlayersRequest(page_token=first.next_page_token))
        assert [[player.player for player in page.players] for page in (first, rest)] == [["a", "b"], ["c"]]
        games = catalog_pb2_grpc.CatalogServiceStub(channel)
        assert len((await games.ListGames(catalog_pb2.ListGamesRequest(page_size=50))).games) == 2


# --- counts ---


async def test_streams_per_player(guarded: Begin) -> None:
    host, accounts = await guarded(streams_per_player=2)
    tokens = token_of(accounts, "a", tokens=3)
    bots = [WireBot(host.address, "", token) for token in tokens]
    for bot in bots[:2]:
        await bot.hello()
        await bot.next("welcome")
    await bots[2].hello()
    error = await end_of(bots[2])
    assert (error.reason, error.message) == ("LIMIT_REACHED", "2 streams of a are open already")
    # A bot that comes back takes the place of its older session.
    async with WireBot(host.address, "", tokens[0]) as again:
        await again.hello()
        await again.next("welcome")
        assert (await bots[0].next("goodbye")).goodbye.reason == play_pb2.GOODBYE_REASON_REPLACED
    (other,) = token_of(accounts, "b")
    async with WireBot(host.address, "", other) as bot:
        await bot.hello()
        await bot.next("welcome")
    for bot in bots:
        await bot.cut()


async def test_watching_streams_count_too_but_not_those_of_organisers(guarded: Begin) -> None:
    host, accounts = await guarded(streams_per_player=1)
    (spectator,), (organiser,) = (token_of(accounts, role, role) for role in (Role.SPECTATOR, Role.ORGANISER))
    host.server.arena.create(match_pb2.CreateMatchRequest(match_id="m", game="sticks", players=["a", "b"]))
    async with grpc.aio.insecure_channel(host.address) as channel:
        stub = match_pb2_grpc.MatchServiceStub(channel)

        async def watch(token: str) -> Any:
            metadata = (("authorization", f"Bearer {token}"),)
            call: Any = stub.WatchMatch(match_pb2.WatchMatchRequest(match_id="m"), metadata=metadata)
            assert (await call.read()).HasField("match")
            return call

        first = await watch(spectator)
        error = await refusal(watch(spectator))
        assert error is not None
        assert error.message == "1 streams of spectator are open already"
        calls = [await watch(organiser) for _ in range(3)]
        first.cancel()
        async with asyncio.timeout(20):
            while await refusal(watch(spectator)) is not None:  # noqa: ASYNC110
                await asyncio.sleep(0.05)
        del calls


async def test_all_streams_together(start: Start) -> None:
    host = await start(limits={"max_streams": 2})
    await host.connect("a", "b")
    bot = await host.bot("c").hello()
    assert (await end_of(bot)).message == "2 streams are open already; try again later"


async def test_connections_per_second(start: Start) -> None:
    host = await start(limits={"requests_per_second": 0.001, "request_burst": 2})
    for _ in range(2):
        (bot,) = await host.connect("a")
        await bot.cut()
    bot = await host.bot("a").hello()
    assert (await end_of(bot)).reason == "LIMIT_REACHED"
    await others_play(host)


async def test_matches_per_player_and_of_all(start: Start) -> None:
    host = await start(limits={"matches_per_player": 2, "max_matches": 3})
    for index in range(2):
        await host.create("a", "b", match_id=f"m{index}")
    error = await refusal(host.create("c", "a", match_id="m2"))
    assert error is not None
    assert (error.reason, error.field) == ("LIMIT_REACHED", "players[1]")
    assert error.message == "2 matches of a wait or run already"
    await host.create("c", "d", match_id="m2")
    error = await refusal(host.create("e", "f", match_id="m3"))
    assert error is not None
    assert error.message == "3 matches wait or run already"
    await host.matches.CancelMatch(match_pb2.CancelMatchRequest(match_id="m0"))
    await host.create("a", "b", match_id="m3")


async def test_matches_per_stream(start: Start) -> None:
    host = await start(limits={"matches_per_stream": 2})
    bots = await host.connect("a", "b", matches=50)
    for index in range(4):
        await host.create("a", "b", match_id=f"m{index}")
    for bot in bots:
        welcome = next(update.welcome for update in bot.seen if update.HasField("welcome"))
        assert welcome.limits.max_concurrent_matches == 2
    rooms = host.server.arena.rooms.values()
    assert sum(room.state == match_pb2.MATCH_STATE_RUNNING for room in rooms) == 2


async def test_anybody_may_watch_the_health_but_not_without_end(start: Start) -> None:
    host = await start(limits={"max_silent_streams": 2})
    async with grpc.aio.insecure_channel(host.address) as channel:
        stub: Any = health_pb2_grpc.HealthStub(channel)
        calls = [stub.Watch(health_pb2.HealthCheckRequest()) for _ in range(3)]
        seen = [await refusal(call.read()) for call in calls]
        assert sorted(error.reason if error else "" for error in seen) == ["", "", "LIMIT_REACHED"]
        for call in calls:
            call.cancel()


def test_names_come_and_go_without_a_bound() -> None:
    allowances = Allowances(1.0, 2, lambda: 0.0)
    assert [allowances.take("a") for _ in range(3)] == [True, True, False]
    for index in range(20_000):
        assert allowances.take(f"p{index}")
    assert not allowances.take("a")
    streams = Streams(10, 1)
    for index in range(100):
        with streams.one(f"p{index}"):
            assert streams.total == 1
    assert streams.total == 0
    assert not streams._open


# --- floods ---


async def test_a_flood_of_silent_streams_keeps_nobody_out(start: Start) -> None:
    host = await start(limits={"max_silent_streams": 50})
    async with grpc.aio.insecure_channel(host.address) as channel:
        play: Any = channel.stream_stream("/palio.v1.PlayService/Play")
        calls = [play() for _ in range(500)]
        reads = [asyncio.create_task(refusal(call.read())) for call in calls]
        await until(lambda: sum(read.done() for read in reads) >= 450)
        await others_play(host)
        for call in calls:
            call.cancel()
        await asyncio.gather(*reads, return_exceptions=True)


async def test_what_a_later_version_of_the_protocol_says_is_borne(host: Host) -> None:
    unknown = b"\xc2\x3e\x03abc"  # field 1000, of a type that has a length
    async with grpc.aio.insecure_channel(host.address) as channel:
        play: Any = channel.stream_stream("/palio.v1.PlayService/Play")
        call = play()
        hello = play_pb2.Hello(bot_name="new", protocol_version=1).SerializeToString() + unknown
        request = b"\x0a" + bytes([len(hello)]) + hello + unknown
        await call.write(request)
        assert play_pb2.PlayResponse.FromString(await call.read()).updates[0].HasField("welcome")
        await call.write(unknown)  # a message of a kind that is not known here
        updates: list[play_pb2.Update] = []
        while not any(update.HasField("refused") for update in updates):
            updates += play_pb2.PlayResponse.FromString(await call.read()).updates
        assert "new" in {session.player for session in host.server.arena.sessions.values()}
        call.cancel()


# --- spectators who do not read ---


async def test_a_spectator_who_does_not_read_is_let_go(host: Host) -> None:
    await host.create("a", "b", heap=60)
    (room,) = host.server.arena.rooms.values()
    feed = Feed(room, 0, 5, events=True)
    room.spectators.append(feed)
    a, b = await host.connect("a", "b")
    await asyncio.gather(a.play_to_the_end(), b.play_to_the_end())
    assert feed.overflow
    assert feed.queue.qsize() == 1
    assert await feed.queue.get() is None


class Broken:
    """A spectator of whom every call fails."""

    def step(self, choices: int, events: list[bytes]) -> None:
        raise RuntimeError("no")

    def ended(self, match: match_pb2.Match) -> None:
        raise RuntimeError("no")


async def test_a_spectator_that_fails_costs_no_match(host: Host) -> None:
    await host.create("a", "b", heap=9)
    room: Room = host.server.arena.rooms["m"]
    room.spectators.append(Broken())
    a, b = await host.connect("a", "b")
    ended, _ = await asyncio.gather(a.play_to_the_end(), b.play_to_the_end())
    assert ended.result.rated
    assert (await host.result()).state == match_pb2.MATCH_STATE_FINISHED
