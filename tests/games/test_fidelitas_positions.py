"""Positions: what the rules make of them, and which ones they refuse (section 10 of the rules)."""

from __future__ import annotations

import dataclasses
from typing import Any

import pytest
from tests.support.fidelitas import VARIANTS, Game, characters, fresh, position, variant_name
from tests.support.playing import random_walk

from palio.engine.errors import InvalidSetup
from palio.games.fidelitas import RULES, Position


@pytest.mark.parametrize(("players", "teams"), VARIANTS, ids=map(variant_name, VARIANTS))
def test_a_game_goes_on_from_its_position_as_it_would_have(players: int, teams: bool) -> None:
    original = fresh("branch", players, teams=teams)
    turns = 0
    for step in random_walk(original, 3):
        at = RULES.position(step)
        if at is None:
            continue
        turns += 1
        again = RULES.from_position(at)
        assert RULES.position(again) == at
        assert again.decision() == step.decision()
        if turns % 7 == 1:
            twin = step.clone()
            for left, right in zip(random_walk(twin, turns), random_walk(again, turns), strict=True):
                assert left.view(0) == right.view(0)
    assert turns > 10


def test_there_is_a_position_only_where_a_turn_starts() -> None:
    game = Game(position({"market": "Priest Baker"}, hands=["Soldier", "Clerk"]))
    assert RULES.position(game.state) is not None
    game.play("Soldier", "market")
    assert RULES.position(game.state) is None
    *_, over = random_walk(fresh("end", 2), 0)
    assert RULES.position(over) is None


GOOD = position({"market": "Priest"}, hands=["Clerk", "Baker"], missio=[[1, 2], [3]], scored=[[4]])
SOLO = position({"market": "Priest"}, hands=["Clerk"], players=1)


def changed(base: Position = GOOD, **fields: Any) -> Position:
    return dataclasses.replace(base, **fields)


def with_stack(index: int, names: str) -> Position:
    """The good position with a stack whose cards come off the deck."""
    cards = characters(names)
    deck = list(GOOD.virtus_deck)
    for card in cards:
        deck.remove(card)
    stacks = (*GOOD.stacks[:index], cards, *GOOD.stacks[index + 1 :])
    return changed(stacks=stacks, virtus_deck=tuple(deck))


REFUSED: list[tuple[str, Position, str]] = [
    ("seed", changed(seed=b"short"), "32"),
    ("players", changed(players=5), "1 to 4"),
    ("teams", changed(teams=True), "4 players"),
    ("max_turns", changed(max_turns=5), "20 to 10000"),
    ("turn", changed(turn=0), "1 to max_turns"),
    ("turn", changed(turn=201), "200"),
    ("stacks", changed(stacks=GOOD.stacks[:9]), "10 locations"),
    ("hand", changed(hand=GOOD.hand[:1]), "2 seats"),
    ("missio", changed(missio=()), "2 seats"),
    ("scored", changed(scored=(*GOOD.scored, ())), "2 seats"),
    ("virtus_deck[0]", changed(virtus_deck=(15, *GOOD.virtus_deck[1:])), "1 to 14"),
    ("hand[1].cards[0]", changed(hand=(GOOD.hand[0], (0,))), "1 to 14"),
    ("stacks[4].cards[0]", changed(stacks=(*GOOD.stacks[:4], (-3,), *GOOD.stacks[5:])), "1 to 14"),
    ("discard[0]", changed(discard=("PRIEST",)), "1 to 14"),
    ("stacks[0].cards", with_stack(0, "Soldier Priest Soldier Soldier"), "3 Soldiers at COURTHOUSE"),
    ("virtus_deck", changed(virtus_deck=(), discard=GOOD.virtus_deck), "empty"),
    ("deck.virtus", changed(virtus_deck=GOOD.virtus_deck[1:]), "2 of SHOPKEEPER instead of 3"),
    ("deck.virtus", changed(virtus_deck=(14, *GOOD.virtus_deck)), "5 of SWINDLER instead of 4"),
    ("missio[1].ids[0]", changed(missio=((1, 2), (2,))), r"already|in missio\[0\].ids\[1\] already"),
    ("missio_deck[0]", changed(missio_deck=(21, *GOOD.missio_deck)), "1 to 20"),
    ("missio_deck", changed(missio=((1, 2), ())), "nowhere: 3"),
    ("scored[0].ids[1]", changed(scored=((4, 1), ())), "already"),
    ("final_round", changed(final_round=True), "must be false"),
    (
        "final_round",
        position({}, hands=["Clerk", "Baker"], scored=[[14, 13, 9]], turn=2),
        "must be true",
    ),
    (
        "final_round",
        position({}, hands=["Clerk", "Baker"], scored=[[14, 13, 9]], turn=3, final_round=True),
        "over",
    ),
    ("reshuffled", changed(SOLO, reshuffled=True), "first time"),
    ("hand[0].cards", position({}, hands=["Thief"], players=1), "never holds a Thief"),
    ("stacks[2].cards", position({"tavern_north": "Priest"}, hands=["Clerk"], players=1), "no Tavern"),
    (
        "scored[0].ids",
        position({}, hands=["Clerk"], players=1, scored=[list(range(1, 21))]),
        "over",
    ),
]


@pytest.mark.parametrize(
    ("field", "bad", "why"), REFUSED, ids=[f"{n}-{field}" for n, (field, _, _) in enumerate(REFUSED)]
)
def test_impossible_positions_are_refused_naming_the_fault(field: str, bad: Position, why: str) -> None:
    with pytest.raises(InvalidSetup, match=why) as caught:
        RULES.from_position(bad)
    assert caught.value.field == field


def test_the_good_positions_are_good() -> None:
    for start in (GOOD, SOLO, position({}, hands=["Clerk", "Baker"], scored=[[14, 13, 9]], turn=2, final_round=True)):
        assert RULES.from_position(start).decision() is not None


def test_something_else_is_no_position() -> None:
    with pytest.raises(InvalidSetup, match="not a position"):
        RULES.from_position({"seed": "x"})  # type: ignore[arg-type]
