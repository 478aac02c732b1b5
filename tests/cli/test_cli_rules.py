"""palio rules: JSON in, JSON out."""

from __future__ import annotations

import io
import json
import sys
from pathlib import Path
from typing import Any

import pytest

from palio.cli.main import main


def options(capsys: pytest.CaptureFixture[str], *arguments: str) -> dict[str, Any]:
    assert main(["rules", "options", *arguments]) == 0
    found: dict[str, Any] = json.loads(capsys.readouterr().out)
    return found


FRESH = ("--game", "fidelitas", "--seed", "vector-2-0", "--players", "2")


def test_a_fresh_deal(capsys: pytest.CaptureFixture[str]) -> None:
    found = options(capsys, *FRESH)
    assert list(found) == ["events", "decision", "outcome", "position"]
    assert list(found["decision"]) == ["seat", "kind", "options"]
    assert (found["decision"]["seat"], found["decision"]["kind"]) == (0, "PLAY_CARD")
    assert len(found["decision"]["options"]) == 14
    play = found["decision"]["options"][8]["fidelitas"]["play"]
    assert play == {"character": "CHARACTER_THIEF", "location": "LOCATION_MARKET"}
    assert found["outcome"] is None
    assert found["position"]["players"] == 2
    assert [event["viewers"] for event in found["events"]] == [None, [0], [1], None]


def test_the_same_twice(capsys: pytest.CaptureFixture[str]) -> None:
    assert options(capsys, *FRESH, "--choose", "8") == options(capsys, *FRESH, "--choose", "8")


def test_from_a_position_of_a_file_and_of_stdin(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fresh = options(capsys, *FRESH)
    path = tmp_path / "position.json"
    path.write_text(json.dumps(fresh["position"]))
    found = options(capsys, "--game", "fidelitas", "--position", str(path))
    assert found == fresh
    monkeypatch.setattr(sys, "stdin", io.StringIO(path.read_text()))
    assert options(capsys, "--game", "fidelitas", "--position", "-") == found


def test_in_the_middle_of_a_turn_there_is_no_position(capsys: pytest.CaptureFixture[str]) -> None:
    found = options(capsys, *FRESH, "--choose", "8")
    assert found["decision"]["kind"] == "DRAW_CARD"
    assert found["position"] is None


def test_a_game_to_its_end(capsys: pytest.CaptureFixture[str]) -> None:
    found = options(
        capsys, "--game", "sticks", "--seed", "x", "--players", "2", "--option", "heap=5", *["--choose", "1"] * 2
    )
    assert found["decision"] is None
    assert found["outcome"] == [{"seat": 0, "rank": 2, "points": 0}, {"seat": 1, "rank": 1, "points": 1}]


def test_teams(capsys: pytest.CaptureFixture[str]) -> None:
    deal = ("--game", "fidelitas", "--seed", "x", "--players", "4")
    assert options(capsys, *deal, "--teams") == options(capsys, *deal, "--option", "teams=true")
    assert options(capsys, *deal, "--teams")["position"]["teams"] is True


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        (["--game", "chess", "--seed", "x", "--players", "2"], "game: there is no game 'chess'; known games: "),
        (["--game", "fidelitas"], "where to start: give --position FILE, or --seed TEXT and --players N"),
        (["--game", "fidelitas", "--seed", "x", "--players", "9"], "players: Fidelitas is for 1, 2, 3, 4 players"),
        ([*FRESH, "--teams"], "teams"),
        ([*FRESH, "--option", "teams"], "--option: 'teams' is not of the form NAME=VALUE"),
        ([*FRESH, "--option", "turns=3"], "turns: Fidelitas has no such option; its options are"),
        ([*FRESH, "--choose", "14"], "choices[0]: 14 is not one of the options 0 to 13 of this PLAY_CARD"),
        ([*FRESH, "--choose", str(2**40)], "out of range"),
        (["--game", "fidelitas", "--position", "{file}"], "--position: {file} is no JSON"),
        (["--game", "fidelitas", "--position", "{file}", "--seed", "x"], "--position brings its own"),
        (["--game", "fidelitas", "--position", "{empty}"], ""),
    ],
)
def test_mistakes_are_told(arguments: list[str], text: str, capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    bad, empty = tmp_path / "bad.json", tmp_path / "empty.json"
    bad.write_text("{")
    empty.write_text("{}")
    names = {"file": str(bad), "empty": str(empty)}
    assert main(["rules", "options", *[argument.format_map(names) for argument in arguments]]) == 2
    printed = capsys.readouterr()
    assert text.format_map(names) in printed.err
    assert "Traceback" not in printed.err
    assert "internal error" not in printed.err
    assert printed.out == ""


def test_games_are_listed(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["rules", "games", "--json"]) == 0
    games = json.loads(capsys.readouterr().out)
    assert {"fidelitas", "sticks"} <= {game["id"] for game in games}
    assert main(["rules", "games"]) == 0
    assert "Fidelitas (--game fidelitas)" in capsys.readouterr().out
