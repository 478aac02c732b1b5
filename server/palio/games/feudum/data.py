"""The game's fixed facts: enumerations as small integers, and the tables of the board and the cards.

The order of every enumeration is the canonical order of options (G-05). Location ids run from 1 to 22, so tables
indexed by location have an unused entry 0.
"""

from __future__ import annotations

from typing import Final

# Goods.
SALTPETER, SULFUR, IRON, WOOD, FOOD = range(5)
GOODS: Final = ("SALTPETER", "SULFUR", "IRON", "WOOD", "FOOD")
GOODS_IN_GAME: Final = (30, 30, 30, 30, 50)

# Guilds in ring order; the six characters of pawns are the same six (G-05, G-06).
FARMER, MERCHANT, ALCHEMIST, KNIGHT, NOBLE, MONK = range(6)
GUILDS: Final = ("FARMER", "MERCHANT", "ALCHEMIST", "KNIGHT", "NOBLE", "MONK")

OUTPOST, FARM, TOWN, FEUDUM = range(4)
TYPES: Final = ("OUTPOST", "FARM", "TOWN", "FEUDUM")
SEA, ISLAND, FOREST, DESERT, BADLANDS, MOUNTAIN = range(6)
REGIONS: Final = ("SEA", "ISLAND", "FOREST", "DESERT", "BADLANDS", "MOUNTAIN")
SAILING_SHIP, SUBMARINE, FLYING_MACHINE = range(3)
VESSELS: Final = ("SAILING_SHIP", "SUBMARINE", "FLYING_MACHINE")
KRUD: Final = 3
INVENTIONS: Final = (*VESSELS, "KRUD")
TRADE, PULL, PUSH = range(3)
FUNCTIONS: Final = ("TRADE", "PULL", "PUSH")
RANKS: Final = ("MASTER", "JOURNEYMAN", "APPRENTICE")
EPOCHS: Final = ("I", "II", "III", "IV", "V")
COLOURS: Final = ("RED", "GREEN", "BLUE", "YELLOW", "PURPLE")

MIGRATE, MOVE, INFLUENCE, IMPROVE, EXPLORE, HARVEST, TAX, CONQUER, REPEAT, GUILD = range(10)
ACTIONS: Final = (
    "MIGRATE",
    "MOVE",
    "INFLUENCE",
    "IMPROVE",
    "EXPLORE",
    "HARVEST",
    "TAX",
    "CONQUER",
    "REPEAT",
    "GUILD",
)
ALL_ACTIONS: Final = (1 << len(ACTIONS)) - 1
"""Bit mask of all action cards."""
REPEATABLE: Final = (MOVE, INFLUENCE, GUILD)
"""Actions whose card bears the x2 mark (G-62)."""

# Small enumerations of single decisions.
ON, OFF = range(2)
MIGRATE_MODES: Final = ("ON", "OFF")
FULL, KICKBACK = range(2)
HARVEST_MODES: Final = ("FULL", "KICKBACK")
B_SALTPETER, B_BOW, B_BOW_WOOD, B_SWORD, B_SWORD_IRON = range(5)
BOOSTS: Final = ("SALTPETER", "BOW", "BOW_WOOD", "SWORD", "SWORD_IRON")
ROWS, COLUMNS = range(2)
AXES: Final = ("ROWS", "COLUMNS")
LOW_IN_LEFT, LOW_IN_RIGHT = range(2)
HIDES: Final = ("LOW_IN_LEFT", "LOW_IN_RIGHT")
LEFT, RIGHT = range(2)
SIDES: Final = ("LEFT", "RIGHT")
FEED_FOOD, FEED_WINE, FEED_NONE, FEED_CARRIED = range(4)
FEEDS: Final = ("FOOD", "WINE", "NONE", "CARRIED")
"""How a pawn was fed; CARRIED (sulfur put on it a round ago) is never a choice."""
RULER, SUBJECT, SERF, OVERTHROW = range(4)
ROLES: Final = ("RULER", "SUBJECT", "SERF", "OVERTHROW")
BY_OWNER, CONQUERED, UNFED = range(3)
LEAVE_REASONS: Final = ("BY_OWNER", "CONQUERED", "UNFED")
PURSE, COFFER, SUPPLY = range(3)
POTS: Final = ("PURSE", "COFFER", "SUPPLY")

