"""OpenSkill (R. C. Weng and C.-J. Lin, JMLR 12, 2011) through the optional package ``openskill``."""

from __future__ import annotations

import importlib
import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

from palio.engine.errors import InvalidSetup
from palio.tournament.rating.elo import START
from palio.tournament.rating.glicko2 import Z95, normal_differences
from palio.tournament.rating.table import Rated, RatingTable
from palio.tournament.results import Game, in_order, player_names

BETA: Final = 25.0 / 6.0
"""The package's spread of a performance."""

ELO: Final = 400.0 / math.log(10.0) / (BETA * math.sqrt(2.0))
"""Elo points per unit of the package's Plackett-Luce model, for two players whose ratings are certain."""


@dataclass(frozen=True, slots=True)
class OpenSkill:
    """Online Bayesian ratings of the Plackett-Luce model. Its intervals are the method's own.

    Raises:
        InvalidSetup: when rating, if the package is not installed.
    """

    name: str = "openskill"

    def rate(self, games: Sequence[Game], players: Sequence[str] = ()) -> RatingTable:
        """See :class:`palio.tournament.rating.table.Rating`."""
        model = _model()
        played = [game for game in in_order(games) if len(game.side_ranks()) > 1]
        state: dict[str, Any] = {name: model.rating(name=name) for name in player_names(games, players)}
        for game in played:
            ranks = game.side_ranks()
            sides = [[n for n, s in zip(game.players, game.sides, strict=True) if s == side] for side in ranks]
            after = model.rate([[state[name] for name in side] for side in sides], ranks=list(ranks.values()))
            for side, changed in zip(sides, after, strict=True):
                state.update(zip(side, changed, strict=True))
        moments = {name: (START + ELO * (s.mu - 25.0), ELO * s.sigma) for name, s in state.items()}
        seated = Counter(name for game in played for name in game.players)
        lines = sorted(
            (Rated(name, m, m - Z95 * d, m + Z95 * d, seated[name]) for name, (m, d) in moments.items()),
            key=lambda line: (-line.elo, line.player),
        )
        note = "OpenSkill, Plackett-Luce, in the order of the schedule"
        return RatingTable(self.name, tuple(lines), normal_differences(moments), notes=(note,))


def _model() -> Any:
    try:
        models = importlib.import_module("openskill.models")
    except ImportError:
        raise InvalidSetup(
            "rating", "openskill is not installed; install palio[ratings] or use elo, ml, glicko2"
        ) from None
    return models.PlackettLuce()
