"""What must hold at every decision (section 9 of the rules); for tests and for ``python -m tests.fuzz``."""

from __future__ import annotations

from collections import Counter
from itertools import pairwise

from palio.games.fidelitas.cards import CHARACTERS, TAVERN_SIDES, THIEF
from palio.games.fidelitas.choices import KINDS
from palio.games.fidelitas.state import State


def check(state: State) -> None:
    """
    Raises:
        AssertionError: an invariant does not hold; the message says which.
    """
    setup = state.setup
    virtus = Counter(state.virtus[state.drawn :])
    virtus.update(state.discard)
    virtus.update(state.student)
    for cards in (*state.hands, *(pile.cards for pile in state.piles)):
        virtus.update(cards)
    expected = {character: setup.deck.copies[character] for character in CHARACTERS if setup.deck.copies[character]}
    assert virtus == expected, f"the Virtus cards are {virtus}, not the deck list"

    missio = Counter(state.missio_deck)
    for numbers in (*state.missio, *state.scored):
        missio.update(numbers)
    assert missio == dict.fromkeys(range(1, len(setup.deck.missio) + 1), 1), f"the Missio cards are {missio}"

    for seat in range(setup.players):
        points = sum(setup.missio[number].points for number in state.scored[seat])
        assert state.points[seat] == points, (
            f"seat {seat} has {state.points[seat]} points, its cards are worth {points}"
        )
        assert list(state.hands[seat]) == sorted(state.hands[seat]), f"the hand of seat {seat} is not in order"
        assert list(state.missio[seat]) == sorted(state.missio[seat]), (
            f"the Missio cards of seat {seat} are not in order"
        )
    assert 0 <= state.turn <= setup.max_turns, f"turn {state.turn} of {setup.max_turns}"
    if setup.solo:
        assert not any(state.piles[side].cards for side in TAVERN_SIDES), "the solo game has no Tavern"

    _check_decision(state)


def _check_decision(state: State) -> None:
    decision = state.decision()
    assert (decision is None) == (state.outcome() is not None), "a decision and an outcome exclude each other"
    if decision is None:
        return
    for pile in state.piles:
        assert pile.soldiers < 3, f"{pile} holds three Soldiers at a decision"
    assert state.drawn < len(state.virtus), "the deck is empty at a decision"
    options = list(decision.options)
    assert decision.kind in KINDS[1:], decision.kind
    assert len(options) >= 2, f"{decision.kind} with {options}"
    assert all(a != b for a, b in pairwise(options)), f"equal options in {options}"
    first = ("pass", "deck", "draw_two")
    ranked = sorted(options, key=lambda option: (option[0] not in first, option[0] != "broker", option[1:]))
    assert options == ranked, f"{options} are out of order"
    if state.setup.solo and decision.kind == "PLAY_CARD":
        assert THIEF not in state.hands[0], "a Thief in a solo hand"
