"""Team talk (F-42): partners tell each other which Missio cards they hold, in guilds and locations.

A card is named by what its condition names: the locations where to look, the guild of the character or the guild to
look for. Cards that name neither (empty locations, guild pairs, a crowded location) are not spoken of.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, Final, TypeAlias

from palio.client import Match
from palio.client.missio import GUILD_OF
from palio.fidelitas.v1 import fidelitas_pb2 as pb
from palio.v1 import game_pb2

Said: TypeAlias = tuple[tuple[int, ...], tuple[int, ...]]
"""Guilds and locations."""

_MOST: Final = 3
_PER_TURN: Final = 4


def words_of(card: pb.MissioCard) -> Said | None:
    """How a card is named; ``None`` for one that cannot be."""
    kind = card.WhichOneof("condition")
    condition: Any = getattr(card, kind) if kind else None
    locations = tuple(getattr(condition, "locations", ()))
    character: int = getattr(condition, "character", 0)
    guild: int = getattr(condition, "guild", 0) or GUILD_OF[character]
    if kind == "active_swindlers":
        guild = pb.GUILD_MISCREANT
    guilds = (guild,) if guild else ()
    return (guilds, locations) if (guilds or locations) and len(locations) <= _MOST else None


class Talk:
    """Both sides of the talk of one seat. Without teams nothing is said and nothing heard.

    Attributes:
        partner: ids of the Missio cards that the partner is known to hold.
    """

    def __init__(self, match: Match, cards: Sequence[pb.MissioCard], *, speaks: bool = True) -> None:
        self._match = match
        self._names = {number: words_of(card) for number, card in enumerate(cards, 1)}
        self._partner = (match.seat + 2) % 4 if match.options.fidelitas.teams else -1
        self._speaks = speaks and self._partner >= 0
        self._told: set[int] = set()
        self._turn = 0
        self._sent = 0
        self.partner: set[int] = set()

    def observe(self, events: Iterable[game_pb2.Event]) -> None:
        """Take in what happened."""
        if self._partner < 0:
            return
        for event in events:
            fact = event.fidelitas
            match fact.WhichOneof("fact"):
                case "signalled" if fact.signalled.seat == self._partner:
                    words = fact.signalled.words
                    self._hear((tuple(words.guilds), tuple(words.locations)))
                case "missio_scored" if fact.missio_scored.seat == self._partner:
                    self.partner.discard(fact.missio_scored.id)
                case "missio_exchanged":  # which card went is not known: all are told again
                    (self.partner if fact.missio_exchanged.seat == self._partner else self._told).clear()
                case _:
                    pass

    def _hear(self, said: Said) -> None:
        named = [number for number, name in self._names.items() if name == said and number not in self.partner]
        self.partner.update(named[:1])

    def speak(self, observation: pb.Observation) -> None:
        """Tell of the cards in hand that were not told of yet, as far as a turn's signals go."""
        if not self._speaks:
            return
        if observation.turn != self._turn:
            self._turn, self._sent = observation.turn, 0
        for number in observation.own.missio:
            said = self._names.get(number)
            if said is None or number in self._told or self._sent >= _PER_TURN:
                continue
            self._told.add(number)
            self._sent += 1
            guilds, locations = said
            words = pb.Words(
                guilds=[pb.Guild.ValueType(n) for n in guilds],
                locations=[pb.Location.ValueType(n) for n in locations],
            )
            self._match.signal(game_pb2.Words(fidelitas=words))
