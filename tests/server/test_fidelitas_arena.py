"""Fidelitas over a real socket: teams and their talk, solo, own decks, positions, bad input."""

from __future__ import annotations

import asyncio
import dataclasses
import json
import re
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import grpc
import grpc.aio
import pytest
from tests.games.test_fidelitas_positions import REFUSED
from tests.support.arena import Host
from tests.support.fidelitas import position
from tests.support.fidelitas_host import FOUR, asked, begin, create, message_of
from tests.support.waiting import until
from tests.support.wire import WireBot

from palio.bots import bot_named
from palio.cli.main import main
from palio.client import play_async
from palio.codec import codec_of
from palio.codec.jsons import read_game_options
from palio.codec.status import PalioError, from_rpc_error
from palio.fidelitas.v1 import fidelitas_pb2 as pb
from palio.games.fidelitas import RULES, Deck, Position
from palio.games.fidelitas.conditions import HOUSE_MISSIO
from palio.server.match.journal import read
from palio.server.match.verify import verify_file
from palio.v1 import (
    catalog_pb2,
    catalog_pb2_grpc,
    game_pb2,
    match_pb2,
    play_pb2,
    simulation_pb2,
    simulation_pb2_grpc,
)

Start = Callable[..., Awaitable[Host]]
CODEC = codec_of("fidelitas")


async def say(bot: WireBot, guilds: list[int], locations: list[int]) -> None:
    words = game_pb2.Words(fidelitas=pb.Words(guilds=guilds, locations=locations))  # type: ignore[arg-type]
    await bot.say(play_pb2.PlayRequest(signal=play_pb2.Signal(match_id="m", words=words)))


def teams() -> game_pb2.GameOptions:
    return read_game_options("fidelitas", {"teams": True})


def replay_of(host: Host) -> Path:
    return host.server.arena.replay_path("m")


