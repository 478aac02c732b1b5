"""Options and events: rules G-140 and G-141, and the decision kinds D-01 to D-39."""

from __future__ import annotations

import random
from functools import cache

import pytest
from tests.support.feudum import eager, fresh

from palio.engine.game import Event
from palio.games.feudum import RULES
from palio.games.feudum.events import EVENTS, named
from palio.games.feudum.options import KINDS, SHAPES

SPEC: dict[str, tuple[set[str], set[str]]] = {
    "GOOD_PICK": ({"good"}, {"good_taken"}),
    "SULFUR_STORE": ({"barrel"}, {"sulfur_stored"}),
    "PAWN_CHARACTER": ({"character"}, {"character_chosen"}),
    "PAWN_LOCATION": ({"location"}, {"pawn_placed"}),
    "ACTION": ({"action", "writ", "pass"}, {"action", "writ_played", "passed"}),
    "MIGRATE_MODE": ({"migrate"}, {"migrate"}),
    "MIGRATE_PAWN": ({"pawn"}, {"pawn_left"}),
    "MOVE_PAWN": ({"pawn", "done"}, {"moves_ended", ""}),
    "MOVE_TO": ({"location"}, {"moved"}),
    "SCAVENGE": ({"scavenge", "pass"}, {"scavenged"}),
    "VOYAGE": ({"place"}, {"voyage"}),
    "INFLUENCE_PLACE": ({"location", "done"}, {"marker_placed", ""}),
    "IMPROVE_LOCATION": ({"location"}, {"improved", ""}),
    "IMPROVE_GUILD": ({"guild"}, {"improved"}),
    "WRIT_KEEP": ({"card"}, {"writ_kept"}),
    "WRIT_LIMIT": ({"card"}, {"writ_returned"}),
    "HARVEST_FARM": ({"location"}, {""}),
    "HARVEST_MODE": ({"harvest"}, {"harvested"}),
    "CONQUER_TARGET": ({"target", "feudum"}, {"attack"}),
    "CONQUER_BOOST": ({"boost"}, {"boost"}),
    "MILITARY": ({"place"}, {"military"}),
    "REPEAT_ACTION": ({"action"}, {"repeat"}),
    "GUILD_FUNCTION": ({"function", "feast"}, {"guild"}),
    "REEVE": ({"reeve"}, {"reeve"}),
    "FARM_TRADE": ({"location"}, {"stored"}),
    "FARM_PAYOUT": ({"food"}, {"payout"}),
    "MARKET_BUY": ({"good", "done"}, {"bought", "paid"}),
    "VESSEL_PICK": ({"vessel"}, {"vessel_taken"}),
    "TRANSFER_GOOD": ({"good"}, {"transferred"}),
    "SCORE_AXIS": ({"axis"}, {"scored"}),
    "OPPONENT": ({"opponent"}, {"beads_given"}),
    "HIDE": ({"hide"}, {"beads_hidden"}),
    "FIST": ({"fist"}, {"fist_picked"}),
    "INVENT": ({"invention", "done"}, {"invented", "scored", "vp"}),
    "MARKER_COLOR": ({"color", "done"}, {"marker_removed", "scored", "vp", ""}),
    "SCROLL_PUT": ({"cell"}, {"seal_placed"}),
    "SCROLL_TAKE": ({"cell", "done"}, {"seal_taken", "bead_added", "paid"}),
    "WRIT_CHOICE": ({"choice"}, {"mandate"}),
    "NOURISH": ({"feed"}, {"fed"}),
}
"""Per kind the shapes of its options, and what the first event after an answer may be; "" where it is told later."""

PRIVATE = {"writs_seen", "writ_kept", "writ_bottomed", "beads_assigned"}


@cache
def played() -> list[tuple[str, int, tuple[object, ...], list[Event]]]:
    """Kind, seat, chosen option and following events of all decisions of some games."""
    seen = []
    for number in range(40):
        state = fresh(2 + number % 4, advanced=number % 3 > 0, seed=number.to_bytes(32, "big"))
        chooser = random.Random(number)
        state.take_events()
        while state.stack:
            kind, seat = state.stack[-1][0], state.stack[-1][1]
            index = eager(state, chooser)
            option = state.offered[index]
            state.choose(index)
            seen.append((kind, seat, option, state.take_events()))
    return seen


def test_all_kinds_are_reached_by_random_games() -> None:
    assert {kind for kind, *_ in played()} == set(KINDS)


@pytest.mark.parametrize(("number", "kind"), list(enumerate(KINDS, 1)), ids=[f"D-{n:02}" for n in range(1, 40)])
def test_d01_to_d39_shapes_of_options_and_events(number: int, kind: str) -> None:
    assert list(SPEC)[number - 1] == kind
    shapes, events = SPEC[kind]
    samples = [(option, following) for k, _, option, following in played() if k == kind]
    assert samples
    for option, following in samples:
        assert option[0] in shapes
        first = str(following[0].fact[0]) if following else ""
        assert first in events or "" in events, f"{option} is followed by {first}"
    assert {option[0] for option, _ in samples} <= shapes


@pytest.mark.parametrize("kind", KINDS)
def test_g140_options_are_records_of_one_shape_with_integers(kind: str) -> None:
    for k, _, option, _ in played():
        if k == kind:
            name, *values = option
            assert len(values) == len(SHAPES[str(name)])
            assert all(isinstance(value, int) for value in values)
            assert RULES.describe_option(option)  # type: ignore[arg-type]


def test_g140_who_is_asked() -> None:
    state = fresh(4)
    chooser = random.Random(8)
    while state.stack:
        kind, seat = state.stack[-1][0], state.stack[-1][1]
        if kind == "HIDE":
            assert seat != state.active
        elif state.phase == 1:
            assert seat == state.active
        state.choose(eager(state, chooser))


def test_g141_events_are_public_except_those_that_the_rules_name() -> None:
    seen = set()
    for _, _, _, following in played():
        for event in following:
            name = str(event.fact[0])
            seen.add(name)
            fields = named(event.fact)
            assert event.viewers == ((fields["player"],) if name in PRIVATE else None)
            assert RULES.describe_event(event.fact)
    assert {"settled", "paid", "shared", "vp", "dawn", "round_ended", "game_over", "refilled", "markers_added"} <= seen
    assert {"goods_drawn", "stored"} <= seen
    assert seen <= EVENTS.keys()


def test_g141_forced_steps_are_marked() -> None:
    forced = {"asked": 0, "forced": 0}
    for _, _, _, following in played():
        for event in following:
            fields = named(event.fact)
            if "forced" in fields:
                forced["forced" if fields["forced"] else "asked"] += 1
    assert min(forced.values()) > 100
    for kind, _, option, following in played():
        if kind == "MOVE_TO":
            (moved,) = [named(event.fact) for event in following if event.fact[0] == "moved"][:1]
            assert (moved["to_location"], moved["forced"]) == (option[1], False)
