"""The cards and locations of Fidelitas as tables (rules F-01 to F-03). Index 0 of every table is unused."""

from __future__ import annotations

from typing import Final

SHOPKEEPER: Final = 1
BROKER: Final = 2
BUTCHER: Final = 3
BAKER: Final = 4
PROFESSOR: Final = 5
STUDENT: Final = 6
CLERK: Final = 7
BARRISTER: Final = 8
SOLDIER: Final = 9
PRIEST: Final = 10
MINSTREL: Final = 11
THIEF: Final = 12
DOCKMASTER: Final = 13
SWINDLER: Final = 14

CHARACTERS: Final = tuple(range(1, 15))
CHARACTER_NAMES: Final = (
    "",
    "SHOPKEEPER",
    "BROKER",
    "BUTCHER",
    "BAKER",
    "PROFESSOR",
    "STUDENT",
    "CLERK",
    "BARRISTER",
    "SOLDIER",
    "PRIEST",
    "MINSTREL",
    "THIEF",
    "DOCKMASTER",
    "SWINDLER",
)

GUILDS: Final = tuple(range(1, 10))
GUILD_NAMES: Final = (
    "",
    "COMMERCE",
    "ARTISAN",
    "ACADEMIC",
    "JUDICIARY",
    "MILITARY",
    "CHURCH",
    "ENTERTAINMENT",
    "HARBOR",
    "MISCREANT",
)
GUILD_OF: Final = (0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 6, 7, 8, 8, 9)

COURTHOUSE: Final = 1
COLLEGE: Final = 2
TAVERN_NORTH: Final = 3
BAKERY: Final = 4
MARKET: Final = 5
ARCHIVE: Final = 6
LIBRARY: Final = 7
TAVERN_SOUTH: Final = 8
BUTCHERY: Final = 9
WAREHOUSE: Final = 10

LOCATION_NAMES: Final = (
    "",
    "COURTHOUSE",
    "COLLEGE",
    "TAVERN_NORTH",
    "BAKERY",
    "MARKET",
    "ARCHIVE",
    "LIBRARY",
    "TAVERN_SOUTH",
    "BUTCHERY",
    "WAREHOUSE",
)
LOCATION_CARDS: Final = (
    "",
    "Judiciary",
    "Academic",
    "Tavern",
    "Artisan",
    "Commerce",
    "Judiciary",
    "Academic",
    "Tavern",
    "Artisan",
    "Commerce",
)
LOCATIONS: Final = tuple(range(1, 11))
TAVERN_SIDES: Final = (TAVERN_NORTH, TAVERN_SOUTH)
CASTLE: Final = (COURTHOUSE, ARCHIVE)
HARBOR: Final = (MARKET, WAREHOUSE)
COMMERCE_LOCATIONS: Final = (MARKET, WAREHOUSE)
NORTH: Final = (1, 2, 3, 4, 5)
SOUTH: Final = (6, 7, 8, 9, 10)
REGULAR: Final = tuple(n for n in LOCATIONS if n not in TAVERN_SIDES)
SOLO_LOCATIONS: Final = REGULAR
"""The solo game has no Tavern (F-43)."""

HOUSE_COPIES: Final = (0, 3, 3, 3, 3, 3, 3, 3, 3, 8, 4, 4, 3, 3, 4)

PLAYED_ON: Final[tuple[tuple[int, ...], ...]] = (
    (),
    (MARKET, WAREHOUSE),
    (MARKET, WAREHOUSE),
    (BAKERY, BUTCHERY),
    (BAKERY, BUTCHERY),
    (COLLEGE, LIBRARY),
    (COLLEGE, LIBRARY),
    (COURTHOUSE, ARCHIVE),
    (COURTHOUSE, ARCHIVE),
    REGULAR,
    REGULAR,
    (COURTHOUSE, ARCHIVE),
    REGULAR,
    (MARKET, WAREHOUSE),
    REGULAR,
)
"""The regular locations where a character may be played; a Swindler's must hold a card. Every character may be played
on the Tavern sides (F-20)."""

DRAWS: Final[tuple[tuple[int, ...], ...]] = (
    (1,),
    (1,),
    (1,),
    (1,),
    (1,),
    (0,),
    (0,),
    (1, 2),
    (0,),
    (1,),
    (0,),
    (1,),
    (1,),
    (1,),
    (1,),
)
"""Cards drawn at the end of the turn after a character's action; index 0 is for a turn without a card (F-10)."""

ACTION_TEXTS: Final = (
    "",
    "Swap two cards of different locations; each takes the other's exact place.",
    "Move two cards out of a Commerce location to two other ones, or one card from each of two others into it.",
    "Remove two cards from the City.",
    "Move two cards to two different locations.",
    "Discard a card from your hand, then draw three.",
    "Draw four cards, keep one, discard the others.",
    "Remove two cards of one guild from one location, or draw one card more.",
    "Take a card from the City into your hand.",
    "Move another card of this location. The third Soldier clears its location instead.",
    "Draw a Missio card, or two Virtus cards.",
    "Move up to two cards from this location to one other location of the same side.",
    "Take a random card from each other player who holds more than two.",
    "Move a card from the Market and a card from the Warehouse.",
    "Locks itself and the cards under it until the location is cleared.",
)

TARGETS: Final = {2: 10, 3: 8, 4: 6}
"""Points that end the game, by players (F-38); solo has no target."""
TEAM_TARGET: Final = 8
HAND_LIMIT_OF_THIEVES: Final = 2
"""A Thief takes nothing from a hand of so many cards (F-34); a solo player discards above it (F-43)."""
