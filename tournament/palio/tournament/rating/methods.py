"""The rating methods by name."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from palio.engine.errors import InvalidSetup
from palio.tournament.rating.elo import START, K, OnlineElo
from palio.tournament.rating.glicko2 import Glicko2
from palio.tournament.rating.ml import MaximumLikelihood
from palio.tournament.rating.openskill import OpenSkill
from palio.tournament.rating.table import Difference, Rated, Rating, RatingTable
from palio.tournament.results import Game, in_order, player_names


@dataclass(frozen=True, slots=True)
class Elo:
    """Online Elo as a rating method: simple, familiar, and without honest intervals.

    Attributes:
        k, start: see :class:`OnlineElo`.
    """

    k: float = K
    start: float = START
    name: str = "elo"

    def rate(self, games: Sequence[Game], players: Sequence[str] = ()) -> RatingTable:
        """See :class:`palio.tournament.rating.table.Rating`."""
        online = OnlineElo(self.k, self.start)
        online.run(games)
        seated = Counter(name for game in games if len(game.side_ranks()) > 1 for name in game.players)
        elo = {name: online.ratings.get(name, self.start) for name in player_names(games, players)}
        rated = sorted(
            (Rated(name, value, None, None, seated[name]) for name, value in elo.items()),
            key=lambda line: (-line.elo, line.player),
        )
        gaps = {a: {b: Difference(x - y, None, None, None) for b, y in elo.items() if a != b} for a, x in elo.items()}
        note = f"online Elo, K = {self.k:g}, everybody starts at {self.start:g}; use ml for intervals"
        return RatingTable(self.name, tuple(rated), gaps, notes=(note,))


METHODS: Final[dict[str, type[Rating]]] = {
    "elo": Elo,
    "ml": MaximumLikelihood,
    "glicko2": Glicko2,
    "openskill": OpenSkill,
}


def method(name: str) -> Rating:
    """The rating method of that name with its defaults.

    Raises:
        InvalidSetup: there is none.
    """
    if name not in METHODS:
        raise InvalidSetup("rating", f"unknown rating {name!r}; allowed are {', '.join(METHODS)}")
    return METHODS[name]()


def progress(rating: Rating, games: Sequence[Game], points: int = 20) -> list[tuple[int, RatingTable]]:
    """Ratings after about ``points`` evenly spaced numbers of blocks: (blocks so far, table), the last with all."""
    played = in_order(games)
    ends = [at for at in range(1, len(played) + 1) if at == len(played) or played[at].block != played[at - 1].block]
    if not ends:
        return []
    chosen = sorted({-(-len(ends) * step // points) for step in range(1, points + 1)} - {0})
    names = player_names(played)
    return [(count, rating.rate(played[: ends[count - 1]], names)) for count in chosen]