def shown(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    capsys.readouterr()
    assert main(["replay", "show", *arguments]) == 0
    return capsys.readouterr().out


# --- teams ---


async def test_f42_signals_reach_all_seats_spectators_and_the_replay(
    host: Host, capsys: pytest.CaptureFixture[str]
) -> None:
    bots = await begin(host, *FOUR, options=teams())
    watched: list[match_pb2.WatchMatchResponse] = []

    async def watch() -> None:
        async for update in host.matches.WatchMatch(match_pb2.WatchMatchRequest(match_id="m")):
            watched.append(update)  # noqa: PERF401 (looked at meanwhile)

    watching = asyncio.create_task(watch())
    await until(lambda: len(watched) >= 2)
    await bots[0].next("decision")
    await say(bots[2], [6, 5], [1])
    for bot in bots:
        while not (words := words_in(await bot.next("events"))):
            pass
        assert words == [(2, [6, 5], [1])]
    await asyncio.gather(*(bot.play_to_the_end() for bot in bots[1:]), go_on(bots[0]))
    await watching
    assert [one for update in watched for one in words_in(update)] == [(2, [6, 5], [1])]
    await host.result()
    assert verify_file(replay_of(host)).difference == ""
    for audience in (["--all"], ["--public"], ["--seat", "3"]):
        text = await asyncio.to_thread(shown, capsys, str(replay_of(host)), *audience)
        assert "seat 2 signals Church, Military, Courthouse" in text
        assert "option teams: true" in text
    result = (await host.result()).result
    assert result.seats[0].rank == result.seats[2].rank
    assert result.seats[1].rank == result.seats[3].rank


async def go_on(bot: WireBot) -> None:
    """Answer the decision that is pending, then play on."""
    decision = next(u.decision for u in reversed(bot.seen) if u.HasField("decision"))
    await bot.choose("m", decision.decision_id, 0)
    await bot.play_to_the_end()


def words_in(update: play_pb2.Update | match_pb2.WatchMatchResponse) -> list[tuple[int, list[int], list[int]]]:
    said = [event.fidelitas.signalled for event in update.events.events if event.fidelitas.HasField("signalled")]
    return [(one.seat, list(one.words.guilds), list(one.words.locations)) for one in said]


async def test_f42_a_signal_too_many_is_refused_and_the_match_goes_on(host: Host) -> None:
    bots = await begin(host, *FOUR, options=teams())
    decision = (await bots[0].next("decision")).decision
    for guilds, locations, text in [
        ([], [], "at least one guild or location"),
        ([1, 2, 3, 4], [], "at most 3 guilds, not 4"),
        ([], [1, 2, 3, 4], "at most 3 locations, not 4"),
        ([1, 1], [], "none of its guilds twice"),
        ([77], [], "guilds of a signal are numbers from 1 to 9, not [77]"),
    ]:
        await say(bots[1], guilds, locations)
        refused = (await bots[1].next("refused")).refused
        assert refused.reason == "ILLEGAL_ACTION"
        assert text in refused.text
    for _ in range(4):
        await say(bots[1], [1], [])
    await say(bots[1], [1], [])
    refused = (await bots[1].next("refused")).refused
    assert refused.reason == "QUOTA_EXCEEDED"
    assert "4 signals in this turn" in refused.text
    await bots[0].choose("m", decision.decision_id, 0)
    await bots[0].next("choice_accepted")
    await asyncio.gather(*(bot.play_to_the_end() for bot in bots))
    assert [seat.termination for seat in (await host.result()).result.seats] == [match_pb2.TERMINATION_FINISHED] * 4
    assert verify_file(replay_of(host)).difference == ""


async def test_f42_the_bot_that_the_page_shows_talks_to_its_partner(
    host: Host, capsys: pytest.CaptureFixture[str]
) -> None:
    source = (Path(__file__).parents[2] / "examples" / "partner_bot.py").read_text()
    names: dict[str, Any] = {"__name__": "partner_bot"}
    exec(compile(source, "partner_bot.py", "exec"), names)
    playing = [
        play_async(names["PartnerBot"], server=host.address, name=name, matches=1) for name in (FOUR[0], FOUR[2])
    ]
    others = await host.connect(FOUR[1], FOUR[3])
    await create(host, *FOUR, options=teams())
    await asyncio.gather(*playing, *(bot.play_to_the_end() for bot in others))
    assert {seat.termination for seat in (await host.result()).result.seats} == {match_pb2.TERMINATION_FINISHED}
    text = await asyncio.to_thread(shown, capsys, str(replay_of(host)), "--public")
    assert re.search(r"seat [02] signals \w+", text)


@pytest.mark.parametrize(
    ("how", "termination"),
    [
        ("resigns", match_pb2.TERMINATION_RESIGNED),
        ("is wrong too often", match_pb2.TERMINATION_FORFEIT_ILLEGAL),
        ("is silent", match_pb2.TERMINATION_FORFEIT_TIMEOUT),
        ("is gone", match_pb2.TERMINATION_FORFEIT_DISCONNECTED),
    ],
)
async def test_f41_the_fault_of_one_seat_ends_the_match_for_its_team(
    host: Host, how: str, termination: match_pb2.Termination.ValueType
) -> None:
    policies = match_pb2.Policies(illegal_tries=1)
    policies.disconnection_grace.FromMilliseconds(50)
    control = match_pb2.TimeControl()
    if how == "is silent":
        control.per_decision.FromMilliseconds(300)
    bots = await begin(host, *FOUR, options=teams(), policies=policies, time_control=control)
    decision = (await bots[0].next("decision")).decision
    if how == "resigns":
        await bots[0].say(play_pb2.PlayRequest(resign=play_pb2.Resign(match_id="m")))
    elif how == "is gone":
        await bots[0].cut()
    elif how == "is wrong too often":
        for _ in range(2):
            await bots[0].choose("m", decision.decision_id, 1000)
    result = (await host.result()).result
    assert [seat.rank for seat in result.seats] == [2, 1, 2, 1]
    finished = match_pb2.TERMINATION_FINISHED
    assert [seat.termination for seat in result.seats] == [termination, finished, finished, finished]
    assert result.rated
    for bot in bots[1:]:
        assert (await bot.next("match_ended")).match_ended.result == result
    assert verify_file(replay_of(host)).difference == ""


# --- solo ---


async def test_f43_one_seat_alone_is_played_to_its_end(host: Host) -> None:
    (bot,) = await begin(host, "a")
    result = (await bot.play_to_the_end()).result
    assert [(seat.rank, seat.termination) for seat in result.seats] == [(1, match_pb2.TERMINATION_FINISHED)]
    assert result.ended_by in ("exhaustion", "all_scored", "turn_limit")


# --- own decks ---

OWN_DECK: dict[str, Any] = {
    "virtus": [{"character": "SOLDIER", "copies": 10}, {"character": "PRIEST", "copies": 30}],
    "missio": [{"points": 3, "distinct_guilds": {"locations": ["COLLEGE"], "count": 2}}] * 8,
}


async def test_f05_a_deck_goes_from_the_catalogue_to_the_match_and_its_replay(
    host: Host, capsys: pytest.CaptureFixture[str]
) -> None:
    async with grpc.aio.insecure_channel(host.address) as channel:
        game = await catalog_pb2_grpc.CatalogServiceStub(channel).GetGame(catalog_pb2.GetGameRequest(game="fidelitas"))
    (field,) = [option for option in game.game.options if option.name == "deck"]
    assert all(bound in field.help for bound in ("30 to 200", "8 to 60", "1 to 9"))
    house = game.default_options.fidelitas.deck
    assert sum(entry.copies for entry in house.virtus) == 50
    assert len(house.missio) == 20
    assert all(card.text for card in house.missio)

    options = read_game_options("fidelitas", {"deck": OWN_DECK})
    bots = await host.connect("a", "b")
    match = await create(host, "a", "b", options=options)
    started = (await bots[0].next("match_started")).match_started
    for deck in (match.options.fidelitas.deck, started.options.fidelitas.deck):
        assert [(entry.character, entry.copies) for entry in deck.virtus] == [(9, 10), (10, 30)]
        last = deck.missio[7]
        assert (last.id, last.points, last.text) == (8, 3, "at least 2 guilds at the College")
    for bot in bots:
        await bot.ready("m")
    await asyncio.gather(*(bot.play_to_the_end() for bot in bots))
    await host.result()
    header = read(replay_of(host))[0].header
    assert header.options == match.options
    assert verify_file(replay_of(host)).difference == ""
    text = await asyncio.to_thread(shown, capsys, str(replay_of(host)))
    assert "option deck: of its own; --json shows all of it" in text
    data = json.loads(await asyncio.to_thread(shown, capsys, str(replay_of(host)), "--json"))
    assert data["header"]["options"]["fidelitas"]["deck"]["virtus"][1] == {
        "character": "CHARACTER_PRIEST",
        "copies": 30,
    }


@pytest.mark.parametrize(
    ("virtus", "missio", "field", "text"),
    [
        ([(9, 29)], 8, "options.fidelitas.deck.virtus", "29 cards; allowed are 30 to 200"),
        ([(9, 150), (10, 51)], 8, "options.fidelitas.deck.virtus", "201 cards"),
        ([(9, 30)], 7, "options.fidelitas.deck.missio", "7 cards; allowed are 8 to 60"),
        ([(9, 30)], 61, "options.fidelitas.deck.missio", "61 cards"),
        ([(9, 20), (9, 20)], 8, "options.fidelitas.deck.virtus[1].character", "SOLDIER is listed twice"),
    ],
)
async def test_f05_decks_out_of_bounds_are_refused_over_grpc(
    host: Host, virtus: list[tuple[int, int]], missio: int, field: str, text: str
) -> None:
    deck = pb.Deck(
        virtus=[pb.Copies(character=character, copies=copies) for character, copies in virtus],  # type: ignore[arg-type]
        missio=[pb.MissioCard(points=1, empty_locations=pb.EmptyLocations(count=3))] * missio,
    )
    error = await refusal(create(host, "a", "b", options=game_pb2.GameOptions(fidelitas=pb.GameOptions(deck=deck))))
    assert error.code == grpc.StatusCode.INVALID_ARGUMENT
    assert field.endswith(error.field), error
    assert error.field
    assert text in error.message


async def refusal(call: Awaitable[object]) -> PalioError:
    with pytest.raises(grpc.aio.AioRpcError) as caught:
        await call
    return from_rpc_error(caught.value)


# --- positions ---


PUZZLES = {
    "solo": position({"market": "Priest"}, hands=["Clerk Baker"], players=1, missio=[[1, 2]], turn=4),
    "2p": position({"market": "Priest"}, hands=["Clerk", "Baker"], missio=[[1, 2], [3]], turn=3),
    "3p": position({"market": "Priest"}, hands=["Clerk", "Baker", "Thief"], players=3, turn=5),
    "4p": position({"market": "Priest"}, hands=["Clerk", "Baker", "Thief"], players=4, turn=6),
    "own deck": position({}, hands=["Priest", "Soldier"], max_turns=50, deck=Deck((0, *[3] * 14), HOUSE_MISSIO[:9])),
    "teams": position({"market": "Priest"}, hands=["Clerk", "Baker", "Thief"], players=4, teams=True, turn=7),
}


@pytest.mark.parametrize("puzzle", PUZZLES.values(), ids=PUZZLES.keys())
async def test_a_match_from_a_position_is_played_and_can_be_checked(
    host: Host, puzzle: Position, capsys: pytest.CaptureFixture[str]
) -> None:
    names = FOUR[: puzzle.players]
    bots = await begin(host, *names, position=message_of(puzzle))
    told = next(u.match_started for u in bots[0].seen if u.HasField("match_started")).options.fidelitas
    assert (told.teams, told.max_turns) == (puzzle.teams, puzzle.max_turns)
    assert sum(entry.copies for entry in told.deck.virtus) == sum(puzzle.deck.copies)
    events = [u for bot in bots for u in bot.seen if u.HasField("events")]
    turns = [e.fidelitas.turn_started for u in events for e in u.events.events if e.fidelitas.HasField("turn_started")]
    assert {(turn.turn, turn.seat) for turn in turns} <= {(puzzle.turn, (puzzle.turn - 1) % puzzle.players)}
    await asyncio.gather(*(bot.play_to_the_end() for bot in bots))
    await host.result()
    assert read(replay_of(host))[0].header.position == message_of(puzzle)
    assert "starts from a position" in await asyncio.to_thread(shown, capsys, str(replay_of(host)))
    assert verify_file(replay_of(host)).difference == ""


SENDABLE = [(field, bad) for field, bad, _ in REFUSED if not any(isinstance(card, str) for card in bad.discard)]


@pytest.mark.parametrize(("field", "bad"), SENDABLE, ids=[f"{n}-{field}" for n, (field, _) in enumerate(SENDABLE)])
async def test_impossible_positions_are_refused_by_create_match_and_apply(
    host: Host, field: str, bad: Position
) -> None:
    message = message_of(bad)
    async with grpc.aio.insecure_channel(host.address) as channel:
        stub = simulation_pb2_grpc.SimulationServiceStub(channel)
        request = simulation_pb2.ApplyRequest(game="fidelitas", position=message)
        errors = [await refusal(stub.Apply(request))]
    errors.append(await refusal(create(host, *FOUR[: max(1, min(4, bad.players))], position=message)))
    for error in errors:
        assert error.code == grpc.StatusCode.INVALID_ARGUMENT, error
        assert error.field.endswith(field), error
    assert errors[0].message == errors[1].message


@pytest.mark.parametrize("name", ["greedy", "planner"])
@pytest.mark.parametrize("puzzle", PUZZLES.values(), ids=PUZZLES.keys())
async def test_built_in_bots_play_on_from_a_position(host: Host, puzzle: Position, name: str) -> None:
    """They keep their own books of the match, which must open with the options of the position."""
    names = FOUR[: puzzle.players]
    short = dataclasses.replace(puzzle, max_turns=20)
    await asyncio.gather(
        *(play_async(bot_named(name, "s"), server=host.address, name=player, matches=1) for player in names),
        create(host, *names, position=message_of(short)),
    )
    result = (await host.result()).result
    assert {seat.termination for seat in result.seats} == {match_pb2.TERMINATION_FINISHED}
    assert result.ended_by


@pytest.mark.parametrize("puzzle", PUZZLES.values(), ids=PUZZLES.keys())
async def test_samples_of_a_match_from_a_position_look_like_the_truth(host: Host, puzzle: Position) -> None:
    """In every variant: at all starts of a turn of the first rounds, for the seat that is asked."""
    names = FOUR[: puzzle.players]
    bots = await begin(host, *names, position=message_of(puzzle))
    taken = 0
    async with grpc.aio.insecure_channel(host.address) as channel:
        stub = simulation_pb2_grpc.SimulationServiceStub(channel)
        while taken < 5:
            decision, seat = await asked(host, bots)
            if decision.kind == "PLAY_CARD":
                taken += 1
                request = simulation_pb2.SampleStateRequest(match_id="m", nonce=taken)
                response = await stub.SampleState(request, metadata=(("palio-player", names[seat]),))
                sample = RULES.from_position(CODEC.read_position(response.position))
                seen = game_pb2.Observation.FromString(CODEC.observation(sample.view(seat)))
                assert seen == decision.observation
                answer = await stub.Apply(simulation_pb2.ApplyRequest(game="fidelitas", position=response.position))
                assert list(answer.decision.options) == list(decision.options)
                assert answer.decision.seat == seat
            await bots[seat].choose("m", decision.decision_id, len(decision.options) - 1)
            await bots[seat].next("choice_accepted")
