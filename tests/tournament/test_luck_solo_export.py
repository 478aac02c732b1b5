"""Luck-adjusted results, solo rankings, exports."""

from __future__ import annotations

import csv
import io
import json
import math

import numpy as np
import pytest

from palio.tournament.rating.export import games_csv, standings_csv, tournament_json, trf16
from palio.tournament.rating.luck import luck_adjusted
from palio.tournament.rating.ml import MaximumLikelihood
from palio.tournament.rating.solo import solo_table
from palio.tournament.rating.standings import standings
from palio.tournament.rating.tables import crosstable
from palio.tournament.results import Game


def made(block: int, players: str, ranks: tuple[int, ...], seating: int = 0, fault: str | None = None) -> Game:
    n = len(players)
    faults = (fault, *(None,) * (n - 1))
    return Game(block, block, seating, tuple(players), ranks, (0.0,) * n, faults, tuple(range(n)))


def lucky_games(deals: int, duplicate: bool, seed: int = 4) -> tuple[list[Game], dict[tuple[int, int], float]]:
    """a is better; each deal favours a seat by a known chance, which the baseline tells."""
    rng = np.random.default_rng(seed)
    games, baseline = [], {}
    for deal in range(deals):
        luck = rng.normal() * 1.5
        baseline[deal, 0] = 1 / (1 + math.exp(-luck))
        baseline[deal, 1] = 1 - baseline[deal, 0]
        for seating in (0, 1) if duplicate else (deal % 2,):
            names = ("ab", "ba")[seating]
            skill = 0.5 if names == "ab" else -0.5
            first = rng.random() < 1 / (1 + math.exp(-skill - luck))
            games.append(made(deal, names, (1, 2) if first else (2, 1), seating))
    return games, baseline


def test_luck_adjustment_shrinks_the_interval_of_single_seatings() -> None:
    games, baseline = lucky_games(400, duplicate=False)
    best, worst = luck_adjusted(games, baseline)
    assert (best.player, worst.player) == ("a", "b")
    assert best.reduction > 0.2
    assert best.high - best.low < best.raw_high - best.raw_low
    assert best.slope > 0
    assert best.score + worst.score == pytest.approx(1)


def test_luck_adjustment_is_unbiased() -> None:
    """Over many tournaments the mean of the adjusted score is that of the plain one."""
    raw, adjusted, covered = [], [], []
    for seed in range(150):
        games, baseline = lucky_games(60, duplicate=False, seed=seed)
        line = next(line for line in luck_adjusted(games, baseline) if line.player == "a")
        raw.append(line.raw)
        adjusted.append(line.score)
        covered.append(line.low <= np.mean(raw) <= line.high)
    assert np.mean(adjusted) == pytest.approx(np.mean(raw), abs=0.012)
    assert np.std(adjusted) < np.std(raw)
    assert np.mean(covered) > 0.88


def test_in_full_duplicates_the_luck_of_seats_has_cancelled_already() -> None:
    games, baseline = lucky_games(100, duplicate=True)
    for line in luck_adjusted(games, baseline):
        assert line.score == pytest.approx(line.raw)
        assert line.reduction == pytest.approx(0)


def test_a_missing_baseline_is_an_error_and_few_deals_are_left_out() -> None:
    games, baseline = lucky_games(10, duplicate=True)
    with pytest.raises(KeyError):
        luck_adjusted(games, {})
    assert luck_adjusted(games[:4], baseline) == []


def solo(deal: int, player: str, points: float) -> Game:
    return Game(deal, deal, 0, (player,), (1,), (points,), (None,), (0,))


