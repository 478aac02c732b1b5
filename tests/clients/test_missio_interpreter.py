"""The reference interpreter of Missio conditions agrees with the rules engine (F-04)."""

from __future__ import annotations

import dataclasses
import re
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from palio.client import missio
from palio.client.missio import LOCATIONS, SOLO_LOCATIONS, distance_of
from palio.engine.chance import Stream, seed_from_text
from palio.fidelitas.v1 import fidelitas_pb2 as pb
from palio.games.fidelitas import RULES
from palio.games.fidelitas.conditions import (
    HOUSE_MISSIO,
    ActiveSwindlers,
    CharacterAtEach,
    CharacterCount,
    CharacterSpread,
    Condition,
    CrowdedLocation,
    DistinctGuilds,
    EmptyLocations,
    GuildAtEach,
    GuildPairs,
    MissioCard,
)
from palio.games.fidelitas.decks import Deck
from palio.games.fidelitas.setup import Options
from palio.games.fidelitas.state import State


def message_of(card: MissioCard) -> pb.MissioCard:
    """The card as clients get it."""
    kind = re.sub(r"(?<!^)(?=[A-Z])", "_", type(card.condition).__name__).lower()
    return pb.MissioCard(points=card.points, **{kind: dataclasses.asdict(card.condition)})  # type: ignore[arg-type]


def played_state(text: str, players: int, choices: int) -> State:
    """A game after so many random choices (or at its end)."""
    state = RULES.start(seed_from_text(text), players, Options())
    stream = Stream(seed_from_text(text), "choices")
    for _ in range(choices):
        decision = state.decision()
        if decision is None:
            break
        state.choose(stream.uniform(len(decision.options)))
    return state


@pytest.mark.parametrize("players", [1, 2, 3, 4])
def test_f04_interpreter_and_engine_agree_on_reachable_positions(players: int) -> None:
    locations = SOLO_LOCATIONS if players == 1 else LOCATIONS
    distances = [distance_of(message_of(card), locations) for card in HOUSE_MISSIO]
    seen: set[tuple[int, bool]] = set()
    for game in range(12):
        for choices in range(0, 160, 4):
            state = played_state(f"missio {game}", players, choices)
            city = [pile.cards for pile in state.piles]
            for number, (card, distance) in enumerate(zip(HOUSE_MISSIO, distances, strict=True), 1):
                met = card.condition.met(state.piles, locations)
                assert (distance(city) == 0) is met, (number, city)
                seen.add((number, met))
    assert {number for number, _ in seen} == set(range(1, 21))


PLACES = st.lists(st.sampled_from(LOCATIONS), min_size=1, unique=True).map(lambda places: tuple(sorted(places)))
CONDITIONS = st.one_of(
    st.builds(DistinctGuilds, PLACES, st.integers(1, 9)),
    st.builds(CharacterCount, st.integers(1, 14), st.integers(1, 9)),
    st.builds(EmptyLocations, st.integers(1, 10)),
    st.builds(CharacterAtEach, st.integers(1, 14), PLACES),
    st.builds(GuildAtEach, st.integers(1, 9), PLACES),
    st.builds(CharacterSpread, st.integers(1, 14), st.integers(1, 10)),
    st.builds(ActiveSwindlers, st.integers(1, 5)),
    st.builds(GuildPairs, st.integers(1, 10)),
    st.builds(CrowdedLocation, st.integers(1, 12)),
)


@settings(max_examples=60, deadline=None)
@given(
    conditions=st.lists(CONDITIONS, min_size=8, max_size=20),
    variant=st.sampled_from([(1, False), (2, False), (3, False), (4, False), (4, True)]),
    seed=st.binary(min_size=32, max_size=32),
)
def test_f04_interpreter_and_engine_agree_on_any_cards(
    conditions: list[Condition], variant: tuple[int, bool], seed: bytes
) -> None:
    """All nine kinds of conditions with any bounds, in a match that is played with them, at every decision."""
    players, teams = variant
    cards = tuple(MissioCard(1, condition) for condition in conditions)
    locations = SOLO_LOCATIONS if players == 1 else LOCATIONS
    distances = [distance_of(message_of(card), locations) for card in cards]
    state = RULES.start(seed, players, Options(teams=teams, deck=Deck(missio=cards), max_turns=40))
    stream = Stream(seed, "choices")
    while (decision := state.decision()) is not None:
        city = [pile.cards for pile in state.piles]
        met = [card.condition.met(state.piles, locations) for card in cards]
        assert [distance(city) == 0 for distance in distances] == met
        state.choose(stream.uniform(len(decision.options)))


@pytest.mark.parametrize(
    ("number", "stacks", "met"),
    [
        (1, {1: (1, 3, 5, 7)}, True),
        (1, {1: (1, 2, 3, 4, 5)}, False),
        (9, {1: (1, 3, 5), 6: (7, 9, 10)}, True),
        (13, {1: (9, 9), 3: (9, 9), 8: (9, 9)}, True),
        (14, dict.fromkeys(range(1, 7), (1,)), True),
        (14, dict.fromkeys(range(1, 8), (1,)), False),
        (15, {1: (11,), 6: (11, 3)}, True),
        (16, {5: (12,), 10: (13,)}, True),
        (17, {1: (10,), 3: (10,), 8: (10, 10)}, True),
        (17, {1: (10, 10, 10)}, False),
        (18, {1: (1, 14, 14), 3: (2, 14)}, True),
        (18, {1: (14, 14), 3: (14, 2), 4: (1, 14)}, False),
        (19, {1: (1, 2), 2: (12, 13), 3: (9, 9), 8: (3, 1, 4)}, True),
        (20, {8: (1,) * 7}, True),
        (20, {8: (1,) * 6}, False),
    ],
)
def test_f04_by_hand(number: int, stacks: dict[int, tuple[int, ...]], met: bool) -> None:
    city = [stacks.get(location, ()) for location in range(11)]
    assert (distance_of(message_of(HOUSE_MISSIO[number - 1]))(city) == 0) is met


def test_the_interpreter_is_short_enough_to_be_written_again() -> None:
    assert len(Path(missio.__file__).read_text().splitlines()) <= 80


def test_an_unknown_kind_of_condition_is_an_error() -> None:
    with pytest.raises(ValueError, match="Missio card 7"):
        distance_of(pb.MissioCard(id=7, points=1))
