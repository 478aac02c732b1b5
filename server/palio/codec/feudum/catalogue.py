"""The tables of the board and the cards as data."""

from __future__ import annotations

from typing import Final

from palio.codec.feudum.fields import goods
from palio.feudum.v1 import feudum_pb2 as pb
from palio.games.feudum import data

_WRIT_TEXTS: Final = (
    "In CONQUER: 1 more, or 2 more for a wood.",
    "In CONQUER: 1 more, or 2 more for an iron.",
    "1: a food for 3 shillings. 2: a wood and a food for 7.",
    "1: an iron, a wood and a food for 9 shillings. 2: a sulfur, an iron, a wood and a food for 13.",
    "1: a food for a flying machine. 2: a wood for a sailing ship.",
    "1: a wood for a sailing ship. 2: an iron for a submarine.",
    "With 3 stars in a guild. 1: three goods of your choice. 2: 3 shillings. 3: a vessel of your choice.",
    "With 3 stars in a guild. 1: three of your markers. 2: a seal. 3: a bead.",
    "5 points with exactly 2 sulfur in the barrel at the end, 7 with 3.",
    "7 points with 2 or more successes in CONQUER.",
    *(
        f"3, 5, 7 or 9 points for 1, 2, 3 or more ruled locations {where}."
        for where in (
            "in the sea and the mountains",
            "on the islands",
            "in the forest",
            "in the desert",
            "in the badlands",
        )
    ),
    "5, 11 or 17 points for 1, 2 or more regions where you rule a location and no opponent does.",
)
_FUNCTION_TEXTS: Final = (
    (
        "The goods of a ruled farm to the barn, for half as many food or shillings.",
        "A bead to a chicken; rewarded if the beads there are worth 5 or more.",
        "Up to 5 goods from the barn to the Merchants, for completed rows or columns.",
    ),
    (
        "Up to 3 goods at the market's prices.",
        "Up to 3 goods from the barn to the Merchants; rewarded for a completed row or column.",
        "Up to 4 goods from the Merchants to the Alchemists, for completed stores.",
    ),
    (
        "A vessel for 3 shillings.",
        "Up to 2 goods from the Merchants to the Alchemists; rewarded for a completed store.",
        "Up to 3 inventions, for their number.",
    ),
    (
        "All markers of your row for 3 shillings.",
        "One invention; always rewarded.",
        "Up to 3 markers of different colours away, each for a seal on a scroll; for completed rows or columns.",
    ),
    (
        "A seal for 3 shillings or two for 6.",
        "2 markers of different colours away, each for a seal; rewarded for a completed scroll row or column.",
        "2 seals onto the rosary, for beads there worth 5, 11 or 17.",
    ),
    (
        "A bead for 3 shillings.",
        "A seal onto the rosary; rewarded if the beads there are worth 11 or more.",
        "A bead to a chicken, for beads there worth 3, 6 or 9.",
    ),
)


def _writ_kind(card: int) -> pb.WritKind.ValueType:
    if card in data.MANDATES:
        return pb.WRIT_KIND_MANDATE
    return pb.WRIT_KIND_CHARTER if card >= data.FIRST_CHARTER else pb.WRIT_KIND_WEAPON


def _line(lines: tuple[tuple[int, ...], ...], cell: int) -> int:
    return next(number for number, line in enumerate(lines, 1) if cell in line)


def catalogue() -> pb.Catalogue:
    message = pb.Catalogue(
        goods=data.GOODS_IN_GAME,
        disc_values=data.DISC_VALUES,
        rank_points=data.RANK_VP,
        region_points=data.REGION_VP,
        disloyalty=data.DISLOYALTY,
        disloyal_spaces=[data.DISLOYAL_SPACES.get(epoch, 0) for epoch in range(1, 6)],
        push_points=data.PUSH_VP,
        pull_points=data.PULL_VP,
        feast_points=data.FEAST_VP,
        scroll_rows=[_line(data.SCROLL_ROWS, cell) for cell in range(1, 7)],
        scroll_columns=[_line(data.SCROLL_COLUMNS, cell) for cell in range(1, 7)],
    )
    for card, text in enumerate(_WRIT_TEXTS):
        message.writs.add(writ=card + 1, kind=_writ_kind(card), text=text)
    for guild, (trade, pull, push) in enumerate(_FUNCTION_TEXTS):
        message.guilds.add(
            guild=guild + 1,
            related_type=data.RING_RELATED[guild] + 1,
            left=data.left_of(guild) + 1,
            right=(guild + 1) % 6 + 1,
            charity=data.RING_CHARITY[guild] + 1,
            trade=trade,
            pull=pull,
            push=push,
        )
    for at in range(1, data.LOCATIONS + 1):
        region = data.REGION_OF[at] + 1
        message.locations.add(id=at, region=region, start=at in data.STARTS)
    for good, prices in enumerate(data.PRICES):
        message.prices.add(good=good + 1, columns=prices)
    for invention, cost in enumerate(data.INVENTION_COSTS):
        message.inventions.add(invention=invention + 1, cost=goods(cost))
    for nth, cost in enumerate(data.KRUD_COSTS, 1):
        message.inventions.add(invention=pb.INVENTION_KRUD, nth=nth, cost=goods(cost))
    for kind, good in ((data.FARM, data.WOOD + 1), (data.TOWN, data.IRON + 1), (data.FEUDUM, 0)):
        points = [data.IMPROVE_VP[kind] + epoch for epoch in range(4)]
        message.improvements.add(to=kind + 1, cost=good, points=points)
    for rich, farm in data.KICKBACK_FARM.items():
        message.kickbacks.add(goods=rich, farm=farm, player=rich - farm)
    for section, (behind, ahead) in enumerate(data.VOYAGE_VP):
        message.voyage.add(spaces=[2 * section + 1, 2 * section + 2], behind=behind, ahead=ahead)
    message.voyage.add(spaces=[data.VOYAGE], behind=data.VOYAGE_LAST_VP, ahead=data.VOYAGE_LAST_VP)
    return message
