"""The kinds of conditions that Missio cards set on the City, as data that evaluates itself (F-04), and the house list.

Locked cards count, and each Tavern side is a location. ``city`` is indexed by location number.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple, TypeAlias

from palio.engine.record import Record
from palio.games.fidelitas.cards import (
    ARCHIVE,
    BAKERY,
    BUTCHERY,
    CASTLE,
    COLLEGE,
    COURTHOUSE,
    HARBOR,
    LIBRARY,
    MARKET,
    MINSTREL,
    PRIEST,
    SOLDIER,
    SWINDLER,
    WAREHOUSE,
)
from palio.games.fidelitas.piles import Pile

City: TypeAlias = Sequence[Pile]
Locations: TypeAlias = tuple[int, ...]

HARBOR_GUILD: Final = 8


@dataclass(frozen=True, slots=True)
class DistinctGuilds(Record):
    """At least ``count`` different guilds at the locations taken together."""

    locations: Locations
    count: int

    def met(self, city: City, played: Locations) -> bool:  # noqa: ARG002 (one signature for all kinds)
        guilds = 0
        for location in self.locations:
            guilds |= city[location].guilds
        return guilds.bit_count() >= self.count


@dataclass(frozen=True, slots=True)
class CharacterCount(Record):
    """At least ``count`` cards of the character in the City."""

    character: int
    count: int

    def met(self, city: City, played: Locations) -> bool:
        total = 0
        for location in played:
            total += city[location].cards.count(self.character)
        return total >= self.count


@dataclass(frozen=True, slots=True)
class EmptyLocations(Record):
    """At least ``count`` locations are empty; those that the variant lacks do not count."""

    count: int

    def met(self, city: City, played: Locations) -> bool:
        empty = 0
        for location in played:
            if not city[location].cards:
                empty += 1
        return empty >= self.count


@dataclass(frozen=True, slots=True)
class CharacterAtEach(Record):
    """The character at each of the locations."""

    character: int
    locations: Locations

    def met(self, city: City, played: Locations) -> bool:  # noqa: ARG002
        return all(city[location].present >> self.character & 1 for location in self.locations)


@dataclass(frozen=True, slots=True)
class GuildAtEach(Record):
    """A card of the guild at each of the locations."""

    guild: int
    locations: Locations

    def met(self, city: City, played: Locations) -> bool:  # noqa: ARG002
        return all(city[location].guilds >> self.guild & 1 for location in self.locations)


@dataclass(frozen=True, slots=True)
class CharacterSpread(Record):
    """The character at each of at least ``count`` locations, whichever they are."""

    character: int
    count: int

    def met(self, city: City, played: Locations) -> bool:
        spread = 0
        for location in played:
            spread += city[location].present >> self.character & 1
        return spread >= self.count


@dataclass(frozen=True, slots=True)
class ActiveSwindlers(Record):
    """At least ``count`` Swindlers with a card under them."""

    count: int

    def met(self, city: City, played: Locations) -> bool:
        active = 0
        for location in played:
            if city[location].locked:
                active += city[location].cards[1:].count(SWINDLER)
        return active >= self.count


@dataclass(frozen=True, slots=True)
class GuildPairs(Record):
    """At least ``count`` locations hold two cards of one guild."""

    count: int

    def met(self, city: City, played: Locations) -> bool:
        pairs = 0
        for location in played:
            if city[location].pair:
                pairs += 1
        return pairs >= self.count


@dataclass(frozen=True, slots=True)
class CrowdedLocation(Record):
    """Some location holds at least ``count`` cards."""

    count: int

    def met(self, city: City, played: Locations) -> bool:
        return any(len(city[location].cards) >= self.count for location in played)


Condition: TypeAlias = (
    DistinctGuilds
    | CharacterCount
    | EmptyLocations
    | CharacterAtEach
    | GuildAtEach
    | CharacterSpread
    | ActiveSwindlers
    | GuildPairs
    | CrowdedLocation
)


class MissioCard(NamedTuple):
    """A Missio card; its id is its place in the list of cards, from 1."""

    points: int
    condition: Condition


HOUSE_MISSIO: Final[tuple[MissioCard, ...]] = (
    *(
        MissioCard(1, DistinctGuilds((location,), 4))
        for location in (COURTHOUSE, ARCHIVE, COLLEGE, LIBRARY, BAKERY, BUTCHERY, MARKET, WAREHOUSE)
    ),
    MissioCard(3, DistinctGuilds((COURTHOUSE, ARCHIVE), 6)),
    MissioCard(3, DistinctGuilds((COLLEGE, LIBRARY), 6)),
    MissioCard(3, DistinctGuilds((BAKERY, BUTCHERY), 6)),
    MissioCard(3, DistinctGuilds((MARKET, WAREHOUSE), 6)),
    MissioCard(3, CharacterCount(SOLDIER, 6)),
    MissioCard(4, EmptyLocations(4)),
    MissioCard(2, CharacterAtEach(MINSTREL, CASTLE)),
    MissioCard(2, GuildAtEach(HARBOR_GUILD, HARBOR)),
    MissioCard(3, CharacterSpread(PRIEST, 3)),
    MissioCard(2, ActiveSwindlers(3)),
    MissioCard(2, GuildPairs(4)),
    MissioCard(2, CrowdedLocation(7)),
)
"""The twenty cards that are played with unless a match brings its own."""
