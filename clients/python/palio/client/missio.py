"""Fidelitas: the reference interpreter of Missio conditions (F-04), for bots that bring no rules engine.

A *City* is a sequence of eleven stacks, bottom to top, indexed by location number; index 0 is empty. The distance of
a condition is how many cards or locations it lacks, by a count that depends on its kind; it is met at distance 0.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final, TypeAlias

from palio.fidelitas.v1 import fidelitas_pb2 as pb

City: TypeAlias = Sequence[Sequence[int]]
Distance: TypeAlias = Callable[[City], int]

GUILD_OF: Final = (0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 6, 7, 8, 8, 9)
"""The guild of each character, as the catalogue says."""
LOCATIONS: Final = tuple(range(1, 11))
SOLO_LOCATIONS: Final = (1, 2, 4, 5, 6, 7, 9, 10)


def city_of(observation: pb.Observation) -> list[tuple[int, ...]]:
    """The City that an observation shows."""
    return [(), *(tuple(stack.cards) for stack in observation.stacks)]


def locations_of(observation: pb.Observation) -> tuple[int, ...]:
    """The locations that exist: the solo game has no Tavern."""
    return SOLO_LOCATIONS if observation.players == 1 else LOCATIONS


def distance_of(card: pb.MissioCard, locations: Sequence[int] = LOCATIONS) -> Distance:
    """How far a City is from meeting a card's condition, as a function.

    Raises:
        ValueError: a kind of condition that this version does not know.
    """
    kind = card.WhichOneof("condition")
    if kind is None:
        raise ValueError(f"Missio card {card.id} has no condition that is known here")
    condition: Any = getattr(card, kind)
    count: int = getattr(condition, "count", 0)
    character: int = getattr(condition, "character", 0)
    guild: int = getattr(condition, "guild", 0)
    named: tuple[int, ...] = tuple(getattr(condition, "locations", ()))

    def guilds(city: City, at: Sequence[int]) -> int:
        return len({GUILD_OF[card] for location in at for card in city[location]})

    def lacking(present: int) -> int:
        return max(0, count - present)

    kinds: dict[str, Distance] = {
        "distinct_guilds": lambda city: lacking(guilds(city, named)),
        "character_count": lambda city: lacking(sum(city[n].count(character) for n in locations)),
        # Cards to be taken away from the smallest stacks.
        "empty_locations": lambda city: sum(sorted(len(city[n]) for n in locations)[:count]),
        "character_at_each": lambda city: sum(character not in city[n] for n in named),
        "guild_at_each": lambda city: sum(all(GUILD_OF[card] != guild for card in city[n]) for n in named),
        "character_spread": lambda city: lacking(sum(character in city[n] for n in locations)),
        "active_swindlers": lambda city: lacking(sum(city[n][1:].count(pb.CHARACTER_SWINDLER) for n in locations)),
        "guild_pairs": lambda city: lacking(sum(guilds(city, (n,)) < len(city[n]) for n in locations)),
        "crowded_location": lambda city: lacking(max(len(city[n]) for n in locations)),
    }
    return kinds[kind]
