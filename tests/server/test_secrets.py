"""Nothing hidden in any byte that a seat or a spectator receives, nor in the log, whatever happens on the way."""

from __future__ import annotations

import asyncio
import base64
import contextlib
import io
import json
import random
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import grpc
import grpc.aio
import pytest
from tests.server.conftest import Start
from tests.support.arena import Host
from tests.support.matches import played
from tests.support.waiting import until
from tests.support.wire import WireBot

from palio.codec import codec_of
from palio.codec.status import from_rpc_error
from palio.fidelitas.v1 import fidelitas_pb2 as pb
from palio.games import rules_of
from palio.server.access.accounts import Accounts
from palio.server.access.credentials import Role
from palio.server.app import ArenaServer
from palio.server.config import ServerConfig
from palio.server.match.history import history
from palio.server.match.journal import frame, read
from palio.server.services.matches import Feed
from palio.v1 import game_pb2, match_pb2, match_pb2_grpc, play_pb2, simulation_pb2, simulation_pb2_grpc

LOGGED = frozenset(
    {
        *("event", "level", "timestamp", "logger", "match", "game", "players", "seat", "player", "session"),
        *("bot", "bot_version", "sdk", "addresses", "data", "matches", "choices", "state", "ranks", "terminations"),
        *("termination", "reason", "decision", "tries_left", "resumed_from", "seconds_alive", "unfinished"),
    }
)
"""Every key that a line of the log may have: none of them can hold a card."""


class RoughBot:
    """Plays at random, sends rubbish in between, loses its connection, asks for samples; keeps all that it is told."""

    def __init__(self, address: str, name: str, token: str, seed: int) -> None:
        self.address, self.name, self.token = address, name, token
        self.random = random.Random(seed)
        self.told: dict[int, play_pb2.Update] = {}
        self.raw: list[bytes] = []
        self.samples = 0

    async def play(self, match_id: str) -> None:
        while True:
            resume = self.random.randrange(len(self.told)) if self.told else 0
            async with WireBot(self.address, self.name, self.token) as bot:
                await bot.hello(resume={match_id: resume} if self.told else None)
                if await self._listen(bot, match_id):
                    return

    async def _listen(self, bot: WireBot, match_id: str) -> bool:
        """Until the match is over, or the connection is lost on purpose."""
        while True:
            update = await bot.next()
            if update.match_id != match_id:
                continue
            if update.seq:
                self._keep(update)
            kind = update.WhichOneof("message")
            if kind == "match_ended":
                return True
            if kind == "match_started":
                await bot.ready(match_id)
            if kind == "decision" and not update.decision.HasField("answered"):
                chance = self.random.random()
                if chance < 0.05:
                    return False
                await self._answer(bot, match_id, update.decision, chance)

    async def _answer(self, bot: WireBot, match_id: str, decision: play_pb2.Decision, chance: float) -> None:
        if chance < 0.15:
            await bot.choose(match_id, decision.decision_id, len(decision.options) + self.random.randrange(3))
        if chance > 0.9:
            await bot.choose(match_id, max(1, decision.decision_id - 1), 0)
            await bot.say(play_pb2.PlayRequest(signal=play_pb2.Signal(match_id=match_id)))
            words = game_pb2.Words(fidelitas=pb.Words(guilds=[pb.GUILD_CHURCH], locations=[pb.LOCATION_MARKET]))
            await bot.say(play_pb2.PlayRequest(signal=play_pb2.Signal(match_id=match_id, words=words)))
        if 0.3 < chance < 0.4 or not self.samples:  # the deal is a new one each time: some sample has to work
            await self._sample(match_id)
        await bot.choose(match_id, decision.decision_id, self.random.randrange(len(decision.options)))

    async def _sample(self, match_id: str) -> None:
        async with grpc.aio.insecure_channel(self.address) as channel:
            stub = simulation_pb2_grpc.SimulationServiceStub(channel)
            request = simulation_pb2.SampleStateRequest(match_id=match_id)
            with contextlib.suppress(grpc.aio.AioRpcError):  # most decisions are within a turn
                sample = await stub.SampleState(request, metadata=(("authorization", f"Bearer {self.token}"),))
                self.samples += 1
                self.raw.append(sample.SerializeToString())

    def _keep(self, update: play_pb2.Update) -> None:
        """What comes again after a reconnection is what came before, but for clocks and marks."""
        if not update.HasField("match_ended"):
            self.raw.append(update.SerializeToString())
        plain = play_pb2.Update()
        plain.CopyFrom(update)
        if plain.HasField("decision"):
            plain.decision.ClearField("clock")
            plain.decision.ClearField("answered")
        if plain.HasField("match_started"):
            plain.match_started.ClearField("ready_deadline")
        assert self.told.setdefault(update.seq, plain) == plain


