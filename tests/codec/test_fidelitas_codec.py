"""Fidelitas on the wire: what goes out can be read back unchanged."""

from __future__ import annotations

import dataclasses
from typing import Any

import pytest
from tests.support.fidelitas import VARIANTS, fresh, variant_name
from tests.support.playing import random_walk

from palio.codec import codec_of
from palio.engine.errors import InvalidAction, InvalidSetup
from palio.fidelitas.v1 import fidelitas_pb2 as pb
from palio.games.fidelitas import RULES, Deck, Options, Words
from palio.games.fidelitas.cards import (
    CHARACTER_NAMES,
    DRAWS,
    GUILD_NAMES,
    GUILD_OF,
    HOUSE_COPIES,
    LOCATION_NAMES,
)
from palio.games.fidelitas.choices import KINDS
from palio.games.fidelitas.conditions import HOUSE_MISSIO, DistinctGuilds, MissioCard
from palio.v1 import game_pb2

CODEC = codec_of("fidelitas")


@pytest.mark.parametrize(("players", "teams"), VARIANTS, ids=map(variant_name, VARIANTS))
def test_everything_of_a_game_reads_back_unchanged(players: int, teams: bool) -> None:
    kinds = set()
    names = set()
    for number in range(4):
        state = fresh(f"wire-{number}", players, teams=teams)
        for step in random_walk(state, number):
            for event in step.take_events():
                names.add(event.fact[0])
                sent = game_pb2.Event.FromString(CODEC.event(event.fact))
                assert CODEC.read_event(sent) == event.fact
            for seat in (None, *range(players)):
                view = step.view(seat)
                assert CODEC.read_observation(game_pb2.Observation.FromString(CODEC.observation(view))) == view
            decision = step.decision()
            if decision is not None:
                kinds.add(decision.kind)
                for option in decision.options:
                    message = game_pb2.Option.FromString(CODEC.option(option))
                    assert CODEC.read_option(message) == option
                    assert message.text == RULES.describe_option(option)
            position = RULES.position(step)
            if position is not None:
                assert CODEC.read_position(_over_the_wire(CODEC.position(position))) == position
    assert {"set_up", "hand_dealt", "turn_started", "card_played", "game_over"} <= names
    assert len(kinds) >= (9 if players == 1 else 10), kinds


def _over_the_wire(message: Any) -> Any:
    return type(message).FromString(message.SerializeToString())


def test_the_observation_is_what_protobuf_itself_would_write() -> None:
    state = fresh("same bytes", 3)
    for step in random_walk(state, 1, 200):
        for seat in (None, 0, 1, 2):
            data = CODEC.observation(step.view(seat))
            assert game_pb2.Observation.FromString(data).SerializeToString() == data


def test_enums_have_the_rules_numbers() -> None:
    enums: list[tuple[Any, str, tuple[str, ...]]] = [
        (pb.Character, "CHARACTER", CHARACTER_NAMES),
        (pb.Location, "LOCATION", LOCATION_NAMES),
        (pb.Guild, "GUILD", GUILD_NAMES),
        (pb.DecisionKind, "DECISION_KIND", KINDS),
    ]
    for enum, prefix, names in enums:
        assert enum.values() == list(range(len(names)))
        assert [enum.Name(n) for n in range(1, len(names))] == [f"{prefix}_{name}" for name in names[1:]]


CUSTOM = Options(
    max_turns=50,
    deck=Deck((0, 3, 3, 3, 3, 3, 3, 3, 3, 8, 4, 4, 0, 0, 0), (MissioCard(9, DistinctGuilds((3, 8), 2)),) * 8),
)


@pytest.mark.parametrize("options", [Options(), Options(teams=True), CUSTOM], ids=["default", "teams", "deck"])
def test_game_options_read_back(options: Options) -> None:
    message = CODEC.game_options(options)
    assert message.fidelitas.HasField("teams")
    assert message.fidelitas.HasField("max_turns")
    assert len(message.fidelitas.deck.missio) == len(options.deck.missio)
    assert CODEC.read_game_options(_over_the_wire(message)) == options


def test_unset_options_are_the_defaults() -> None:
    assert CODEC.read_game_options(game_pb2.GameOptions()) == Options()
    assert CODEC.read_game_options(game_pb2.GameOptions(fidelitas=pb.GameOptions())) == Options()
    only_turns = pb.GameOptions(max_turns=33, deck=pb.Deck())
    assert CODEC.read_game_options(game_pb2.GameOptions(fidelitas=only_turns)) == Options(max_turns=33)


