"""What every rating method returns: one table, whatever the method knows about uncertainty."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from palio.tournament.results import Game


@dataclass(frozen=True, slots=True)
class Rated:
    """One player's rating.

    Attributes:
        player: name.
        elo: on the Elo scale (400 points are odds of ten to one).
        low, high: 95 % interval, against the mean of the field; ``None`` where the method gives none.
        games: seats played in rated games.
    """

    player: str
    elo: float
    low: float | None
    high: float | None
    games: int


@dataclass(frozen=True, slots=True)
class Difference:
    """How much better one player is than another.

    Attributes:
        elo: difference.
        low, high: its 95 % interval; ``None`` where the method gives none.
        los: likelihood of superiority, the probability that the first is really better; ``None`` likewise.
    """

    elo: float
    low: float | None
    high: float | None
    los: float | None


@dataclass(frozen=True, slots=True)
class SeatEffect:
    """The advantage of a seat (in team games of a side) over the mean of all seats.

    Attributes:
        seats: how many the game has.
        seat: which, from 0.
        elo, low, high: as for players.
    """

    seats: int
    seat: int
    elo: float
    low: float
    high: float


@dataclass(frozen=True, slots=True)
class RatingTable:
    """All ratings of a set of games.

    Attributes:
        method: name of the method.
        rated: best first.
        differences: ``differences[a][b]`` for every two players.
        seats: seat effects; empty if the method has none.
        notes: what model, what prior, what was noticed: sentences that belong under the table.
    """

    method: str
    rated: tuple[Rated, ...]
    differences: Mapping[str, Mapping[str, Difference]]
    seats: tuple[SeatEffect, ...] = ()
    notes: tuple[str, ...] = field(default=())

    def of(self, player: str) -> Rated:
        """The line of that player.

        Raises:
            KeyError: it has none.
        """
        for line in self.rated:
            if line.player == player:
                return line
        raise KeyError(player)


class Rating(Protocol):
    """A rating method."""

    @property
    def name(self) -> str:
        """As in the tournament file."""

    def rate(self, games: Sequence[Game], players: Sequence[str] = ()) -> RatingTable:
        """Ratings from the games of complete blocks, in whatever order they are given.

        Args:
            players: those to list even without a game.
        """
