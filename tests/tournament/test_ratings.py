"""Maximum likelihood, Glicko-2, OpenSkill: vectors, honesty, refusals, coverage."""

from __future__ import annotations

import importlib.util
import math
from collections.abc import Sequence
from itertools import permutations
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.support.tournaments import vectors

from palio.engine.errors import InvalidSetup
from palio.tournament.rating.connect import Disconnected
from palio.tournament.rating.coverage import Setting, simulate
from palio.tournament.rating.glicko2 import Glicko, Result, update
from palio.tournament.rating.likelihood import davidson, plackett_luce
from palio.tournament.rating.methods import METHODS, method, progress
from palio.tournament.rating.ml import ELO, MaximumLikelihood
from palio.tournament.rating.table import RatingTable
from palio.tournament.results import Game

VECTORS = vectors("ratings")
BARE = MaximumLikelihood(seats=False, prior=False)


def made(block: int, players: Sequence[Any], ranks: Sequence[int], seating: int = 0, teams: bool = False) -> Game:
    n = len(players)
    return Game(
        block=block,
        deal=block,
        seating=seating,
        players=tuple(map(str, players)),
        ranks=tuple(ranks),
        points=(0.0,) * n,
        faults=(None,) * n,
        sides=(0, 1, 0, 1) if teams else tuple(range(n)),
    )


def matches(*counts: tuple[str, str, int, int, int]) -> list[Game]:
    """(first, second, wins, draws, losses) as single games, each with a deal of its own, seats alternating."""
    games: list[Game] = []
    for a, b, wins, draws, losses in counts:
        for ranks, count in (((1, 2), wins), ((1, 1), draws), ((2, 1), losses)):
            for at in range(count):
                turn = 1 if at % 2 else -1
                games.append(made(len(games), (a, b)[::turn], ranks[::turn]))
    return games


# --- vectors --------------------------------------------------------------------------------------------------------


def test_vector_bradley_terry_with_draws() -> None:
    case = VECTORS["bradley_terry"][0]
    games = matches(("H", "S", 18, 9, 3), ("S", "K", 18, 9, 3), ("H", "K", 24, 6, 0))
    table = MaximumLikelihood(seats=False, prior=False, average=0).rate(games)
    for name, elo in case["exact_elo"].items():
        assert table.of(name).elo == pytest.approx(elo, abs=case["absolute_tolerance"])


def test_vector_bradley_terry_pairs() -> None:
    case = VECTORS["bradley_terry"][1]
    games = [made(at, pair, (1, 2)) for at, pair in enumerate(case["pairs_winner_loser"])]
    assert BARE.fit(games, "012").beta == pytest.approx(case["theta"], abs=case["absolute_tolerance"])


@pytest.mark.parametrize("case", VECTORS["plackett_luce"])
def test_vector_plackett_luce(case: dict[str, Any]) -> None:
    games = [made(at, names, range(1, len(names) + 1)) for at, names in enumerate(case["rankings"])]
    assert BARE.fit(games, "0123").beta == pytest.approx(case["theta"], abs=case["absolute_tolerance"])


@pytest.mark.parametrize("case", VECTORS["glicko2"])
def test_vector_glicko2(case: dict[str, Any]) -> None:
    results = [Result(*opponent) for opponent in case["opponents"]]
    after = update(Glicko(case["rating"], case["rd"], case["vol"]), results, case["tau"])
    for found, wanted, tolerance in zip(
        (after.rating, after.deviation, after.volatility), case["after"], case["absolute_tolerance"], strict=True
    ):
        assert found == pytest.approx(wanted, abs=tolerance)


# --- likelihoods ----------------------------------------------------------------------------------------------------


