"""palio play: a person at the keyboard, played by a list of lines."""

from __future__ import annotations

import io
import re
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
import rich.console

from palio.cli.main import main
from palio.server.match.journal import read
from palio.server.match.verify import verify_file
from palio.v1 import match_pb2

Play = Callable[..., tuple[int, str, str]]
ONES = "1\n" * 5000


@pytest.fixture
def play(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Play:
    """Plays with these lines typed: exit code, stdout, stderr. The replay is ``tmp_path / "r"``."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "100")

    def run(lines: str, *arguments: str) -> tuple[int, str, str]:
        monkeypatch.setattr(sys, "stdin", io.StringIO(lines))
        code = main(["play", *arguments, "--seed", "s", "--name", "ada", "--replay", "r"])
        printed = capsys.readouterr()
        assert "Traceback" not in printed.err
        return code, printed.out, printed.err

    return run


def seats(path: Path) -> list[match_pb2.SeatResult]:
    return list(read(path)[-1].end.result.seats)


def test_a_whole_match_against_a_bot(play: Play, tmp_path: Path) -> None:
    code, out, err = play(ONES, "fidelitas", "--vs", "greedy", "--quick")
    assert (code, err) == (0, "")
    assert "Fidelitas: ada (seat 0), greedy (seat 1). You have seat 0." in out
    assert "turn 2 (round 1) of greedy" in out
    assert "The match is over" in out
    assert "greedy, " in out
    verdict = verify_file(tmp_path / "r")
    assert (verdict.difference, verdict.game) == ("", "fidelitas")
    assert all(seat.termination == match_pb2.TERMINATION_FINISHED for seat in seats(tmp_path / "r"))


@pytest.mark.slow
def test_a_whole_match_of_a_large_game(play: Play, tmp_path: Path) -> None:
    code, out, err = play(ONES, "feudum", "--vs", "random", "--quick")
    assert (code, err) == (0, "")
    assert "Feudum, guild edition: ada (seat 0), random (seat 1). You have seat 0." in out
    assert "Farmer track: ada" in out
    assert "The match is over" in out
    assert not re.search(r"\bseat \d\b(?!\))", out.partition("You have seat")[2][2:])
    assert verify_file(tmp_path / "r").difference == ""


def test_a_choice_counts_once_it_is_confirmed(play: Play, tmp_path: Path) -> None:
    _, out, _ = play("1\nu\n3\n2\n\nq\n", "fidelitas", "--vs", "random")
    assert out.count("Enter confirms, u takes it back >") == 3
    choices = [record.choice.option for record in read(tmp_path / "r") if record.HasField("choice")]
    assert choices[0] == 1


def test_giving_up(play: Play, tmp_path: Path) -> None:
    code, out, err = play("q\n", "fidelitas", "--vs", "random")
    assert (code, err) == (0, "")
    assert "2. ada, 0 points, resigned" in out
    assert "The replay is in r" in out
    assert verify_file(tmp_path / "r").difference == ""


def test_giving_up_among_three_lets_the_others_finish(play: Play, tmp_path: Path) -> None:
    code, out, _ = play("q\n", "fidelitas", "--vs", "random", "--players", "3", "--seat", "1")
    assert code == 0
    assert "random (seat 0), ada (seat 1), random-2 (seat 2). You have seat 1." in out
    assert [seat.termination for seat in seats(tmp_path / "r")].count(match_pb2.TERMINATION_RESIGNED) == 1
    assert "3. ada" in out


def test_the_input_ends(play: Play, tmp_path: Path) -> None:
    code, _, err = play("1\n", "fidelitas", "--vs", "random", "--quick")
    assert (code, err) == (1, "palio: the input ended before the match, which was given up\n")
    assert verify_file(tmp_path / "r").difference == ""


def test_ctrl_c(play: Play, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(*_: object, **__: object) -> str:
        raise KeyboardInterrupt

    monkeypatch.setattr(rich.console.Console, "input", interrupted)
    code, _, err = play("", "fidelitas", "--vs", "random")
    assert (code, err) == (130, "")
    assert seats(tmp_path / "r")[0].termination == match_pb2.TERMINATION_RESIGNED


def test_alone(play: Play) -> None:
    code, out, _ = play("q\n", "fidelitas")
    assert code == 0
    assert "Fidelitas: ada (seat 0). You have seat 0." in out
    assert "Tavern" not in out.split("╭")[1].split("╰")[0]


def test_in_a_team(play: Play) -> None:
    code, out, _ = play("q\n", "fidelitas", "--vs", "random", "--players", "4", "--teams")
    assert code == 0
    assert "random-2 (team 1)" in out


def test_f42_signals_to_the_partner(play: Play, tmp_path: Path) -> None:
    typed = "s\ns tav\ns market commerce arch\ns zzz\ns a\ns mar bak col lib\n" + "s church\n" * 4 + "1\n1\nq\n"
    code, out, err = play(typed, "fidelitas", "--vs", "random", "--players", "4", "--teams", "--quick")
    assert (code, err) == (0, "")
    assert "a signal names 1 to 3 guilds and as many locations" in out
    assert "'tav' is one of Tavern (N), Tavern (S)" in out
    assert "'zzz' is no guild and no location" in out
    assert "'a' is one of Archive, Artisan, Academic" in out
    assert "there were 4 signals in this turn" in out
    assert "ada signals Commerce, Market, Archive" in out
    said = [record.signal.words.fidelitas for record in read(tmp_path / "r") if record.HasField("signal")]
    assert [(list(words.guilds), list(words.locations)) for words in said] == [([1], [5, 6]), *[([6], [])] * 3]
    assert verify_file(tmp_path / "r").difference == ""


def test_without_a_partner_there_are_no_signals(play: Play) -> None:
    _, out, _ = play("s market\nq\n", "fidelitas", "--vs", "random")
    assert "only partners in a team match signal" in out


def test_a_game_without_signals(play: Play) -> None:
    _, out, _ = play("s 1\nq\n", "sticks", "--vs", "random", "--option", "heap=7")
    assert "nobody signals in this game" in out


def test_a_game_without_a_drawing(play: Play, tmp_path: Path) -> None:
    code, out, _ = play("?\n? heap\n" + ONES, "sticks", "--vs", "random", "--option", "heap=7", "--quick")
    assert code == 0
    assert "1 take 1" in out
    assert "there is no help on heap" in out
    assert verify_file(tmp_path / "r").difference == ""


def test_help_and_the_other_commands(play: Play) -> None:
    _, out, _ = play("?\n? bak\n?9\n? zzz\nb\no\nl\nnonsense\n99\n0\n\nq\n", "fidelitas", "--vs", "random")
    assert "Swindler     Miscreant" in out
    assert "Baker, Artisan guild, 3 copies. Move two cards to two different locations." in out
    assert "Missio card 9 (3 points: " in out
    assert "there is no help on zzz" in out
    assert out.count("╭") == 2
    assert out.count("Play card:") == 2
    assert out.count("turn 1 (round 1) of ada") == 2
    assert out.count("NUMBER") == 3
    assert "99 is not one of the options 1 to" in out
    assert "0 is not one of the options 1 to" in out


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        (["chess", "--vs", "random"], "game: there is no game 'chess'; known games: "),
        (["fidelitas", "--vs", "kasparov"], "bot: 'kasparov' does not play 'fidelitas'; those that do: "),
        (["fidelitas", "--vs", "random", "--seat", "2"], "--seat: 2 is not between 0 and 1"),
        (["fidelitas", "--vs", "random", "--players", "9"], "--players: 9 is not one of 1, 2, 3, 4"),
        (["fidelitas", "--vs", "random", "--vs", "random", "--players", "2"], "--vs: 2 bots are named for 1 other"),
        (["fidelitas", "--players", "2"], "--vs: name a bot to play against: "),
        (["fidelitas", "--vs", "random", "--teams"], "teams"),
        (["fidelitas", "--vs", "random", "--option", "turns=3"], "turns: Fidelitas has no such option"),
        (["fidelitas", "--vs", "random", "--name", "a b"], "--name: 'a b' is no player name"),
        (["fidelitas", "--vs", "random", "--replay", "."], "--replay: . exists already"),
        (["fidelitas", "--vs", "random", "--replay", "none/r"], "--replay: there is no directory none"),
    ],
)
def test_mistakes_are_told(
    arguments: list[str], text: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["play", *arguments]) == 2
    printed = capsys.readouterr()
    assert text in printed.err
    assert "internal error" not in printed.err
    assert printed.out == ""
    assert list(tmp_path.iterdir()) == []
