"""Rollouts for luck-adjusted results: the same wherever they are played, kept deal by deal, shown everywhere."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.support.tournaments import by_chance, play
from tests.tournament.test_report import entry_of, parsed
from typer.testing import CliRunner

from palio.cli.main import app
from palio.engine.errors import InvalidSetup
from palio.files.settings import check_settings
from palio.tournament import rollouts
from palio.tournament.config import TournamentConfig
from palio.tournament.ledger import Ledger, open_ledger
from palio.tournament.pairing import Director
from palio.tournament.plan import Schedule, make_schedule
from palio.tournament.rating.luck import luck_table
from palio.tournament.results import Game
from palio.tournament.rollouts import Policy, Task, fill, play_deal, policy_of, tasks_of
from palio.tournament.summary import summarise

POLICY = Policy("random", 6)
FILE = """
name = "Cup"
game = "{game}"
deals = 8
duplicate = false
[[bots]]
name = "a"
builtin = "random"
[[bots]]
name = "b"
builtin = "random"
"""


def schedule_of(game: str) -> Schedule:
    bots = [{"name": name, "builtin": "random"} for name in "ab"]
    data = {"name": "Cup", "game": game, "deals": 8, "duplicate": False, "bots": bots}
    return make_schedule(check_settings(TournamentConfig, data, "test"), "s")


@pytest.fixture
def played(tmp_path: Path) -> Iterator[tuple[Ledger, Schedule, list[Game]]]:
    """A finished tournament of sticks, its file beside its ledger."""
    (tmp_path / "cup.toml").write_text(FILE.format(game="sticks"))
    (tmp_path / "cup.palio").mkdir()
    schedule = schedule_of("sticks")
    ledger = open_ledger(f"sqlite:///{tmp_path / 'cup.palio' / 'ledger.sqlite3'}", "cup")
    ledger.register("Cup", schedule.config.stored(), "s", ["a", "b"])
    games = play(Director(schedule.format), by_chance)
    for game in games:
        ledger.record(entry_of(game))
    yield ledger, schedule, games
    ledger.close()


@pytest.mark.parametrize("game", ["sticks", "fidelitas"])
def test_rollouts_of_a_deal_are_the_same_every_time_and_weigh_the_seats_against_each_other(game: str) -> None:
    schedule = schedule_of(game)
    task = tasks_of(schedule, play(Director(schedule.format), by_chance), Policy("random", 3))[0]
    scores = play_deal(task)
    assert scores == play_deal(task)
    assert sum(scores) == pytest.approx(0)
    assert any(scores)


def test_greedy_explores_so_that_its_rollouts_differ() -> None:
    schedule = schedule_of("fidelitas")
    games = play(Director(schedule.format), by_chance)
    one, four = (tasks_of(schedule, games, Policy("greedy", count))[0] for count in (1, 4))
    assert play_deal(one) != play_deal(four)


def test_workers_find_what_one_process_finds(played: tuple[Ledger, Schedule, list[Game]]) -> None:
    ledger, schedule, games = played
    assert fill(ledger, tasks_of(schedule, games, POLICY), jobs=2) == 8
    alone = {
        (task.deal, seat): score
        for task in tasks_of(schedule, games, POLICY)
        for seat, score in enumerate(play_deal(task))
    }
    assert ledger.luck() == {"random:6": alone}


def test_what_was_interrupted_goes_on_with_the_deals_that_are_missing(
    played: tuple[Ledger, Schedule, list[Game]], monkeypatch: pytest.MonkeyPatch
) -> None:
    ledger, schedule, games = played
    tasks = tasks_of(schedule, games, POLICY)

    def three(task: Task) -> list[float]:
        if task.deal == 3:
            raise KeyboardInterrupt
        return play_deal(task)

    with monkeypatch.context() as patch:
        patch.setattr(rollouts, "play_deal", three)
        with pytest.raises(KeyboardInterrupt):
            fill(ledger, tasks, jobs=1)
    assert {deal for deal, _ in ledger.luck()["random:6"]} == {0, 1, 2}
    found = summarise(ledger).luck
    assert found is not None
    assert (found.missing, found.lines) == (5, ())
    told: list[int] = []
    assert fill(ledger, tasks, 1, told.append) == 5
    assert told == [4, 5, 6, 7, 8]
    assert fill(ledger, tasks, 1) == 0
    before = ledger.luck()
    ledger.record_luck("random:6", 0, [9.0, 9.0])
    assert ledger.luck() == before


def test_the_command_shows_it_and_so_do_all_the_others(
    tmp_path: Path, played: tuple[Ledger, Schedule, list[Game]]
) -> None:
    file = str(tmp_path / "cup.toml")
    runner = CliRunner()
    before = runner.invoke(app, ["tournament", "standings", file]).output
    assert "luck-adjusted" not in before
    arguments = ["tournament", "luck", file, "--bot", "random", "--rollouts", "5", "--jobs", "1"]
    first = runner.invoke(app, arguments)
    assert first.exit_code == 0, first.output
    assert "random:5: rollouts of 8 deals played, of 0 known before" in first.output
    assert "rollouts of 0 deals played, of 8 known before" in runner.invoke(app, arguments).output
    table = runner.invoke(app, ["tournament", "standings", file]).output
    assert "luck-adjusted by 5 rollouts of random for each deal" in table
    for line in json.loads(runner.invoke(app, ["tournament", "standings", file, "--json"]).output):
        assert line["adjusted_low"] <= line["adjusted"] <= line["adjusted_high"]
        assert line["adjusted_interval"] > 0
    data = json.loads(runner.invoke(app, ["tournament", "export", file, "--format", "json"]).output)
    assert [line["player"] for line in data["luck"]["lines"]]
    rows = list(csv.DictReader(io.StringIO(runner.invoke(app, ["tournament", "export", file]).output)))
    assert sum(float(row["foretold"]) for row in rows) == pytest.approx(0)
    report = (tmp_path / "cup.palio" / "report.html").read_text()
    assert "Luck of the deals" in report
    parsed(report)
    fewer = runner.invoke(app, ["tournament", "luck", file, "--bot", "random", "--rollouts", "2", "--jobs", "1"])
    assert "luck-adjusted by 2 rollouts of random" in fewer.output, "what was asked for is shown"
    assert "by 5 rollouts" in runner.invoke(app, ["tournament", "standings", file]).output, (
        "elsewhere those that say most"
    )


@pytest.mark.parametrize(
    ("bot", "rollouts", "words"),
    [("nobody", 3, "--bot: .*nobody"), ("greedy", 3, "does not play 'sticks'"), ("random", 0, "1 to 10000")],
)
def test_bots_and_numbers_that_do_not_fit_are_refused_by_name(
    tmp_path: Path, played: tuple[Ledger, Schedule, list[Game]], bot: str, rollouts: int, words: str
) -> None:
    with pytest.raises(InvalidSetup, match=words):
        policy_of(bot, rollouts, "sticks")
    arguments = ["tournament", "luck", str(tmp_path / "cup.toml"), "--bot", bot, "--rollouts", str(rollouts)]
    assert CliRunner().invoke(app, arguments).exit_code != 0


def single(deal: int, first: bool) -> Game:
    ranks = (1, 2) if first else (2, 1)
    return Game(deal, deal, 0, ("a", "b"), ranks, (0.0, 0.0), (None, None), (0, 1))


def test_the_policy_that_covers_most_deals_counts_then_the_one_with_most_rollouts() -> None:
    games = [single(deal, deal % 2 == 0) for deal in range(4)]
    full = {(deal, seat): 0.5 for deal in range(4) for seat in (0, 1)}
    half = {key: score for key, score in full.items() if key[0] < 2}
    found = luck_table(games, {"a:100": half, "b:20": full, "c:5": full})
    assert found is not None
    assert (found.policy, found.missing) == ("b:20", 0)
    assert luck_table(games, {}) is None
    solo = [Game(0, 0, 0, ("a",), (1,), (3.0,), (None,), (0,))]
    assert luck_table(solo, {"b:20": full}) is None