# Royal Writs in the order of section 9 of the rules.
(
    BOW,
    SWORD,
    STALL,
    FAIR,
    AIRWRIGHT,
    SHIPWRIGHT,
    PATRON,
    CROWN,
    TEMPERANCE,
    CHAMPION,
    REALM_COAST,
    REALM_ISLAND,
    REALM_FOREST,
    REALM_DESERT,
    REALM_BADLANDS,
    SOLE_RULER,
) = range(16)
WRITS: Final = (
    "BOW",
    "SWORD",
    "STALL",
    "FAIR",
    "AIRWRIGHT",
    "SHIPWRIGHT",
    "PATRON",
    "CROWN",
    "TEMPERANCE",
    "CHAMPION",
    "REALM_COAST",
    "REALM_ISLAND",
    "REALM_FOREST",
    "REALM_DESERT",
    "REALM_BADLANDS",
    "SOLE_RULER",
)
MANDATES: Final = (STALL, FAIR, AIRWRIGHT, SHIPWRIGHT, PATRON, CROWN)
"""Cards that can be played before an action; BOW and SWORD belong to CONQUER, the rest are charters."""
FIRST_CHARTER: Final = TEMPERANCE
REALM_REGIONS: Final = {
    REALM_COAST: (SEA, MOUNTAIN),
    REALM_ISLAND: (ISLAND,),
    REALM_FOREST: (FOREST,),
    REALM_DESERT: (DESERT,),
    REALM_BADLANDS: (BADLANDS,),
}

# Why points were won or lost (`vp` events).
(
    VP_RANK,
    VP_REGIONS,
    VP_DISLOYALTY,
    VP_REEVE,
    VP_PULL,
    VP_PUSH,
    VP_FEAST,
    VP_IMPROVE,
    VP_HARVEST,
    VP_CONQUER,
    VP_VOYAGE,
    VP_EMPIRE,
    VP_SETS,
    VP_SHILLINGS,
    VP_VESSELS,
    VP_CHARTERS,
) = range(16)
REASONS: Final = (
    "RANK",
    "REGIONS",
    "DISLOYALTY",
    "REEVE",
    "PULL",
    "PUSH",
    "FEAST",
    "IMPROVE",
    "HARVEST",
    "CONQUER",
    "VOYAGE",
    "EMPIRE",
    "SETS",
    "SHILLINGS",
    "VESSELS",
    "CHARTERS",
)

# Counts.
MAX_PLAYERS: Final = 5
ROUNDS: Final = 8
TURNS_PER_ROUND: Final = 4
PAWNS: Final = 3
DISCS: Final = 3
MARKERS: Final = 20
SHILLINGS: Final = 78
VESSELS_OF_A_KIND: Final = 3
FEUDUMS_OF_A_GUILD: Final = 2
DISC_VALUES: Final = (2,) * 5 + (3,) * 4 + (4,) * 4 + (5,) * 4
LOCATIONS: Final = 22
BARN: Final = 10
CHICKENS: Final = 4
ROW: Final = 4
STORE: Final = 3
KNIGHT_ROW: Final = 6
CELLS: Final = 6
ROSARY: Final = 7
BARREL: Final = 3
HAND: Final = 3
VOYAGE: Final = 7

RING_RELATED: Final = (FARM, TOWN, OUTPOST, FARM, TOWN, OUTPOST)
"""Per guild the type of location that counts as a secondary criterion there (G-06)."""
RING_CHARITY: Final = (COFFER, COFFER, COFFER, PURSE, PURSE, PURSE)
"""Per guild the pot that gets every third coin of a payment (G-06)."""

