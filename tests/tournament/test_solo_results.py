"""Tournaments in which everybody plays alone: tables, report and exports rank by mean points."""

from __future__ import annotations

import json
import re
from datetime import UTC, datetime

from palio.files.settings import check_settings
from palio.tournament.config import TournamentConfig
from palio.tournament.display import live_points
from palio.tournament.export import standings_data, to_json
from palio.tournament.ledger import Entry, SeatRecord
from palio.tournament.plan import make_schedule
from palio.tournament.report import report_html
from palio.tournament.summary import Summary
from palio.tournament.tables_text import all_tables, crosstable_table, standings_table

NOW = datetime(2026, 5, 4, 12, 30, tzinfo=UTC)
POINTS = {"a": [20, 25, 30, 25], "b": [21, 27, 31, 25], "c": [3, 3, 3, 3]}


def summary(deals: int = 4, missing: str = "") -> Summary:
    bots = [{"name": name, "builtin": "random"} for name in POINTS]
    data = {"name": "Alone", "game": "sticks", "players": 1, "deals": deals, "bots": bots}
    config = check_settings(TournamentConfig, data, "test")
    schedule = make_schedule(config, "s")
    entries = [
        Entry(
            block=block.index,
            seating=0,
            attempt=1,
            match_id=f"alone.{block.index}.0",
            deal=block.deal,
            round=block.round,
            seats=(SeatRecord(name, 0, 1, POINTS[name][block.deal], "FINISHED", 30, 0.5, 0.1, 0.02),),
            rated=True,
            ended=NOW,
            ended_by="exhaustion",
            replay_digest=str(block.index),
            choices=60,
            started=NOW,
        )
        for block in schedule.format.blocks({})
        for ((name,),) in [block.seatings]
        if name not in missing
    ]
    return Summary(config, make_schedule(config, "s").format, entries, rating="ml")


def test_standings_by_mean_points_with_intervals() -> None:
    table = standings_table(summary())
    assert list(table.columns) == [">", "bot", ">deals", ">points", ">95 %", "forfeits"]
    # a: standard deviation 4.0825 of 4 deals; Student's t with 3 degrees of freedom is 3.1824.
    assert table.rows[1] == ["2", "a", "4", "25.00", "± 6.50", ""]
    assert [(row[0], row[1], row[3]) for row in table.rows] == [
        ("1", "b", "26.00"),
        ("2", "a", "25.00"),
        ("3", "c", "3.00"),
    ]


def test_who_is_ahead_is_said_by_pairs_of_one_deal() -> None:
    table = crosstable_table(summary())
    assert table.title == "Points ahead"
    # b is ahead by 1, 2, 1, 0: far surer than the intervals of the two make believe.
    assert table.rows[0] == ["1", "b", "·", "+1.00 ± 1.30", "+23.00 ± 6.62"]
    assert table.rows[1][2] == "-1.00 ± 1.30"


def test_nothing_speaks_of_opponents() -> None:
    titles = [table.title for table in all_tables(summary())]
    assert titles == ["Standings", "Points ahead", "Time use"]
    html = report_html(summary())
    text = re.sub("<[^>]*>", " ", html)
    assert "Elo" not in text
    assert "mean points of a deal, with 95 % intervals" in text
    assert "+1.00" in text
    for line in standings_data(summary()):
        assert line["elo"] is line["elo_low"] is line["elo_high"] is None
        assert line["points_low"] < line["points"] or line["player"] == "c"


def test_programs_get_the_intervals_of_the_points() -> None:
    data = json.loads(to_json(summary(missing="c")))
    assert data["ratings"] == []
    first, second = data["solo"]["points"]
    assert (first["player"], first["points"]) == ("b", 26.0)
    assert second["low"] < 18.6 < second["high"]
    assert data["solo"]["ahead"]["b"]["a"]["points"] == 1.0
    assert data["solo"]["ahead"]["c"] == {}


def test_one_deal_or_none_has_no_interval() -> None:
    table = standings_table(summary(deals=1, missing="c"))
    assert table.rows == [
        ["1", "b", "1", "21.00", "", ""],
        ["2", "a", "1", "20.00", "", ""],
        ["3", "c", "0", "", "", ""],
    ]
    assert crosstable_table(summary(deals=1, missing="c")).rows[0] == ["1", "b", "·", "+1.00", ""]
    assert "mean points of all bots" in report_html(summary(deals=1, missing="c"))
    assert "<svg" not in report_html(summary(missing="abc"))


def test_the_live_picture() -> None:
    table = live_points(summary().solo[0])
    assert [str(next(iter(column.cells))) for column in table.columns] == ["1", "b", "26.00", "± 6.62", "4"]
