"""Positions: a game goes on from one as from the original, and impossible ones are refused by the field's name."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from google.protobuf import json_format
from tests.support.feudum import GREEN, RED, fresh, pawn, ready, rule, table
from tests.support.playing import random_walk

from palio.codec.feudum import CODEC
from palio.engine.errors import InvalidSetup
from palio.feudum.v1 import feudum_pb2 as pb
from palio.games.feudum import RULES
from palio.games.feudum.data import FARM, FEUDUM, KNIGHT, NOBLE
from palio.games.feudum.game import Feudum
from palio.games.feudum.positions import Position
from palio.v1 import game_pb2


@pytest.mark.parametrize(("n", "advanced"), [(2, True), (3, False), (4, True), (5, True)])
def test_a_position_goes_on_like_its_game(n: int, advanced: bool) -> None:
    found = 0
    for at, state in enumerate(random_walk(fresh(n, advanced), 3 + n)):
        position = RULES.position(state)
        if position is None or at % 4:
            continue
        found += 1
        sent = json_format.MessageToJson(CODEC.position(position))
        read = CODEC.read_position(json_format.Parse(sent, game_pb2.Position()))
        assert read == position
        again = RULES.from_position(read)
        assert again.decision() == state.decision()
        assert again.view(None) == state.view(None)
        assert again.turn == state.turn
        original = state.clone()
        for a, b in zip(random_walk(again, 1, 40), random_walk(original, 1, 40), strict=True):
            assert a.view(RED) == b.view(RED)
    assert found > 5


def test_there_is_a_position_only_where_a_turn_starts() -> None:
    for state in random_walk(fresh(3), 2):
        starts = bool(state.stack) and state.stack[-1] == ("ACTION", state.active, 0)
        assert (RULES.position(state) is not None) is starts


def sound() -> Position:
    state = table(4)
    rule(state, RED, 3, FARM, serf=GREEN)
    rule(state, GREEN, 5, FEUDUM, NOBLE)
    pawn(state, RED, KNIGHT, 3)
    state.rosary, state.chickens = (2, 3), (4,)
    ready(state, go_on=True)
    position = RULES.position(state)
    assert position is not None
    return position


def test_a_hand_made_position_is_accepted() -> None:
    state = RULES.from_position(sound())
    assert state.decision() is not None
    assert isinstance(state, Feudum)


FAULTS: dict[str, tuple[str, Callable[[pb.Position], Any]]] = {
    "seed": ("seed", lambda m: m.__setattr__("seed", b"short")),
    "round": ("round", lambda m: m.__setattr__("round", 9)),
    "turn": ("turn", lambda m: m.__setattr__("turn", 5)),
    "starter": ("starting_seat", lambda m: m.__setattr__("starting_seat", 7)),
    "active": ("active_seat", lambda m: m.__setattr__("active_seat", 4)),
    "players": ("seats[4].earned", lambda m: m.seats.add()),
    "goods": ("haversack", lambda m: m.haversack.__setattr__("iron", 3)),
    "markers": ("reserve[1]", lambda m: m.seats[1].__setattr__("markers", 1)),
    "pool": ("seats[0].pool", lambda m: m.seats[0].__setattr__("pool", 1)),
    "discs": ("discs", lambda m: m.discs.append(5)),
    "vessels": ("docks", lambda m: m.docks.__setattr__("sailing_ships", 4)),
    "feudums": ("feudum_discs[0]", lambda m: m.feudum_discs.__setitem__(0, 1)),
    "writs": ("deck", lambda m: m.deck.append(pb.WRIT_CHAMPION)),
    "pawn": ("seats[0].pawns[0]", lambda m: m.seats[0].pawns[0].__setattr__("location", 0)),
    "pawn_place": ("seats[0].pawns[0].location", lambda m: m.seats[0].pawns[0].__setattr__("location", 23)),
    "barrel": ("seats[0].barrel", lambda m: m.seats[0].__setattr__("barrel", 4)),
    "locations": ("locations", lambda m: m.locations.pop()),
    "serf": ("locations[2]", lambda m: m.locations[2].__setattr__("serf", 0)),
    "ruler": ("locations[2].ruler", lambda m: m.locations[2].__setattr__("ruler", 6)),
    "region": ("locations[2].region", lambda m: m.locations[2].__setattr__("region", 4)),
    "track": ("guilds[3].track", lambda m: m.guilds[3].track.append(2)),
    "reeve": ("guilds[3].right_reeve", lambda m: m.guilds[3].__setattr__("right_reeve", 1)),
    "guild": ("guilds[0].guild", lambda m: m.guilds[0].__setattr__("guild", 3)),
    "score": ("seats[0].score", lambda m: m.seats[0].__setattr__("score", 3)),
    "earned": ("seats[0].earned", lambda m: m.seats[0].earned.pop()),
    "used": ("seats[0].used", lambda m: m.seats[0].used.append(pb.ACTION_MIGRATE)),
    "moves": ("seats[0].moves", lambda m: m.seats[0].__setattr__("moves", 1)),
    "engaged": ("seats[0].engaged", lambda m: m.seats[0].engaged.append(pb.GUILD_FARMER)),
    "seals": ("seats[0].seals", lambda m: m.seats[0].__setattr__("seals", 2)),
    "hand": ("seats[0].writs", lambda m: m.seats[0].__setattr__("writs", 2)),
    "streams": ("streams", lambda m: m.streams.pop()),
    "type": ("locations[0].type", lambda m: m.locations[0].__setattr__("type", 0)),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_an_impossible_position_is_refused_by_the_name_of_the_field(fault: str) -> None:
    field, spoil = FAULTS[fault]
    message = CODEC.position(sound())
    spoil(message.feudum)
    with pytest.raises(InvalidSetup) as caught:
        RULES.from_position(CODEC.read_position(message))
    assert caught.value.field == field


def test_a_position_of_another_game_is_refused() -> None:
    with pytest.raises(InvalidSetup, match="feudum"):
        CODEC.read_position(game_pb2.Position())


def test_from_position_leaves_the_position_alone() -> None:
    position = sound()
    before = CODEC.position(position)
    state = RULES.from_position(position)
    for _ in random_walk(state, 1, 50):
        pass
    assert CODEC.position(position) == before