@given(st.lists(st.tuples(st.floats(-3, 3), st.integers(1, 3)), min_size=2, max_size=5))
@settings(max_examples=60, deadline=None)
def test_plackett_luce_averages_the_orders_of_ties_and_its_derivatives_are_right(
    sides: list[tuple[float, int]],
) -> None:
    u = np.array([x for x, _ in sides])
    ranks = np.array([r for _, r in sides])

    def strict(order: tuple[int, ...]) -> float:
        return float(sum(u[s] - np.log(np.exp(u[list(order[at:])]).sum()) for at, s in enumerate(order)))

    orders = [o for o in permutations(range(len(u))) if list(ranks[list(o)]) == sorted(ranks)]
    value, slope, curve = plackett_luce(u[None], ranks[None])
    assert value[0] == pytest.approx(np.mean([strict(order) for order in orders]), abs=1e-9)
    check_derivatives(plackett_luce, u, ranks, slope[0], curve[0])


@given(st.floats(-3, 3), st.floats(-3, 3), st.floats(-3, 3), st.sampled_from([(1, 2), (2, 1), (1, 1)]))
@settings(max_examples=30, deadline=None)
def test_davidson_and_its_derivatives(a: float, b: float, draw: float, order: tuple[int, int]) -> None:
    u, ranks = np.array([a, b, draw]), np.array(order)
    value, slope, curve = davidson(u[None], ranks[None])
    tie = math.exp(draw + (a + b) / 2)
    chance = {(1, 2): math.exp(a), (2, 1): math.exp(b), (1, 1): tie}[order] / (math.exp(a) + math.exp(b) + tie)
    assert value[0] == pytest.approx(math.log(chance), abs=1e-9)
    check_derivatives(davidson, u, ranks, slope[0], curve[0])


def check_derivatives(model: Any, u: Any, ranks: Any, slope: Any, curve: Any) -> None:
    for at in range(len(u)):
        step = np.zeros(len(u))
        step[at] = 1e-5
        up, down = (model((u + sign * step)[None], ranks[None]) for sign in (1, -1))
        assert slope[at] == pytest.approx((up[0][0] - down[0][0]) / 2e-5, abs=1e-6)
        assert -curve[at] == pytest.approx((up[1][0] - down[1][0]) / 2e-5, abs=1e-6)


def test_davidson_learns_how_often_draws_happen() -> None:
    games = matches(("a", "b", 30, 40, 30))
    found = MaximumLikelihood(model="davidson", seats=False, prior=False).fit(games, "ab")
    assert found.beta == pytest.approx([0, 0, math.log(4 / 3)], abs=1e-6)
    with pytest.raises(ValueError, match="two sides"):
        MaximumLikelihood(model="davidson").rate([made(0, "abc", (1, 2, 3))])


# --- intervals ------------------------------------------------------------------------------------------------------


def test_without_dependence_the_interval_is_the_textbook_one() -> None:
    """Two players, one deal a game: the sandwich is the binomial standard error."""
    table = MaximumLikelihood(seats=False, prior=False).rate(matches(("a", "b", 600, 0, 400)))
    found = table.differences["a"]["b"]
    assert found.elo == pytest.approx(400 * math.log10(1.5))
    half = 1.9623 * ELO / math.sqrt(0.24 * 1000)
    assert (found.high or 0) - found.elo == pytest.approx(half, rel=2e-3)
    assert found.los == pytest.approx(1.0, abs=1e-6)


def test_blocks_that_always_split_leave_no_doubt() -> None:
    games = [made(b, "ab"[:: 1 if s else -1], (1, 2), s) for b in range(50) for s in (0, 1)]
    found = MaximumLikelihood().rate(games).differences["a"]["b"]
    assert found.elo == pytest.approx(0, abs=1e-9)
    assert (found.high or 0) - (found.low or 0) < 1


def test_one_deal_played_often_is_one_deal() -> None:
    """Four copies of every game tell nothing new when they share the deal."""
    once = [made(b, "ab"[:: 1 if b % 2 else -1], (1, 2) if b % 5 else (2, 1)) for b in range(60)]
    again = [made(b.block, b.players, b.ranks, s) for b in once for s in range(4)]
    rating = MaximumLikelihood(seats=False, prior=False)
    one, four = (rating.rate(games).differences["a"]["b"] for games in (once, again))
    assert (one.low, one.high) == pytest.approx((four.low, four.high))


