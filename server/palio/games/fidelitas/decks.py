"""Decks (F-05), and how they are read from plain data.

The data has the shape of the proto3 JSON of ``palio.fidelitas.v1.Deck``, which TOML and JSON files can hold. Names may
be given with or without the enum's prefix, or as numbers.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from palio.engine.errors import InvalidSetup
from palio.games.fidelitas.cards import CHARACTER_NAMES, CHARACTERS, GUILD_NAMES, HOUSE_COPIES, LOCATION_NAMES
from palio.games.fidelitas.choices import MAX_MISSIO
from palio.games.fidelitas.conditions import (
    HOUSE_MISSIO,
    ActiveSwindlers,
    CharacterAtEach,
    CharacterCount,
    CharacterSpread,
    Condition,
    CrowdedLocation,
    DistinctGuilds,
    EmptyLocations,
    GuildAtEach,
    GuildPairs,
    MissioCard,
)

MIN_VIRTUS: Final = 30
MAX_VIRTUS: Final = 200
MIN_MISSIO: Final = 8
MAX_POINTS: Final = 9


@dataclass(frozen=True, slots=True)
class Deck:
    """The cards of a match (F-05).

    Attributes:
        copies: of each character, indexed by its number; index 0 is 0.
        missio: the Missio cards; the id of one is its index plus 1.
    """

    copies: tuple[int, ...] = HOUSE_COPIES
    missio: tuple[MissioCard, ...] = HOUSE_MISSIO

    def check(self, path: str = "deck") -> None:
        """
        Raises:
            InvalidSetup: a number is out of bounds; the field's path starts with ``path``.
        """
        total = sum(self.copies)
        for character in CHARACTERS:
            if not 0 <= self.copies[character] <= MAX_VIRTUS:
                raise InvalidSetup(f"{path}.virtus", f"{CHARACTER_NAMES[character]} must have 0 to {MAX_VIRTUS} copies")
        if not MIN_VIRTUS <= total <= MAX_VIRTUS:
            raise InvalidSetup(f"{path}.virtus", f"{total} cards; allowed are {MIN_VIRTUS} to {MAX_VIRTUS}")
        if not MIN_MISSIO <= len(self.missio) <= MAX_MISSIO:
            raise InvalidSetup(f"{path}.missio", f"{len(self.missio)} cards; allowed are {MIN_MISSIO} to {MAX_MISSIO}")
        for index, card in enumerate(self.missio):
            if not 1 <= card.points <= MAX_POINTS:
                raise InvalidSetup(
                    f"{path}.missio[{index}].points", f"{card.points} is out of bounds; allowed are 1 to {MAX_POINTS}"
                )


HOUSE_DECK: Final = Deck()

CONDITION_KINDS: Final[dict[str, type[Condition]]] = {
    "distinct_guilds": DistinctGuilds,
    "character_count": CharacterCount,
    "empty_locations": EmptyLocations,
    "character_at_each": CharacterAtEach,
    "guild_at_each": GuildAtEach,
    "character_spread": CharacterSpread,
    "active_swindlers": ActiveSwindlers,
    "guild_pairs": GuildPairs,
    "crowded_location": CrowdedLocation,
}
"""By the names of the fields of ``MissioCard.condition``."""

_MOST: Final = {
    DistinctGuilds: 9,
    CharacterCount: MAX_VIRTUS,
    EmptyLocations: 10,
    CharacterSpread: 10,
    ActiveSwindlers: MAX_VIRTUS,
    GuildPairs: 10,
    CrowdedLocation: MAX_VIRTUS,
}


def kind_of(condition: Condition) -> str:
    """The name of a condition's kind."""
    return next(name for name, kind in CONDITION_KINDS.items() if isinstance(condition, kind))


def read_deck(data: object, path: str = "deck") -> Deck:
    """A deck from plain data; bounds of the whole deck are checked by :meth:`Deck.check`.

    Raises:
        InvalidSetup: a field is unknown, of the wrong type or out of bounds.
    """
    fields = _mapping(data, path, ("virtus", "missio"))
    copies: tuple[int, ...] = HOUSE_COPIES
    missio = HOUSE_MISSIO
    if fields.get("virtus"):
        copies = _read_copies(_sequence(fields["virtus"], f"{path}.virtus"), f"{path}.virtus")
    if fields.get("missio"):
        cards = _sequence(fields["missio"], f"{path}.missio")
        missio = tuple(_read_missio(card, index, f"{path}.missio[{index}]") for index, card in enumerate(cards))
    return Deck(copies, missio)


