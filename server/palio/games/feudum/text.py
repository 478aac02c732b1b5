"""Options and events in English, from the tables of shapes and events."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from palio.engine.game import Option, Value
from palio.games.feudum import data
from palio.games.feudum.events import TO_COFFER, TO_PURSE, named

_MOVE_DONE: Final = "no more"


def words(name: str) -> str:
    """``SAILING_SHIP`` as "sailing ship"."""
    return name.replace("_", " ").lower()


def _one(names: tuple[str, ...], value: int) -> str:
    return words(names[value]) if 0 <= value < len(names) else "nothing"


def _article(noun: str) -> str:
    return f"an {noun}" if noun[0] in "aeiou" else f"a {noun}"


def _guild(guild: int) -> str:
    return data.GUILDS[guild].capitalize()


_OPTIONS: Final[dict[str, Callable[..., str]]] = {
    "good": lambda good: _one(data.GOODS, good),
    "barrel": lambda k: f"{k} sulfur into the barrel",
    "character": lambda c: _article(_one(data.GUILDS, c)),
    "location": lambda at: f"location {at}",
    "action": lambda a: data.ACTIONS[a],
    "writ": lambda card: f"play the writ {data.WRITS[card]}",
    "pass": lambda: "pass",
    "migrate": lambda mode: "a pawn into play" if mode == data.ON else "a pawn off the board",
    "pawn": lambda number: f"pawn {number}",
    "done": lambda: _MOVE_DONE,
    "scavenge": lambda at, good: f"{_one(data.GOODS, good)} at location {at}",
    "place": lambda yes: "place a disc" if yes else "place no disc",
    "guild": lambda guild: f"a {_guild(guild)} feudum",
    "card": lambda card: data.WRITS[card],
    "harvest": lambda mode: "all to the farm" if mode == data.FULL else "kickback",
    "target": lambda at, seat, pawn: f"pawn {pawn} of seat {seat} at location {at}",
    "feudum": lambda at: f"the feudum at location {at}",
    "boost": lambda boost: _one(data.BOOSTS, boost).replace("bow ", "bow with ").replace("sword ", "sword with "),
    "function": lambda guild, f: f"{_guild(guild)} {_one(data.FUNCTIONS, f)}",
    "feast": lambda guild, f, host: f"{_guild(guild)} {_one(data.FUNCTIONS, f)}, feasting with seat {host}",
    "reeve": lambda yes: "add a reeve" if yes else "add no reeve",
    "food": lambda k: f"{k} food, the rest in shillings",
    "vessel": lambda v: _one(data.VESSELS, v),
    "axis": lambda axis: f"score {_one(data.AXES, axis)}",
    "opponent": lambda seat: f"seat {seat} hides the beads",
    "hide": lambda h: _one(data.HIDES, h),
    "fist": lambda f: f"{_one(data.SIDES, f)} fist",
    "invention": lambda i: f"invent {_one(data.INVENTIONS, i)}",
    "color": lambda c: f"a {_one(data.COLOURS, c)} marker",
    "cell": lambda cell: f"scroll cell {cell}",
    "choice": lambda k: f"choice {k}",
    "feed": lambda pawn, feed: f"pawn {pawn}: {_one(data.FEEDS, feed)}",
}


def describe_option(option: Option) -> str:
    """A few English words."""
    return _OPTIONS[str(option[0])](*option[1:])


def amounts(counts: tuple[int, ...]) -> str:
    """Counts by good as "2 iron, 1 food"."""
    return ", ".join(f"{n} {_one(data.GOODS, good)}" for good, n in enumerate(counts) if n) or "nothing"


def seats(players: tuple[int, ...]) -> str:
    return ", ".join(f"seat {player}" for player in players) or "nobody"


def _receiver(receiver: int) -> str:
    if receiver >= 0:
        return f"seat {receiver}"
    return {TO_COFFER: "coffer", TO_PURSE: "purse"}.get(receiver, "supply")


def _settled(e: dict[str, Any]) -> str:
    said = f"{_guild(e['guild'])} track: {seats(e['track'])}"
    if e["waiting"]:
        said += f"; waiting: {seats(e['waiting'])}"
    for side in ("left", "right"):
        if e[f"{side}_reeve"] >= 0:
            said += f"; {side} reeve of seat {e[f'{side}_reeve']}"
    return said


def _scored(e: dict[str, Any]) -> str:
    said = f"seat {e['player']}'s {_guild(e['guild'])} push scores {e['vp']}"
    if e["axis"] >= 0:
        return f"{said} for {_one(data.AXES, e['axis'])} ({e['rows']} rows, {e['columns']} columns)"
    return f"{said} for {e['units']} units"


def _mandate(e: dict[str, Any]) -> str:
    gains = [
        *(f"{e[name]} {name}" for name in ("shillings", "markers", "seals") if e[name]),
        *([f"a bead of {e['bead']}"] if e["bead"] else []),
        *([f"a {_one(data.VESSELS, e['vessel'])}"] if e["vessel"] >= 0 else []),
    ]
    got = f" and gets {', '.join(gains)}" if gains else ""
    return f"seat {e['player']} takes choice {e['choice']} of {data.WRITS[e['card']]}{got}"


def _game_over(e: dict[str, Any]) -> str:
    hands = "; ".join(", ".join(data.WRITS[card] for card in hand) or "no writs" for hand in e["hands"])
    return f"the game is over with scores {', '.join(map(str, e['scores']))}; hands: {hands}"


_EVENTS: Final[dict[str, Callable[[dict[str, Any]], str]]] = {
    "started": lambda e: f"seat {e['starter']} starts",
    "good_taken": lambda e: f"seat {e['player']} takes {_one(data.GOODS, e['good'])}",
    "sulfur_stored": lambda e: f"seat {e['player']} puts {e['barrel']} sulfur into the barrel",
    "character_chosen": lambda e: f"seat {e['player']} calls {_article(_one(data.GUILDS, e['character']))}",
    "pawn_placed": lambda e: (
        f"pawn {e['pawn']} of seat {e['player']}, {_article(_one(data.GUILDS, e['character']))}, "
        f"enters at location {e['location']}"
    ),
    "action": lambda e: f"seat {e['player']} plays {data.ACTIONS[e['action']]}",
    "writ_played": lambda e: f"seat {e['player']} plays the writ {data.WRITS[e['card']]}",
    "passed": lambda e: f"seat {e['player']} passes",
    "migrate": lambda e: f"seat {e['player']} brings a pawn {_one(data.MIGRATE_MODES, e['mode'])} the board",
    "pawn_left": lambda e: (
        f"pawn {e['pawn']} of seat {e['player']} leaves location {e['location']} "
        f"({_one(data.LEAVE_REASONS, e['reason'])})"
    ),
    "moved": lambda e: (
        f"pawn {e['pawn']} of seat {e['player']} goes from location {e['from_location']} to {e['to_location']}"
    ),
    "moves_ended": lambda e: f"seat {e['player']} has moved",
    "scavenged": lambda e: (
        f"seat {e['player']} takes {_one(data.GOODS, e['good'])} at location {e['location']}"
        if e["location"]
        else f"seat {e['player']} takes nothing on the way"
    ),
    "voyage": lambda e: (
        f"seat {e['player']} sails to space {e['space']} of the Epic Voyage"
        if e["space"]
        else f"seat {e['player']} does not set sail"
    ),
    "marker_placed": lambda e: f"seat {e['player']} places a {_one(data.ROLES, e['role'])} at location {e['location']}",
    "improved": lambda e: (
        f"seat {e['player']} makes location {e['location']} a "
        + (f"{_guild(e['guild'])} " if e["guild"] >= 0 else "")
        + f"{_one(data.TYPES, e['type'])} for {e['vp']} points"
    ),
    "writs_drawn": lambda e: f"seat {e['player']} draws {e['count']} writs to keep one",
    "writs_seen": lambda e: f"seat {e['player']} sees {', '.join(data.WRITS[card] for card in e['cards'])}",
    "writ_kept": lambda e: f"seat {e['player']} keeps {data.WRITS[e['card']]}",
    "writ_returned": lambda e: f"seat {e['player']} puts a writ under the deck",
    "writ_bottomed": lambda e: f"seat {e['player']} puts {data.WRITS[e['card']]} under the deck",
    "writs_reshuffled": lambda e: f"{e['count']} discarded writs become the deck",
    "harvested": lambda e: (
        f"seat {e['player']} harvests at location {e['location']}: {amounts(e['farm'])} to the farm, "
        f"{amounts(e['own'])} to the player, {e['beads_flipped']} beads turned over"
    ),
    "taxed": lambda e: f"seat {e['player']} takes {e['shillings']} shillings of tax",
    "attack": lambda e: (
        f"seat {e['player']} attacks "
        + (f"pawn {e['pawn']}" if e["pawn"] >= 0 else "the feudum")
        + f" of seat {e['defender']} at location {e['location']}, {e['attack']} against {e['defence']}"
    ),
    "boost": lambda e: f"seat {e['player']} adds {_one(data.BOOSTS, e['boost'])}: attack {e['attack']}",
    "feudum_fell": lambda e: (
        f"the {_guild(e['guild'])} feudum of seat {e['defender']} at location {e['location']} "
        f"falls to seat {e['player']}"
    ),
    "military": lambda e: (
        f"seat {e['player']} covers space {e['space']} of the Military Service"
        if e["space"]
        else f"seat {e['player']} covers no space of the Military Service"
    ),
    "repeat": lambda e: f"seat {e['player']} repeats {data.ACTIONS[e['action']]}",
    "guild": lambda e: (
        f"seat {e['player']} engages the {_guild(e['guild'])} Guild: {_one(data.FUNCTIONS, e['function'])}"
        + (f", feasting with seat {e['feast']}" if e["feast"] >= 0 else "")
    ),
    "reeve": lambda e: (
        f"seat {e['player']} adds a reeve at the {_guild(e['guild'])} Guild, {_one(data.SIDES, e['side'])}"
        if e["side"] >= 0
        else f"seat {e['player']} adds no reeve"
    ),
    "stored": lambda e: f"the barn takes {amounts(e['goods'])} of location {e['location']}",
    "spilled": lambda e: (
        f"surplus: {amounts(e['to_rows'])} to the Merchants, {amounts(e['to_stores'])} to the Alchemists, "
        f"{amounts(e['to_haversack'])} to the haversack"
    ),
    "payout": lambda e: f"seat {e['player']} is paid {e['food']} food and {e['shillings']} shillings",
    "bought": lambda e: f"seat {e['player']} buys {_one(data.GOODS, e['good'])} for {e['price']}",
    "paid": lambda e: (
        f"seat {e['player']} pays {len(e['receivers'])} at the {_guild(e['guild'])} Guild: "
        + ", ".join(map(_receiver, e["receivers"]))
    ),
    "vessel_taken": lambda e: f"seat {e['player']} takes a {_one(data.VESSELS, e['vessel'])}",
    "transferred": lambda e: (
        f"{_one(data.GOODS, e['good'])} goes from the {_guild(e['from_guild'])} to the {_guild(e['to_guild'])} Guild"
    ),
    "scored": _scored,
    "beads_given": lambda e: f"seat {e['player']} takes the beads {e['low']} and {e['high']}",
    "beads_hidden": lambda e: f"seat {e['player']} has hidden the beads",
    "beads_assigned": lambda e: f"seat {e['player']}: {_one(data.HIDES, e['hide'])}",
    "fist_picked": lambda e: (
        f"seat {e['player']} picks the {_one(data.SIDES, e['fist'])} fist with {e['chosen']}, {e['returned']} goes back"
        if e["fist"] >= 0
        else f"seat {e['player']} gets the bead {e['chosen']}"
    ),
    "bead_placed": lambda e: (
        f"the bead {e['value']} goes on a chicken" if e["chicken"] else f"seat {e['player']} has a bead of {e['value']}"
    ),
    "invented": lambda e: f"seat {e['player']} invents {_one(data.INVENTIONS, e['invention'])}",
    "markers_added": lambda e: (
        "markers at the Knight Guild: "
        + ", ".join(f"{n} {_one(data.COLOURS, colour)}" for colour, n in enumerate(e["added"]) if n)
    ),
    "marker_removed": lambda e: f"seat {e['player']} removes a {_one(data.COLOURS, e['colour'])} marker",
    "seal_placed": lambda e: f"a seal goes on scroll cell {e['cell']}",
    "seal_taken": lambda e: f"seat {e['player']} takes the seal of scroll cell {e['cell']}",
    "bead_added": lambda e: f"the seal of scroll cell {e['cell']} becomes a bead of {e['value']} on the rosary",
    "markers_taken": lambda e: f"seat {e['player']} takes {e['count']} markers from the Knight Guild",
    "mandate": _mandate,
    "fed": lambda e: f"pawn {e['pawn']} of seat {e['player']} is fed: {_one(data.FEEDS, e['feed'])}",
    "goods_drawn": lambda e: (
        f"{amounts(e['goods'])} at location {e['location']}" if e["location"] else f"{amounts(e['goods'])} to the barn"
    ),
    "shared": lambda e: (
        f"the {_one(data.POTS, e['pot'])} is shared: "
        + ", ".join(f"{coins} to seat {player}" for player, coins in e["shares"])
        + f", {e['rest']} left"
    ),
    "settled": _settled,
    "vp": lambda e: f"seat {e['player']} scores {e['amount']} ({_one(data.REASONS, e['reason'])})",
    "chickens_emptied": lambda e: f"{e['count']} beads leave the chickens",
    "refilled": lambda e: (
        f"the guilds are filled up: {amounts(e['rows'])} to the Merchants, {amounts(e['stores'])} to the Alchemists, "
        f"{sum(e['vessels'])} vessels, {sum(e['markers'])} markers, {len(e['cells'])} seals, "
        f"{len(e['rosary']) + len(e['chickens'])} beads"
    ),
    "dawn": lambda e: f"epoch {data.EPOCHS[e['epoch'] - 1]} dawns",
    "round_ended": lambda e: f"round {e['round']} ends, seat {e['starter']} starts the next",
    "game_over": _game_over,
}


def describe_event(fact: tuple[Value, ...]) -> str:
    """One English sentence without the full stop."""
    return _EVENTS[str(fact[0])](named(fact))