def test_seat_effects_are_found_and_do_not_spoil_ratings() -> None:
    rng = np.random.default_rng(3)
    games = []
    for block in range(800):
        for seating, names in enumerate(("ab", "ba")):
            strength = np.array([100 if x == "a" else 0 for x in names]) + np.array([70, 0])
            won = rng.random() < 1 / (1 + 10 ** ((strength[1] - strength[0]) / 400))
            games.append(made(block, names, (1, 2) if won else (2, 1), seating))
    table = MaximumLikelihood().rate(games)
    assert table.differences["a"]["b"].elo == pytest.approx(100, abs=35)
    first, second = table.seats
    assert first.elo - second.elo == pytest.approx(70, abs=35)
    assert first.low < 35 < first.high


def test_teams_are_sums_of_their_members() -> None:
    games = []
    for block in range(40):
        # a partners everybody in turn; a's side wins three of four.
        for seating, names in enumerate(("abcd", "acbd", "abdc")):
            games.append(made(block, names, (1, 2, 1, 2) if block % 4 else (2, 1, 2, 1), seating, teams=True))
    table = MaximumLikelihood(seats=False, prior=False, average=0).rate(games)
    assert table.of("a").elo > 0
    for name in "bcd":
        assert table.of(name).elo == pytest.approx(-table.of("a").elo / 3)
    # a + b - c - d = log-odds of 3 to 1
    assert table.of("a").elo + table.of("b").elo - 2 * table.of("c").elo == pytest.approx(400 * math.log10(3))


def test_a_bot_paired_with_itself_counts_twice() -> None:
    games = [made(b, "abab", (1, 2, 1, 2) if b % 4 else (2, 1, 2, 1), teams=True) for b in range(40)]
    table = MaximumLikelihood(seats=False, prior=False).rate(games)
    assert 2 * table.differences["a"]["b"].elo == pytest.approx(400 * math.log10(3))


# --- refusals and warnings ------------------------------------------------------------------------------------------


def test_disconnected_groups_are_named() -> None:
    games = matches(("a", "b", 3, 1, 2), ("c", "d", 2, 0, 2))
    with pytest.raises(Disconnected, match=r"no games connect \{a, b\} and \{c, d\}") as error:
        BARE.rate(games)
    assert error.value.groups == [("a", "b"), ("c", "d")]
    assert any(
        "{a, b} and {c, d}" in note and "only the prior" in note for note in MaximumLikelihood().rate(games).notes
    )


def test_all_or_nothing_is_refused_without_a_prior_and_wide_with_it() -> None:
    games = matches(("a", "b", 20, 0, 0), ("b", "c", 10, 0, 10))
    with pytest.raises(Disconnected, match=r"\{a\} and \{b, c\} all points went one way"):
        BARE.rate(games)
    table = MaximumLikelihood().rate(games)
    found = table.differences["a"]["b"]
    assert 300 < found.elo < 1500
    assert (found.high or 0) - (found.low or 0) > 300
    assert any("all or nothing for a" in note for note in table.notes)


def test_the_prior_is_stated_and_weak() -> None:
    games = matches(("a", "b", 120, 0, 80), ("b", "c", 120, 0, 80))
    with_prior, without = MaximumLikelihood(seats=False).rate(games), BARE.rate(games)
    assert "800" in with_prior.notes[0]
    assert with_prior.of("a").elo == pytest.approx(without.of("a").elo, abs=1)


def test_too_few_deals_for_the_sandwich_are_said() -> None:
    table = MaximumLikelihood().rate([made(0, "ab", (1, 2))])
    assert any("only 1 deals" in note for note in table.notes)


# --- every method ---------------------------------------------------------------------------------------------------


