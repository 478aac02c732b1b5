"""What nobody may learn: rules G-142 to G-144 and the hidden items V-01 to V-07, byte for byte."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from dataclasses import fields

import pytest
from tests.support.feudum import BLUE, GREEN, RED, act, fresh, kind, perform, ready, table
from tests.support.playing import random_walk

from palio.codec.feudum import CODEC
from palio.engine.game import Event
from palio.games.feudum.data import CHAMPION, STALL
from palio.games.feudum.game import Feudum
from palio.games.feudum.machine import preview, run
from palio.games.feudum.view import View

SEATS = (None, 0, 1, 2, 3)


def seen(state: Feudum, seat: int | None) -> bytes:
    """All that a seat is sent about a state."""
    return CODEC.observation(state.view(seat))


def told(events: list[Event], seat: int | None) -> list[bytes]:
    """All that a seat is sent of some events."""
    return [CODEC.event(e.fact) for e in events if e.viewers is None or seat in e.viewers]


def moments(wanted: Callable[[Feudum], bool], games: int = 12, n: int = 4) -> Iterator[Feudum]:
    """Copies of states of random games in which something is there to be hidden, one a game."""
    found = 0
    for number in range(games):
        for state in random_walk(fresh(n, seed=number.to_bytes(32, "big")), number):
            if state.stack and wanted(state) and state.round >= 2:
                found += 1
                yield state.clone()
                break
    assert found >= 3


def same(a: Feudum, b: Feudum, but: int | None = -1) -> None:
    """Everybody but one sees the same."""
    for seat in SEATS:
        if seat != but:
            assert seen(a, seat) == seen(b, seat), f"seat {seat} sees a difference"


def follow(state: Feudum, choices: int, but: int) -> list[tuple[int | None, list[bytes]]]:
    """What everybody but one is told while that many choices of others, the first option each, are taken."""
    state.log = []
    for _ in range(choices):
        if not state.stack or state.stack[-1][1] == but:
            break
        state.choose(0)
    events = state.take_events()
    return [(seat, told(events, seat)) for seat in SEATS if seat != but]


def test_v01_which_writs_a_player_holds() -> None:
    for state in moments(lambda s: bool(s.hands[GREEN]) and s.stack[-1][1] != GREEN):
        other = state.clone()
        card, top = other.hands[GREEN][0], other.deck[-1]
        other.hands[GREEN] = tuple(sorted((*other.hands[GREEN][1:], top)))
        other.deck = (*other.deck[:-1], card)
        other.offered = preview(other)
        same(state, other, but=GREEN)
        assert state.offered == other.offered
        assert seen(state, GREEN) != seen(other, GREEN)


def test_v02_order_and_content_of_the_deck() -> None:
    for state in moments(lambda s: len(s.deck) > 4):
        other = state.clone()
        other.deck = other.deck[::-1]
        same(state, other)
        assert state.offered == other.offered


def drawing(drawn: tuple[int, ...]) -> Feudum:
    state = ready(table(4), RED)
    deck = (*drawn, *(card for card in range(16) if card not in drawn))
    state.deck = deck
    from palio.games.feudum.writs import draw

    state.log = []
    state.stack.pop()
    draw(state, RED, 3)
    run(state)
    return state


def test_v03_cards_drawn_and_which_was_kept() -> None:
    a, b, c = drawing((1, 2, 3)), drawing((9, 8, 7)), drawing((1, 2, 3))
    same(a, b, but=RED)
    assert seen(a, RED) != seen(b, RED)
    logs = [state.take_events() for state in (a, b, c)]
    logs[0] += act(a, ("card", 1))
    logs[1] += act(b, ("card", 8))
    logs[2] += act(c, ("card", 3))
    same(a, b, but=RED)
    same(a, c, but=RED)
    for seat in SEATS:
        if seat != RED:
            assert told(logs[0], seat) == told(logs[1], seat) == told(logs[2], seat)
    assert told(logs[0], RED) != told(logs[2], RED)


def test_v03_the_fourth_card_that_goes_back() -> None:
    states = []
    for back in (4, 6):
        state = ready(table(4), RED)
        state.hands[RED] = (4, 5, 6, 7)
        state.deck = tuple(card for card in range(16) if card not in (4, 5, 6, 7))
        state.stack[-1:] = [("WRIT_LIMIT", RED)]
        state.log = []
        run(state)
        states.append((state, act(state, ("card", back))))
    (a, events_a), (b, events_b) = states
    same(a, b, but=RED)
    for seat in SEATS:
        assert (told(events_a, seat) == told(events_b, seat)) is (seat != RED)


def hiding() -> Feudum:
    state = table(4)
    state.rosary = (2, 3, 5)
    perform(state, RED, 5, 0)
    act(state, ("opponent", BLUE))
    return state


def test_v04_how_the_beads_are_hidden() -> None:
    a, b = hiding(), hiding()
    assert seen(a, RED) == seen(b, RED)
    events_a, events_b = act(a, ("hide", 0)), act(b, ("hide", 1))
    assert kind(a) == kind(b) == "FIST"
    same(a, b, but=BLUE)
    assert seen(a, BLUE) != seen(b, BLUE)
    assert a.offered == b.offered
    for seat in SEATS:
        assert (told(events_a, seat) == told(events_b, seat)) is (seat != BLUE)
    act(a, ("fist", 0))
    act(b, ("fist", 0))
    assert a.view(BLUE).hidden == -1
    assert a.beads[RED] != b.beads[RED]


def test_v05_values_of_seals_even_for_their_owners() -> None:
    for state in moments(lambda s: any(s.seals) and any(s.scrolls) and len(set(s.discs)) > 1):
        other = state.clone()
        other.discs = other.discs[::-1]
        owner = next(p for p in range(4) if other.seals[p])
        cell = next(c for c in range(6) if other.scrolls[c])
        seals = other.seals[owner]
        other.scrolls[cell], other.seals[owner] = seals[0], (other.scrolls[cell], *seals[1:])
        same(state, other)
        assert state.offered == other.offered


def test_v06_seed_and_streams() -> None:
    for state in moments(lambda s: s.stack[-1][0] == "ACTION"):
        other = state.clone()
        other.seed = bytes(32)
        other.streams = [position + 7 for position in other.streams]
        same(state, other)
        assert state.offered == other.offered


def test_v07_the_options_of_somebody_else_s_decision() -> None:
    a, b = ready(table(4), RED), ready(table(4), RED)
    for state, card in ((a, STALL), (b, CHAMPION)):
        state.goods[4] = 1
        state.hands[RED] = (card,)
        state.deck = tuple(c for c in range(16) if c != card)
        state.offered = preview(state)
    assert a.offered != b.offered
    same(a, b, but=RED)


def test_v07_a_view_holds_no_options() -> None:
    state = ready(table(4), RED)
    assert "offered" not in {field.name for field in fields(View)}
    assert state.view(RED).asked == RED


@pytest.mark.parametrize("choices", [1, 6, 25])
def test_g144_two_worlds_stay_the_same_until_something_is_revealed(choices: int) -> None:
    """The same public choices are taken in two worlds that differ in one seat's writs; the others hear the same."""
    for state in moments(lambda s: bool(s.hands[GREEN]) and s.stack[-1][1] != GREEN, games=30):
        other = state.clone()
        card, low = other.hands[GREEN][0], other.deck[-1]
        other.hands[GREEN] = tuple(sorted((*other.hands[GREEN][1:], low)))
        other.deck = (*other.deck[:-1], card)
        assert follow(state, choices, GREEN) == follow(other, choices, GREEN)