def allowed(path: Path) -> tuple[list[list[bytes]], list[list[bytes]], list[bytes]]:
    """From the replay and the rules alone: each seat's events, each seat's observations, the public events."""
    records = read(path)
    header = records[0].header
    codec = codec_of(header.game)
    state = rules_of(header.game).start(header.seed, len(header.players), codec.read_game_options(header.options))
    seats = range(len(header.players))
    events: list[list[bytes]] = [[] for _ in seats]
    observations: list[list[bytes]] = [[] for _ in seats]
    public: list[bytes] = []

    def collect() -> None:
        for event in state.take_events():
            message = codec.event(event.fact)
            if event.viewers is None:
                public.append(message)
            for seat in seats if event.viewers is None else event.viewers:
                events[seat].append(message)

    collect()
    for record in records:
        if record.HasField("choice"):
            seat = record.choice.seat
            observations[seat].append(codec.observation(state.view(seat)))
            state.choose(record.choice.option)
            collect()
        elif record.HasField("signal"):
            state.signal(record.signal.seat, codec.read_words(record.signal.words))
            collect()
    return events, observations, public


def canonical(message: game_pb2.Event | game_pb2.Observation) -> bytes:
    return message.SerializeToString(deterministic=True)


def secrets_of(seed: bytes) -> list[bytes]:
    return [seed, seed.hex().encode(), base64.b64encode(seed).rstrip(b"="), base64.urlsafe_b64encode(seed).rstrip(b"=")]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("players", "teams", "seed"),
    [(1, False, 5), (2, False, 1), (2, False, 2), (3, False, 3), (4, False, 4), (4, True, 6)],
)
async def test_seats_and_spectators_are_told_what_the_rules_allow_and_nothing_else(
    tmp_path: Path, log: io.StringIO, players: int, teams: bool, seed: int
) -> None:
    names = [f"player{seat}" for seat in range(players)]
    with Accounts.open(f"sqlite:///{tmp_path / 'palio.db'}") as accounts:
        tokens = {}
        for name in names:
            accounts.create_player(name)
            tokens[name] = accounts.create_token(name)[0]
        accounts.create_player("looker", Role.SPECTATOR)
        looker = accounts.create_token("looker")[0]
        policies = {"illegal_tries": 1000, "disconnection_grace": 600}
        limits = {"requests_per_second": 1000.0, "request_burst": 10_000}
        config = {"listen": ["127.0.0.1:0"], "data": tmp_path, "policies": policies, "limits": limits}
        server = ArenaServer(ServerConfig.model_validate(config), accounts)
        await server.start()
        address = server.addresses[0]
        options = game_pb2.GameOptions(fidelitas=pb.GameOptions(teams=teams))
        server.arena.create(
            match_pb2.CreateMatchRequest(match_id="m", game="fidelitas", players=names, options=options)
        )
        deal = server.arena.rooms["m"].header.seed
        bots = [RoughBot(address, name, tokens[name], 10 * seed + i) for i, name in enumerate(names)]
        watched: list[match_pb2.WatchMatchResponse] = []

        async def watch() -> None:
            async with grpc.aio.insecure_channel(address) as channel:
                stub = match_pb2_grpc.MatchServiceStub(channel)
                metadata = (("authorization", f"Bearer {looker}"),)
                request = match_pb2.WatchMatchRequest(match_id="m")
                async for update in stub.WatchMatch(request, metadata=metadata):
                    watched.append(update)
                    if len(watched) == 5:
                        with pytest.raises(grpc.aio.AioRpcError) as caught:
                            await stub.GetReplay(match_pb2.GetReplayRequest(match_id="m"), metadata=metadata)
                        assert from_rpc_error(caught.value).reason == "NOT_NOW"
                        listed = await stub.ListMatches(match_pb2.ListMatchesRequest(), metadata=metadata)
                        watched.append(match_pb2.WatchMatchResponse(match=listed.matches[0]))

        watching = asyncio.create_task(watch())
        await until(lambda: server.arena.rooms["m"].spectators)
        async with asyncio.timeout(200):
            await asyncio.gather(watching, *(bot.play("m") for bot in bots))
        await Host(server).close()

    events, observations, public = allowed(tmp_path / "replays" / "m.1.replay")
    for seat, bot in enumerate(bots):
        told = [bot.told[number] for number in sorted(bot.told)]
        assert sorted(bot.told) == list(range(1, len(told) + 1))
        seen = [canonical(event) for update in told for event in update.events.events]
        assert seen == [canonical(game_pb2.Event.FromString(event)) for event in events[seat]]
        views = [canonical(update.decision.observation) for update in told if update.HasField("decision")]
        assert views == [canonical(game_pb2.Observation.FromString(view)) for view in observations[seat]]
    shown = [canonical(event) for update in watched for event in update.events.events]
    assert shown == [canonical(game_pb2.Event.FromString(event)) for event in public]
    assert sum(bot.samples for bot in bots) > 0
    assert any(event.fidelitas.HasField("signalled") for update in watched for event in update.events.events) == teams

    received = {name: b"\n".join(bot.raw) for name, bot in zip(names, bots, strict=True)}
    received["looker"] = b"\n".join(update.SerializeToString() for update in watched if not update.HasField("ended"))
    lines = log.getvalue()
    for name, data in received.items():
        assert not [secret for secret in secrets_of(deal) if secret in data], name
        assert not [token for token in (*tokens.values(), looker) if token.encode() in data], name
    assert not [secret for secret in secrets_of(deal)[1:] if secret.decode() in lines]
    assert not [token for token in (*tokens.values(), looker) if token in lines]
    entries: list[dict[str, Any]] = [json.loads(line) for line in lines.splitlines()]
    assert set().union(*entries) <= LOGGED
    assert {"choice.rejected", "seat.disconnected", "seat.connected", "match.ended"} <= {e["event"] for e in entries}
    about = [entry for entry in entries if entry["event"].startswith(("seat.", "choice."))]
    assert all({"match", "seat", "player"} <= entry.keys() for entry in about)


