"""Many games of one bot, and what the tables say of them."""

from __future__ import annotations

import pytest

from palio.bots.arena.census import Census, Game, mean_of, play_one, tables, take_census, tallies_of, wilson
from palio.engine.errors import InvalidSetup
from palio.games import rules_of
from palio.games.fidelitas import tallies
from palio.games.variants import Variant, variants

TWO = Variant("2 players", 2, {})
TEAMS = Variant("4 players teams", 4, {"teams": True})


def game(ended_by: str = "target", *, marks: frozenset[int] = frozenset(), seat: float = 1.0) -> Game:
    return Game(100, 700, 40, ended_by, (10, 4), (seat, 1 - seat), marks)


def test_variants_of_fidelitas() -> None:
    names = [variant.name for variant in variants(rules_of("fidelitas"))]
    assert names == ["1 players", "2 players", "3 players", "4 players", "4 players teams"]


def test_the_same_game_again_and_other_games() -> None:
    assert play_one("fidelitas", "random", TWO, "t", 3) == play_one("fidelitas", "random", TWO, "t", 3)
    assert play_one("fidelitas", "random", TWO, "t", 3) != play_one("fidelitas", "random", TWO, "t", 4)
    assert play_one("fidelitas", "random", TWO, "t", 3) != play_one("fidelitas", "random", TWO, "u", 3)


def test_a_game_adds_up() -> None:
    for number in range(10):
        played = play_one("fidelitas", "random", TWO, "t", number)
        assert sum(played.scores) == 1
        assert played.options >= 2 * played.decisions
        cards = rules_of("fidelitas").options().deck.missio
        assert sum(cards[card - 1].points for card in played.marks) == sum(played.points)


def test_partners_share_their_score() -> None:
    played = play_one("fidelitas", "random", TEAMS, "t", 0)
    assert played.scores[0] == played.scores[2] == 1 - played.scores[1] == 1 - played.scores[3]


def test_alone_there_is_nobody_to_leave_behind() -> None:
    assert play_one("fidelitas", "random", Variant("1 players", 1, {}), "t", 0).scores == ()


def test_any_game_can_be_counted() -> None:
    assert tallies_of("feudum") is None
    (only,) = take_census("sticks", {"random": 3}, [TWO])
    assert len(only.games) == 3
    assert [table.title for table in tables("sticks", [only])] == ["Games", "Opponents left behind, by seat"]


def test_processes_change_nothing() -> None:
    told: list[tuple[int, int]] = []
    alone = take_census("fidelitas", {"random": 2}, [TWO, TEAMS], progress=lambda *counts: told.append(counts))
    assert take_census("fidelitas", {"random": 2}, [TWO, TEAMS], jobs=2) == alone
    assert told == [(1, 4), (2, 4), (3, 4), (4, 4)]
    assert [(census.variant, len(census.games)) for census in alone] == [(TWO, 2), (TEAMS, 2)]


def test_a_bot_that_does_not_play_it() -> None:
    with pytest.raises(InvalidSetup, match="'planner' does not play 'sticks'"):
        take_census("sticks", {"planner": 1}, [TWO])


def test_means_and_shares_have_their_intervals() -> None:
    # Mean 2, variance 4, of four values: 1.959964 * 2 / sqrt(4).
    assert mean_of([0.0, 4.0, 2.0, 2.0]) == pytest.approx((2.0, 1.959964 * (8 / 3) ** 0.5 / 2))
    # Wilson's interval for 0 of 10 ends at z^2 / (n + z^2); Newcombe (1998) gives 0.2775.
    assert wilson(0, 10) == pytest.approx((0.0, 0.27753), abs=1e-5)
    assert wilson(81, 263) == pytest.approx((0.2553, 0.3662), abs=1e-4)
    assert wilson(10, 10)[1] == 1.0


def test_tables() -> None:
    found = [Census("greedy", TWO, (game(marks=frozenset({2})), game("exhaustion"), game(seat=0.5), game()))]
    lengths, seats, cards = tables("fidelitas", found)
    assert lengths.rows == [
        (
            "2 players",
            "greedy",
            "4",
            "100.0 ± 0.0",
            "7.0",
            "40.0 ± 0.0",
            "7.00 ± 0.00",
            "target 75.0 %, exhaustion 25.0 %",
        )
    ]
    assert seats.rows == [("2 players", "greedy", "4", "87.5 ± 24.5", "12.5 ± 24.5")]
    assert cards.title == "Missio cards scored, % of the games of greedy"
    assert cards.columns == (">Missio card", "which", ">2 players", ">together", ">95 % interval")
    assert [row[2:] for row in cards.rows[:2]] == [("0.0", "0.0", "0.0 to 49.0"), ("25.0", "25.0", "4.6 to 69.9")]
    assert len(cards.rows) == 20


def test_games_alone_do_not_count_in_the_total() -> None:
    alone = Game(90, 700, 30, "exhaustion", (20,), (), frozenset({1}))
    found = [Census("greedy", Variant("1 players", 1, {}), (alone,) * 3), Census("greedy", TWO, (game(),))]
    *_, cards = tables("fidelitas", found)
    assert cards.columns[2:] == (">1 players", ">2 players", ">with opponents", ">95 % interval")
    assert cards.rows[0][2:] == ("100.0", "0.0", "0.0", "0.0 to 79.3")
    *_, cards = tables("fidelitas", found[:1])
    assert cards.rows[0][2:] == ("100.0", "100.0", "43.9 to 100.0")


def test_marks_of_fidelitas() -> None:
    assert tallies.mark(("missio_scored", 1, 3, 1)) == 3
    assert tallies.mark(("missio_returned", 1, 3)) == 0
    assert tallies.things(rules_of("fidelitas").options())[8] == "at least 4 guilds at the Warehouse, 1 point"
