"""Results, online Elo, standings and tables."""

from __future__ import annotations

import math

import pytest
from tests.support.tournaments import vectors

from palio.tournament.rating.elo import OnlineElo, elo_changes
from palio.tournament.rating.standings import standings
from palio.tournament.rating.tables import crosstable, head_to_head, per_deal, per_seat
from palio.tournament.results import Game, without_forfeits

VECTORS = vectors("ratings")


def made(
    block: int,
    players: str,
    ranks: tuple[int, ...],
    *,
    seating: int = 0,
    sides: tuple[int, ...] | None = None,
    faults: tuple[str | None, ...] | None = None,
    deal: int | None = None,
) -> Game:
    n = len(players)
    points = tuple(10.0 - rank for rank in ranks)
    return Game(
        block,
        block if deal is None else deal,
        seating,
        tuple(players),
        ranks,
        points,
        faults or (None,) * n,
        sides or tuple(range(n)),
    )


@pytest.mark.parametrize(
    ("ranks", "sides", "scores"),
    [
        ((1, 2), (0, 1), (1, 0)),
        ((1, 1), (0, 1), (0.5, 0.5)),
        ((2, 1, 3), (0, 1, 2), (0.5, 1, 0)),
        ((1, 1, 3, 4), (0, 1, 2, 3), (5 / 6, 5 / 6, 1 / 3, 0)),
        ((1, 3, 1, 3), (0, 1, 0, 1), (1, 0, 1, 0)),
        ((1,), (0,), (0.5,)),
    ],
)
def test_scores(ranks: tuple[int, ...], sides: tuple[int, ...], scores: tuple[float, ...]) -> None:
    assert made(0, "abcd"[: len(ranks)], ranks, sides=sides).scores() == pytest.approx(scores)


def test_a_game_with_a_field_of_the_wrong_length_is_refused() -> None:
    with pytest.raises(ValueError, match="ranks: 1 entries for 2 seats"):
        Game(0, 0, 0, ("a", "b"), (1,), (0, 0), (None, None), (0, 1))


def test_a_forfeit_takes_its_whole_block_out() -> None:
    kept = [made(1, "ab", (1, 2)), made(1, "ba", (1, 2), seating=1)]
    dropped = [made(0, "ab", (1, 2)), made(0, "ba", (2, 1), seating=1, faults=("FORFEIT_TIMEOUT", None))]
    assert without_forfeits(reversed(kept + dropped)) == kept


@pytest.mark.parametrize("case", VECTORS["multiplayer_elo"])
def test_vector_multiplayer_elo(case: dict[str, list[float]]) -> None:
    changes = elo_changes(case["before"], [int(x) for x in case["places"]], float(case["k"]))  # type: ignore[arg-type]
    after = [before + change for before, change in zip(case["before"], changes, strict=True)]
    assert after == pytest.approx(case["after"], rel=1e-9)
    assert sum(changes) == pytest.approx(0, abs=1e-9)


def test_online_elo_of_two_is_the_ordinary_one() -> None:
    elo = OnlineElo(k=20, start=1500)
    elo.run([made(0, "ab", (1, 2))])
    assert elo.ratings == {"a": 1510, "b": 1490}


def test_online_elo_of_teams_shares_the_change_among_the_members() -> None:
    elo = OnlineElo(k=20)
    elo.update(made(0, "abcd", (1, 2, 1, 2), sides=(0, 1, 0, 1)))
    assert elo.ratings == {"a": 1505, "c": 1505, "b": 1495, "d": 1495}
    twice = OnlineElo(k=20)
    twice.update(made(0, "abab", (1, 2, 1, 2), sides=(0, 1, 0, 1)))
    assert twice.ratings == {"a": 1510, "b": 1490}


def test_online_elo_does_not_depend_on_who_finished_first() -> None:
    games = [made(b, "ab", (1, 2) if b % 3 else (2, 1), seating=s) for b in range(9) for s in (0, 1)]
    forwards, backwards = OnlineElo(), OnlineElo()
    steps = forwards.run(games)
    assert steps == backwards.run(reversed(games))
    assert [step.block for step in steps] == list(range(9))


