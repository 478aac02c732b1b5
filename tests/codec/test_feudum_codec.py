"""Feudum on the wire: what goes out can be read back unchanged."""

from __future__ import annotations

import random
from typing import Any

import pytest
from google.protobuf.descriptor import Descriptor
from tests.support.feudum import eager, fresh
from tests.support.playing import random_walk

from palio.codec import codec_of
from palio.engine.errors import InvalidAction, InvalidSetup
from palio.feudum.v1 import feudum_pb2 as pb
from palio.games.feudum import RULES, data
from palio.games.feudum.events import EVENTS
from palio.games.feudum.options import KINDS, SHAPES
from palio.v1 import game_pb2

CODEC = codec_of("feudum")


@pytest.mark.parametrize("n", [2, 3, 4, 5])
def test_everything_of_a_game_reads_back_unchanged(n: int) -> None:
    names, shapes = set(), set()
    for game in range(4):
        for state in random_walk(fresh(n, bool(game % 2), bytes([game] * 32)), game):
            for event in state.take_events():
                names.add(event.fact[0])
                assert CODEC.read_event(game_pb2.Event.FromString(CODEC.event(event.fact))) == event.fact
            decision = state.decision()
            for seat in {None, decision.seat if decision else 0}:
                view = state.view(seat)
                sent = CODEC.observation(view)
                assert CODEC.read_observation(game_pb2.Observation.FromString(sent)) == view
            for option in decision.options if decision else ():
                shapes.add(option[0])
                message = game_pb2.Option.FromString(CODEC.option(option))
                assert CODEC.read_option(message) == option
                assert message.text == RULES.describe_option(option)
    assert len(names) > 40
    assert len(shapes) > 22


def test_events_and_options_of_eager_games_read_back_unchanged() -> None:
    """Conquest is rare among random choices; here it is not."""
    names = set()
    for game in range(40):
        state = fresh(2 + game % 4, seed=bytes([game] * 32))
        chooser = random.Random(game)
        while state.stack:
            for option in state.offered:
                assert CODEC.read_option(game_pb2.Option.FromString(CODEC.option(option))) == option
            state.choose(eager(state, chooser))
            for event in state.take_events():
                names.add((event.fact[0], event.fact[4] if event.fact[0] == "attack" else 0))
                assert CODEC.read_event(game_pb2.Event.FromString(CODEC.event(event.fact))) == event.fact
    assert {name for name, _ in names} == set(EVENTS)
    assert ("attack", -1) in names


def test_every_shape_and_event_has_its_message() -> None:
    assert list(SHAPES) == [field.name for field in pb.Option.DESCRIPTOR.oneofs_by_name["record"].fields]
    facts = pb.Event.DESCRIPTOR.oneofs_by_name["fact"].fields
    assert list(EVENTS) == [field.name for field in facts]
    for field in facts:
        record: Descriptor | None = field.message_type
        assert record is not None
        assert [f.name for f in record.fields] == [name for name, _ in EVENTS[field.name]]


def test_enumerations_are_those_of_the_rules_plus_one() -> None:
    enums: list[tuple[Any, tuple[str, ...]]] = [
        (pb.Good, data.GOODS),
        (pb.Guild, data.GUILDS),
        (pb.LocationType, data.TYPES),
        (pb.Region, data.REGIONS),
        (pb.Vessel, data.VESSELS),
        (pb.Invention, data.INVENTIONS),
        (pb.GuildFunction, data.FUNCTIONS),
        (pb.Action, data.ACTIONS),
        (pb.Colour, data.COLOURS),
        (pb.Writ, data.WRITS),
        (pb.DecisionKind, KINDS),
        (pb.MigrateMode, data.MIGRATE_MODES),
        (pb.HarvestMode, data.HARVEST_MODES),
        (pb.Boost, data.BOOSTS),
        (pb.Axis, data.AXES),
        (pb.Hiding, data.HIDES),
        (pb.Side, data.SIDES),
        (pb.Feeding, data.FEEDS),
        (pb.MarkerRole, data.ROLES),
        (pb.LeaveReason, data.LEAVE_REASONS),
        (pb.Pot, data.POTS),
        (pb.VpReason, data.REASONS),
    ]
    for enum, names in enums:
        keys = enum.keys()
        assert keys[0].endswith("_UNSPECIFIED")
        prefix = keys[0].removesuffix("UNSPECIFIED")
        assert keys[1:] == [f"{prefix}{name}" for name in names]
        assert enum.values() == list(range(len(keys)))


def test_bytes_are_what_protobuf_makes_of_the_same_message() -> None:
    for state in random_walk(fresh(4), 2, decisions=60):
        sent = CODEC.observation(state.view(0))
        again = game_pb2.Observation.FromString(sent).SerializeToString(deterministic=True)
        assert game_pb2.Observation.FromString(again) == game_pb2.Observation.FromString(sent)


def test_game_options() -> None:
    assert CODEC.read_game_options(game_pb2.GameOptions()) == RULES.options()
    for advanced in (True, False):
        options = RULES.options(advanced=advanced)
        assert CODEC.read_game_options(CODEC.game_options(options)) == options
    other = game_pb2.GameOptions()
    other.fidelitas.SetInParent()
    with pytest.raises(InvalidSetup, match="feudum"):
        CODEC.read_game_options(other)


def test_there_are_no_signals() -> None:
    with pytest.raises(InvalidAction, match="no signals"):
        CODEC.read_words(game_pb2.Words())


def test_messages_without_content_are_refused() -> None:
    with pytest.raises(InvalidAction, match="no record"):
        CODEC.read_option(game_pb2.Option())
    with pytest.raises(InvalidAction, match="no fact"):
        CODEC.read_event(game_pb2.Event())


def test_the_catalogue_holds_the_tables() -> None:
    catalogue = CODEC.catalogue().feudum
    assert len(catalogue.writs) == 16
    assert [writ.kind for writ in catalogue.writs].count(pb.WRIT_KIND_CHARTER) == 8
    assert catalogue.guilds[0].left == pb.GUILD_MONK
    assert len(catalogue.locations) == 22
    assert [location.id for location in catalogue.locations if location.start] == list(data.STARTS)
    assert list(catalogue.prices[0].columns) == [4, 3, 2, 2]
    assert sum(catalogue.goods) == 170
    assert len(catalogue.inventions) == 6
    assert list(catalogue.scroll_rows) == [1, 1, 1, 2, 2, 3]
    assert list(catalogue.scroll_columns) == [1, 2, 3, 1, 2, 1]
    assert all(writ.text.endswith(".") for writ in catalogue.writs)
