"""The report and the exports, from made-up results."""

from __future__ import annotations

import csv
import io
import itertools
import json
import re
import xml.etree.ElementTree as ET
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from html.parser import HTMLParser
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.support.tournaments import by_chance, earlier_letter_wins, everything_is_drawn, play

from palio.engine.errors import InvalidSetup
from palio.files.settings import check_settings
from palio.tournament.config import TournamentConfig
from palio.tournament.export import CSV_COLUMNS, EXPORTS, to_csv, to_json, to_trf
from palio.tournament.ledger import Entry, SeatRecord
from palio.tournament.pairing import Director
from palio.tournament.plan import make_schedule
from palio.tournament.report import plots, report_html
from palio.tournament.report.matrix import shade
from palio.tournament.report.svg import Scale, nice_step, rounded_range, spread
from palio.tournament.results import Game
from palio.tournament.summary import Summary
from palio.tournament.tables_text import all_tables, deals_table, versus_table

NOW = datetime(2026, 5, 4, 12, 30, tzinfo=UTC)
VOID = {"base", "br", "col", "hr", "img", "input", "link", "meta", "wbr"}


def entry_of(game: Game) -> Entry:
    seats = tuple(
        SeatRecord(name, side, rank, points, fault or "FINISHED", 30 + seat, 0.5, 0.1, 0.02)
        for seat, (name, side, rank, points, fault) in enumerate(
            zip(game.players, game.sides, game.ranks, game.points, game.faults, strict=True)
        )
    )
    return Entry(
        block=game.block,
        seating=game.seating,
        attempt=1,
        match_id=f"cup.{game.block}.{game.seating}",
        deal=game.deal,
        round=game.round,
        seats=seats,
        rated=True,
        ended=NOW + timedelta(seconds=game.block),
        ended_by="target",
        replay_digest=f"{game.block}{game.seating}",
        choices=60 + (game.block * 7 + game.seating) % 40,
        started=NOW,
    )


def summary(
    names: str = "abcd", judge: Any = by_chance, *, entries: int | None = None, rating: str = "ml", **keys: object
) -> Summary:
    """A tournament of bots with one-letter names."""
    bots = [{"name": name, "builtin": "random"} for name in names]
    data = {"name": "Cup <of> Spring & Co", "game": "sticks", "deals": 6, "bots": bots, **keys}
    config = check_settings(TournamentConfig, data, "test")
    schedule = make_schedule(config, "s")
    games = play(Director(schedule.format), judge)
    recorded = [entry_of(game) for game in games][:entries]
    return Summary(config, make_schedule(config, "s").format, recorded, rating=rating, finished=NOW)


class Strict(HTMLParser):
    """Fails for tags that are not closed in order, and collects what a browser would load."""

    def __init__(self) -> None:
        super().__init__()
        self.stack: list[str] = []
        self.loads: list[str] = []
        self.text: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag not in VOID:
            self.stack.append(tag)
        self.loads += [value or "" for name, value in attrs if name in ("src", "href", "xlink:href", "data")]

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        return

    def handle_endtag(self, tag: str) -> None:
        assert self.stack.pop() == tag

    def handle_data(self, data: str) -> None:
        self.text.append(data)


def parsed(html: str) -> Strict:
    parser = Strict()
    parser.feed(html)
    parser.close()
    assert parser.stack == []
    return parser


@pytest.mark.parametrize(
    "results",
    [
        {},
        {"players": [2, 3]},
        {"players": 1},
        {"rating": "elo"},
        {"rating": "glicko2"},
        {"judge": earlier_letter_wins},
        {"judge": everything_is_drawn},
        {"entries": 0},
        {"entries": 1},
        {"entries": 3},
        {"names": "ab"},
        {"names": "abcdefghijklmnop", "deals": 1},
        {"format": "swiss", "names": "abcdefgh"},
    ],
)
def test_the_report_is_sound_html_that_loads_nothing(results: dict[str, Any]) -> None:
    html = report_html(summary(**results))
    page = parsed(html)
    assert page.loads == []
    assert "url(" not in html
    assert "@import" not in html
    assert "<script" not in html
    assert "Cup <of> Spring & Co" in "".join(page.text)
    for picture in re.findall(r"<svg.*?</svg>", html, re.DOTALL):
        root = ET.fromstring(picture)
        for element in root.iter():
            for value in element.attrib.values():
                assert "nan" not in value.split()
                assert "inf" not in value.split()


def test_the_report_shows_what_was_asked_for() -> None:
    words = "".join(parsed(report_html(summary(players=[2, 3]))).text)
    for title in ("Strength", "Crosstable", "Likelihood of superiority", "Progress", "Seats", "Length", "Conduct"):
        assert title in words


def test_forfeits_withdrawals_and_crashes_are_in_the_report() -> None:
    found = summary()
    games = list(found.entries)
    first = games[0]
    loser = first.seats[0]
    faulty = SeatRecord(loser.player, loser.side, 2, 0, "FORFEIT_TIMEOUT")
    seats = (faulty, *(SeatRecord(seat.player, seat.side, 1, 5, "FINISHED") for seat in first.seats[1:]))
    games[0] = replace(first, seats=seats)
    again = Summary(
        found.config,
        make_schedule(found.config, "s").format,
        games,
        rating="ml",
        withdrawn={"d": "crashed 3 times in a row"},
        incidents=[("d", NOW, "d ended with exit code 3", "Traceback <boom>")],
    )
    words = "".join(parsed(report_html(again)).text)
    for phrase in ("timeout", "d is withdrawn: it crashed 3 times in a row", "Traceback <boom>"):
        assert phrase in words
    without = Summary(found.config, make_schedule(found.config, "s").format, games, rating="ml", forfeits=False)
    assert len(without.games) == len(again.games) - 2
    assert without.forfeits == {}


