"""A server of several processes: bots are sent to workers, matches are found wherever they are, deaths cost none."""

from __future__ import annotations

import asyncio
import errno
import fcntl
import os
import shutil
import signal
import tempfile
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any

import grpc
import grpc.aio
import pytest
from grpc_health.v1 import health_pb2, health_pb2_grpc
from tests.support.arena import sticks
from tests.support.front import FrontProcess
from tests.support.waiting import until
from tests.support.wire import WireBot

from palio.client import Bot, Decision, play_async
from palio.client.settings import Settings
from palio.codec.status import PalioError, from_rpc_error
from palio.server.access.accounts import Accounts
from palio.server.config import ServerConfig
from palio.server.front import member
from palio.server.front.folders import gather, journal_of, lock
from palio.server.front.server import FrontServer
from palio.server.listening import CannotListen
from palio.server.match.journal import ReplayStore
from palio.server.match.verify import verify_file
from palio.v1 import (
    catalog_pb2,
    catalog_pb2_grpc,
    match_pb2,
    match_pb2_grpc,
    play_pb2,
    simulation_pb2,
    simulation_pb2_grpc,
    tournament_pb2,
    tournament_pb2_grpc,
)

FINISHED = match_pb2.TERMINATION_FINISHED
PLAYERS = {"ada": 3, "ben": 3, "cal": 1, "dan": 1}


class First(Bot):
    """Takes one stick each time."""

    blocking = False

    def choose(self, decision: Decision) -> int:
        return 0


def pausing(seconds: float, chosen: asyncio.Event) -> type[Bot]:
    """The same, slowly."""

    class Pausing(First):
        async def choose(self, decision: Decision) -> int:  # type: ignore[override]
            chosen.set()
            await asyncio.sleep(seconds)
            return 0

    return Pausing


def bots(server: FrontProcess, players: list[str], each: int, make: type[Bot]) -> list[asyncio.Task[int]]:
    """One bot for each token of those players; each plays until it is cancelled."""
    return [
        asyncio.create_task(
            play_async(
                make,
                Settings(server=server.address, token=token, first_delay=0.02, longest_delay=0.2, concurrency=each),
            )
        )
        for player in players
        for token in server.tokens[player]
    ]


async def stop(tasks: list[asyncio.Task[int]]) -> None:
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)


async def all_connected(server: FrontProcess, players: list[str]) -> None:
    """Wait until a bot of every token of those players is connected."""
    for name in players:
        await server.wait_for(name, len(server.tokens[name]))


async def cancel(server: FrontProcess, match_id: str) -> match_pb2.Match:
    async with grpc.aio.insecure_channel(server.address) as channel:
        request = match_pb2.CancelMatchRequest(match_id=match_id, reason="enough")
        return (await match_pb2_grpc.MatchServiceStub(channel).CancelMatch(request, metadata=server.bearer())).match


def assert_finished(match: match_pb2.Match) -> None:
    assert [seat.termination for seat in match.result.seats] == [FINISHED, FINISHED], match


@pytest.fixture(scope="module")
def socket_path() -> Iterator[Path]:
    """Of a Unix socket, whose paths are short."""
    folder = Path(tempfile.mkdtemp(prefix="palio-test-"))
    yield folder / "s"
    # A worker whose front was killed may take its own socket away at this moment.
    shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory, socket_path: Path) -> Iterator[FrontProcess]:
    """Two workers that several tests share; each test has matches of its own names."""
    arguments = ("--listen", f"unix:{socket_path}", "--set", "worker_host=localhost")
    process = FrontProcess(tmp_path_factory.mktemp("front"), PLAYERS, *arguments)
    process.start()
    yield process
    process.kill()


@pytest.fixture
async def channel(server: FrontProcess) -> AsyncIterator[grpc.aio.Channel]:
    async with grpc.aio.insecure_channel(server.address) as channel:
        yield channel


async def test_tokens_of_a_player_go_to_the_workers_in_turn_and_always_to_the_same(server: FrontProcess) -> None:
    places = [[await server.place(token) for token in server.tokens[name]] for name in ("ada", "ben", "cal")]
    (first, second, third), of_ben, (of_cal,) = places
    assert first == third == of_cal != second
    assert of_ben == [first, second, third]
    assert server.address not in (first, second)
    assert [await server.place(token) for token in server.tokens["ada"]] == places[0]