async def test_a_planted_secret_is_found(host: Host, monkeypatch: pytest.MonkeyPatch) -> None:
    """The search itself: with one seat's number shown to the other, the comparison fails."""
    import palio_sticks

    a, b = await host.connect("a", "b")
    await host.create("a", "b", heap=5)
    await asyncio.gather(a.play_to_the_end(), b.play_to_the_end())
    events, *_ = allowed(host.server.arena.replay_path("m"))
    seen = [canonical(event) for update in a.seen for event in update.events.events]
    assert seen == [canonical(game_pb2.Event.FromString(event)) for event in events[0]]
    real = palio_sticks.Sticks.take_events

    def leaking(self: palio_sticks.Sticks) -> Any:
        return [event._replace(viewers=None) for event in real(self)]

    monkeypatch.setattr(palio_sticks.Sticks, "take_events", leaking)
    await host.create("a", "b", heap=5, match_id="n")
    await asyncio.gather(a.play_to_the_end(), b.play_to_the_end())
    monkeypatch.undo()
    events, *_ = allowed(host.server.arena.replay_path("n"))
    seen = [canonical(event) for update in a.seen if update.match_id == "n" for event in update.events.events]
    assert seen != [canonical(game_pb2.Event.FromString(event)) for event in events[0]]


async def test_no_log_line_tells_what_broken_rules_knew(
    host: Host, log: io.StringIO, monkeypatch: pytest.MonkeyPatch
) -> None:
    import palio_sticks

    known: list[int] = []

    def failing(self: palio_sticks.Sticks, index: int) -> None:
        known.extend(self.secrets)
        raise KeyError(f"the secret is {self.secrets}")

    monkeypatch.setattr(palio_sticks.Sticks, "choose", failing)
    a, b = await host.connect("a", "b")
    await host.create("a", "b")
    for bot in (a, b):
        await bot.ready("m")
    await a.next("decision")
    await a.choose("m", 1, 0)
    await a.next("match_ended")
    assert "match.broken" in log.getvalue()
    assert "KeyError" in log.getvalue()
    assert known
    assert not [secret for secret in known if str(secret) in log.getvalue()]


# --- spectators ---


def heap_of(observation: game_pb2.Observation) -> int:
    heap: int = codec_of("sticks").read_observation(observation).heap
    return heap


async def test_spectators_see_nothing_that_is_younger_than_the_delay(start: Start) -> None:
    host = await start(spectator_delay=3)
    a, b = await host.connect("a", "b")
    await host.create("a", "b", heap=20)
    early: list[match_pb2.WatchMatchResponse] = []
    watching = asyncio.create_task(follow(host, early))
    await until(lambda: len(early) == 2)
    assert (early[0].match.choices, heap_of(early[1].observation)) == (0, 20)
    for bot in (a, b):
        await bot.ready("m")
    for number in range(1, 13):
        bot = (a, b)[(number - 1) % 2]
        decision = (await bot.next("decision")).decision
        await bot.choose("m", decision.decision_id, 0)
        await bot.next("choice_accepted")
        # Whatever is sent out now is in a queue before the choice is accepted.
        shown = max(0, number - 3)
        await until(lambda shown=shown: took(early) >= shown)  # type: ignore[misc]
        assert took(early) == shown
        assert (await host.matches.GetMatch(match_pb2.GetMatchRequest(match_id="m"))).match.choices == 0
    late: list[match_pb2.WatchMatchResponse] = []
    joining = asyncio.create_task(follow(host, late))
    await until(lambda: len(late) == 2)
    assert (late[0].match.choices, heap_of(late[1].observation)) == (0, 20 - 9)
    assert took(late) == 0
    await a.say(play_pb2.PlayRequest(resign=play_pb2.Resign(match_id="m")))
    await asyncio.gather(watching, joining)
    assert (took(early), took(late)) == (12, 3)
    for seen in (early, late):
        assert seen[-1].ended.choices == 12