REGION_IDS: Final = (
    (1, 2, 3),
    (4, 5, 6, 7),
    (8, 9, 10),
    (11, 12, 13, 14, 15),
    (16, 17, 18, 19, 20),
    (21, 22),
)
"""Location ids by region (G-17)."""
REGION_OF: Final = (-1, *(region for region, ids in enumerate(REGION_IDS) for _ in ids))
STARTS: Final = tuple(ids[0] for ids in REGION_IDS)

PRICES: Final = ((4, 3, 2, 2), (3, 3, 2, 1), (3, 2, 1, 1), (2, 2, 1, 1), (2, 1, 1, 1))
"""Merchant prices by good and column (G-08); with k goods in a row the next one costs column k."""
SCROLL_ROWS: Final = ((1, 2, 3), (4, 5), (6,))
SCROLL_COLUMNS: Final = ((1, 4, 6), (2, 5), (3,))
"""Lines of scroll cells (G-10)."""
INVENTION_COSTS: Final = (
    (0, 0, 0, 2, 1),
    (0, 0, 2, 0, 1),
    (0, 0, 1, 1, 1),
)
"""What a vessel costs, by good (G-104)."""
KRUD_COSTS: Final = ((2, 1, 0, 0, 0), (1, 1, 0, 0, 0), (0, 0, 0, 1, 0))
"""What the first, second and third krud of one function costs."""
KRUD_ROOM: Final = (1, 2, 1, 3, 2, 1, 0)
"""Room in the first unfilled section of a Knight row, by its count (G-11)."""
IMPROVE_VP: Final = (0, 2, 3, 4)
"""Points for improving to a type in epoch I; one more in each later epoch (G-70)."""
RANK_VP: Final = (5, 3, 1)
REGION_VP: Final = (0, 1, 3, 5, 7, 9, 11)
DISLOYALTY: Final = (3, 4, 5)
DISLOYAL_SPACES: Final = {2: 1, 4: 2, 5: 3}
"""By epoch how many spaces of the Military Service track must be covered (G-128)."""
PUSH_VP: Final = (0, 4, 5, 6)
PULL_VP: Final = 3
FEAST_VP: Final = 3
KICKBACK_FARM: Final = {5: 4, 6: 5, 7: 5, 8: 5, 9: 6, 10: 6}
"""What stays on the farm when a harvest of that size is shared (G-73)."""
VOYAGE_VP: Final = ((3, 5), (7, 9), (11, 13))
VOYAGE_LAST_VP: Final = 17
VOYAGE_WRITS: Final = (2, 4, 6)
REALM_VP: Final = (0, 3, 5, 7, 9)
SOLE_RULER_VP: Final = (0, 5, 11, 17)
ROW_LEVELS: Final = (3, 3, 4, 4, 4)
STORE_LEVELS: Final = (3, 1, 3, 3, 1)
SALE_LEVEL: Final = 2
KNIGHT_LEVEL: Final = 2
SCROLL_LEVEL: Final = (1, 3, 5, 6)
ROSARY_LEVEL: Final = 4
CHICKEN_LEVEL: Final = 1
"""What the guilds hold at setup and are filled up to at the dawn of epoch III (G-19 to G-22, G-131)."""
VESSEL_PRICE: Final = 3
SEAL_PRICE: Final = 3
ROW_PRICE: Final = 3
BEAD_PRICE: Final = 3

STREAMS: Final = (
    "feudum/start",
    "feudum/locations",
    "feudum/writs",
    "feudum/vessels",
    "feudum/seals",
    "feudum/haversack",
    "feudum/spill",
)
S_START, S_LOCATIONS, S_WRITS, S_VESSELS, S_SEALS, S_HAVERSACK, S_SPILL = range(7)
"""The chance streams of G-33."""


def left_of(guild: int) -> int:
    """The left neighbour in the ring, from which a PULL comes."""
    return (guild - 1) % 6


def knight_colours(players: int) -> int:
    """How many colours are in the game, dummies included (G-14)."""
    return max(players, 4)


def track_spaces(players: int) -> int:
    """K of G-42: spaces on a guild's track."""
    return 3 if players >= 4 else 2