async def test_bots_are_sent_on_the_way_that_they_came(
    server: FrontProcess, socket_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Over TCP to the name that the operator set, over a Unix socket to another one: a sandboxed bot has no network."""
    tokens = server.tokens["ada"][:2]
    assert all([(await server.place(token)).startswith("localhost:") for token in tokens])
    monkeypatch.setattr(server, "address", f"unix:{socket_path}")
    for number, token in enumerate(tokens):
        assert await server.place(token) == f"unix:{socket_path}.{number}"
        async with await server.moved(token) as bot:
            assert (await bot.next("welcome")).welcome.player_id == "ada"


async def test_matches_are_spread_over_the_workers_and_all_of_them_are_found(server: FrontProcess) -> None:
    tasks = bots(server, ["ada", "ben"], 4, First)
    try:
        await all_connected(server, ["ada", "ben"])
        assert (await server.connected())["ada"].capacity == 12
        names = [f"spread-{number}" for number in range(8)]
        await asyncio.gather(*(server.create(name, ["ada", "ben"]) for name in names))
        for name in names:
            assert_finished(await server.result(name))
    finally:
        await stop(tasks)
    for name in names:
        verdict = verify_file(server.replays / f"{name}.1.replay")
        assert not verdict.difference, verdict
    started = [line for line in server.log.splitlines() if "match.started" in line and "match=spread-" in line]
    assert sorted({line.split("worker=")[1].split()[0] for line in started}) == ["0", "1"]


async def test_a_spectator_sees_a_match_through_the_front(server: FrontProcess, channel: grpc.aio.Channel) -> None:
    stub = match_pb2_grpc.MatchServiceStub(channel)
    await server.create("seen", ["cal", "dan"])
    watching = stub.WatchMatch(match_pb2.WatchMatchRequest(match_id="seen"), metadata=server.bearer("ada"))
    updates = aiter(watching)
    first = await anext(updates)
    assert first.match.state == match_pb2.MATCH_STATE_WAITING
    tasks = bots(server, ["cal", "dan"], 1, First)
    try:
        kinds = [update.WhichOneof("update") async for update in updates]
    finally:
        await stop(tasks)
    assert kinds == ["observation", *["events"] * 8, "ended"]
    replay = await stub.GetReplay(match_pb2.GetReplayRequest(match_id="seen"), metadata=server.bearer("ada"))
    assert replay.replay == (server.replays / "seen.1.replay").read_bytes()
    again = stub.WatchMatch(match_pb2.WatchMatchRequest(match_id="seen"), metadata=server.bearer("ada"))
    assert [update.WhichOneof("update") async for update in again] == ["match", "ended"]


async def test_lists_are_of_all_workers(server: FrontProcess, channel: grpc.aio.Channel) -> None:
    stub = match_pb2_grpc.MatchServiceStub(channel)
    async with await server.moved(server.tokens["ada"][1]) as ada, await server.moved(server.tokens["ben"][1]) as ben:
        for bot in (ada, ben):
            await bot.next("welcome")
        await server.create("listed-second", ["ada", "ben"])
        await server.create("listed-first", ["cal", "dan"])
        waiting = match_pb2.ListMatchesRequest(player="cal", state=match_pb2.MATCH_STATE_WAITING)
        running = match_pb2.ListMatchesRequest(state=match_pb2.MATCH_STATE_RUNNING)
        found = [
            [match.match_id for match in (await stub.ListMatches(request, metadata=server.bearer())).matches]
            for request in (waiting, running)
        ]
        assert found == [["listed-first"], ["listed-second"]]
        page = match_pb2.ListMatchesRequest(page_size=1)
        one = await stub.ListMatches(page, metadata=server.bearer())
        page.page_token = one.next_page_token
        two = await stub.ListMatches(page, metadata=server.bearer())
        assert [match.match_id for match in (*one.matches, *two.matches)] == ["listed-first", "listed-second"]
        for name in ("listed-first", "listed-second"):
            match = await cancel(server, name)
            assert (match.state, match.void_reason) == (match_pb2.MATCH_STATE_VOID, "enough")


async def refusal(call: object) -> tuple[grpc.StatusCode, str, str]:
    with pytest.raises(grpc.aio.AioRpcError) as caught:
        await call  # type: ignore[misc]
    error = from_rpc_error(caught.value)
    return error.code, error.reason, error.field


async def test_errors_are_those_of_a_single_server(server: FrontProcess, channel: grpc.aio.Channel) -> None:
    stub = match_pb2_grpc.MatchServiceStub(channel)
    code = grpc.StatusCode
    await server.create("twice", ["cal", "dan"])
    me = server.bearer()
    wrong = match_pb2.CreateMatchRequest(game="sticks", players=["cal", "cal"])
    assert await refusal(stub.CreateMatch(wrong, metadata=me)) == (
        code.INVALID_ARGUMENT,
        "INVALID_REQUEST",
        "players[1]",
    )
    assert await refusal(server.create("twice", ["cal", "dan"])) == (code.ALREADY_EXISTS, "ALREADY_EXISTS", "match_id")
    get = match_pb2.GetMatchRequest(match_id="none")
    assert await refusal(stub.GetMatch(get, metadata=me)) == (code.NOT_FOUND, "NOT_FOUND", "match_id")
    get = match_pb2.GetMatchRequest(match_id="../palio")
    assert await refusal(stub.GetMatch(get, metadata=me)) == (code.NOT_FOUND, "NOT_FOUND", "match_id")
    replay = match_pb2.GetReplayRequest(match_id="twice")
    assert await refusal(stub.GetReplay(replay, metadata=me)) == (code.FAILED_PRECONDITION, "NOT_NOW", "")
    assert (await refusal(stub.GetMatch(get)))[1] == "UNAUTHENTICATED"
    mine = match_pb2.CreateMatchRequest(match_id="mine", game="sticks", players=["cal", "dan"])
    assert (await refusal(stub.CreateMatch(mine, metadata=server.bearer("ada"))))[1] == "PERMISSION_DENIED"
    await cancel(server, "twice")
    assert (await refusal(cancel(server, "twice")))[1] == "NOT_NOW"
    assert (await refusal(server.create("twice", ["cal", "dan"])))[1] == "ALREADY_EXISTS"


async def test_one_name_is_one_match_even_when_it_is_asked_for_at_once(server: FrontProcess) -> None:
    asked = [server.create("once", ["cal", "dan"]) for _ in range(6)]
    made = await asyncio.gather(*asked, return_exceptions=True)
    assert sum(isinstance(match, match_pb2.Match) for match in made) == 1
    await cancel(server, "once")


async def test_what_needs_no_match_is_served_by_the_front(server: FrontProcess, channel: grpc.aio.Channel) -> None:
    catalogue = catalog_pb2_grpc.CatalogServiceStub(channel)
    games = await catalogue.ListGames(catalog_pb2.ListGamesRequest(), metadata=server.bearer("ada"))
    assert "sticks" in [game.id for game in games.games]
    stub: Any = health_pb2_grpc.HealthStub(channel)
    health = await stub.Check(health_pb2.HealthCheckRequest())
    assert health.status == health_pb2.HealthCheckResponse.SERVING
    simulation = simulation_pb2_grpc.SimulationServiceStub(channel)
    nowhere = simulation_pb2.SampleStateRequest(match_id="nowhere")
    assert (await refusal(simulation.SampleState(nowhere, metadata=server.bearer("ada"))))[1] == "NOT_FOUND"
    tournaments = tournament_pb2_grpc.TournamentServiceStub(channel)
    listed = await tournaments.ListTournaments(tournament_pb2.ListTournamentsRequest(), metadata=server.bearer("ada"))
    assert not listed.tournaments


@pytest.mark.parametrize("key", [None, "", "a guess"])
async def test_the_port_of_a_worker_is_for_bots_alone(server: FrontProcess, key: str | None) -> None:
    """Otherwise one could make a match there of a name that another worker has already."""
    address = await server.place(server.tokens["dan"][0])
    organiser = server.bearer() if key is None else (("palio-front", key), *server.bearer())
    create = match_pb2.CreateMatchRequest(match_id="aside", game="sticks", players=["cal", "dan"])
    async with grpc.aio.insecure_channel(address) as channel:
        matches = match_pb2_grpc.MatchServiceStub(channel)
        calls = (
            matches.CreateMatch(create, metadata=organiser),
            matches.CancelMatch(match_pb2.CancelMatchRequest(match_id="aside"), metadata=organiser),
            matches.ListMatches(match_pb2.ListMatchesRequest(), metadata=organiser),
            matches.GetReplay(match_pb2.GetReplayRequest(match_id="aside"), metadata=organiser),
        )
        assert [(await refusal(call))[1] for call in calls] == ["NOT_NOW"] * 4
        with pytest.raises(grpc.aio.AioRpcError, match="call the server at its own address"):
            await anext(aiter(matches.WatchMatch(match_pb2.WatchMatchRequest(match_id="aside"), metadata=organiser)))
        games = catalog_pb2_grpc.CatalogServiceStub(channel)
        assert (await games.ListGames(catalog_pb2.ListGamesRequest(), metadata=server.bearer("dan"))).games
    async with grpc.aio.insecure_channel(server.address) as channel:
        get = match_pb2_grpc.MatchServiceStub(channel).GetMatch(
            match_pb2.GetMatchRequest(match_id="aside"), metadata=server.bearer()
        )
        assert (await refusal(get))[1] == "NOT_FOUND"


async def test_a_sample_comes_from_the_worker_of_the_match(server: FrontProcess, channel: grpc.aio.Channel) -> None:
    simulation = simulation_pb2_grpc.SimulationServiceStub(channel)
    async with await server.moved(server.tokens["cal"][0]) as cal, await server.moved(server.tokens["dan"][0]) as dan:
        await server.create("sampled", ["cal", "dan"])
        for bot in (cal, dan):
            await bot.next("match_started")
            await bot.ready("sampled")
        await cal.next("decision")
        request = simulation_pb2.SampleStateRequest(match_id="sampled")
        reasons = [
            (await refusal(simulation.SampleState(request, metadata=server.bearer(name))))[1] for name in ("dan", "ada")
        ]
        assert reasons == ["NOT_NOW", "NOT_FOUND"]
        await cancel(server, "sampled")


@pytest.mark.parametrize("token", ["", "nonsense", "palio_aaaaaaaaaaaa_" + 43 * "x"])
async def test_an_unknown_token_is_refused_at_the_front(server: FrontProcess, token: str) -> None:
    async with WireBot(server.address, token=token) as bot:
        await bot.hello()
        assert await bot.end() == []
        assert bot.error is not None
        assert from_rpc_error(bot.error).reason == "UNAUTHENTICATED"


async def test_a_hello_that_no_worker_would_take_is_refused_at_the_front(server: FrontProcess) -> None:
    async with WireBot(server.address, token=server.tokens["ada"][0]) as bot:
        await bot.hello(version=2)
        assert await bot.end() == []
        assert bot.error is not None
        assert from_rpc_error(bot.error).reason == "UNSUPPORTED_VERSION"


@pytest.mark.slow
async def test_a_revoked_token_is_thrown_out_by_its_worker(server: FrontProcess) -> None:
    with Accounts.open(server.database) as accounts:
        text, token = accounts.create_token("dan")
        playing = asyncio.create_task(play_async(First, Settings(server=server.address, token=text)))
        await server.wait_for("dan", 1)
        accounts.revoke(token.token_id)
    with pytest.raises(PalioError) as caught:
        await asyncio.wait_for(playing, 60)
    assert (caught.value.reason, caught.value.metadata["cause"]) == ("UNAUTHENTICATED", "revoked")
    assert server.log.count("session.expelled") == 1


async def test_who_loses_its_older_token_moves_and_its_session_with_it(server: FrontProcess) -> None:
    """Its token is the first one of its player now, so it belongs to worker 0; a session has one place only."""
    with Accounts.open(server.database) as accounts:
        accounts.create_player("eve")
        (_, older), (text, _) = accounts.create_token("eve"), accounts.create_token("eve")
        before = await server.place(text)
        async with await server.moved(text) as bot:
            await bot.next("welcome")
            accounts.revoke(older.token_id)
            async with await server.moved(text) as again:
                await again.next("welcome")
                assert again.address == await server.place(server.tokens["cal"][0]) != before
                assert (await bot.next("goodbye")).goodbye.reason == play_pb2.GOODBYE_REASON_REPLACED


async def test_a_seat_keeps_its_bot_on_its_worker(server: FrontProcess) -> None:
    with Accounts.open(server.database) as accounts:
        tokens: dict[str, str] = {}
        for name in ("fay", "gil"):
            accounts.create_player(name)
            _, older = accounts.create_token(name)
            tokens[name], _ = accounts.create_token(name)
            tokens[f"{name}-older"] = older.token_id
        async with await server.moved(tokens["fay"]) as fay, await server.moved(tokens["gil"]) as gil:
            for bot in (fay, gil):
                await bot.next("welcome")
            await server.create("kept", ["fay", "gil"], heap=5)
            for bot in (fay, gil):
                await bot.next("match_started")
                await bot.ready("kept")
            await fay.next("decision")
            await fay.cut()
            accounts.revoke(tokens["fay-older"])
            async with await server.moved(tokens["fay"]) as back:
                assert back.address == gil.address
                await asyncio.gather(back.play_to_the_end(), gil.play_to_the_end())


@pytest.mark.slow
async def test_deaths_of_workers_and_of_the_front_cost_no_match(tmp_path: Path) -> None:
    """Each worker is killed in the middle of its matches and started again; then the front is, which takes its workers
    along, and a restart has every match."""
    server = FrontProcess(tmp_path, {"ada": 2, "ben": 2})
    await server.start_async()
    chosen = asyncio.Event()
    tasks = bots(server, ["ada", "ben"], 2, pausing(0.02, chosen))

    async def amidst() -> None:
        chosen.clear()
        await asyncio.wait_for(chosen.wait(), 120)

    try:
        await all_connected(server, ["ada", "ben"])
        places = [await server.place(token) for token in server.tokens["ada"]]
        names = [f"m{number}" for number in range(4)]
        for name in names:
            await server.create(name, ["ada", "ben"], heap=150)
        for victim in sorted(server.workers()):
            await amidst()
            os.kill(victim, signal.SIGKILL)
        await all_connected(server, ["ada", "ben"])
        assert server.log.count("worker.died") == 2
        assert [await server.place(token) for token in server.tokens["ada"]] == places
        await amidst()
        workers = server.workers()
        assert len(workers) == 2
        server.kill()
        await until(lambda: not any(Path(f"/proc/{worker}").exists() for worker in workers))
        await server.start_async()
        async with asyncio.timeout(200):
            for name in names:
                match = await server.result(name)
                assert_finished(match)
                assert match.choices == 149
    finally:
        await stop(tasks)
        code = await asyncio.to_thread(server.terminate)
    assert code == 0
    for name in names:
        assert not verify_file(server.replays / f"{name}.1.replay").difference


@pytest.mark.slow
async def test_a_worker_that_hangs_is_started_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(member, "LOOK_EVERY", 0.2)
    monkeypatch.setattr(member, "ANSWER_WITHIN", 2.0)
    fields = {"listen": ["127.0.0.1:0"], "data": tmp_path, "open": True, "workers": 2}
    config = ServerConfig.model_validate(fields)
    with Accounts.open(config.database_url) as accounts:
        front = FrontServer(config, accounts)
        await front.start()
        try:
            address = front.addresses[0]
            async with grpc.aio.insecure_channel(address) as channel:
                matches = match_pb2_grpc.MatchServiceStub(channel)
                request = match_pb2.CreateMatchRequest(
                    match_id="m", game="sticks", players=["a", "b"], options=sticks(60)
                )
                await matches.CreateMatch(request)
                chosen = asyncio.Event()
                make = pausing(0.02, chosen)
                tasks = [asyncio.create_task(play_async(make, server=address, name=name, matches=1)) for name in "ab"]
                await asyncio.wait_for(chosen.wait(), 120)
                hanging = front._crew.workers[0]
                assert hanging._process is not None
                pid = hanging._process.pid
                os.kill(pid, signal.SIGSTOP)
                health: Any = health_pb2_grpc.HealthStub(channel)
                states = health.Watch(health_pb2.HealthCheckRequest())
                said = [update.status async for update in _until_serving_again(states)]
                assert said[-2:] == [health_pb2.HealthCheckResponse.NOT_SERVING, health_pb2.HealthCheckResponse.SERVING]
                assert hanging._process.pid != pid
                assert await asyncio.gather(*tasks) == [1, 1]
                assert_finished((await matches.GetMatch(match_pb2.GetMatchRequest(match_id="m"))).match)
        finally:
            await front.stop(grace=0)


async def _until_serving_again(states: Any) -> AsyncIterator[health_pb2.HealthCheckResponse]:
    """What a health watch says, up to the first SERVING after a NOT_SERVING."""
    down = False
    async with asyncio.timeout(240):
        async for update in states:
            yield update
            if down and update.status == health_pb2.HealthCheckResponse.SERVING:
                return
            down = down or update.status == health_pb2.HealthCheckResponse.NOT_SERVING


async def games_played(server: FrontProcess, atleast: int) -> tournament_pb2.Tournament:
    """The hosted tournament once so many games of it are in the ledger; the server may be away meanwhile."""
    request = tournament_pb2.GetTournamentRequest(tournament_id="cup")
    async with grpc.aio.insecure_channel(server.address) as channel, asyncio.timeout(240):
        stub = tournament_pb2_grpc.TournamentServiceStub(channel)
        while True:
            call = stub.GetTournament(request, metadata=server.bearer(), wait_for_ready=True)
            found = (await call).tournament
            if found.games_played >= atleast:
                return found
            await asyncio.sleep(0.05)


@pytest.mark.slow
async def test_a_hosted_tournament_outlives_workers_and_the_front(tmp_path: Path) -> None:
    """It is played on both workers, one of which dies meanwhile, and then the front with the other."""
    server = FrontProcess(tmp_path, {"ada": 2, "ben": 2})
    await server.start_async()
    tasks = bots(server, ["ada", "ben"], 2, pausing(0.01, asyncio.Event()))
    try:
        await all_connected(server, ["ada", "ben"])
        create = tournament_pb2.CreateTournamentRequest(
            name="Cup", game="sticks", players=["ada", "ben"], deals=12, options=sticks(60), seed="cup"
        )
        async with grpc.aio.insecure_channel(server.address) as channel:
            stub = tournament_pb2_grpc.TournamentServiceStub(channel)
            await stub.CreateTournament(create, metadata=server.bearer())
            health: Any = health_pb2_grpc.HealthStub(channel)
            asked = health_pb2.HealthCheckRequest(service="palio.v1.TournamentService")
            assert (await health.Check(asked)).status == health_pb2.HealthCheckResponse.SERVING
        await games_played(server, 3)
        os.kill(min(server.workers()), signal.SIGKILL)
        await games_played(server, 7)
        workers = server.workers()
        server.kill()
        await until(lambda: not any(Path(f"/proc/{worker}").exists() for worker in workers))
        await server.start_async()
        ended = await games_played(server, 24)
        assert (ended.games_played, ended.state) == (24, tournament_pb2.TOURNAMENT_STATE_FINISHED)
    finally:
        await stop(tasks)
        code = await asyncio.to_thread(server.terminate)
    assert code == 0
    replays = sorted(server.replays.glob("cup.*.replay"))
    assert len({path.name.rsplit(".", 2)[0] for path in replays}) == 24
    assert not any(verify_file(path).difference for path in replays)
    started = [line for line in server.log.splitlines() if "match.started" in line]
    assert {line.split("worker=")[1].split()[0] for line in started} == {"0", "1"}
    assert "Traceback" not in server.log


@pytest.mark.slow
async def test_a_hosted_tournament_that_is_cancelled_voids_what_runs_on_every_worker(tmp_path: Path) -> None:
    server = FrontProcess(tmp_path, {"ada": 2, "ben": 2})
    await server.start_async()
    try:
        placed = [await server.moved(token, matches=4) for name in ("ada", "ben") for token in server.tokens[name]]
        for bot in placed:
            await bot.next("welcome")
        create = tournament_pb2.CreateTournamentRequest(
            name="Cup", game="sticks", players=["ada", "ben"], deals=4, options=sticks(60)
        )
        cancel = tournament_pb2.CancelTournamentRequest(tournament_id="cup", reason="rain")
        async with grpc.aio.insecure_channel(server.address) as channel:
            stub = tournament_pb2_grpc.TournamentServiceStub(channel)
            await stub.CreateTournament(create, metadata=server.bearer())
            for bot in placed:
                await bot.next("match_started")
            cancelled = (await stub.CancelTournament(cancel, metadata=server.bearer())).tournament
            assert cancelled.state == tournament_pb2.TOURNAMENT_STATE_CANCELLED
        for bot in placed:
            ended = (await bot.next("match_ended")).match_ended
            assert ended.void_reason == "the tournament was cancelled: rain"
            await bot.cut()
    finally:
        server.kill()


@pytest.mark.slow
async def test_another_number_of_workers_takes_the_matches_over(tmp_path: Path) -> None:
    data = tmp_path / "data"
    three = FrontProcess(data, {"ada": 3, "ben": 3}, "--set", "drain_limit=0", workers=3)
    await three.start_async()
    try:
        async with await three.moved(three.tokens["ada"][2]) as ada, await three.moved(three.tokens["ben"][2]) as ben:
            for bot in (ada, ben):
                await bot.next("welcome")
            await three.create("m", ["ada", "ben"])
            for bot in (ada, ben):
                await bot.next("match_started")
                await bot.ready("m")
            await ada.next("decision")
    finally:
        assert await asyncio.to_thread(three.terminate) == 0
    assert ReplayStore(journal_of(data, 2)).path("m", 1).exists()
    two = FrontProcess(tmp_path / "unused", {}, workers=2)
    two._data, two.tokens, two.replays = data, three.tokens, three.replays
    await two.start_async()
    try:
        # The third token belongs to worker 0 of 2 anyway; the seats of the match are what decides.
        async with await two.moved(two.tokens["ada"][2]) as ada, await two.moved(two.tokens["ben"][2]) as ben:
            await asyncio.gather(ada.play_to_the_end(), ben.play_to_the_end())
        assert_finished(await two.result("m"))
    finally:
        assert await asyncio.to_thread(two.terminate) == 0


def journal(folder: Path, name: str) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / name
    path.write_bytes(b"")
    return path


def test_journals_are_gathered_for_any_number_of_workers(tmp_path: Path) -> None:
    journal(tmp_path / "journal", "a.1.replay")
    journal(journal_of(tmp_path, 0), "b.1.replay")
    journal(journal_of(tmp_path, 3), "c.1.replay")
    journal(journal_of(tmp_path, 3), "d.1.void")
    assert gather(tmp_path, 2) == 3
    assert sorted(path.name for path in journal_of(tmp_path, 0).glob("*.*.*")) == [
        "a.1.replay",
        "b.1.replay",
        "c.1.replay",
        "d.1.void",
    ]
    assert not journal_of(tmp_path, 3).exists()
    assert gather(tmp_path, 1) == 4
    assert len(list((tmp_path / "journal").glob("*.*.*"))) == 4
    assert gather(tmp_path, 1) == 0


def test_a_file_system_without_locks_is_no_reason_not_to_start(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def unsupported(*_: object) -> None:
        raise OSError(errno.EOPNOTSUPP, os.strerror(errno.EOPNOTSUPP))

    monkeypatch.setattr(fcntl, "flock", unsupported)
    held = lock(tmp_path)
    assert held is not None
    os.close(held)


def test_journals_that_another_server_uses_are_left_alone(tmp_path: Path) -> None:
    journal(journal_of(tmp_path, 1), "a.1.replay")
    held = lock(journal_of(tmp_path, 1))
    assert held is not None
    with pytest.raises(CannotListen, match="another server uses"):
        gather(tmp_path, 1)
    os.close(held)
    assert gather(tmp_path, 1) == 1