def spectator(journal: Path, delay: int) -> Feed:
    """Somebody who comes to a match that stands where that journal ends."""
    course = history(read(journal))
    room: Any = SimpleNamespace(journal_path=journal, course=course, summary=match_pb2.Match)
    return Feed(room, delay, 10_000, events=True)


def seen_by(feed: Feed) -> list[bytes]:
    """The events that it was sent since the last call."""
    updates = []
    while not feed.queue.empty():
        updates.append(feed.queue.get_nowait())
    return [event.SerializeToString() for update in updates if update for event in update.events.events]


def test_when_something_comes_out_tells_nothing_of_hidden_decisions() -> None:
    """Turns count, which everybody sees, and not choices, of which some are known to one seat alone."""

    def released(choices_per_turn: list[int]) -> list[int]:
        """How many steps a spectator was shown, turn by turn."""
        state = SimpleNamespace(turn=0)
        room: Any = SimpleNamespace(course=SimpleNamespace(state=state), summary=match_pb2.Match)
        feed = Feed(room, 3, 1000, events=True)
        shown, choices = [], 0
        for made in choices_per_turn:
            choices += made
            state.turn += 1
            feed.step(choices, [b"\n\0"])
            shown.append(feed.queue.qsize())
        return shown

    assert released([1, 1, 1, 1, 1, 1]) == released([1, 5, 1, 2, 7, 1]) == [0, 0, 0, 1, 2, 3]


@pytest.mark.parametrize("delay", [0, 1, 4])
def test_who_joins_late_misses_nothing_and_sees_nothing_early(tmp_path: Path, delay: int) -> None:
    """Whenever they come: what is shown at first is the state some turns ago, and what follows is what others get."""
    records = read(played(tmp_path / "data", "fidelitas", ["a", "b"]))
    journal = tmp_path / "m.1.replay"
    journal.write_bytes(b"".join(frame(record.SerializeToString()) for record in records[:1]))
    early = spectator(journal, delay)
    early.observation()
    late: list[tuple[int, Feed]] = []
    seen: list[bytes] = []
    course = history(records[:1])

    def step(choices: int, events: list[bytes]) -> None:
        for feed in (early, *(feed for _, feed in late)):
            feed._room.course.state = course.state
            feed.step(choices, events)

    course.watch = step
    for number, record in enumerate(records[1:], 2):
        course.apply(record)
        seen += seen_by(early)
        with journal.open("ab") as file:
            file.write(frame(record.SerializeToString()))
        if number % 7 == 0 and course.decision is not None:
            joining = spectator(journal, delay)
            turn = fidelitas_turn(joining.observation())
            assert turn <= max(course.state.turn - delay, 1), number
            late.append((len(seen), joining))
    assert len(late) > 5
    for feed in (early, *(feed for _, feed in late)):
        feed.ended(match_pb2.Match())
    seen += seen_by(early)
    for told, feed in late:
        assert seen_by(feed) == seen[told:]


def fidelitas_turn(observation: game_pb2.Observation) -> int:
    return observation.fidelitas.turn


async def follow(host: Host, seen: list[match_pb2.WatchMatchResponse]) -> None:
    async for update in host.matches.WatchMatch(match_pb2.WatchMatchRequest(match_id="m")):
        seen.append(update)  # noqa: PERF401 (others look at it meanwhile)


def took(seen: list[match_pb2.WatchMatchResponse]) -> int:
    """Choices that a spectator was told of."""
    events = [event for update in seen for event in update.events.events]
    return sum(codec_of("sticks").read_event(event)[0] == "took" for event in events)


def test_no_request_can_choose_what_is_shown() -> None:
    """Seats come from tokens; no field of any request names a seat or a viewer."""
    modules = (match_pb2, play_pb2, simulation_pb2)
    requests = [
        method.input_type
        for module in modules
        for service in module.DESCRIPTOR.services_by_name.values()
        for method in service.methods
    ]
    fields = {field.name for request in requests for field in request.fields}
    assert not fields & {"seat", "seats", "viewer", "viewers", "player_id", "as_seat", "all", "reveal"}