def test_a_crash_that_comes_again_stands_there_once() -> None:
    found = summary()
    crashes = [("d", NOW + timedelta(minutes=at), "d ended with exit code 3", "KeyError") for at in range(4)]
    other = ("c", NOW, "c ended with exit code 1", "")
    again = Summary(found.config, found.director.format, found.entries, rating="ml", incidents=[*crashes, other])
    words = "".join(parsed(report_html(again)).text)
    assert words.count("KeyError") == 1
    assert "d ended with exit code 3 (4 times, the last one 2026-05-04 12:33:00 UTC)" in words
    assert "c ended with exit code 1 (2026-05-04 12:30:00 UTC)" in words


def test_seats_are_said_to_cancel_only_where_they_do() -> None:
    sentence = "Duplicate blocks cancel it"
    assert sentence in report_html(summary())
    assert sentence not in report_html(summary(duplicate=False))


def test_even_is_written_without_a_sign() -> None:
    html = report_html(summary(judge=everything_is_drawn))
    assert "0 Elo" in html
    assert "-0 Elo" not in html


def test_incomplete_blocks_do_not_count() -> None:
    found = summary(entries=5)
    assert len(found.games) == 4
    assert found.half_blocks == 1


def test_the_csv_has_a_line_for_every_seat() -> None:
    found = summary(players=[2, 3])
    rows = list(csv.DictReader(io.StringIO(to_csv(found))))
    assert list(rows[0]) == list(CSV_COLUMNS)
    assert len(rows) == sum(len(entry.seats) for entry in found.entries)
    assert {row["termination"] for row in rows} == {"FINISHED"}


def test_the_json_can_be_read_and_has_everything() -> None:
    data = json.loads(to_json(summary(judge=earlier_letter_wins)))
    assert [line["player"] for line in data["standings"]] == ["a", "b", "c", "d"]
    assert len(data["games"]) == len(data["attempts"]) == 72
    assert data["settings"]["deals"] == [6]
    json.dumps(data, allow_nan=False)


def test_trf_is_for_two_players_only() -> None:
    assert to_trf(summary()).startswith("012 Cup <of> Spring & Co")
    with pytest.raises(InvalidSetup, match="TRF holds games of two players"):
        to_trf(summary(players=3))
    assert set(EXPORTS) == {"csv", "json", "trf", "html"}


def test_tables_for_people_name_everybody() -> None:
    found = summary(judge=earlier_letter_wins)
    titles = [table.title for table in all_tables(found)]
    assert titles == ["Standings", "Crosstable", "Seats", "Time use"]
    for table in all_tables(found):
        assert all(len(row) == len(table.columns) for row in table.rows)
    deals = deals_table(found)
    assert len(deals.rows) == 36
    assert sorted(filter(None, deals.rows[0][1:])) == ["0 % 8.0", "100 % 9.0"]
    versus = versus_table(found, "a", "d")
    assert len(versus.rows) == 6
    assert versus.rows[0][2] == "1 1"


def test_tables_have_a_narrow_form() -> None:
    wide, cross = list(all_tables(summary(names="abcdefgh", judge=earlier_letter_wins)))[:2]
    assert wide.narrow is not None
    assert wide.narrow.columns == [">", "bot", ">Elo", ">95 %", ">games", ">score", "forfeits"]
    assert [row[1] for row in wide.narrow.rows] == [row[1] for row in wide.rows]
    assert cross.narrow is not None
    assert cross.narrow.columns == [">", "bot", *(f">{number}" for number in range(1, 9))]
    assert cross.narrow.rows[1] == ["2", "b", "0", "·", *["100"] * 6]


@given(st.floats(1e-6, 1e9))
def test_steps_of_axes_are_1_2_or_5_times_a_power_of_ten(rough: float) -> None:
    step = nice_step(rough)
    assert rough * 0.998 <= step <= rough * 10.001
    digits = f"{step:.12e}".split("e")[0].rstrip("0").rstrip(".")
    assert digits in ("1", "2", "5")


@given(st.lists(st.floats(-4000, 4000), min_size=1, max_size=20), st.floats(1, 100))
def test_an_axis_holds_all_values(values: list[float], least: float) -> None:
    low, high = rounded_range(values, least)
    assert low <= min(values) + 1e-6
    assert high >= max(values) - 1e-6
    assert high > low
    assert len(Scale(low, high, 0, 100).ticks()) >= 2


@given(st.lists(st.floats(0, 300), min_size=1, max_size=40))
def test_labels_beside_lines_do_not_overlap_and_keep_their_order(wanted: list[float]) -> None:
    placed = spread(wanted, 15, 0, 300)
    gap = min(15, 300 / max(len(wanted) - 1, 1))
    ordered = [placed[at] for at in sorted(range(len(wanted)), key=lambda at: wanted[at])]
    assert all(b - a >= gap - 1e-6 for a, b in itertools.pairwise(ordered))
    assert min(placed) >= -1e-6
    assert max(placed) <= 300 + 1e-6


def test_labels_that_have_room_stay_where_they_are() -> None:
    assert spread([200, 10, 100], 15, 0, 300) == [200, 10, 100]
    assert spread([100, 100], 20, 0, 300) == [90, 110]


def test_colours_of_the_matrix_run_from_red_over_white_to_blue() -> None:
    assert shade(0.5) == (255, 255, 255)
    assert shade(0.0)[0] > shade(0.0)[2]
    assert shade(1.0)[2] > shade(1.0)[0]


def test_a_histogram_of_equal_values_is_drawn() -> None:
    ET.fromstring(plots.histogram([5, 5, 5], "decisions", "label"))
