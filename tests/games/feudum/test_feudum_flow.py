"""Rounds, turns, decisions, chance, locations and influence: rules G-26 to G-39."""

from __future__ import annotations

import pytest
from tests.support.feudum import BLUE, GREEN, RED, SEED, act, facts, five, fresh, give, kind, pawn, ready, rule, table
from tests.support.playing import random_walk

from palio.engine.chance import Stream
from palio.engine.errors import IllegalAction, MatchOver
from palio.games.feudum.actions.land import place_marker, role_at
from palio.games.feudum.data import (
    CONQUER,
    FARM,
    FEUDUM,
    IMPROVE,
    INFLUENCE,
    KNIGHT,
    MIGRATE,
    MOVE,
    NOBLE,
    OUTPOST,
    OVERTHROW,
    REPEAT,
    RULER,
    SERF,
    STREAMS,
    SUBJECT,
    TAX,
    TOWN,
)
from palio.games.feudum.invariants import canonical
from palio.games.feudum.machine import preview
from palio.games.feudum.state import TURNS
from palio.games.feudum.supply import draw_goods, draw_vessels, gain_shillings


@pytest.mark.parametrize("n", [2, 3, 5])
def test_g26_rounds_turns_and_the_starting_player(n: int) -> None:
    state = fresh(n)
    first = state.starter
    order: list[int] = []
    while state.decision():
        order += [event["player"] for event in facts(state.take_events(), "passed")]
        state.choose(len(state.offered) - 1)
    round_one = [(first + k) % n for k in range(n)] * 4
    assert order[: len(round_one)] == round_one
    round_two = [(first + 1 + k) % n for k in range(n)] * 4
    assert order[len(round_one) : 2 * len(round_one)] == round_two


def test_g26_cards_are_available_again_in_the_next_round() -> None:
    state = fresh(2)
    for now in random_walk(state, 3):
        if now.phase == TURNS and now.turn_no == 1 and now.stack[-1][0] == "ACTION" and now.place == 0:
            assert now.used == [0, 0]
            assert now.engaged == [0, 0]
            assert now.moves == [0, 0]


def test_g27_passing_is_always_offered_and_uses_no_card() -> None:
    state = table()
    pawn(state, RED, KNIGHT, 1)
    pawn(state, GREEN, KNIGHT, 1)
    ready(state, go_on=True)
    assert state.offered[-1] == ("pass",)
    events = act(state, "pass")
    assert facts(events, "passed") == [{"player": RED, "forced": False}]
    assert (state.used[RED], state.active) == (0, GREEN)


def test_g28_a_used_card_is_not_offered_in_the_same_round() -> None:
    state = table()
    pawn(state, RED, KNIGHT, 1)
    ready(state)
    assert ("action", MOVE) in state.offered
    state.used[RED] = 1 << MOVE
    assert ("action", MOVE) not in preview(state)


def test_g28_an_action_without_a_complete_performance_is_not_offered() -> None:
    state = table()
    state.markers[RED] = 0
    pawn(state, RED, KNIGHT, 1)
    ready(state)
    assert ("action", INFLUENCE) not in state.offered
    assert ("action", IMPROVE) not in state.offered
    assert ("action", TAX) not in state.offered
    assert ("action", REPEAT) not in state.offered
    assert ("action", CONQUER) not in state.offered


def test_g28_no_way_back_once_an_action_is_chosen() -> None:
    state = table()
    pawn(state, RED, KNIGHT, 1)
    give(state, RED, food=1)
    ready(state)
    act(state, ("action", MIGRATE))
    assert kind(state) == "MIGRATE_MODE"
    assert not {("pass",), ("done",)} & set(state.offered)


@pytest.mark.parametrize("n", [2, 4])
def test_g29_one_decision_at_a_time_with_at_least_two_options(n: int) -> None:
    for state in random_walk(fresh(n), 17):
        decision = state.decision()
        if decision:
            assert len(decision.options) >= 2
            assert 0 <= decision.seat < n