def test_g142_public_part_is_the_same_for_everybody() -> None:
    for state in random_walk(fresh(3), 6, decisions=150):
        views = [state.view(seat) for seat in (None, 0, 1, 2)]
        for field in fields(View):
            if field.name not in {"seat", "hand", "drawn", "hidden"}:
                values = [getattr(view, field.name) for view in views]
                assert all(value == values[0] for value in values), field.name


def test_g142_what_the_public_part_holds() -> None:
    state = ready(table(4), RED)
    view = state.view(None)
    assert (view.players, view.round, view.turn_no, view.epoch, view.starter, view.active) == (4, 1, 1, 1, RED, RED)
    assert (view.asked, view.asked_kind) == (RED, "ACTION")
    assert view.seal_counts == view.writ_counts == [0] * 4
    assert (view.deck, view.discs) == (16, 17)


def test_g143_private_part() -> None:
    state = drawing((1, 2, 3))
    assert state.view(RED).drawn == (1, 2, 3)
    assert state.view(GREEN).drawn == state.view(None).drawn == ()
    act(state, ("card", 2))
    assert state.view(RED).hand == (2,)
    assert state.view(GREEN).hand == state.view(None).hand == ()


def test_a_planted_leak_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    honest = Feudum.view

    def leaky(self: Feudum, seat: int | None) -> View:
        view = honest(self, seat)
        view.turns += self.hands[GREEN].count(STALL)
        return view

    monkeypatch.setattr(Feudum, "view", leaky)
    a, b = ready(table(4), RED), ready(table(4), RED)
    a.hands[GREEN], b.hands[GREEN] = (STALL,), (CHAMPION,)
    with pytest.raises(AssertionError, match="sees a difference"):
        same(a, b, but=GREEN)


def test_random_hidden_changes_never_show() -> None:
    """All hidden items at once, at random, in the middle of games: a spectator sees nothing of it."""
    chooser = random.Random(3)
    for number in range(6):
        for at, state in enumerate(random_walk(fresh(4, seed=number.to_bytes(32, "little")), number)):
            if at % 25 or not state.stack:
                continue
            before = seen(state, None)
            other = state.clone()
            cards = [*other.deck, *(card for hand in other.hands for card in hand), *other.drawn]
            chooser.shuffle(cards)
            take = iter(cards)
            other.deck = tuple(next(take) for _ in other.deck)
            other.hands = [tuple(sorted(next(take) for _ in hand)) for hand in other.hands]
            other.drawn = tuple(next(take) for _ in other.drawn)
            values = [*other.discs, *(v for v in other.scrolls if v), *(v for held in other.seals for v in held)]
            chooser.shuffle(values)
            draw = iter(values)
            other.discs = tuple(next(draw) for _ in other.discs)
            other.scrolls = [next(draw) if value else 0 for value in other.scrolls]
            other.seals = [tuple(next(draw) for _ in held) for held in other.seals]
            other.seed = bytes(32)
            other.hidden = -1 if other.hidden < 0 else 1 - other.hidden
            assert seen(other, None) == before