def test_standings_order_counts_and_tie_breaks() -> None:
    # a and b both score 2 of 3, but b's win is over c, who is better than d.
    games = [
        made(0, "ad", (1, 2)),
        made(1, "ab", (1, 1)),
        made(2, "ac", (1, 1)),
        made(3, "bc", (1, 2)),
        made(4, "bd", (1, 1)),
        made(5, "cd", (1, 2), faults=(None, "RESIGNED")),
    ]
    lines = standings(games)
    assert [(s.place, s.player) for s in lines] == [(1, "b"), (2, "a"), (3, "c"), (4, "d")]
    b = lines[0]
    assert (b.games, b.wins, b.draws, b.losses, b.score) == (3, 1, 2, 0, 2)
    assert b.sonneborn_berger == pytest.approx(1.5 / 3 + 0.5 * 2 / 3 + 0.5 * 0.5 / 3)
    assert b.buchholz == pytest.approx((2 + 1.5 + 0.5) / 3)
    assert lines[-1].forfeits == {"RESIGNED": 1}


def test_standings_of_equals_share_the_place_and_idle_players_come_last() -> None:
    lines = standings([made(0, "ab", (1, 1))], ("z", "a", "b"))
    assert [(s.place, s.player) for s in lines] == [(1, "a"), (1, "b"), (3, "z")]


def test_byes_count_in_the_score_but_not_in_the_share() -> None:
    lines = standings([made(0, "ab", (1, 2))], ("a", "b", "c"), order="score", byes={"c": 2}, games_per_bye=2)
    assert [(s.player, s.score, s.share) for s in lines] == [("c", 4, 0), ("a", 1, 1), ("b", 0, 0)]


def test_crosstable_cells_mirror_each_other_and_their_interval_is_by_blocks() -> None:
    games = [made(b, p, (1, 2), seating=s) for b in range(4) for s, p in enumerate(("ab", "ab" if b else "ba"))]
    table = crosstable(games, ("a", "b", "c"))
    ab, ba = table["a"]["b"], table["b"]["a"]
    assert (ab.games, ab.wins, ab.losses, ab.share, ab.blocks) == (8, 7, 1, 7 / 8, 4)
    assert ba.share == 1 / 8
    assert ab.elo is not None
    assert ab.elo == pytest.approx(400 * math.log10(7))
    assert ba.elo == pytest.approx(-ab.elo)
    half = 1.959964 * math.sqrt(((1 - 7 / 4) ** 2 + 3 * (2 - 7 / 4) ** 2) * 4 / 3) / 8
    assert ab.low == pytest.approx(-400 * math.log10(1 / (7 / 8 - half) - 1))
    assert (ab.high is None, ba.low is None) == (True, True)  # the share's upper end lies above 1
    assert table["c"] == {}


def test_partners_do_not_meet_in_the_crosstable() -> None:
    table = crosstable([made(0, "abab", (1, 2, 1, 2), sides=(0, 1, 0, 1))])
    assert table["a"]["b"].games == 4
    assert "a" not in table["a"]


def test_head_to_head_per_seat_and_per_deal() -> None:
    games = [made(0, "abc", (1, 2, 3)), made(0, "bca", (1, 2, 3), seating=1), made(1, "bc", (1, 1), deal=5)]
    (meeting,) = head_to_head(games, "a", "b")
    assert list(meeting.games) == [1, 0]
    assert list(meeting.seats) == [(0, 1), (2, 0)]
    assert list(meeting.points) == [(9, 8), (7, 9)]
    seats = {(line.player, line.seats, line.seat): line for line in per_seat(games)}
    assert seats[None, 3, 0].share == 1
    assert seats["a", 3, 2].share == 0
    assert seats[None, 2, 1].share == 0.5
    deals = {(line.deal, line.player): line for line in per_deal(games)}
    assert deals[0, "a"].points == 8
    assert deals[5, "b"].share == 0.5
    assert (0, "a") in deals
    assert (5, "a") not in deals