def _read_copies(entries: Sequence[object], path: str) -> tuple[int, ...]:
    copies = [0] * len(CHARACTER_NAMES)
    seen = set()
    for index, entry in enumerate(entries):
        here = f"{path}[{index}]"
        fields = _mapping(entry, here, ("character", "copies"))
        character = _named(fields.get("character", 0), CHARACTER_NAMES, "CHARACTER_", f"{here}.character")
        if character in seen:
            raise InvalidSetup(f"{here}.character", f"{CHARACTER_NAMES[character]} is listed twice")
        seen.add(character)
        copies[character] = _number(fields.get("copies", 0), 0, MAX_VIRTUS, f"{here}.copies")
    return tuple(copies)


def _read_missio(data: object, index: int, path: str) -> MissioCard:
    fields = _mapping(data, path, ("id", "points", "text", *CONDITION_KINDS))
    if fields.get("id"):
        _number(fields["id"], index + 1, index + 1, f"{path}.id")
    points = _number(fields.get("points", 0), 1, MAX_POINTS, f"{path}.points")
    given = [name for name in CONDITION_KINDS if name in fields]
    if len(given) != 1:
        kinds = ", ".join(CONDITION_KINDS)
        raise InvalidSetup(path, f"a Missio card has exactly one condition, of the kinds {kinds}")
    return MissioCard(points, read_condition(given[0], fields[given[0]], f"{path}.{given[0]}"))


def read_condition(name: str, data: object, path: str) -> Condition:
    """A condition from the data of its kind.

    Raises:
        InvalidSetup: a field is unknown, of the wrong type or out of bounds.
    """
    kind = CONDITION_KINDS[name]
    names = [field.name for field in dataclasses.fields(kind)]
    fields = _mapping(data, path, names)
    values: list[object] = []
    for field in names:
        here = f"{path}.{field}"
        given = fields.get(field, 0)
        if field == "count":
            values.append(_number(given, 1, _MOST[kind], here))
        elif field == "character":
            values.append(_named(given, CHARACTER_NAMES, "CHARACTER_", here))
        elif field == "guild":
            values.append(_named(given, GUILD_NAMES, "GUILD_", here))
        else:
            values.append(_locations(given or (), here))
    return kind(*values)  # type: ignore[arg-type]  # checked field by field above


def _locations(data: object, path: str) -> tuple[int, ...]:
    found = [
        _named(value, LOCATION_NAMES, "LOCATION_", f"{path}[{index}]")
        for index, value in enumerate(_sequence(data, path))
    ]
    if not found or len(set(found)) < len(found):
        raise InvalidSetup(path, "at least one location, and none twice")
    return tuple(sorted(found))


def _mapping(data: object, path: str, known: Sequence[str]) -> Mapping[str, object]:
    if not isinstance(data, Mapping):
        raise InvalidSetup(path, f"expected fields ({', '.join(known)}), not {data!r}")
    # proto3 JSON writes lowerCamelCase and reads both.
    fields = {_snake(str(name)): value for name, value in data.items()}
    for name in fields:
        if name not in known:
            raise InvalidSetup(f"{path}.{name}", f"there is no such field; known are {', '.join(known)}")
    return fields


def _snake(name: str) -> str:
    return "".join(f"_{letter.lower()}" if letter.isupper() else letter for letter in name)


def _sequence(data: object, path: str) -> Sequence[object]:
    if isinstance(data, Sequence) and not isinstance(data, str | bytes):
        return data
    raise InvalidSetup(path, f"expected a list, not {data!r}")


def _number(data: object, least: int, most: int, path: str) -> int:
    if type(data) is not int or not least <= data <= most:
        allowed = str(least) if least == most else f"{least} to {most}"
        raise InvalidSetup(path, f"{data!r} is out of bounds; allowed: {allowed}")
    return data


def _named(data: object, names: Sequence[str], prefix: str, path: str) -> int:
    if type(data) is int and 1 <= data < len(names):
        return data
    if isinstance(data, str) and data:
        name = data.upper().removeprefix(prefix)
        if name in names:
            return names.index(name)
    raise InvalidSetup(path, f"{data!r} is not one of {', '.join(names[1:])}")
