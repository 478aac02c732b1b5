"""Elo from blocks and sequential tests, against the vectors and by simulation."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.support.tournaments import by_chance, earlier_letter_wins, game, play, vectors

from palio.engine.errors import InvalidSetup
from palio.tournament.pairing import Director, Plan, build
from palio.tournament.pairing.sequential import Sprt
from palio.tournament.rating.block_elo import (
    Sample,
    block_elo,
    log_likelihood_ratio,
    logistic_score,
    pentanomial,
    sample_of,
    trinomial,
)
from palio.tournament.rating.brownian import outcome_below
from palio.tournament.rating.sprt import Hypotheses, SequentialTest, estimate, judge, run

VECTORS = vectors("ratings")


def sample(case: Mapping[str, Any]) -> Sample:
    if "pentanomial" in case:
        return pentanomial(case["pentanomial"])
    return trinomial(case["wins"], case["draws"], case["losses"])


@pytest.mark.parametrize("case", VECTORS["elo_trinomial"])
def test_vector_elo_trinomial(case: dict[str, float]) -> None:
    found = block_elo(sample(case))
    assert found.elo == pytest.approx(case["elo"], rel=1e-3)
    assert found.error == pytest.approx(case["elo_error_95"], rel=1e-3)
    assert found.los == pytest.approx(case["los"], abs=5e-4)


@pytest.mark.parametrize("case", VECTORS["elo_pentanomial"])
def test_vector_elo_pentanomial(case: dict[str, Any]) -> None:
    found = block_elo(pentanomial(case["counts_LL_LDDL_WLDD_WDDW_WW"]))
    assert found.elo == pytest.approx(case["elo"], rel=1e-3)
    assert found.error == pytest.approx(case["elo_error_95"], rel=1e-3)
    if "los" in case:
        assert found.los == pytest.approx(case["los"], rel=1e-2)
    if "normalized_elo" in case:
        assert found.normalized == pytest.approx(case["normalized_elo"], rel=1e-3)
        assert found.normalized_error == pytest.approx(case["normalized_error_95"], rel=1e-3)


@pytest.mark.parametrize("case", VECTORS["sprt_llr"], ids=lambda case: case["model"])
def test_vector_sprt_llr(case: dict[str, Any]) -> None:
    assert log_likelihood_ratio(sample(case), case["elo0"], case["elo1"], case["model"]) == pytest.approx(
        case["llr"], rel=1e-2
    )


def test_vector_sprt_after_stop() -> None:
    case = VECTORS["sprt_after_stop"]
    blocks = pentanomial(case["pentanomial_0_to_2"])
    hypotheses = Hypotheses(case["elo0"], case["elo1"], model=case["model"])
    assert judge(blocks, hypotheses).llr == pytest.approx(case["llr"], abs=1e-5)
    found = estimate(blocks, hypotheses)
    assert found.elo == pytest.approx(case["elo_median_unbiased"], abs=1e-4)
    assert [found.low, found.high] == pytest.approx(case["interval_95"], abs=1e-4)


def test_pentanomial_knows_that_pairs_are_not_independent() -> None:
    """Every pair split: no uncertainty at all, where single games would claim plenty."""
    pairs = block_elo(pentanomial([1, 0, 98, 0, 1]))
    singles = block_elo(trinomial(100, 0, 100))
    assert pairs.elo == singles.elo == 0
    assert pairs.error < singles.error / 4


def test_blocks_of_any_size() -> None:
    scores = [0.5, 2 / 3, 1.0, 0.25, 0.75, 7 / 12]
    found = block_elo(sample_of(scores, 6))
    assert found.score == pytest.approx(sum(scores) / 6)
    assert log_likelihood_ratio(sample_of(scores, 6), 0, 10, "logistic") > 0
    assert log_likelihood_ratio(sample_of(scores, 6), 0, 10, "normalized") > 0


@pytest.mark.parametrize("won", [1.0, 0.0])
def test_a_clean_sweep_is_finite_where_it_can_be(won: float) -> None:
    found = block_elo(sample_of([won] * 5, 2))
    assert math.isinf(found.elo)
    assert found.los == won
    assert math.isfinite(log_likelihood_ratio(sample_of([won] * 5, 2), 0, 5, "logistic"))
    assert math.isfinite(log_likelihood_ratio(sample_of([won] * 5, 2), 0, 5, "normalized"))


def test_no_blocks() -> None:
    with pytest.raises(ValueError, match="no blocks"):
        block_elo(sample_of([], 2))
    with pytest.raises(ValueError, match="no blocks"):
        estimate(sample_of([], 2), Hypotheses(0, 5))
    assert judge(sample_of([], 2), Hypotheses(0, 5)).decision == "undecided"


def series(mu: float, sigma: float, a: float, b: float, time: float, y: float) -> float:
    """The same probability from the eigenfunctions instead of the images: an independent check."""
    width, slope = b - a, mu / sigma**2
    n = np.arange(1, 4000)
    frequency = n * np.pi / width
    rate = (frequency * sigma) ** 2 / 2 + mu * mu / (2 * sigma**2)
    ever = b / width if mu == 0 else math.expm1(-2 * slope * b) / (math.exp(-2 * slope * b) - math.exp(-2 * slope * a))
    flux = np.exp(slope * a) * frequency * sigma**2 / width * np.sin(-a * frequency)
    later = float((flux * np.exp(-rate * time) / rate).sum())
    x = np.linspace(a, y, 4001)
    waves = np.sin(-a * frequency[:80, None]) * np.sin(frequency[:80, None] * (x - a))
    density = 2 / width * np.exp(slope * x) * (waves * np.exp(-rate[:80] * time)[:, None]).sum(0)
    return ever - later + float(np.trapezoid(density, x))


@pytest.mark.parametrize("mu", [-0.3, -0.02, 0.0, 0.05, 0.4])
@pytest.mark.parametrize("time", [3.0, 20.0, 400.0])
@pytest.mark.parametrize("y", [-1.0, 2.0])
def test_images_and_eigenfunctions_agree(mu: float, time: float, y: float) -> None:
    assert outcome_below(mu, 0.4, -2.2, 2.9, time, y) == pytest.approx(series(mu, 0.4, -2.2, 2.9, time, y), abs=2e-7)


@given(
    st.floats(-2, 2), st.floats(0.05, 1.5), st.floats(0.5, 6), st.floats(0.5, 6), st.floats(0.5, 5000), st.floats(0, 1)
)
@settings(max_examples=200, deadline=None)
def test_the_outcome_is_a_probability_that_falls_with_the_drift(
    mu: float, sigma: float, down: float, up: float, time: float, at: float
) -> None:
    y = -down + at * (down + up)
    here, more = (outcome_below(m, sigma, -down, up, time, y) for m in (mu, mu + 0.05))
    assert 0 <= here <= 1
    assert more <= here + 1e-9


def simulated(elo: float, hypotheses: Hypotheses, tests: int) -> tuple[float, list[tuple[float, float, float]]]:
    """Share of accepted elo1, and (estimate, low, high) of each test, over made-up pairs of games."""
    rng = np.random.default_rng(7)
    score = logistic_score(elo)
    accepted, estimates = 0, []
    for _ in range(tests):
        # A fair deal is split; a lucky one gives both games to the better player of it.
        pairs = np.where(rng.random(4000) < 0.4, 0.5, rng.random(4000) < (score - 0.2) / 0.6)
        verdict, blocks = run(pairs.tolist(), 2, hypotheses)
        assert verdict.decision != "undecided"
        accepted += verdict.decision == "elo1"
        found = estimate(blocks, hypotheses)
        estimates.append((found.elo, found.low, found.high))
    return accepted / tests, estimates


@pytest.mark.slow
@pytest.mark.parametrize(("elo", "wanted"), [(0.0, 0.05), (60.0, 0.95)])
def test_error_rates_and_median_unbiased_estimates(elo: float, wanted: float) -> None:
    """Errors of 5 % within sampling error (400 tests: 1.1 %), estimates above the truth half of the time."""
    rate, estimates = simulated(elo, Hypotheses(0, 60), 400)
    assert rate == pytest.approx(wanted, abs=0.03)
    above = np.mean([found > elo for found, _, _ in estimates])
    assert above == pytest.approx(0.5, abs=0.08)
    covered = np.mean([low <= elo <= high for _, low, high in estimates])
    assert covered == pytest.approx(0.95, abs=0.03)


@pytest.mark.parametrize(
    ("given_", "field"),
    [
        ({"elo0": 5, "elo1": 5}, "sprt.elo1"),
        ({"elo0": 0, "elo1": 5, "alpha": 0.7}, "sprt.alpha"),
        ({"elo0": 0, "elo1": 5, "beta": 0}, "sprt.beta"),
        ({"elo0": 0, "elo1": 5, "model": "bayes"}, "sprt.model"),
    ],
)
def test_impossible_hypotheses_are_refused_by_field(given_: dict[str, Any], field: str) -> None:
    with pytest.raises(InvalidSetup) as error:
        Hypotheses(**given_)
    assert error.value.field == field


# --- as a format ----------------------------------------------------------------------------------------------------

HYPOTHESES = Hypotheses(0, 60)
PLAN = Plan("sprt", ("a", "b"), 2, 500, "s", hypotheses=HYPOTHESES, ahead=8)


def test_the_format_stops_at_the_decision_and_not_later() -> None:
    fmt = build(PLAN)
    assert isinstance(fmt, Sprt)
    director = Director(fmt)
    games = play(director, earlier_letter_wins, shuffle=4)
    verdict = fmt.verdict(director.results)
    assert verdict.decision == "elo1"
    assert len(director.games) == 2 * verdict.blocks
    assert {g.block for g in director.games} == set(range(verdict.blocks))
    assert len(games) <= len(director.games) + 2 * PLAN.ahead
    before = SequentialTest(2, HYPOTHESES)
    for _ in range(verdict.blocks - 1):
        assert before.add(1.0).decision == "undecided"


def test_the_decision_does_not_depend_on_who_finished_first() -> None:
    def strong(players: tuple[str, ...], deal: int) -> tuple[int, ...]:
        return by_chance(players, deal) if deal % 4 else earlier_letter_wins(players, deal)

    verdicts = []
    for shuffle in (0, 1, 2):
        fmt = build(PLAN)
        assert isinstance(fmt, Sprt)
        director = Director(fmt)
        play(director, strong, shuffle)
        verdicts.append((fmt.verdict(director.results), director.games))
    assert verdicts[0] == verdicts[1] == verdicts[2]


def test_an_undecided_test_ends_at_its_last_block() -> None:
    fmt = build(Plan("sprt", ("a", "b"), 2, 5, "s", hypotheses=Hypotheses(0, 5)))
    director = Director(fmt)
    assert len(director.ready()) == 5
    for block in list(director.known.values()):
        for seating in (0, 1):
            director.record(game(block, seating))
    assert director.finished
    assert len(director.games) == 10


@pytest.mark.parametrize(
    ("plan", "field"),
    [
        (Plan("sprt", ("a", "b", "c"), 2, 9, "s"), "bots"),
        (Plan("sprt", ("a", "b"), 3, 9, "s"), "players"),
        (Plan("sprt", ("a", "b"), 2, 9, "s", ahead=0), "ahead"),
    ],
)
def test_sprt_plans_that_cannot_be(plan: Plan, field: str) -> None:
    with pytest.raises(InvalidSetup) as error:
        build(plan)
    assert error.value.field == field
