"""Nothing hidden reaches a seat (section 8 of the rules): two worlds that differ only in what it cannot know look the
same to it, byte for byte. And the tests themselves are tested: they notice a leak that is planted on purpose."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

import pytest
from tests.support.fidelitas import VARIANTS, Game, fresh, position, variant_name
from tests.support.playing import random_walk

from palio.bench.engine import compiled
from palio.codec import codec_of
from palio.engine.errors import IllegalAction
from palio.engine.game import Option, Value
from palio.games.fidelitas import Position, State
from palio.games.fidelitas.choices import KINDS
from palio.games.fidelitas.table import Table

CODEC = codec_of("fidelitas")
NEEDS_PLAIN_RULES = pytest.mark.skipif(compiled(), reason="methods of compiled classes cannot be replaced")
Look: TypeAlias = Callable[[State, int | None], bytes]


def look(state: State, seat: int | None) -> bytes:
    """What a seat, or a spectator, receives as its observation."""
    return CODEC.observation(state.view(seat))


def other_world(state: State, seat: int | None, chooser: random.Random) -> State:
    """A copy in which everything that the seat cannot see lies elsewhere; all sizes are the same."""
    twin = state.clone()
    others = [other for other in range(state.players) if other != seat]
    students = () if seat == state.active else state.student
    deck = state.virtus[state.drawn :]
    cards = [card for other in others for card in state.hands[other]] + [*students, *deck]
    chooser.shuffle(cards)
    missio = [number for other in others for number in state.missio[other]] + [*state.missio_deck]
    chooser.shuffle(missio)
    for other in others:
        size, count = len(state.hands[other]), len(state.missio[other])
        twin.hands[other] = tuple(sorted(cards[:size]))
        twin.missio[other] = tuple(sorted(missio[:count]))
        del cards[:size], missio[:count]
    if students:
        twin.student = tuple(sorted(cards[:4]))
        del cards[:4]
    twin.virtus, twin.drawn = tuple(cards), 0
    twin.missio_deck = tuple(missio)
    twin.seed = bytes(chooser.randrange(256) for _ in range(32))
    return twin


def assert_worlds_look_alike(state: State, seat: int | None, chooser: random.Random, observe: Look = look) -> None:
    """Observation, options and the text of a refusal depend on nothing that the seat cannot see."""
    twin = other_world(state, seat, chooser)
    decision = state.decision()
    if decision is not None and decision.seat == seat:
        twin.go_on()
        again = twin.decision()
        assert again is not None
        assert [CODEC.option(option) for option in again.options] == [
            CODEC.option(option) for option in decision.options
        ]
        assert _refusal(twin) == _refusal(state)
    assert observe(twin, seat) == observe(state, seat)


def _refusal(state: State) -> str:
    with pytest.raises(IllegalAction) as caught:
        state.choose(1000)
    return str(caught.value)


@pytest.mark.parametrize(("players", "teams"), VARIANTS, ids=map(variant_name, VARIANTS))
def test_observations_options_and_refusals_for_every_decision_kind(players: int, teams: bool) -> None:
    expected = set(KINDS[1:]) - ({"DRAW_CARD", "EXCHANGE_MISSIO"} if players == 1 else {"PLACE_THIEF"})
    seen: set[str] = set()
    chooser = random.Random(8)
    for number in range(60):
        if number >= 8 and seen == expected:
            break
        for step in random_walk(fresh(f"secret-{number}", players, teams=teams), number):
            decision = step.decision()
            if decision is None:
                break
            seen.add(decision.kind)
            for seat in (None, *range(players)):
                assert_worlds_look_alike(step, seat, chooser)
    assert seen == expected


@pytest.mark.parametrize("leak", ["a hidden card's count", "a Missio card", "the deck's top"])
def test_a_planted_leak_in_an_observation_is_noticed(leak: str) -> None:
    def leaky(state: State, seat: int | None) -> bytes:
        view = state.view(seat)
        other = 1 - (seat or 0)
        if leak == "a hidden card's count":
            view = view._replace(draws_left=state.hands[other].count(9))
        elif leak == "a Missio card":
            view = view._replace(points=(state.missio[other][0], 0))
        else:
            view = view._replace(turn=state.virtus[state.drawn])
        return CODEC.observation(view)

    def search() -> None:
        chooser = random.Random(1)
        for step in random_walk(fresh("planted", 2), 1, 60):
            assert_worlds_look_alike(step, 0, chooser, leaky)

    with pytest.raises(AssertionError):
        search()


def _public_after(state: State, option: Option, seat: int | None) -> tuple[list[bytes], bytes] | None:
    """The public events of this choice, and the seat's observation then. ``None`` where it cannot be made, or
    where what all saw is in no observation any more: the discards of a deck that was shuffled, and the end.
    """
    game = state.clone()
    game.log = []
    game.go_on()
    decision = game.decision()
    if decision is None or option not in decision.options:
        return None
    game.choose(decision.options.index(option))
    public = [event.fact for event in game.take_events() if event.viewers is None]
    if any(fact[0] in ("deck_reshuffled", "game_over") for fact in public):
        return None
    return list(map(CODEC.event, public)), look(game, seat)


@pytest.mark.slow
@pytest.mark.parametrize(("players", "teams"), VARIANTS, ids=map(variant_name, VARIANTS))
def test_public_events_of_every_decision_kind_tell_nothing_hidden(players: int, teams: bool) -> None:
    """Two worlds that look alike to a seat before a choice and after it: the public events between are the same."""
    compared: Counter[str] = Counter()
    expected = set(KINDS[1:]) - ({"DRAW_CARD", "EXCHANGE_MISSIO"} if players == 1 else {"PLACE_THIEF"})
    chooser = random.Random(9)
    for number in range(40):
        if number >= 4 and set(compared) == expected:
            break
        for step in random_walk(fresh(f"events-{number}", players, teams=teams), number):
            decision = step.decision()
            if decision is None:
                break
            option = chooser.choice(decision.options)
            for seat in (None, *range(players)):
                truth = _public_after(step, option, seat)
                if truth is None or (seat is None and decision.kind == "PLACE_THIEF"):  # a hand that has a Thief
                    continue
                for _ in range(3):
                    other = _public_after(other_world(step, seat, chooser), option, seat)
                    if other is not None and other[1] == truth[1]:
                        compared[decision.kind] += 1
                        assert other[0] == truth[0]
    assert set(compared) == expected


@NEEDS_PLAIN_RULES
def test_a_leak_planted_in_the_public_events_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    def tell_everybody(table: Table, _viewers: tuple[int, ...], *fact: Value) -> None:
        table.tell(*fact)

    monkeypatch.setattr(Table, "tell_seats", tell_everybody)
    with pytest.raises(AssertionError):
        test_public_events_of_every_decision_kind_tell_nothing_hidden(2, False)


FOUR = "Soldier Priest Clerk Baker"


@dataclass(frozen=True)
class Story:
    """The same course of events with other hidden cards.

    Attributes:
        watcher: who must not notice a difference.
        one, two: the worlds, and what is chosen in each.
    """

    watcher: int | None
    one: tuple[Position, tuple[tuple[Value, ...], ...]]
    two: tuple[Position, tuple[tuple[Value, ...], ...]]


def _play(character: int, place: int) -> tuple[Value, ...]:
    return ("play", character, place)


TAVERN = _play(7, 3)
STORIES: dict[str, Story] = {
    "deal": Story(1, (position({}, hands=["Clerk", "Baker"]), ()), (position({}, hands=["Thief", "Baker"]), ())),
    "draw from the deck": Story(
        1,
        (position({}, hands=["Thief", "Baker"], deck_top="Clerk"), (_play(12, 1),)),
        (position({}, hands=["Thief", "Baker"], deck_top="Student"), (_play(12, 1),)),
    ),
    "Professor": Story(
        None,
        (position({}, hands=["Professor Clerk", "Baker"], deck_top="Thief Thief Priest"), (_play(5, 2),)),
        (position({}, hands=["Professor Clerk", "Baker"], deck_top="Student Baker Baker"), (_play(5, 2),)),
    ),
    "Student keeps a card": Story(
        1,
        (
            position({}, hands=["Student", "Baker Baker"], deck_top="Clerk Thief Priest Soldier Soldier"),
            (_play(6, 2), ("hand_card", 9)),
        ),
        (
            position({}, hands=["Student", "Baker Baker"], deck_top="Thief Priest Minstrel Clerk Soldier"),
            (_play(6, 2), ("hand_card", 11)),
        ),
    ),
    "Priest draws Virtus cards": Story(
        1,
        (position({}, hands=["Priest", "Baker"], deck_top="Thief Thief"), (_play(10, 2), ("priest", 2))),
        (position({}, hands=["Priest", "Baker"], deck_top="Student Clerk"), (_play(10, 2), ("priest", 2))),
    ),
    "Priest draws a Missio card": Story(
        1,
        (position({}, hands=["Priest", "Baker"], missio_top=[3]), (_play(10, 2), ("priest", 1))),
        (position({}, hands=["Priest", "Baker"], missio_top=[11]), (_play(10, 2), ("priest", 1))),
    ),
    "exchange at the Tavern": Story(
        1,
        (
            position({}, hands=["Clerk", "Baker"], missio=[[1, 2]], missio_top=[3], deck_top="Priest"),
            (TAVERN, ("missio", 2), ("deck",)),
        ),
        (
            position({}, hands=["Clerk", "Baker"], missio=[[4, 5]], missio_top=[6], deck_top="Priest"),
            (TAVERN, ("missio", 4), ("deck",)),
        ),
    ),
    "a pass looks like nothing to score": Story(
        1,
        (position({"market": FOUR}, hands=["Thief", "Butcher"], missio=[[7]]), (_play(12, 1), ("pass",))),
        (position({"market": FOUR}, hands=["Thief", "Butcher"], missio=[[8]]), (_play(12, 1),)),
    ),
    "a partner's pass looks like nothing to score": Story(
        1,
        (
            position({"market": FOUR}, hands=["Thief", *["Butcher"] * 3], players=4, teams=True, missio=[[], [], [7]]),
            (_play(12, 1), ("pass",)),
        ),
        (
            position({"market": FOUR}, hands=["Thief", *["Butcher"] * 3], players=4, teams=True, missio=[[], [], [8]]),
            (_play(12, 1),),
        ),
    ),
    "replacements after scoring": Story(
        None,
        (
            position({"market": FOUR}, hands=["Thief", "Butcher"], missio=[[7]], missio_top=[1, 2]),
            (_play(12, 1), ("missio", 7)),
        ),
        (
            position({"market": FOUR}, hands=["Thief", "Butcher"], missio=[[7]], missio_top=[3, 4]),
            (_play(12, 1), ("missio", 7)),
        ),
    ),
    "alone, from the deck": Story(
        None,
        (position({}, hands=["Soldier"], players=1, deck_top="Clerk"), (_play(9, 2),)),
        (position({}, hands=["Soldier"], players=1, deck_top="Student"), (_play(9, 2),)),
    ),
    "alone, a Student keeps a card": Story(
        None,
        (
            position({}, hands=["Student"], players=1, deck_top="Clerk Baker Priest Soldier Soldier"),
            (_play(6, 2), ("hand_card", 9)),
        ),
        (
            position({}, hands=["Student"], players=1, deck_top="Baker Priest Minstrel Clerk Soldier"),
            (_play(6, 2), ("hand_card", 11)),
        ),
    ),
    "three at the table, a Missio card": Story(
        2,
        (position({}, hands=["Priest", "Baker", "Clerk"], players=3, missio_top=[3]), (_play(10, 2), ("priest", 1))),
        (position({}, hands=["Priest", "Baker", "Clerk"], players=3, missio_top=[11]), (_play(10, 2), ("priest", 1))),
    ),
    "four at the table, a theft": Story(
        3,
        (
            position({}, hands=["Thief", "Clerk Clerk Clerk", "Baker", "Baker"], players=4, deck_top="Soldier"),
            (_play(12, 1),),
        ),
        (
            position({}, hands=["Thief", "Priest Priest Student", "Baker", "Baker"], players=4, deck_top="Soldier"),
            (_play(12, 1),),
        ),
    ),
    "a partner's theft": Story(
        2,
        (
            position({}, hands=["Thief", "Clerk Clerk Clerk", "Baker", "Baker"], players=4, teams=True),
            (_play(12, 1),),
        ),
        (
            position({}, hands=["Thief", "Priest Priest Student", "Baker", "Baker"], players=4, teams=True),
            (_play(12, 1),),
        ),
    ),
    "a theft between others": Story(
        2,
        (
            position({}, hands=["Thief", "Clerk Clerk Clerk", "Baker"], players=3, deck_top="Soldier"),
            (_play(12, 1),),
        ),
        (
            position({}, hands=["Thief", "Priest Priest Student", "Baker"], players=3, deck_top="Soldier"),
            (_play(12, 1),),
        ),
    ),
}


def _told(start: Position, choices: tuple[tuple[Value, ...], ...], watcher: int | None) -> list[bytes]:
    """All that the watcher receives: events as bytes, then the observation."""
    game = Game(start)
    for option in choices:
        game.choose(*option)  # type: ignore[arg-type]
    visible = [event for event in game.history if event.viewers is None or watcher in event.viewers]
    return [*(CODEC.event(event.fact) for event in visible), look(game.state, watcher)]


@pytest.mark.parametrize("story", STORIES.values(), ids=STORIES.keys())
def test_events_tell_nothing_hidden(story: Story) -> None:
    assert _told(*story.one, story.watcher) == _told(*story.two, story.watcher)


@pytest.mark.parametrize("story", STORIES.values(), ids=STORIES.keys())
def test_the_stories_differ_for_somebody(story: Story) -> None:
    """Otherwise a story would prove nothing."""
    players = story.one[0].players
    assert any(_told(*story.one, seat) != _told(*story.two, seat) for seat in range(players))


@NEEDS_PLAIN_RULES
@pytest.mark.parametrize("name", [name for name in STORIES if "pass" not in name])
def test_a_planted_leak_in_the_events_is_noticed(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def tell_everybody(table: Table, _viewers: tuple[int, ...], *fact: Value) -> None:
        table.tell(*fact)

    monkeypatch.setattr(Table, "tell_seats", tell_everybody)
    story = STORIES[name]
    assert _told(*story.one, story.watcher) != _told(*story.two, story.watcher)


def test_private_events_reach_only_the_seats_concerned() -> None:
    private = {
        "hand_dealt": 1,
        "cards_drawn": 1,
        "card_kept": 1,
        "missio_returned": 1,
        "missio_received": 1,
        "stolen_card": 2,
    }
    for players, teams in VARIANTS:
        for number in range(4):
            for step in random_walk(fresh(f"private-{number}", players, teams=teams), number):
                for event in step.take_events():
                    concerned = private.get(str(event.fact[0]), 0)
                    assert event.viewers == (event.fact[1 : 1 + concerned] if concerned else None)
