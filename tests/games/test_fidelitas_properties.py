"""What always holds (section 9 of the rules), over random games of every variant and deck."""

from __future__ import annotations

import pickle
import random
from collections import Counter
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.support.fidelitas import VARIANTS, fresh, variant_name
from tests.support.playing import random_walk

from palio.engine.game import Rules, State
from palio.games.fidelitas import RULES, Deck, Words
from palio.games.fidelitas import State as FidelitasState
from palio.games.fidelitas.cards import BAKER, BROKER, BUTCHER, CHARACTERS, COMMERCE_LOCATIONS, SHOPKEEPER
from palio.games.fidelitas.conditions import HOUSE_MISSIO
from palio.games.fidelitas.invariants import check
from palio.games.fidelitas.text import describe_event, describe_option

SEEDS = st.binary(min_size=32, max_size=32)
VARIANT = st.sampled_from(VARIANTS)


def test_the_rules_follow_the_engines_interfaces() -> None:
    rules: Rules = RULES
    state: State = fresh("types")
    assert (rules.game_id, rules.version, rules.seats) == ("fidelitas", 1, (1, 2, 3, 4))
    assert state.players == 2


@settings(max_examples=25, deadline=None)
@given(seed=SEEDS, variant=VARIANT, choices=st.integers(0, 2**32))
def test_invariants_hold_at_every_decision(seed: bytes, variant: tuple[int, bool], choices: int) -> None:
    players, teams = variant
    state = RULES.start(seed, players, RULES.options(teams=teams))
    for step in random_walk(state, choices):
        check(step)


@st.composite
def decks(draw: st.DrawFn) -> Deck:
    copies = draw(st.lists(st.integers(0, 9), min_size=14, max_size=14).filter(lambda counts: sum(counts) >= 30))
    missio = draw(st.lists(st.sampled_from(HOUSE_MISSIO), min_size=8, max_size=60))
    return Deck((0, *copies), tuple(missio))


@settings(max_examples=25, deadline=None)
@given(deck=decks(), variant=VARIANT, choices=st.integers(0, 2**32))
def test_invariants_hold_with_any_deck(deck: Deck, variant: tuple[int, bool], choices: int) -> None:
    players, teams = variant
    state = RULES.start(b"\x07" * 32, players, RULES.options(teams=teams, deck=deck, max_turns=60))
    for step in random_walk(state, choices):
        check(step)
    assert state.outcome() is not None


@settings(max_examples=10, deadline=None)
@given(seed=SEEDS, variant=VARIANT, choices=st.integers(0, 2**32))
def test_the_same_seed_and_choices_give_the_same_events(seed: bytes, variant: tuple[int, bool], choices: int) -> None:
    players, teams = variant
    runs = []
    for _ in range(2):
        state = RULES.start(seed, players, RULES.options(teams=teams))
        *_, end = random_walk(state, choices)
        runs.append((end.take_events(), end.outcome()))
    assert runs[0] == runs[1]


@pytest.mark.parametrize(("players", "teams"), VARIANTS, ids=map(variant_name, VARIANTS))
def test_a_clone_shares_nothing_with_its_original(players: int, teams: bool) -> None:
    state = fresh("clone", players, teams=teams)
    for number, step in enumerate(random_walk(state, 4)):
        if number % 10 or step.decision() is None:
            continue
        before = [step.view(seat) for seat in (None, *range(players))]
        twin = step.clone()
        for left in random_walk(twin, number, 60):
            assert left.take_events() == []
        if teams and twin.outcome() is None:
            twin.signal(0, Words((1,)))
        assert [step.view(seat) for seat in (None, *range(players))] == before


def test_a_state_in_the_middle_of_an_action_can_be_pickled() -> None:
    state = fresh("pickle", 3)
    for step in random_walk(state, 9, 120):
        again = pickle.loads(pickle.dumps(step))
        assert again.decision() == step.decision()
        assert [again.view(seat) for seat in (None, 0, 1, 2)] == [step.view(seat) for seat in (None, 0, 1, 2)]
    rest = [[s.view(None) for s in random_walk(game, 1)] for game in (pickle.loads(pickle.dumps(state)), state)]
    assert rest[0] == rest[1]