def test_solo_players_are_ranked_by_points_and_compared_deal_by_deal() -> None:
    games = [
        solo(deal, name, 10 * deal + bonus) for deal in range(8) for name, bonus in (("a", 2 + deal % 2), ("b", 0))
    ]
    lines, gaps = solo_table(games, ("z",))
    assert [(line.place, line.player, line.deals) for line in lines] == [(1, "a", 8), (2, "b", 8), (3, "z", 0)]
    assert lines[0].points == pytest.approx(37.5)
    gap = gaps["a"]["b"]
    assert gap.points == pytest.approx(2.5)
    # The deals differ by tens of points, which pairing takes out: the gap is sure although the intervals overlap.
    assert gap.low is not None
    assert gap.high is not None
    assert 2 < gap.low < gap.high < 3
    assert lines[1].high is not None
    assert lines[0].low is not None
    assert lines[1].high > lines[0].low
    assert gap.los is not None
    assert gap.los > 0.999
    assert gaps["a"]["z"].deals == 0
    assert math.isnan(lines[2].points)


GAMES = [
    made(0, "ab", (1, 2)),
    made(0, "ba", (1, 1), 1),
    made(1, "ac", (2, 1), fault="FORFEIT_TIMEOUT"),
    made(1, "ca", (1, 2), 1),
]


def test_csv() -> None:
    rows = list(csv.DictReader(io.StringIO(games_csv(GAMES[::-1]))))
    assert len(rows) == 8
    assert rows[0] == {
        "block": "0",
        "deal": "0",
        "round": "1",
        "seating": "0",
        "seat": "0",
        "player": "a",
        "side": "0",
        "rank": "1",
        "points": "0",
        "score": "1",
        "fault": "",
    }
    assert [row["fault"] for row in rows].count("FORFEIT_TIMEOUT") == 1
    lines = standings(GAMES)
    ratings = MaximumLikelihood().rate(GAMES)
    table = list(csv.DictReader(io.StringIO(standings_csv(lines, ratings))))
    assert [row["player"] for row in table] == ["c", "a", "b"]
    assert float(table[0]["elo"]) > float(table[1]["elo"])
    assert {row["elo"] for row in csv.DictReader(io.StringIO(standings_csv(lines)))} == {""}


def test_json_holds_everything_and_no_infinity() -> None:
    text = tournament_json("Spring", GAMES, standings(GAMES), crosstable(GAMES), [MaximumLikelihood().rate(GAMES)])
    content = json.loads(text, parse_constant=lambda word: pytest.fail(f"{word} is not JSON"))
    assert list(content) == ["name", "standings", "ratings", "crosstable", "games"]
    assert content["crosstable"]["a"]["b"]["games"] == 2
    assert content["crosstable"]["a"]["c"]["elo"] is None
    assert content["games"][2]["faults"] == ["FORFEIT_TIMEOUT", None]


def test_trf_columns_are_where_the_format_wants_them() -> None:
    lines = trf16("Spring", GAMES, MaximumLikelihood().rate(GAMES), "40/60").splitlines()
    assert lines[0] == "012 Spring"
    assert "062 3" in lines
    assert "XXR 4" in lines
    players = [line for line in lines if line.startswith("001")]
    name = {line[4:8].strip(): line[14:47].strip() for line in players}
    assert sorted(name.values()) == ["a", "b", "c"]
    for line in players:
        assert 1000 < int(line[48:52]) < 2000
        points = float(line[80:84])
        cells = [line[91 + 10 * r : 99 + 10 * r] for r in range(4)]
        worth = {"1": 1, "+": 1, "=": 0.5, "0": 0, "-": 0, "Z": 0}
        assert points == sum(worth[cell[7]] for cell in cells)
        for r, cell in enumerate(cells):
            if cell != "0000 - Z":
                rival = next(x for x in players if x[4:8].strip() == cell[:4].strip())
                other = rival[91 + 10 * r : 99 + 10 * r]
                assert other[:4].strip() == line[4:8].strip()
                assert {cell[5], other[5]} == {"w", "b"}
                assert cell[7] + other[7] in {"10", "01", "==", "+-", "-+"}
    with pytest.raises(ValueError, match="two players"):
        trf16("x", [made(0, "abc", (1, 2, 3))])
