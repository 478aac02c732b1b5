"""What is seen of a tournament while it runs: a picture on terminals of any size, lines elsewhere."""

from __future__ import annotations

import io
from datetime import UTC, datetime
from typing import Any

import pytest
from rich.console import Console
from tests.support.tournaments import by_chance, play

from palio.files.settings import check_settings
from palio.tournament.config import TournamentConfig
from palio.tournament.display import LiveView, PlainView
from palio.tournament.ledger import Entry, SeatRecord
from palio.tournament.pairing import Director
from palio.tournament.plan import make_schedule
from palio.tournament.runner.view import View, result_text

INVITATION = "waiting for friend: PALIO_SERVER=127.0.0.1:41234 PALIO_TOKEN=" + 60 * "t"


def entry_of(game: Any, fault: str = "FINISHED") -> Entry:
    seats = tuple(
        SeatRecord(name, side, rank, points, fault if seat == 0 else "FINISHED")
        for seat, (name, side, rank, points) in enumerate(
            zip(game.players, game.sides, game.ranks, game.points, strict=True)
        )
    )
    ids = {"block": game.block, "seating": game.seating, "attempt": 1, "match_id": "m", "deal": game.deal, "round": 0}
    return Entry(**ids, seats=seats, rated=True, ended=datetime.now(UTC))


class Screen:
    """A terminal with a tournament of so many bots on it."""

    def __init__(self, bots: int, width: int = 80, height: int = 24, **keys: object) -> None:
        data = {
            "name": "Cup",
            "game": "sticks",
            "deals": 6,
            "bots": [{"name": f"bot-{number}", "builtin": "random"} for number in range(bots)],
            **keys,
        }
        self.config = check_settings(TournamentConfig, data, "test")
        self.schedule = make_schedule(self.config, "s")
        self.games = play(Director(self.schedule.format), by_chance)
        self.output = io.StringIO()
        self.console = Console(file=self.output, force_terminal=True, width=width, height=height, color_system=None)

    def show(self, view: View, games: int) -> None:
        """The tournament after so many games."""
        director = Director(self.schedule.format)
        view.begin(director, [], [])
        view.do("starting 4 bots")
        if games:
            view.now(running=2, waiting=100)
        for game in self.games[:games]:
            complete = director.record(game) is not None
            view.entered(entry_of(game), block_complete=complete)

    def picture(self, games: int, *remarks: str) -> list[str]:
        """What is on it, line by line."""
        view = LiveView(self.console, self.config)
        self.show(view, games)
        for remark in remarks:
            view.say(remark)
        if games:
            view.compute()
        with self.console.capture() as capture:
            self.console.print(view.picture())
        return capture.get().splitlines()


def test_before_the_first_match_it_says_what_is_being_done() -> None:
    lines = Screen(4).picture(0)
    assert lines[0].startswith("Cup")
    assert "starting 4 bots" in lines[1]


def test_it_shows_standings_last_results_and_remarks() -> None:
    lines = Screen(4, height=40).picture(20, "bot-1 ended with exit code 3")
    text = "\n".join(lines)
    assert "starting" not in text
    assert "20 of 72 games (10 blocks)" in lines[1]
    for word in ("Elo", "95 %", "score", "forfeits", "last results", "· bot-1 ended with exit code 3"):
        assert word in text


@pytest.mark.parametrize("height", [12, 16, 20, 24, 40])
@pytest.mark.parametrize("bots", [2, 8, 12])
def test_it_is_no_higher_than_the_terminal_as_long_as_its_table_fits(bots: int, height: int) -> None:
    lines = Screen(bots, height=height).picture(20, *(f"remark {number}" for number in range(9)))
    assert len(lines) <= max(height, bots + 6)
    assert "bot-0" in "\n".join(lines)


@pytest.mark.parametrize("width", [60, 80, 200])
def test_it_is_no_wider_than_the_terminal(width: int) -> None:
    lines = Screen(8, width=width).picture(40, "r" * 300)
    assert max(map(len, lines)) <= width


def test_who_has_not_played_has_no_place_no_rating_and_no_score() -> None:
    lines = Screen(8).picture(2)
    idle = [line.split() for line in lines if line.split()[:1] and line.split()[0].startswith("bot-")]
    assert len(idle) == 6
    assert all(words[1:] == ["0"] for words in idle)


def test_intervals_that_say_nothing_are_not_written_out() -> None:
    text = "\n".join(Screen(8).picture(2))
    assert "> ± 999" in text


def test_a_solo_tournament_shows_points() -> None:
    text = "\n".join(Screen(3, players=1).picture(6))
    assert "points" in text
    assert "Elo" not in text


def test_an_invitation_is_not_cut_off() -> None:
    screen = Screen(2)
    LiveView(screen.console, screen.config).invite(INVITATION)
    assert "".join(screen.output.getvalue().split()) == "".join(INVITATION.split())


def test_without_a_terminal_there_are_lines() -> None:
    screen = Screen(2)
    view = PlainView(Console(file=screen.output, width=80))
    with view:
        screen.show(view, 12)
        view.invite(INVITATION)
    lines = screen.output.getvalue().splitlines()
    assert lines[0] == "starting 4 bots"
    assert lines[1].startswith("1 of 12 games (0 blocks)")
    assert lines[2] == INVITATION
    assert lines[-1].startswith("12 of 12 games (6 blocks)")


def test_a_result_names_faults_in_words() -> None:
    screen = Screen(2)
    entry = entry_of(screen.games[0], "FORFEIT_TIMEOUT")
    assert "(forfeit timeout)" in result_text(entry)
