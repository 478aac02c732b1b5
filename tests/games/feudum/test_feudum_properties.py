"""What holds in every game: the invariants I-01 to I-15, determinism, independence of clones, termination."""

from __future__ import annotations

import pickle
import random
from collections.abc import Callable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.support.feudum import GREEN, RED, fresh, pawn, ready, rule, table
from tests.support.playing import random_walk

from palio.games.feudum import RULES
from palio.games.feudum.data import CHAMPION, FARM, FEUDUM, KNIGHT, NOBLE
from palio.games.feudum.events import named
from palio.games.feudum.game import Feudum
from palio.games.feudum.invariants import check, faults
from palio.games.feudum.state import FIELDS, OVER

GAMES = st.tuples(st.integers(2, 5), st.booleans(), st.binary(min_size=32, max_size=32), st.integers(0, 2**32))


@settings(max_examples=25, deadline=None)
@given(GAMES)
def test_i01_to_i15_hold_at_every_decision(game: tuple[int, bool, bytes, int]) -> None:
    n, advanced, seed, choices = game
    for state in random_walk(fresh(n, advanced, seed), choices):
        check(state)
    assert state.phase == OVER


@settings(max_examples=10, deadline=None)
@given(GAMES)
def test_i15_points_change_by_vp_events_only(game: tuple[int, bool, bytes, int]) -> None:
    n, advanced, seed, choices = game
    total = [0] * n
    for state in random_walk(fresh(n, advanced, seed), choices):
        for event in state.take_events():
            if event.fact[0] == "vp":
                fields = named(event.fact)
                total[fields["player"]] += fields["amount"]
        assert state.scores == total


@settings(max_examples=6, deadline=None)
@given(GAMES)
def test_the_same_seed_and_choices_give_the_same_game(game: tuple[int, bool, bytes, int]) -> None:
    n, advanced, seed, choices = game
    first = [(state.view(None), state.take_events()) for state in random_walk(fresh(n, advanced, seed), choices)]
    again = [(state.view(None), state.take_events()) for state in random_walk(fresh(n, advanced, seed), choices)]
    assert first == again


def snapshot(state: Feudum) -> dict[str, object]:
    values = {name: getattr(state, name) for name in FIELDS}
    values.pop("log")
    return {name: value[:] if isinstance(value, list) else value for name, value in values.items()}


@settings(max_examples=6, deadline=None)
@given(GAMES)
def test_clones_are_independent_and_record_nothing(game: tuple[int, bool, bytes, int]) -> None:
    n, advanced, seed, choices = game
    for at, state in enumerate(random_walk(fresh(n, advanced, seed), choices)):
        if at % 20:
            continue
        before = snapshot(state)
        copy = state.clone()
        assert snapshot(copy) == before
        for _ in random_walk(copy, choices + at, decisions=30):
            pass
        assert copy.take_events() == []
        assert snapshot(state) == before


def test_a_clone_goes_on_like_the_original() -> None:
    state = fresh(4)
    for _ in random_walk(state, 1, decisions=100):
        pass
    copy = state.clone()
    for a, b in zip(random_walk(state, 5), random_walk(copy, 5), strict=True):
        assert a.view(None) == b.view(None)
    assert state.outcome() == copy.outcome()


def test_states_can_be_pickled_in_the_middle_of_an_action() -> None:
    for at, state in enumerate(random_walk(fresh(3), 12)):
        if at % 10 == 0:
            copy = pickle.loads(pickle.dumps(state))
            assert copy.view(None) == state.view(None)
            assert copy.decision() == state.decision()


@pytest.mark.parametrize("n", [2, 3, 4, 5])
def test_i14_all_turns_are_played(n: int) -> None:
    state = fresh(n)
    for _ in random_walk(state, n):
        pass
    # per player two parts of setup, then per round four turns, one nourishing, and the round's end
    assert state.turn == 2 * n + 8 * (5 * n + 1)
    outcome = state.outcome()
    assert outcome is not None
    assert outcome.points == tuple(state.scores)
    assert min(outcome.ranks) == 1


def sound() -> Feudum:
    state = table(4)
    rule(state, RED, 3, FARM, serf=GREEN)
    rule(state, GREEN, 5, FEUDUM, NOBLE)
    pawn(state, RED, KNIGHT, 3)
    state.rosary, state.chickens = (2, 3), (4,)
    return ready(state)


def set_item(name: str, at: int, value: int) -> Callable[[Feudum], None]:
    def spoil(state: Feudum) -> None:
        getattr(state, name)[at] = value

    return spoil


def set_all(**values: object) -> Callable[[Feudum], None]:
    def spoil(state: Feudum) -> None:
        for name, value in values.items():
            setattr(state, name, value)

    return spoil


@pytest.mark.parametrize(
    ("invariant", "spoil"),
    [
        ("I-01", set_item("haversack", 2, 1)),
        ("I-02", set_all(purse=1)),
        ("I-03", set_item("markers", RED, 9)),
        ("I-04", set_item("pool", RED, 2)),
        ("I-05", set_all(rosary=(2, 4))),
        ("I-06", set_item("docks", 0, 2)),
        ("I-07", set_item("feudums", KNIGHT, 1)),
        ("I-08", set_all(discard=(CHAMPION,))),
        ("I-09", set_item("pawn_char", 1, KNIGHT)),
        ("I-10", set_item("barrel", RED, 4)),
        ("I-11", set_item("guild_of", 3, KNIGHT)),
        ("I-12", set_item("tracks", KNIGHT, (GREEN,))),  # type: ignore[arg-type]
        ("I-13", set_item("right", KNIGHT, GREEN)),
    ],
)
def test_the_checker_finds_a_broken_invariant(invariant: str, spoil: Callable[[Feudum], None]) -> None:
    state = sound()
    spoil(state)
    assert invariant in {name for name, _, _ in faults(state)}


def test_random_players_of_all_counts_finish() -> None:
    lengths = []
    for number in range(8):
        state = RULES.start(number.to_bytes(32, "big"), 2 + number % 4, RULES.options(advanced=bool(number % 2)))
        lengths.append(sum(1 for _ in random_walk(state, random.Random(number).randrange(1000))))
    assert min(lengths) > 60