def available(name: str) -> bool:
    return name != "openskill" or importlib.util.find_spec("openskill") is not None


def rated(name: str, games: Sequence[Game], players: Sequence[str] = ()) -> RatingTable:
    if not available(name):
        pytest.skip("the extra palio[ratings] is not installed")
    return method(name).rate(games, players)


@pytest.mark.parametrize("name", METHODS)
def test_every_method_ranks_the_better_player_first_and_does_not_mind_the_order(name: str) -> None:
    games = matches(("a", "b", 30, 5, 10), ("b", "c", 30, 5, 10), ("a", "c", 35, 5, 5))
    games += [made(500 + at, "abc", (1, 2, 3) if at % 3 else (2, 1, 3)) for at in range(12)]
    table = rated(name, games, ("a", "b", "c", "idle"))
    order = [line.player for line in table.rated]
    assert order.index("a") < order.index("b") < order.index("c")
    assert table.of("idle").games == 0
    assert table.notes
    assert rated(name, games[::-1], ("a", "b", "c", "idle")) == table
    gap = table.differences["a"]["c"]
    assert gap.elo == pytest.approx(table.of("a").elo - table.of("c").elo)
    if gap.los is not None:
        assert gap.los > 0.95
        assert table.differences["c"]["a"].los == pytest.approx(1 - gap.los, abs=1e-9)


@pytest.mark.parametrize("name", METHODS)
def test_every_method_takes_teams_solo_games_and_nothing(name: str) -> None:
    assert rated(name, []).rated == ()
    solo = [made(at, "a", (1,)) for at in range(3)]
    assert [line.games for line in rated(name, solo).rated] == [0]
    teams = [made(at, "abcd", (1, 2, 1, 2), teams=True) for at in range(20)]
    table = rated(name, teams)
    assert {line.player for line in table.rated[:2]} == {"a", "c"}


def test_methods_are_chosen_by_name() -> None:
    assert [method(name).name for name in METHODS] == ["elo", "ml", "glicko2", "openskill"]
    with pytest.raises(InvalidSetup, match="rating: unknown rating 'trueskill'; allowed are elo, ml"):
        method("trueskill")


def test_openskill_missing_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "openskill.models", None)
    with pytest.raises(InvalidSetup, match=r"palio\[ratings\]"):
        method("openskill").rate(matches(("a", "b", 1, 0, 1)))


def test_glicko_without_games_only_grows_less_sure() -> None:
    after = update(Glicko(1500, 200, 0.06), [])
    assert after.rating == 1500
    assert after.deviation > 200


def test_progress_ends_with_everything() -> None:
    games = matches(("a", "b", 20, 0, 10))
    steps = progress(MaximumLikelihood(), games, 5)
    assert [count for count, _ in steps] == [6, 12, 18, 24, 30]
    assert steps[-1][1] == MaximumLikelihood().rate(games)
    assert progress(MaximumLikelihood(), []) == []


# --- coverage -------------------------------------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize(
    ("setting", "tournaments"),
    [(Setting(), 1000), (Setting(players=4, seats=3, deals=20), 300), (Setting(players=8, deals=6, luck=0.0), 300)],
    ids=str,
)
def test_the_intervals_contain_the_truth(setting: Setting, tournaments: int) -> None:
    """95 % intervals: 93 to 97 % of 2,000 is what ``palio bench ratings`` shows; fewer here, so a little wider."""
    found = simulate(setting, tournaments, seed=5)
    assert 0.93 <= found.differences <= 0.97
    assert 0.92 <= found.ratings <= 0.98
    assert 0.92 <= found.seats <= 0.98


def test_the_naive_interval_is_wrong_when_games_share_their_luck() -> None:
    """In duplicate blocks luck cancels: taking games for independent gives intervals that are too wide."""
    found = simulate(Setting(luck=0.9), 60, seed=2)
    assert found.naive > 0.99
    assert 0.90 <= found.differences <= 0.99
