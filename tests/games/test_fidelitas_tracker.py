"""What a seat remembers: samples fit all that it saw, and the truth is never ruled out."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import pytest
from tests.support.fidelitas import VARIANTS, Game, fresh, position, variant_name
from tests.support.playing import random_walk

from palio.engine.game import Event
from palio.games.fidelitas import RULES, State
from palio.games.fidelitas.guesses import Contradiction, Guesses
from palio.games.fidelitas.invariants import check
from palio.games.fidelitas.setup import Setup
from palio.games.fidelitas.table import END_PHASE
from palio.games.fidelitas.tracker import Memory, Tracker


def seen_by(seat: int, events: Sequence[Event]) -> list[Event]:
    """The events that a seat receives."""
    return [event for event in events if event.viewers is None or seat in event.viewers]


def tracker_of(seat: int, state: State) -> Tracker:
    return RULES.tracker(seat, state.players, state.setup.options)


@pytest.mark.parametrize(("players", "teams"), VARIANTS, ids=map(variant_name, VARIANTS))
def test_samples_look_like_the_view_and_keep_the_invariants(players: int, teams: bool) -> None:
    for number in range(3):
        state = fresh(f"track-{number}", players, teams=teams)
        trackers = [tracker_of(seat, state) for seat in range(players)]
        for count, step in enumerate(random_walk(state, number)):
            events = step.take_events()
            decision = step.decision()
            if decision is None:
                break
            for seat, tracker in enumerate(trackers):
                tracker.observe(seen_by(seat, events))
                view = step.view(seat)
                assert tracker._memory.fits(view), f"seat {seat} lost track"
                if (count + seat) % 3:
                    continue
                world = tracker.sample(view, bytes([count % 256]))
                check(world)
                assert world.take_events() == []
                if seat == decision.seat:
                    assert world.view(seat) == view
                    assert world.decision() == decision
                elif view.phase != END_PHASE:
                    assert world.view(seat) == view


@pytest.mark.parametrize(("players", "teams"), VARIANTS[1:], ids=map(variant_name, VARIANTS[1:]))
def test_the_truth_is_never_ruled_out(players: int, teams: bool) -> None:
    for number in range(6):
        state = fresh(f"truth-{number}", players, teams=teams)
        trackers = [tracker_of(seat, state) for seat in range(players)]
        for step in random_walk(state, number):
            events = step.take_events()
            for seat, tracker in enumerate(trackers):
                tracker.observe(seen_by(seat, events))
                memory = tracker._memory
                assert any(
                    all(_within(guess.hands[other], step.hands[other]) for other in range(players))
                    for guess in memory.virtus.guesses
                )
                assert any(
                    all(_within(guess.held[other], step.missio[other]) for other in range(players))
                    and all(token in (0, number) for token, number in zip(guess.deck, step.missio_deck, strict=True))
                    for guess in memory.missio.guesses
                )


def _within(tokens: Sequence[int], cards: Sequence[int]) -> bool:
    """Whether the known ones among the tokens are among the cards."""
    known = Counter(token for token in tokens if token > 0)
    return not known - Counter(cards)


def _samples(tracker: Tracker, state: State, seat: int, count: int = 40) -> list[State]:
    return [tracker.sample(state.view(seat), bytes([number])) for number in range(count)]


def test_a_card_taken_by_a_barrister_is_known() -> None:
    game = Game(position({"archive": "Priest"}, hands=["Barrister", "Soldier"]))
    game.play("Barrister", "archive").pick("archive", "Priest")
    tracker = tracker_of(1, game.state)
    tracker.observe(seen_by(1, game.history))
    assert all(10 in world.hands[0] for world in _samples(tracker, game.state, 1))


def test_a_stolen_card_is_known_to_both_and_to_nobody_else() -> None:
    game = Game(position({}, hands=["Thief", "Clerk Clerk Clerk", "Priest"], players=3))
    game.play("Thief", "college")
    trackers = [tracker_of(seat, game.state) for seat in range(3)]
    for seat, tracker in enumerate(trackers):
        tracker.observe(seen_by(seat, game.history))
    assert all(7 in world.hands[0] for world in _samples(trackers[1], game.state, 1))
    assert len({world.hands[0] for world in _samples(trackers[2], game.state, 2)}) > 5


def test_an_unseen_theft_of_a_known_card_stays_possible_until_the_card_shows() -> None:
    """Seat 2 saw seat 1 take a Priest from the City; seat 0 then steals one of its two cards."""
    game = Game(
        position({"archive": "Priest"}, hands=["Barrister Thief", "Barrister Clerk", "Soldier"], players=3, turn=2)
    )
    game.play("Barrister", "archive").pick("archive", "Priest")
    tracker = tracker_of(2, game.state)
    tracker.observe(seen_by(2, game.history))
    hands = {world.hands[1] for world in _samples(tracker, game.state, 2)}
    assert all(10 in hand for hand in hands)
    theft = Event(("card_stolen", 0, 1))
    tracker.observe([theft])
    assert len(tracker._memory.virtus.guesses) == 2
    tracker.observe([Event(("card_played", 0, 10, 1))])
    holders = {guess.hands[1].count(10) for guess in tracker._memory.virtus.guesses}
    assert holders == {0, 1}, "seat 0 may have held a Priest of its own"


def test_a_missio_card_put_under_the_deck_is_remembered() -> None:
    game = Game(position({}, hands=["Clerk", "Clerk"], missio=[[3, 4], [5]], missio_top=[9, 8]))
    game.play("Clerk", "tavern_north").choose("missio", 3)
    tracker = tracker_of(0, game.state)
    tracker.observe(seen_by(0, game.history))
    assert {world.missio_deck[-1] for world in _samples(tracker, game.state, 0)} == {3}


def test_after_the_reshuffle_the_second_deck_is_known_by_its_cards() -> None:
    state = fresh("reshuffle", 3)
    trackers = [tracker_of(seat, state) for seat in range(3)]
    checked = 0
    for step in random_walk(state, 5):
        events = step.take_events()
        for seat, tracker in enumerate(trackers):
            tracker.observe(seen_by(seat, events))
        if any(event.fact[0] == "deck_reshuffled" for event in events) and step.decision():
            checked += 1
            world = trackers[0].sample(step.view(0), b"w")
            assert sorted(world.virtus) == sorted(step.virtus[step.drawn :])
    assert checked == 1


def test_without_events_a_sample_fits_the_view_alone() -> None:
    state = fresh("late", 4)
    for step in random_walk(state, 3, 60):
        if step.decision() is None:
            break
        seat = step.active
        world = tracker_of(seat, step).sample(step.view(seat), b"x")
        check(world)


def test_the_same_seed_gives_the_same_sample() -> None:
    state = fresh("same", 3)
    tracker = tracker_of(0, state)
    tracker.observe(seen_by(0, state.take_events()))
    first, second, other = (tracker.sample(state.view(0), seed) for seed in (b"a", b"a", b"b"))
    assert (first.hands, first.virtus, first.seed) == (second.hands, second.virtus, second.seed)
    assert first.virtus != other.virtus
    assert state.seed not in (first.seed, other.seed)


def test_a_sample_never_reads_the_true_state() -> None:
    """Two games that differ only in what seat 0 cannot know give it the same samples."""
    base = position({"market": "Broker"}, hands=["Clerk", "Soldier Priest"], missio=[[1], [2, 3]])
    other = position({"market": "Broker"}, hands=["Clerk", "Thief Student"], missio=[[1], [4, 5]], seed="other")
    worlds = []
    for start in (base, other):
        game = Game(start)
        tracker = tracker_of(0, game.state)
        tracker.observe(seen_by(0, game.events))
        worlds.append(tracker.sample(game.state.view(0), b"z"))
    assert worlds[0].hands == worlds[1].hands
    assert worlds[0].virtus == worlds[1].virtus


def test_more_possibilities_are_kept_when_too_few_were() -> None:
    """In some of these games a theft had an outcome that was not the likeliest, and only that one is kept at first."""
    grown = 0
    for number in range(12):
        state = fresh(f"limits-{number}", 4)
        trackers = [tracker_of(seat, state) for seat in range(4)]
        for seat, tracker in enumerate(trackers):
            tracker._limit = 1
            tracker._memory = Memory(seat, Setup(4, RULES.options()), 1)
        for step in random_walk(state, number):
            events = step.take_events()
            for seat, tracker in enumerate(trackers):
                tracker.observe(seen_by(seat, events))
                assert step.decision() is None or tracker._memory.fits(step.view(seat))
        grown += sum(tracker._limit > 1 for tracker in trackers)
    assert grown > 0


def test_guesses_without_any_possibility_say_so() -> None:
    guesses = Guesses(4, "only")
    with pytest.raises(Contradiction):
        guesses.update_each(lambda guess: ((guess, 0.0),))