def _deck(**fields: Any) -> game_pb2.GameOptions:
    return game_pb2.GameOptions(fidelitas=pb.GameOptions(deck=pb.Deck(**fields)))


@pytest.mark.parametrize(
    ("message", "field"),
    [
        (game_pb2.GameOptions(fidelitas=pb.GameOptions(max_turns=19)), "max_turns"),
        (_deck(virtus=[pb.Copies(character=pb.CHARACTER_SOLDIER, copies=29)]), "deck.virtus"),
        (_deck(virtus=[pb.Copies(copies=40)]), "deck.virtus[0].character"),
        (_deck(virtus=[pb.Copies(character=pb.CHARACTER_THIEF, copies=20)] * 2), "deck.virtus[1].character"),
        (_deck(virtus=[pb.Copies(character=99, copies=40)]), "deck.virtus[0].character"),  # type: ignore[arg-type]
        (_deck(missio=[pb.MissioCard(points=1, guild_pairs=pb.GuildPairs(count=1))]), "deck.missio"),
        (_deck(missio=[pb.MissioCard(points=10, guild_pairs=pb.GuildPairs(count=1))]), "deck.missio[0].points"),
        (_deck(missio=[pb.MissioCard(points=1)]), "deck.missio[0]"),
        (_deck(missio=[pb.MissioCard(points=1, guild_pairs=pb.GuildPairs())]), "deck.missio[0].guild_pairs.count"),
        (
            _deck(missio=[pb.MissioCard(points=1, distinct_guilds=pb.DistinctGuilds(count=3))]),
            "deck.missio[0].distinct_guilds.locations",
        ),
    ],
)
def test_bad_options_name_the_field(message: game_pb2.GameOptions, field: str) -> None:
    with pytest.raises(InvalidSetup) as caught:
        CODEC.read_game_options(_over_the_wire(message))
    assert caught.value.field == field


def test_messages_of_another_game_are_refused() -> None:
    from palio.feudum.v1 import feudum_pb2

    with pytest.raises(InvalidSetup):
        CODEC.read_game_options(game_pb2.GameOptions(feudum=feudum_pb2.GameOptions()))
    with pytest.raises(InvalidSetup):
        CODEC.read_position(game_pb2.Position())
    with pytest.raises(InvalidAction):
        CODEC.read_words(game_pb2.Words())
    with pytest.raises(InvalidAction):
        CODEC.read_option(game_pb2.Option(text="?"))


def test_a_position_with_its_own_deck_reads_back() -> None:
    state = RULES.start(b"d" * 32, 2, CUSTOM)
    position = RULES.position(state)
    assert position is not None
    assert position.deck == CUSTOM.deck
    assert CODEC.read_position(_over_the_wire(CODEC.position(position))) == position


def test_an_unset_turn_limit_of_a_position_is_the_default() -> None:
    position = RULES.position(fresh("limit", 2))
    assert position is not None
    message = CODEC.position(dataclasses.replace(position, max_turns=50))
    message.fidelitas.max_turns = 0
    assert CODEC.read_position(message) == position


def test_words_read_back() -> None:
    words = Words((1, 9), (10, 2, 3))
    assert CODEC.read_words(_over_the_wire(CODEC.words(words))) == words


def test_the_catalogue_holds_every_card() -> None:
    catalogue = _over_the_wire(CODEC.catalogue()).fidelitas
    assert [info.copies for info in catalogue.characters] == list(HOUSE_COPIES[1:])
    assert [info.guild for info in catalogue.characters] == list(GUILD_OF[1:])
    assert [tuple(info.draws) for info in catalogue.characters] == list(DRAWS[1:])
    assert all(
        set(info.locations) >= {pb.LOCATION_TAVERN_NORTH, pb.LOCATION_TAVERN_SOUTH} for info in catalogue.characters
    )
    assert [info.location for info in catalogue.locations if info.harbor] == [pb.LOCATION_MARKET, pb.LOCATION_WAREHOUSE]
    assert [card.points for card in catalogue.missio] == [card.points for card in HOUSE_MISSIO]
    assert catalogue.missio[0].distinct_guilds == pb.DistinctGuilds(locations=[pb.LOCATION_COURTHOUSE], count=4)
    assert all(card.WhichOneof("condition") and card.text for card in catalogue.missio)
    assert [(t.players, t.teams, t.points) for t in catalogue.targets] == [
        (2, False, 10),
        (3, False, 8),
        (4, False, 6),
        (4, True, 8),
    ]
