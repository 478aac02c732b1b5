"""Playing choices from a deal or a position: the logic behind Apply and ``palio rules options``."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from google.protobuf import json_format

from palio.codec import codec_of
from palio.codec.jsons import payload_of, read_game_options, read_position, to_json
from palio.codec.simulate import simulate
from palio.engine.chance import Stream
from palio.engine.errors import IllegalAction, InvalidSetup, MatchOver
from palio.v1 import game_pb2, simulation_pb2

GAMES = json.loads((Path(__file__).parents[1] / "vectors" / "fidelitas_games.json").read_text())


def request(game: str = "fidelitas", seed: str = "x", players: int = 2, **fields: Any) -> simulation_pb2.ApplyRequest:
    return simulation_pb2.ApplyRequest(game=game, seed_text=seed, players=players, **fields)


@pytest.mark.parametrize(
    "vector", [game for game in GAMES if game["players"] in (1, 2, 4)], ids=lambda v: v["seed_text"]
)
def test_the_vector_games_end_as_they_say(vector: dict[str, Any]) -> None:
    options = read_game_options("fidelitas", {"teams": True}) if vector["teams"] else None
    choices = [step[3] for step in vector["steps"]]
    response = simulate(request(seed=vector["seed_text"], players=vector["players"], options=options, choices=choices))
    assert response.ended_by == vector["ended_by"]
    assert not response.HasField("decision")
    assert not response.HasField("position")
    assert len(response.outcome) == vector["players"]


def test_in_the_middle_it_tells_what_the_vector_says() -> None:
    vector = GAMES[0]
    for number in (0, 1, 2, 17):
        choices = [step[3] for step in vector["steps"][:number]]
        response = simulate(request(seed=vector["seed_text"], choices=choices))
        seat, kind, offered, *_ = vector["steps"][number]
        decision = response.decision
        assert (decision.seat, decision.kind, len(decision.options)) == (seat, kind, offered)
        assert response.HasField("position") == (kind == "PLAY_CARD")
        assert not response.outcome


def test_playing_on_from_a_position_is_playing_on() -> None:
    """Wherever a turn starts, the rest of the game is the same from the position as from the deal."""
    vector = GAMES[0]
    choices = [step[3] for step in vector["steps"]]
    whole = simulate(request(seed=vector["seed_text"], choices=choices))
    starts = [number for number, step in enumerate(vector["steps"]) if step[1] == "PLAY_CARD"]
    for number in starts[:: len(starts) // 5]:
        half = simulate(request(seed=vector["seed_text"], choices=choices[:number]))
        rest = simulate(simulation_pb2.ApplyRequest(game="fidelitas", position=half.position, choices=choices[number:]))
        assert rest.outcome == whole.outcome
        later = [seen.event for seen in whole.events[len(half.events) :]]
        assert [seen.event for seen in rest.events][-len(later) :] == later


def test_it_is_deterministic() -> None:
    one, two = (simulate(request(choices=[0, 0])).SerializeToString(deterministic=True) for _ in range(2))
    assert one == two


def test_every_event_says_who_sees_it() -> None:
    dealt = [seen for seen in simulate(request()).events if not seen.public]
    assert [list(seen.viewers) for seen in dealt] == [[0], [1]]


@pytest.mark.parametrize(
    ("bad", "error", "text"),
    [
        (request("fidelita"), InvalidSetup, "game: there is no game 'fidelita'"),
        (request(players=7), InvalidSetup, "players: Fidelitas is for 1, 2, 3, 4 players, not 7"),
        (request(players=0), InvalidSetup, "players:"),
        (request(choices=[0, 99]), IllegalAction, "choices[1]: 99 is not one of the options 0 to"),
        (request(choices=[-1]), IllegalAction, "choices[0]: -1 is not one of the options 0 to"),
        (request("sticks", choices=[2] * 7), MatchOver, "choices[7]"),
        (
            simulation_pb2.ApplyRequest(game="fidelitas", position=game_pb2.Position(), seed_text="x"),
            InvalidSetup,
            "seed_text: a position has its own: leave this out",
        ),
        (simulation_pb2.ApplyRequest(game="fidelitas", position=game_pb2.Position()), InvalidSetup, "position"),
    ],
)
def test_what_cannot_be_done_is_told(bad: simulation_pb2.ApplyRequest, error: type[Exception], text: str) -> None:
    if bad.game == "sticks":
        bad.choices.append(0)
    with pytest.raises(error) as caught:
        simulate(bad)
    assert text in str(caught.value)


def test_a_plug_in_game_without_positions() -> None:
    response = simulate(request("sticks", choices=[2]))
    assert response.decision.kind == "TAKE"
    assert to_json(response.decision.options[0])["text"] == "take 1"
    assert not response.HasField("position")


def test_options_by_name() -> None:
    message = read_game_options("fidelitas", {"teams": True, "max_turns": 50})
    assert codec_of("fidelitas").read_game_options(message).max_turns == 50
    assert message.fidelitas.teams
    sticks = read_game_options("sticks", {"heap": 9})
    assert codec_of("sticks").read_game_options(sticks).heap == 9


@pytest.mark.parametrize(
    ("game", "given", "field", "text"),
    [
        ("fidelitas", {"team": True}, "team", "Fidelitas has no such option; its options are teams, max_turns, deck"),
        ("fidelitas", {"teams": "maybe"}, "teams", "'maybe' is neither true nor false"),
        ("fidelitas", {"max_turns": 1}, "max_turns", "20"),
        ("fidelitas", {"max_turns": -5}, "max_turns", "-5"),
        ("fidelitas", {"deck": {"cards": []}}, "deck.cards", "no such field; allowed: virtus, missio"),
        ("fidelitas", {"deck": 3}, "deck", "3 is no object with fields"),
        ("fidelitas", {"deck": {"virtus": {}}}, "deck.virtus", "{} is no list"),
        ("fidelitas", {"deck": {"virtus": [7]}}, "deck.virtus[0]", "7 is no object"),
        ("fidelitas", {"deck": {"virtus": [{"charater": 9}]}}, "deck.virtus[0].charater", "do you mean character?"),
        *(
            ("fidelitas", {"deck": {"virtus": [{"character": name}]}}, "deck.virtus[0].character", text)
            for name, text in [
                ("SOLDIR", "'SOLDIR' is unknown; do you mean SOLDIER?"),
                ("CHARACTER_SOLDIR", "do you mean SOLDIER?"),
                ("zzz", "allowed: SHOPKEEPER, BROKER, "),
            ]
        ),
        *(
            ("fidelitas", {"deck": {"virtus": [{"copies": copies}]}}, "deck.virtus[0].copies", "is no whole number")
            for copies in ("many", 1.5, float("inf"), True)
        ),
        ("fidelitas", {"deck": {"virtus": [{"character": 9, "copies": 2**40}]}}, "deck", "out of range"),
        ("sticks", {"heap": 1}, "heap", "1 is not between 2 and 10000"),
        ("nothing", {}, "game", "there is no game 'nothing'"),
    ],
)
def test_wrong_options_are_told_by_name(game: str, given: dict[str, object], field: str, text: str) -> None:
    with pytest.raises(InvalidSetup) as caught:
        read_game_options(game, given)
    assert caught.value.field == field
    assert text in caught.value.reason


def test_positions_as_json_come_back() -> None:
    position = simulate(request(choices=[])).position
    data = to_json(payload_of(position))
    assert read_position("fidelitas", data) == position
    assert read_position("fidelitas", {"fidelitas": data}) == position
    assert read_position("fidelitas", json_format.MessageToDict(position.fidelitas)) == position


@pytest.mark.parametrize(
    ("data", "field", "text"),
    [
        ([], "position", "should be a JSON object"),
        ({"playres": 2}, "playres", "do you mean players?"),
        ({"fidelitas": {"playres": 2}}, "fidelitas.playres", "do you mean players?"),
        ({"players": "two"}, "players", "'two' is no whole number"),
        ({"stacks": [{}, {"cards": ["PREIST"]}]}, "stacks[1].cards[0]", "do you mean PRIEST?"),
        ({"seed": 5}, "seed", "5 is no text in base64"),
        ({"teams": "yes"}, "teams", "'yes' is neither true nor false"),
        ({"players": -1}, "position", "-1"),
    ],
)
def test_positions_that_cannot_be_read(data: object, field: str, text: str) -> None:
    with pytest.raises(InvalidSetup) as caught:
        read_position("fidelitas", data)
    assert caught.value.field == field
    assert text in caught.value.reason


def test_enum_values_go_without_their_prefix() -> None:
    cards = {"missio": [{"points": 2, "guildAtEach": {"guild": "Harbor", "locations": ["market", "WAREHOUSE"]}}] * 8}
    full = {
        "missio": [
            {"points": 2, "guild_at_each": {"guild": "GUILD_HARBOR", "locations": ["LOCATION_MARKET", 10]}}
        ] * 8
    }  # fmt: skip
    assert read_game_options("fidelitas", {"deck": cards}) == read_game_options("fidelitas", {"deck": full})


def test_random_walks_agree_with_the_indices_of_the_options() -> None:
    stream = Stream(bytes(32), "walk")
    choices: list[int] = []
    for _ in range(25):
        response = simulate(request(players=3, choices=choices))
        texts = [option.text for option in response.decision.options]
        assert len(texts) >= 2
        assert len(set(texts)) == len(texts)
        choices.append(stream.uniform(len(texts)))