def test_every_option_and_event_has_a_text() -> None:
    texts: set[str] = set()
    for players, teams in VARIANTS:
        for number in range(5):
            for step in random_walk(fresh(f"text-{number}", players, teams=teams), number):
                decision = step.decision()
                texts.update(describe_option(option) for option in (decision.options if decision else ()))
                texts.update(describe_event(event.fact) for event in step.take_events())
    assert all(text and not text.endswith(".") and "  " not in text for text in texts)
    assert "Baker on the College" in texts or "Baker on the Bakery" in texts
    with pytest.raises(ValueError, match="not an option"):
        describe_option(("jump",))
    with pytest.raises(ValueError, match="not an event"):
        describe_event(("jump",))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("players", "teams", "decisions", "options", "turns", "target"),
    [
        (1, False, 84.5, 7.7, 29.9, 0.0),
        (2, False, 151, 7.8, 46.4, 15.5),
        (3, False, 141, 7.5, 43.3, 18.1),
        (4, False, 130, 7.3, 40.1, 26.2),
        (4, True, 125, 7.2, 38.0, 46.9),
    ],
    ids=map(variant_name, VARIANTS),
)
def test_random_games_have_the_reference_numbers(
    players: int, teams: bool, decisions: float, options: float, turns: float, target: float
) -> None:
    """Section 11: means within 2.5 % and shares within 4 points, both more than three standard errors here."""
    games = 2000
    chooser = random.Random(players * 2 + teams)
    asked = offered = ended_turns = reached = limited = 0
    for number in range(games):
        state = fresh(f"reference-{number}", players, teams=teams).clone()
        while (decision := state.decision()) is not None:
            asked += 1
            offered += len(decision.options)
            state.choose(chooser.randrange(len(decision.options)))
        ended_turns += state.turn
        reached += state.ended_by == "target"
        limited += state.ended_by == "turn_limit"
    assert asked / games == pytest.approx(decisions, rel=0.025)
    assert offered / asked == pytest.approx(options, rel=0.025)
    assert ended_turns / games == pytest.approx(turns, rel=0.025)
    assert 100 * reached / games == pytest.approx(target, abs=4)
    assert limited == 0


def test_every_character_is_reached_by_random_play() -> None:
    played: set[object] = set()
    for number in range(5):
        for step in random_walk(fresh(f"reach-{number}", 2), number):
            played.update(event.fact[2] for event in step.take_events() if event.fact[0] == "card_played")
    assert played == set(CHARACTERS)


def _most(state: FidelitasState) -> int:
    """How many cards the action that is being picked for can move or remove at most."""
    piles = [state.piles[n] for n in state.setup.locations]
    unlocked = sum(len(pile.cards) - pile.locked for pile in piles)
    filled = [n for n in state.setup.locations if state.piles[n].free]
    if state.stage == SHOPKEEPER:
        return 2 if len(filled) > 1 else 0
    if state.stage == BROKER:
        out = max(len(state.piles[n].cards) - state.piles[n].locked for n in COMMERCE_LOCATIONS)
        into = max(len([n for n in filled if n != target]) for target in COMMERCE_LOCATIONS)
        return min(2, max(out, into))
    return min(2, unlocked)


def test_f11_actions_are_completed_as_far_as_they_can_be() -> None:
    """Whatever is picked: a Shopkeeper, Broker, Butcher or Baker never ends with fewer cards than were possible."""
    done: dict[str, Callable[[Any], int]] = {
        "cards_swapped": lambda _values: 2,
        "cards_removed": lambda values: len(values[1]),
        "cards_moved": lambda values: len(values[1]),
    }
    seen: Counter[int] = Counter()
    for players, teams in VARIANTS:
        for number in range(12):
            most = stage = 0
            for step in random_walk(fresh(f"full-{number}", players, teams=teams), number):
                facts = [event.fact for event in step.take_events()]
                for name, *values in facts:
                    if most and name in done:
                        assert done[str(name)](values) == most
                        seen[stage] += 1
                        most = 0
                if step.decision() is not None and step.stage in (SHOPKEEPER, BROKER, BUTCHER, BAKER):
                    most, stage = _most(step), step.stage
    assert set(seen) == {SHOPKEEPER, BROKER, BUTCHER, BAKER}
