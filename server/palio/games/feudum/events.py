"""What happens, as plain data: one line per event names its fields and their types.

A fact is a flat tuple, the event's name first, then the fields in this order. The texts, the codec and the
catalogue read this table, so an event is described in one place only. ``forced`` is true where the rules left a
single option (G-141).

Field types: ``seat`` and ``optional`` (a number; -1 none), ``int``, ``bool``, the enumerations of :mod:`.data` by
lower-case name (-1 none), ``location`` and ``cell`` (0 none), ``amounts`` (five counts by good), ``counts``,
``seats``, ``writs``, ``receivers`` (a seat, or -1 supply, -2 coffer, -3 purse), ``shares`` (pairs seat, shillings),
``hands`` and ``tallies`` (one list per seat).
"""

from __future__ import annotations

from typing import Any, Final

from palio.engine.game import Event, Value
from palio.games.feudum.state import Table

TO_SUPPLY, TO_COFFER, TO_PURSE = -1, -2, -3
"""Receivers of a coin that are not players."""

_SCHEMA: Final = """
started          starter:seat
good_taken       player:seat good:good forced:bool
sulfur_stored    player:seat barrel:int forced:bool
character_chosen player:seat character:guild forced:bool
pawn_placed      player:seat pawn:int character:guild location:location forced:bool
action           player:seat action:action forced:bool
writ_played      player:seat card:writ forced:bool
passed           player:seat forced:bool
migrate          player:seat mode:migrate_mode forced:bool
pawn_left        player:seat pawn:int location:location reason:leave_reason forced:bool
moved            player:seat pawn:int from_location:location to_location:location forced:bool
moves_ended      player:seat forced:bool
scavenged        player:seat location:location good:good forced:bool
voyage           player:seat space:int forced:bool
marker_placed    player:seat location:location role:role forced:bool
improved         player:seat location:location type:type guild:guild vp:int forced:bool
writs_drawn      player:seat count:int
writs_seen       player:seat cards:writs
writ_kept        player:seat card:writ forced:bool
writ_returned    player:seat forced:bool
writ_bottomed    player:seat card:writ
writs_reshuffled count:int
harvested        player:seat location:location mode:harvest_mode farm:amounts own:amounts beads_flipped:int forced:bool
taxed            player:seat shillings:int
attack           player:seat location:location defender:seat pawn:optional attack:int defence:int forced:bool
boost            player:seat boost:boost attack:int forced:bool
feudum_fell      player:seat location:location defender:seat guild:guild
military         player:seat space:int forced:bool
repeat           player:seat action:action forced:bool
guild            player:seat guild:guild function:function feast:seat forced:bool
reeve            player:seat guild:guild side:side forced:bool
stored           player:seat location:location goods:amounts forced:bool
spilled          player:seat to_rows:amounts to_stores:amounts to_haversack:amounts
payout           player:seat food:int shillings:int forced:bool
bought           player:seat good:good price:int forced:bool
paid             player:seat guild:guild receivers:receivers
vessel_taken     player:seat vessel:vessel forced:bool
transferred      player:seat good:good from_guild:guild to_guild:guild forced:bool
scored           player:seat guild:guild function:function units:int rows:int columns:int axis:axis vp:int forced:bool
beads_given      player:seat low:int high:int forced:bool
beads_hidden     player:seat
beads_assigned   player:seat hide:hide
fist_picked      player:seat fist:side chosen:int returned:int forced:bool
bead_placed      player:seat value:int chicken:bool
invented         player:seat invention:invention forced:bool
markers_added    added:counts
marker_removed   player:seat colour:colour forced:bool
seal_placed      player:seat cell:cell forced:bool
seal_taken       player:seat cell:cell forced:bool
bead_added       player:seat cell:cell value:int forced:bool
markers_taken    player:seat count:int
mandate          player:seat card:writ choice:int shillings:int markers:int seals:int bead:int vessel:vessel forced:bool
fed              player:seat pawn:int feed:feed forced:bool
goods_drawn      location:location goods:amounts
shared           pot:pot guild:guild shares:shares rest:int
settled          guild:guild entered:seats gone:seats track:seats waiting:seats left_reeve:seat right_reeve:seat
vp               player:seat amount:int reason:reason
chickens_emptied count:int
refilled         rows:amounts stores:amounts vessels:counts markers:counts cells:counts rosary:counts chickens:counts
dawn             epoch:int
round_ended      round:int starter:seat
game_over        scores:counts earned:tallies hands:hands
"""

EVENTS: Final[dict[str, tuple[tuple[str, str], ...]]] = {
    name: tuple((field.partition(":")[0], field.partition(":")[2]) for field in fields)
    for name, *fields in map(str.split, _SCHEMA.strip().splitlines())
}
"""Per event its fields as (name, type)."""


def emit(table: Table, *fact: Any) -> None:
    """Tell everybody."""
    if table.log is not None:
        table.log.append(Event(fact))


def emit_to(table: Table, seat: int, *fact: Any) -> None:
    """Tell one seat."""
    if table.log is not None:
        table.log.append(Event(fact, (seat,)))


def named(fact: tuple[Value, ...]) -> dict[str, Any]:
    """A fact's fields by name (tests, tools and the tracker read events through this)."""
    return {field: value for (field, _), value in zip(EVENTS[str(fact[0])], fact[1:], strict=True)}
