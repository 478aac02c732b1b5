"""Positions and options that somebody made up: refused by name, quickly and in little memory, or played."""

from __future__ import annotations

import random
import tracemalloc

import pytest
from google.protobuf.descriptor import FieldDescriptor
from google.protobuf.message import Message

from palio.codec import codec_of
from palio.codec.simulate import simulate
from palio.codec.status import INTERNAL, row_of
from palio.engine.chance import seed_from_text
from palio.feudum.v1 import feudum_pb2
from palio.games import rules_of
from palio.v1 import game_pb2, simulation_pb2

NUMBERS = (0, 1, -1, 3, 63, 255, 1000, 60_000, 2**31 - 1, -(2**31), 2**32 - 1, 2**63 - 1)
TEXTS = ("", "\0", "x" * 10_000, "é\n")


def positions(game: str) -> list[game_pb2.Position]:
    """Some of real games."""
    rules, codec = rules_of(game), codec_of(game)
    found = []
    for players in rules.seats:
        state = rules.start(seed_from_text(str(players)), players, rules.options())
        for _ in range(60):
            position = rules.position(state)
            if position is not None:
                found.append(codec.position(position))
            if (decision := state.decision()) is None:
                break
            state.choose(len(decision.options) // 2)
    return found


def spoil(message: Message, chance: random.Random) -> None:
    """Change one field, however deep, to something that it may well not be."""
    given = [field.name for field, _ in message.ListFields()]
    known = message.DESCRIPTOR.fields_by_name
    field = known[chance.choice(given if given and chance.random() < 0.8 else sorted(known))]
    kind = field.cpp_type
    value = getattr(message, field.name)
    number = chance.choice(NUMBERS)
    try:
        if field.is_repeated:
            spoil_list(kind, value, chance)
        elif kind == FieldDescriptor.CPPTYPE_MESSAGE:
            spoil(value, chance)
        elif kind == FieldDescriptor.CPPTYPE_STRING:
            setattr(message, field.name, chance.choice(TEXTS))
        elif kind == FieldDescriptor.CPPTYPE_BOOL:
            setattr(message, field.name, not value)
        else:
            setattr(message, field.name, number)
    except (TypeError, ValueError):
        pass  # the type of the field does not hold that number


def spoil_list(kind: int, values: list[object], chance: random.Random) -> None:
    if values and chance.random() < 0.3:
        del values[chance.randrange(len(values))]
    elif kind != FieldDescriptor.CPPTYPE_MESSAGE:
        values.extend([chance.choice(NUMBERS)] * chance.choice((1, 3, 5000)))
    elif values:
        inner = chance.choice(values)
        assert isinstance(inner, Message)
        spoil(inner, chance)


@pytest.mark.parametrize("game", ["fidelitas", "feudum"])
def test_made_up_positions_are_refused_by_name_or_played(game: str) -> None:
    chance = random.Random(7)
    bases = positions(game)
    refused = 0
    for _ in range(500):
        request = simulation_pb2.ApplyRequest(game=game, choices=[0] * chance.choice((0, 20)))
        request.position.CopyFrom(chance.choice(bases))
        for _ in range(chance.choice((1, 2, 5))):
            spoil(request.position, chance)
        try:
            simulate(request)
        except Exception as error:
            refused += 1
            if row_of(error) is INTERNAL:
                raise AssertionError(f"an error that no table knows: {request}") from error
    assert refused > 100


@pytest.mark.parametrize("field", ["used", "engaged"])
def test_a_number_in_a_set_costs_no_memory_that_grows_with_it(field: str) -> None:
    """A set of flags as one integer: the two thousand millionth flag would be one of a quarter of a gigabyte."""
    request = simulation_pb2.ApplyRequest(game="feudum", position=positions("feudum")[0])
    assert isinstance(request.position.feudum, feudum_pb2.Position)
    getattr(request.position.feudum.seats[0], field).extend([2**31 - 1 - n for n in range(100)])
    tracemalloc.start()
    try:
        with pytest.raises(Exception, match=rf"seats\[0\]\.{field}: must be 0 to"):
            simulate(request)
        assert tracemalloc.get_traced_memory()[1] < 10_000_000
    finally:
        tracemalloc.stop()
