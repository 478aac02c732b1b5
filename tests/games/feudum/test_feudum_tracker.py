"""Sampled worlds: they look exactly like the seat's view, keep the invariants, and hold what the seat knows."""

from __future__ import annotations

import random
from collections import Counter

import pytest
from tests.support.feudum import GREEN, RED, act, fresh, pawn, perform, ready, table
from tests.support.playing import random_walk

from palio.engine.game import Event
from palio.games.feudum import RULES
from palio.games.feudum.game import Feudum
from palio.games.feudum.invariants import check
from palio.games.feudum.tracker import FeudumTracker
from palio.games.feudum.view import View


def tracker(seat: int, n: int, advanced: bool = True) -> FeudumTracker[Feudum]:
    return RULES.tracker(seat, n, RULES.options(advanced=advanced))


def heard(events: list[Event], seat: int) -> list[Event]:
    return [event for event in events if event.viewers is None or seat in event.viewers]


def seed_of(number: int) -> bytes:
    return number.to_bytes(32, "big")


@pytest.mark.parametrize(("n", "advanced"), [(2, True), (3, True), (4, False), (5, True)])
def test_samples_look_like_the_view_and_keep_the_invariants(n: int, advanced: bool) -> None:
    for game in range(3):
        trackers = [tracker(seat, n, advanced) for seat in range(n)]
        chooser = random.Random(game)
        for at, state in enumerate(random_walk(fresh(n, advanced, seed_of(game)), game)):
            events = state.take_events()
            for seat in range(n):
                trackers[seat].observe(heard(events, seat))
            if chooser.random() < 0.8 or not state.stack:
                continue
            seat = state.stack[-1][1] if at % 2 else chooser.randrange(n)
            view = state.view(seat)
            world = trackers[seat].sample(view, seed_of(at))
            check(world)
            if state.stack[-1][1] == seat:
                assert world.view(seat) == view
                assert world.decision() == state.decision()


def test_the_truth_is_never_ruled_out() -> None:
    for game in range(8):
        n = 2 + game % 4
        trackers = [tracker(seat, n) for seat in range(n)]
        for state in random_walk(fresh(n, seed=seed_of(game)), game):
            events = state.take_events()
            for seat in range(n):
                trackers[seat].observe(heard(events, seat))
                trackers[seat]._fit(state.view(seat))
                deck = trackers[seat]._deck
                assert len(deck) == len(state.deck)
                assert all(mask >> card & 1 for mask, card in zip(deck, state.deck, strict=True))


def test_own_cards_under_the_deck_are_known() -> None:
    state = ready(table(3), RED)
    memory = tracker(RED, 3)
    from palio.games.feudum.machine import run
    from palio.games.feudum.writs import draw

    state.stack.pop()
    draw(state, RED, 4)
    run(state)
    drawn = state.drawn
    memory.observe(heard(state.take_events(), RED))
    memory.observe(heard(act(state, ("card", min(drawn))), RED))
    returned = tuple(card for card in drawn if card != min(drawn))
    for number in range(20):
        world = memory.sample(state.view(RED), seed_of(number))
        assert world.deck[-3:] == returned
        assert world.hands[RED] == (min(drawn),)


def test_what_is_unknown_is_spread_evenly() -> None:
    state = table(3)
    pawn(state, RED, 5, 1)
    ready(state, RED)
    state.hands[GREEN], state.deck = (4,), tuple(card for card in range(16) if card != 4)
    memory = tracker(RED, 3)
    counts = Counter(memory.sample(state.view(RED), seed_of(n)).hands[GREEN][0] for n in range(1600))
    assert len(counts) == 16
    assert min(counts.values()) > 60
    assert max(counts.values()) < 150


def test_values_of_seals_are_drawn_anew_and_conserved() -> None:
    state = table(3)
    state.scrolls = [5, 5, 5, 5, 4, 4]
    state.seals[RED] = (4,)
    pawn(state, RED, 5, 1)
    ready(state)
    worlds = [tracker(RED, 3).sample(state.view(RED), seed_of(n)) for n in range(40)]
    assert len({world.seals[RED] for world in worlds}) == 4
    for world in worlds:
        check(world)


def test_fists_are_guessed_by_everybody_but_the_hider() -> None:
    state = table(3)
    state.rosary = (2, 5)
    perform(state, RED, 5, 0)
    act(state, ("opponent", GREEN), ("hide", 1))
    guesses = {tracker(RED, 3).sample(state.view(RED), seed_of(n)).hidden for n in range(20)}
    assert guesses == {0, 1}
    assert {tracker(GREEN, 3).sample(state.view(GREEN), seed_of(n)).hidden for n in range(5)} == {1}


def test_the_same_arguments_give_the_same_world() -> None:
    state = fresh(4)
    for _ in random_walk(state, 5, decisions=120):
        pass
    a, b = (tracker(RED, 4).sample(state.view(RED), seed_of(9)) for _ in range(2))
    assert (a.deck, a.hands, a.discs, a.seed) == (b.deck, b.hands, b.discs, b.seed)
    assert a.deck != tracker(RED, 4).sample(state.view(RED), seed_of(10)).deck


def test_a_memory_that_begins_late_starts_from_the_view() -> None:
    state = fresh(3)
    for _ in random_walk(state, 8, decisions=180):
        pass
    state.take_events()
    memory = tracker(RED, 3)
    for at, now in enumerate(random_walk(state, 8)):
        memory.observe(heard(now.take_events(), RED))
        if at % 10 == 0 and now.stack:
            check(memory.sample(now.view(RED), seed_of(at)))


def test_a_sample_reads_the_view_only() -> None:
    """Two true states that look alike give the same sample."""
    state = fresh(4)
    for _ in random_walk(state, 15, decisions=200):
        pass
    other = state.clone()
    other.deck = other.deck[::-1]
    other.discs = other.discs[::-1]
    views: list[View] = [state.view(RED), other.view(RED)]
    a, b = (tracker(RED, 4).sample(view, seed_of(3)) for view in views)
    assert (a.deck, a.hands, a.discs) == (b.deck, b.hands, b.discs)
