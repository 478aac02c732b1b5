"""The forms in which a game can be played, for tools that go through all of them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from palio.engine.errors import InvalidSetup
from palio.engine.game import Rules


class Variant(NamedTuple):
    """One form.

    Attributes:
        name: for people: "4 players teams".
        players: number of seats.
        given: the options that differ from the defaults.
    """

    name: str
    players: int
    given: dict[str, bool]


def variants(rules: Rules) -> Iterator[Variant]:
    """Every number of players with the defaults, and with each yes-or-no option that goes with it the other way."""
    switches: list[dict[str, bool]] = [{}]
    switches += [{option.name: option.default != "true"} for option in rules.option_fields if option.type == "bool"]
    for players in rules.seats:
        for given in switches:
            try:
                rules.start(bytes(32), players, rules.options(**given))
            except InvalidSetup:
                continue
            names = [name if on else f"without {name}" for name, on in given.items()]
            yield Variant(" ".join([f"{players} players", *names]), players, given)