def test_g29_a_single_option_is_taken_with_the_same_event() -> None:
    state = table()
    pawn(state, RED, KNIGHT, 1)
    ready(state)
    events = act(state, ("action", MOVE))
    assert kind(state) == "MOVE_TO"  # which pawn moves is no choice
    events += act(state, ("location", 2))
    moved = facts(events, "moved")
    assert (moved[0]["from_location"], moved[0]["to_location"], moved[0]["forced"]) == (1, 2, False)
    assert facts(events, "moves_ended") == [{"player": RED, "forced": True}]


def test_g29_answers_that_are_not_offered_are_refused() -> None:
    state = fresh(2)
    with pytest.raises(IllegalAction, match="options are 0 to 4"):
        state.choose(5)
    with pytest.raises(IllegalAction):
        state.choose(-1)
    while state.decision():
        state.choose(0 if kind(state) != "ACTION" else len(state.offered) - 1)
    with pytest.raises(MatchOver):
        state.choose(0)


@pytest.mark.parametrize("seed", range(3))
def test_g30_every_option_can_be_played_to_the_end_of_its_chain(seed: int) -> None:
    for at, state in enumerate(random_walk(fresh(3), seed)):
        if at % 40:
            continue
        for index in range(len(state.offered)):
            branch = state.clone()
            branch.choose(index)
            for _ in random_walk(branch, seed, decisions=12):
                pass


@pytest.mark.parametrize("n", [2, 5])
def test_g31_options_are_in_canonical_order(n: int) -> None:
    for state in random_walk(fresh(n), 23):
        assert state.offered == canonical(state.offered)


def test_g31_shapes_stand_in_the_order_of_the_rules() -> None:
    state = table()
    pawn(state, RED, KNIGHT, 1)
    pawn(state, GREEN, NOBLE, 1)
    rule(state, GREEN, 1, FEUDUM, NOBLE)
    state.hands[RED] = (2,)
    give(state, RED, food=1, saltpeter=9)
    ready(state)
    names = [option[0] for option in state.offered]
    assert names == sorted(names, key=["action", "writ", "pass"].index)
    act(state, ("action", CONQUER))
    assert state.offered == [("target", 1, GREEN, 0), ("feudum", 1)]


def test_g32_settlement_runs_before_the_next_decision() -> None:
    state = table()
    pawn(state, RED, NOBLE, 1)
    rule(state, RED, 1, FARM)
    give(state, RED, iron=1)
    ready(state)
    assert state.stars[NOBLE * 3 + RED] == 1
    events = act(state, ("action", IMPROVE))
    assert state.stars[NOBLE * 3 + RED] == 2
    assert [e for e in events if e.fact[0] == "improved"]


def test_g33_streams_are_independent_and_labelled() -> None:
    assert STREAMS == (
        "feudum/start",
        "feudum/locations",
        "feudum/writs",
        "feudum/vessels",
        "feudum/seals",
        "feudum/haversack",
        "feudum/spill",
    )
    a, b = fresh(3, seed=SEED), fresh(3, seed=SEED)
    assert a.view(None) == b.view(None)
    assert fresh(3, seed=bytes(32)).view(None) != a.view(None)


def test_g34_a_random_good_is_picked_by_cumulative_counts() -> None:
    state = table()
    state.haversack = [1, 2, 0, 3, 4]
    stream = Stream(SEED, "feudum/haversack")
    counts, expected = state.haversack[:], [0] * 5
    for _ in range(6):
        r = stream.uniform(sum(counts))
        good = next(g for g in range(5) if sum(counts[: g + 1]) > r)
        counts[good] -= 1
        expected[good] += 1
    assert draw_goods(state, 6) == expected
    assert state.haversack == counts


