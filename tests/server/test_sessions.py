"""Sessions that end, come back, or should never have begun."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import grpc
import grpc.aio
import palio_sticks
import pytest
from tests.server.conftest import Start
from tests.support.arena import Host, sticks
from tests.support.waiting import until
from tests.support.wire import WireBot

from palio.codec.status import InvalidRequest, from_rpc_error
from palio.server.access.accounts import Accounts
from palio.server.app import ArenaServer
from palio.server.config import ServerConfig
from palio.server.match.journal import frame, read
from palio.server.match.verify import verify_file
from palio.server.services.entrance import Hall
from palio.v1 import match_pb2, play_pb2

FINISHED = match_pb2.TERMINATION_FINISHED
RUNNING = match_pb2.MATCH_STATE_RUNNING


# --- heartbeats and readers ---


async def test_a_bot_that_answers_no_ping_is_taken_for_gone(start: Start) -> None:
    host = await start(heartbeat=0.05)
    policies = match_pb2.Policies()
    policies.disconnection_grace.FromMilliseconds(100)
    a, b = await host.connect("a", "b")
    await host.create("a", "b", policies=policies)
    for bot in (a, b):
        await bot.ready("m")

    async def alive() -> None:
        while True:
            ping = next(u.ping for u in reversed(b.seen) if u.HasField("ping"))
            await b.say(play_pb2.PlayRequest(pong=play_pb2.Pong(nonce=ping.nonce)))
            await asyncio.sleep(0.02)

    heart = asyncio.create_task(alive())
    goodbye = (await a.next("goodbye")).goodbye
    assert goodbye.reason == play_pb2.GOODBYE_REASON_UNRESPONSIVE
    match = await host.result()
    heart.cancel()
    assert [seat.termination for seat in match.result.seats] == [match_pb2.TERMINATION_FORFEIT_DISCONNECTED, FINISHED]


async def test_a_transport_that_is_stuck_is_let_go_while_others_play(start: Start) -> None:
    host = await start(limits={"max_queued_messages": 64})
    stuck = host.bot("stuck")
    await stuck.say(play_pb2.PlayRequest(hello=play_pb2.Hello(bot_name="stuck", protocol_version=1)))
    await until(lambda: "open:stuck" in host.server.arena.sessions)
    session = host.server.arena.sessions["open:stuck"]
    a, b = await host.connect("a", "b")
    await host.create("a", "b", heap=9)
    # More than any window between the two takes in; the reader of this bot never runs.
    text = "x" * 60_000
    while not session.outbox.closed:
        session.tell(play_pb2.Update(refused=play_pb2.Refused(text=text)))
        await asyncio.sleep(0)
    await until(lambda: "open:stuck" not in host.server.arena.sessions)
    assert not session.outbox.messages
    await asyncio.gather(a.play_to_the_end(), b.play_to_the_end())
    stuck.read()
    await stuck.end()
    assert stuck.error is not None
    assert from_rpc_error(stuck.error).message == "you do not read what you are sent"


async def test_silence_before_hello_has_an_end(start: Start) -> None:
    host = await start(limits={"hello_within": 0.1})
    bot = host.bot("a")
    bot.read()
    await bot.end()
    assert bot.error is not None
    assert from_rpc_error(bot.error).message == "no Hello within 0.1 seconds"


async def test_the_oldest_of_too_many_silent_streams_has_to_go() -> None:
    said = asyncio.Event()

    async def requests() -> AsyncIterator[bytes]:
        await said.wait()
        yield b"hello"

    hall = Hall(2, 30.0)
    streams = []
    for _ in range(3):
        streams.append(asyncio.create_task(hall.first(requests())))
        await asyncio.sleep(0)
    with pytest.raises(InvalidRequest, match="no Hello within 30 seconds"):
        await streams[0]
    said.set()
    assert [await stream for stream in streams[1:]] == [b"hello", b"hello"]


# --- tokens ---


@pytest.fixture
def accounts(tmp_path: Path) -> Iterator[Accounts]:
    with Accounts.open(f"sqlite:///{tmp_path / 'palio.db'}", poll_seconds=0.0) as found:
        for name in ("a", "b"):
            found.create_player(name)
        yield found


async def test_a_token_that_is_revoked_ends_its_session_at_the_next_heartbeat(
    tmp_path: Path, accounts: Accounts
) -> None:
    config = ServerConfig(listen=["127.0.0.1:0"], data=tmp_path, heartbeat=0.1)
    server = ArenaServer(config, accounts)
    await server.start()
    host = Host(server)
    text, token = accounts.create_token("a")
    other, _ = accounts.create_token("b")
    async with WireBot(host.address, "x", text) as a, WireBot(host.address, "y", other) as b:
        for bot in (a, b):
            await bot.hello()
            await bot.next("welcome")
        server.arena.create(match_pb2.CreateMatchRequest(match_id="m", game="sticks", players=["a", "b"]))
        await b.next("match_started")
        with Accounts.open(f"sqlite:///{tmp_path / 'palio.db'}") as another_program:
            another_program.revoke(token.token_id)
        await a.end()
        assert a.error is not None
        error = from_rpc_error(a.error)
        assert (error.reason, error.metadata) == ("UNAUTHENTICATED", {"cause": "revoked"})
        assert not (await b.next("seat_status")).seat_status.connected
        assert b.error is None
    await host.close()


async def test_tokens_play_for_their_own_player_alone(tmp_path: Path, accounts: Accounts) -> None:
    server = ArenaServer(ServerConfig(listen=["127.0.0.1:0"], data=tmp_path), accounts)
    await server.start()
    host = Host(server)
    tokens = {name: accounts.create_token(name)[0] for name in ("a", "b")}
    accounts.create_player("mallory")
    mallory, _ = accounts.create_token("mallory")
    async with WireBot(host.address, "a", tokens["a"]) as a, WireBot(host.address, "b", tokens["b"]) as b:
        for bot in (a, b):
            await bot.hello()
        server.arena.create(match_pb2.CreateMatchRequest(match_id="m", game="sticks", players=["a", "b"]))
        for bot in (a, b):
            await bot.next("match_started")
            await bot.ready("m")
        await a.next("decision")
        # The name of another player is a label, and a match of others cannot be resumed, answered or given up.
        async with WireBot(host.address, "a", mallory) as liar:
            await liar.hello(resume={"m": 0})
            assert (await liar.next("welcome")).welcome.player_id == "mallory"
            assert (await liar.next("refused")).refused.field == "hello.resume['m']"
            await liar.choose("m", 1, 0)
            assert (await liar.next("choice_rejected")).choice_rejected.reason == play_pb2.REJECTION_REASON_STALE
            await liar.say(play_pb2.PlayRequest(resign=play_pb2.Resign(match_id="m")))
            assert (await liar.next("refused")).refused.reason == "NOT_FOUND"
            assert not any(update.HasField("match_started") for update in liar.seen)
        await a.choose("m", 1, 0)
        assert (await a.next("choice_accepted")).choice_accepted.decision_id == 1
        assert a.error is b.error is None
    await host.close()


# --- resume ---


async def test_unknown_matches_are_refused_by_name_and_the_rest_goes_on(host: Host) -> None:
    a, b = await host.connect("a", "b")
    await host.create("a", "b", heap=5)
    await asyncio.gather(a.play_to_the_end(), b.play_to_the_end())
    c = await host.bot("c").hello(resume={"m": 3, "nowhere": 1, "../m": 1, "m.1": 0})
    await c.next("welcome")
    refused = {(await c.next("refused")).refused.field for _ in range(4)}
    assert refused == {f"hello.resume[{match_id!r}]" for match_id in ("m", "nowhere", "../m", "m.1")}
    await a.cut()
    again = await host.bot("a").hello(resume={"m": 2})
    await again.next("welcome")
    assert (await again.next()).seq == 3


@pytest.mark.parametrize(
    ("hello", "field"),
    [
        (play_pb2.Hello(bot_name="a", bot_version="x" * 201), "hello.bot_version"),
        (play_pb2.Hello(bot_name="a", sdk="x" * 201), "hello.sdk"),
        (play_pb2.Hello(bot_name="a", resume={f"m{i}": 1 for i in range(1001)}), "hello.resume"),
        (play_pb2.Hello(bot_name="a", max_concurrent_matches=-1), "hello.max_concurrent_matches"),
    ],
)
async def test_a_hello_that_is_too_much_is_refused_by_field(host: Host, hello: play_pb2.Hello, field: str) -> None:
    hello.protocol_version = 1
    bot = host.bot("a")
    await bot.say(play_pb2.PlayRequest(hello=hello))
    bot.read()
    await bot.end()
    assert bot.error is not None
    assert from_rpc_error(bot.error).field == field


async def test_answers_that_do_not_count_have_an_end(host: Host, tmp_path: Path) -> None:
    a, b = await host.connect("a", "b")
    await host.create("a", "b", heap=9)
    for bot in (a, b):
        await bot.ready("m")
    await a.next("decision")
    await a.choose("m", 1, 0)
    await a.next("choice_accepted")
    for _ in range(1200):
        try:
            await a.choose("m", 1, 2)
        except (grpc.aio.AioRpcError, asyncio.InvalidStateError):
            break
    goodbye = (await a.next("goodbye")).goodbye
    assert goodbye.reason == play_pb2.GOODBYE_REASON_PROTOCOL
    assert sum(record.HasField("notice") for record in read(tmp_path / "journal" / "m.1.replay")) <= 102
    assert b.error is None


# --- draining ---


async def test_while_draining_only_bots_with_a_match_to_finish_are_let_in(start: Start) -> None:
    host = await start()
    a, b = await host.connect("a", "b")
    await host.create("a", "b", heap=9)
    for bot in (a, b):
        await bot.ready("m")
    await a.next("decision")
    stopping = asyncio.create_task(host.server.stop(grace=30))
    await until(lambda: host.server.arena.draining)
    await a.cut()
    stranger = await host.bot("c").hello()
    await stranger.end()
    assert stranger.error is not None
    assert from_rpc_error(stranger.error).reason == "DRAINING"
    with pytest.raises(grpc.aio.AioRpcError) as caught:
        await host.create("a", "b", match_id="n")
    assert from_rpc_error(caught.value).reason == "DRAINING"
    again = await host.bot("a").hello(resume={"m": a.last_seq["m"] - 1})
    ended, _ = await asyncio.gather(again.play_to_the_end(), b.play_to_the_end())
    assert [seat.termination for seat in ended.result.seats] == [FINISHED, FINISHED]
    assert (await b.next("goodbye")).goodbye.reason == play_pb2.GOODBYE_REASON_DRAINING
    await stopping


async def test_a_hurried_drain_leaves_matches_to_the_journal(start: Start, tmp_path: Path) -> None:
    host = await start()
    a, _ = await host.connect("a", "b")
    await host.create("a", "b", heap=9)
    stopping = asyncio.create_task(host.server.stop(grace=300))
    await until(lambda: host.server.arena.draining)
    host.server.arena.hurry()
    assert (await a.next("goodbye")).goodbye.reason == play_pb2.GOODBYE_REASON_DRAINING
    await stopping
    assert not read(tmp_path / "journal" / "m.1.replay")[-1].HasField("end")


# --- faults of the server ---


async def test_rules_that_fail_void_their_own_match_and_no_other(
    host: Host, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = palio_sticks.Sticks.choose

    def failing(self: palio_sticks.Sticks, index: int) -> None:
        if self.players == 3 and self.heap < 10:
            raise KeyError(f"the secret is {self.secrets[0]}")
        real(self, index)

    monkeypatch.setattr(palio_sticks.Sticks, "choose", failing)
    bots = await host.connect("a", "b", "c", matches=2)
    await host.create("a", "b", "c", heap=12, match_id="bad")
    await host.create("a", "b", heap=12, match_id="good")

    playing = [asyncio.create_task(bot.play_on()) for bot in bots]
    bad, good = await host.result("bad"), await host.result("good")
    assert (bad.state, bad.result.rated) == (match_pb2.MATCH_STATE_VOID, False)
    assert bad.void_reason == "a fault of the server; its log says more"
    assert good.state == match_pb2.MATCH_STATE_FINISHED
    await until(lambda: {u.match_id for u in bots[0].seen if u.HasField("match_ended")} == {"bad", "good"})
    # The same match again, as the next attempt, once the rules are mended.
    monkeypatch.undo()
    request = match_pb2.CreateMatchRequest(
        match_id="bad", attempt=2, game="sticks", players=["a", "b", "c"], options=sticks(12), seed=bytes(32)
    )
    assert (await host.matches.CreateMatch(request)).match.attempt == 2
    assert (await host.result("bad")).state == match_pb2.MATCH_STATE_FINISHED
    assert not verify_file(tmp_path / "replays" / "bad.2.replay").difference
    for task in playing:
        task.cancel()


async def test_rules_that_fail_when_a_time_runs_out_leave_no_match_hanging(
    host: Host, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[palio_sticks.Sticks] = []

    def failing(state: palio_sticks.Sticks) -> None:
        if asked:
            raise RuntimeError("no")
        asked.append(state)  # when the match begins; the next time is when it ends

    monkeypatch.setattr(palio_sticks.Sticks, "outcome", failing)
    a, b = await host.connect("a", "b")
    await host.create("a", "b", per_decision=0.1)
    for bot in (a, b):
        await bot.ready("m")
    assert (await host.result()).state == match_pb2.MATCH_STATE_VOID


async def test_a_match_that_cannot_be_restored_is_void(
    start: Start, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    host = await start()
    a, b = await host.connect("a", "b", matches=4)
    for match_id in ("rules", "version", "middle", "fine"):
        await host.create("a", "b", heap=9, match_id=match_id)
        for bot in (a, b):
            await bot.ready(match_id)
            await bot.next("match_started")
    await until(lambda: all(room.course.begun for room in host.server.arena.rooms.values()))
    await host.server.stop(grace=0)
    journal = tmp_path / "journal"
    # One with rules that fail now, one of older rules, one that is damaged in its middle.
    path = journal / "middle.1.replay"
    data = bytearray(path.read_bytes())
    data[-60] ^= 0xFF
    path.write_bytes(bytes(data))
    real = palio_sticks.SticksRules.start

    def failing(self: palio_sticks.SticksRules, seed: bytes, players: int, options: palio_sticks.Options) -> object:
        calls.append(1)
        if len(calls) == 2:  # they are restored by name: fine, (middle), rules, version
            raise ZeroDivisionError("no")
        return real(self, seed, players, options)

    calls: list[int] = []
    header = read(journal / "version.1.replay")
    header[0].header.rules_version = 99
    (journal / "version.1.replay").write_bytes(b"".join(frame(record.SerializeToString()) for record in header))
    monkeypatch.setattr(palio_sticks.SticksRules, "start", failing)
    later = await start()
    found = {}
    for match_id in ("rules", "version", "middle", "fine"):
        match = (await later.matches.GetMatch(match_pb2.GetMatchRequest(match_id=match_id))).match
        found[match_id] = (match.state, match.void_reason)
    assert found["fine"] == (RUNNING, "")
    void = match_pb2.MATCH_STATE_VOID
    assert found["rules"] == (void, "the server could not take the match up again after a restart")
    assert found["version"] == (void, "the rules have changed from version 99 to 1")
    assert found["middle"][0] == void
    assert found["middle"][1].startswith("its journal is damaged: record ")
    assert (journal / "middle.1.damaged").exists()
    assert [path.name for path in sorted(journal.glob("*.replay"))] == ["fine.1.replay"]
