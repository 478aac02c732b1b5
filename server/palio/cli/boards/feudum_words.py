"""What the drawing of Feudum says: names, counts and help in English, from the messages alone."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from palio.feudum.v1 import feudum_pb2 as pb

GOODS: Final = ("saltpeter", "sulfur", "iron", "wood", "food")
VESSELS: Final = {"sailing_ships": "sailing ship", "submarines": "submarine", "flying_machines": "flying machine"}
COLOURS: Final = ("red", "green", "blue", "yellow", "purple")
STYLES: Final = ("red", "green", "bright_blue", "yellow", "magenta")
"""Of the colours, in a terminal."""

ACTIONS: Final = {
    pb.ACTION_MIGRATE: "A food brings a pawn into play, as any character, where you have a pawn or a marker (else at a "
    "start location); or one of your pawns goes home.",
    pb.ACTION_MOVE: "Each of your pawns may go to any location, once; then one good where a moved pawn stands, except "
    "at a farm of yours. The second MOVE of a round sails one space on the Epic Voyage.",
    pb.ACTION_INFLUENCE: "A marker at each location where you have a pawn: you rule an empty location, add a subject "
    "where you rule, become the serf where another rules; a serf's second marker overthrows a ruler without a subject.",
    pb.ACTION_IMPROVE: "A wood makes a farm of an outpost, an iron a town of a farm, a seal a feudum of a town: 2, 3, "
    "4 points, one more in each later epoch.",
    pb.ACTION_EXPLORE: "With an outpost: draw two writs, one more for each further outpost and each feudum; keep one.",
    pb.ACTION_HARVEST: "A point, and 5 goods to a farm, one more for each further farm, each feudum and each point of "
    "your beads, at most 10; or the kickback: some of them for yourself, and all your beads become seals.",
    pb.ACTION_TAX: "With a town: two shillings, one more for each further town and each feudum.",
    pb.ACTION_CONQUER: "A pawn (2 points) or a feudum (4 points) where you have a pawn. Attack: your sober pawns "
    "there, 1 as the feudum's serf, saltpeter (one; any number with a sober knight), BOW, SWORD. Defence: 2 a sober "
    "pawn, 2 a feudum, 1 its subject. Only what you can win is offered; not in turn 4.",
    pb.ACTION_REPEAT: "A card with ×2 that you used in this round once more; GUILD at another guild.",
    pb.ACTION_GUILD: "One function of one guild: anybody may TRADE, the journeyman PULL, the master PUSH. With sulfur "
    "in the barrel you may feast: perform the pull or push of a player near one of your pawns, for 3 points more.",
}
TOPICS: Final = {
    "stars": "Whoever has a star in a guild puts a marker on its track, most stars first. Only strictly more stars "
    "pass a player; whoever finds no space, or has no marker, waits. Without stars one leaves and gets it back.",
    "reeves": "Who pulls or pushes by right may leave a disc there as a reeve (⚑): a point for every pull or push with "
    "it, two with another reeve elsewhere. It goes home when its owner is neither master nor journeyman.",
    "food": "At the end of a round every pawn costs a food, or a sulfur of the barrel, which lasts for two rounds but "
    "leaves it drunk (~): it does not fight. What cannot be fed goes home.",
    "dawn": "After rounds 2, 4, 6 and 8 masters score 5, journeymen 3, apprentices 1; regions where you rule a "
    "location 1, 3, 5, 7, 9, 11. Who rules a feudum loses the uncovered spaces of the Military Service: -3 "
    "at the dawn of epoch II, -3 -4 of IV, -3 -4 -5 of V.",
    "end": "The Epic Voyage (3/5, 7/9, 11/13, 17 by pairs of spaces, the higher number for who is ahead); a point a "
    "location, three a feudum, three for each three locations of one type; a point for 3 shillings; two a vessel; "
    "charters among your writs, each with one of your seals. Most points win, then most sulfur in the barrel.",
}
"""Help that belongs to no single guild, action or writ."""
DOUBLE: Final = (pb.ACTION_MOVE, pb.ACTION_INFLUENCE, pb.ACTION_GUILD)
"""Actions whose card bears the ×2 mark."""


def guild(number: int) -> str:
    """ "Merchant"."""
    return pb.Guild.Name(pb.Guild.ValueType(number)).removeprefix("GUILD_").capitalize()


def action(number: int) -> str:
    """ "MOVE ×2"."""
    name = pb.Action.Name(pb.Action.ValueType(number)).removeprefix("ACTION_")
    return f"{name} ×2" if number in DOUBLE else name


def writ(number: int) -> str:
    """ "SOLE RULER"."""
    return pb.Writ.Name(pb.Writ.ValueType(number)).removeprefix("WRIT_").replace("_", " ")


def function(number: int) -> str:
    """ "PULL"."""
    return pb.GuildFunction.Name(pb.GuildFunction.ValueType(number)).removeprefix("GUILD_FUNCTION_")


def region(number: int) -> str:
    """ "Badlands"."""
    return pb.Region.Name(pb.Region.ValueType(number)).removeprefix("REGION_").capitalize()


def kind(location: pb.Location) -> str:
    """ "farm"; a feudum is called by its guild, in capitals."""
    if location.type == pb.LOCATION_TYPE_FEUDUM:
        return guild(location.guild).upper()
    return pb.LocationType.Name(location.type).removeprefix("LOCATION_TYPE_").lower()


def amounts(goods: pb.Goods) -> str:
    """ "2 iron, 5 food"; "" for none."""
    return ", ".join(f"{getattr(goods, name)} {name}" for name in GOODS if getattr(goods, name))


def total(goods: pb.Goods) -> int:
    return sum(getattr(goods, name) for name in GOODS)


def vessels(counts: pb.Vessels) -> str:
    """ "2 submarines"; "" for none."""
    found = ((getattr(counts, field), name) for field, name in VESSELS.items())
    return ", ".join(f"{count} {name}{'s' if count > 1 else ''}" for count, name in found if count)


def markers(location: pb.Location) -> str:
    """The markers at a location by the initials of their colours: "RRg" is red with a subject and a green serf."""
    if not location.HasField("ruler"):
        return ""
    ruler = COLOURS[location.ruler][0].upper()
    serf = COLOURS[location.serf][0] if location.HasField("serf") else ""
    return ruler * (2 if location.subject else 1) + serf


def choices(text: str) -> dict[int, str]:
    """The numbered choices in a mandate's text."""
    return {int(number): said.strip() for number, said in re.findall(r"(\d): ([^.]*)\.", text)}


def listed(values: Sequence[int]) -> str:
    """ "2 3 5 (10)": values and their sum."""
    return f"{' '.join(map(str, values))} ({sum(values)})" if values else "none"


def facts(public: pb.Seat) -> dict[str, str]:
    """What a player has, by its name; "" for nothing."""
    home = sum(not pawn.location for pawn in public.pawns)
    discs = (f"{public.pool} left", f"{public.military} on military service" if public.military else "")
    return {
        "points": str(public.score),
        "shillings": str(public.shillings),
        "markers": str(public.markers),
        "pawns at home": str(home),
        "goods": amounts(public.goods),
        "barrel": f"{public.barrel} sulfur" if public.barrel else "",
        "seals": str(public.seals or ""),
        "beads": listed(public.beads) if public.beads else "",
        "vessels": vessels(public.vessels),
        "writs": str(public.writs or ""),
        "discs": ", ".join(filter(None, discs)),
        "voyage": f"space {public.voyage}" if public.voyage else "",
        "successes": str(public.successes or ""),
        "used": " ".join(action(card).split()[0] for card in public.used),
        "engaged": ", ".join(map(guild, public.engaged)),
    }