def test_g34_a_random_vessel_is_picked_over_the_kinds() -> None:
    state = table()
    state.docks = [3, 3, 3]
    first = Stream(SEED, "feudum/vessels").uniform(9) // 3
    assert draw_vessels(state, 1)[first] == 1
    assert (state.sale[first], state.docks[first]) == (1, 2)


def test_g35_a_gain_is_cut_to_what_the_source_holds() -> None:
    state = table()
    state.bank = 2
    assert gain_shillings(state, RED, 5) == 2
    assert (state.bank, state.shillings[RED]) == (0, 9)
    state.haversack = [0, 0, 1, 0, 0]
    assert sum(draw_goods(state, 4)) == 1


@pytest.mark.parametrize("n", [2, 5])
def test_g36_at_most_three_markers_of_two_players(n: int) -> None:
    for state in random_walk(fresh(n), 31):
        for at in range(1, 23):
            if state.ruler[at] < 0:
                assert (state.subject[at], state.serf[at]) == (0, -1)
            assert state.serf[at] == -1 or state.serf[at] != state.ruler[at]


def test_g37_goods_stay_when_the_ruler_changes() -> None:
    state = table()
    rule(state, GREEN, 5, FARM, serf=RED, wood=3)
    pawn(state, RED, KNIGHT, 5)
    ready(state)
    act(state, ("action", INFLUENCE))
    assert (state.ruler[5], state.serf[5], state.subject[5]) == (RED, GREEN, 1)
    assert state.stock_at(5) == five(wood=3)


@pytest.mark.parametrize(
    ("ruler", "subject", "serf", "type_", "role", "after"),
    [
        (-1, 0, -1, OUTPOST, RULER, (RED, 0, -1)),
        (RED, 0, -1, TOWN, SUBJECT, (RED, 1, -1)),
        (RED, 0, GREEN, FARM, SUBJECT, (RED, 1, GREEN)),
        (GREEN, 0, -1, FARM, SERF, (GREEN, 0, RED)),
        (GREEN, 1, -1, FEUDUM, SERF, (GREEN, 1, RED)),
        (GREEN, 0, RED, OUTPOST, OVERTHROW, (RED, 1, GREEN)),
        (GREEN, 0, RED, FARM, OVERTHROW, (RED, 1, GREEN)),
        (GREEN, 0, RED, TOWN, OVERTHROW, (RED, 1, GREEN)),
        (RED, 1, -1, OUTPOST, -1, ()),
        (RED, 1, GREEN, OUTPOST, -1, ()),
        (GREEN, 0, BLUE, OUTPOST, -1, ()),
        (GREEN, 1, RED, OUTPOST, -1, ()),
        (GREEN, 0, RED, FEUDUM, -1, ()),
    ],
)
def test_g38_adding_a_marker(
    ruler: int, subject: int, serf: int, type_: int, role: int, after: tuple[int, ...]
) -> None:
    state = table()
    state.ruler[7], state.subject[7], state.serf[7], state.kind[7] = ruler, subject, serf, type_
    assert role_at(state, RED, 7) == role
    if role >= 0:
        assert place_marker(state, RED, 7) == role
        assert (state.ruler[7], state.subject[7], state.serf[7]) == after
        assert state.markers[RED] == 6


def test_g39_a_feudum_never_changes_hands_by_influence() -> None:
    state = table()
    rule(state, GREEN, 7, FEUDUM, NOBLE, serf=RED)
    pawn(state, RED, KNIGHT, 7)
    ready(state)
    assert ("action", INFLUENCE) not in state.offered


def test_g32_chance_is_drawn_only_where_the_rules_say() -> None:
    """Choices alone read no stream: goods, vessels, seals, writs and spills do."""
    state = table()
    pawn(state, RED, KNIGHT, 1)
    give(state, RED, food=2)
    ready(state)
    before = state.streams[:]
    act(state, ("action", MIGRATE), ("migrate", 0), ("character", 0))
    assert state.streams == before
