"""The planner of Fidelitas: its distances, its search, its matches."""

from __future__ import annotations

import pytest

from palio.bots import bot_named
from palio.bots.arena import measure, play_match
from palio.bots.fidelitas._outlook import Outlook, distance_of
from palio.bots.fidelitas._turn import lines_of
from palio.client import missio
from palio.codec import codec_of
from palio.engine.chance import Stream, seed_from_text
from palio.games.fidelitas import RULES
from palio.games.fidelitas.cards import LOCATIONS, SOLO_LOCATIONS
from palio.games.fidelitas.conditions import HOUSE_MISSIO
from palio.games.fidelitas.state import State
from palio.games.fidelitas.table import END_PHASE


def reached(text: str, players: int, choices: int) -> State | None:
    """A game after so many random choices, unless it is over by then."""
    state = RULES.start(seed_from_text(text), players, RULES.options())
    stream = Stream(seed_from_text(text), "choices")
    for _ in range(choices):
        decision = state.decision()
        if decision is None:
            return None
        state.choose(stream.uniform(len(decision.options)))
    return state.clone() if state.decision() else None


@pytest.mark.parametrize("players", [1, 2])
def test_fast_distances_equal_those_of_the_reference_interpreter(players: int) -> None:
    locations = SOLO_LOCATIONS if players == 1 else LOCATIONS
    cards = codec_of("fidelitas").catalogue().fidelitas.missio
    reference = [missio.distance_of(card, locations) for card in cards]
    fast = [distance_of(card.condition, locations) for card in HOUSE_MISSIO]
    for game in range(10):
        for choices in range(0, 140, 7):
            state = reached(f"distance {game}", players, choices)
            if state is not None:
                city = [pile.cards for pile in state.piles]
                assert [f(city) for f in reference] == [f(state.piles) for f in fast]


def complete(state: State, seat: int, turn: int) -> list[State]:
    """Every end of the action that there is, the plain way."""
    decision = state.decision()
    if decision is None or state.turn != turn or state.phase == END_PHASE or decision.kind == "KEEP_CARD":
        return [state]
    ends = []
    for index in range(len(decision.options)):
        after = state.clone()
        after.choose(index)
        ends += complete(after, seat, turn)
    return ends


def cities(states: list[State]) -> set[tuple[tuple[int, ...], ...]]:
    return {tuple(tuple(sorted(pile.cards)) for pile in state.piles) for state in states}


def test_the_search_reaches_every_city_that_the_rules_allow() -> None:
    compared = 0
    for game in range(40):
        state = reached(f"search {game}", 2, 5 + game)
        if state is None or state.decision().kind != "PLAY_CARD" or 4 in state.hands[state.active]:  # type: ignore[union-attr]
            continue  # a Baker's ways are too many to try them all twice
        seat = state.active
        outlook = Outlook(state.setup, seat)
        lines = lines_of(state, outlook.near, beam=10_000)
        assert cities([line.state for line in lines]) == cities(complete(state, seat, state.turn))
        assert [line.near for line in lines] == sorted((line.near for line in lines), reverse=True)
        compared += 1
    assert compared >= 5


def test_the_search_goes_on_from_a_first_pick_that_was_not_its_own() -> None:
    """As in rollouts, which take some choices at random: whatever was picked first, all that may follow is tried."""
    compared = set()
    for game in range(60):
        state = RULES.start(seed_from_text(f"halfway {game}"), 2, RULES.options())
        stream = Stream(seed_from_text(f"halfway {game}"), "choices")
        for _ in range(80):
            decision = state.decision()
            if decision is None:
                break
            if decision.kind == "PICK_CARD" and state.picks and state.stage not in compared:
                outlook = Outlook(state.setup, decision.seat)
                ends = [line.state for line in lines_of(state, outlook.near, beam=10_000)]
                assert cities(ends) == cities(complete(state, decision.seat, state.turn))
                if all(option < state.picks[-1] for option in decision.options):
                    compared.add(state.stage)
            state.choose(stream.uniform(len(decision.options)))
    assert len(compared) >= 2


@pytest.mark.parametrize(("players", "teams"), [(1, False), (2, False), (3, False), (4, False), (4, True)])
def test_it_plays_every_variant_and_the_same_way_twice(players: int, teams: bool) -> None:
    options = RULES.options(teams=teams)
    factories = [bot_named("planner" if seat % 2 == 0 else "random", str(seat)) for seat in range(players)]
    seed = seed_from_text("variants")
    outcomes = [play_match("fidelitas", factories, seed, "m", options).outcome for _ in range(2)]
    assert outcomes[0] == outcomes[1]


@pytest.mark.slow
def test_it_beats_greedy() -> None:
    assert measure("fidelitas", "planner", "greedy", deals=10).score > 0.5
