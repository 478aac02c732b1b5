"""Batch maximum likelihood ratings: Bradley-Terry, Plackett-Luce or Davidson, with seat effects and teams."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Literal

import numpy as np
from scipy.special import stdtr, stdtrit

from palio.tournament.rating.connect import Disconnected, described, separate_groups, unbeaten_groups
from palio.tournament.rating.elo import START
from palio.tournament.rating.encode import Layout, encode
from palio.tournament.rating.fit import Fit, fit
from palio.tournament.rating.likelihood import Floats
from palio.tournament.rating.table import Difference, Rated, RatingTable, SeatEffect
from palio.tournament.results import Game, Kinds, kinds_of, player_names

ELO: Final = 400.0 / math.log(10.0)
"""Elo points per unit of a parameter."""

PLAYER_PRIOR: Final = 800.0
SEAT_PRIOR: Final = 200.0
DRAW_PRIOR: Final = 800.0
"""Standard deviations of the priors, in Elo points."""


@dataclass(frozen=True, slots=True)
class MaximumLikelihood:
    """Ratings that explain all results best.

    A side's strength is the sum of its members' strengths plus the effect of its seat. A weak normal prior around the
    mean of the field (standard deviation :data:`PLAYER_PRIOR` for players, :data:`SEAT_PRIOR` for seat effects) keeps
    ratings finite for those who won or lost everything.

    Attributes:
        model: ``ranking`` is Plackett-Luce, which for two sides is Bradley-Terry with a draw as half a win;
            ``davidson`` gives draws a parameter of their own and needs two sides.
        seats: whether seats have effects.
        prior: without it, players must be connected by chains of results both ways.
        average: Elo of the mean of the field.
    """

    model: Literal["ranking", "davidson"] = "ranking"
    seats: bool = True
    prior: bool = True
    average: float = START
    name: str = "ml"

    def rate(self, games: Sequence[Game], players: Sequence[str] = ()) -> RatingTable:
        """See :class:`palio.tournament.rating.table.Rating`.

        Raises:
            Disconnected: without the prior, if groups of players cannot be compared.
            ValueError: Davidson's model with more than two sides.
        """
        names = player_names(games, players)
        if not names:
            return RatingTable(self.name, (), {})
        kinds = kinds_of(games)
        notes = [self._model_note(kinds.games), *self._connection_notes(kinds.games, names)]
        found = self._fit(kinds, names)
        if not found.converged:
            notes.append("the fit did not come to rest: take these ratings for a sketch")
        spread, level, more = _covariance(found, kinds.games)
        notes += more
        seated = Counter[str]()
        for game, count in zip(kinds.games, kinds.counts, strict=True):
            if len(game.side_ranks()) > 1:
                for name in game.players:
                    seated[name] += count
        rated = []
        for at, name in enumerate(found.layout.players):
            half = level * ELO * math.sqrt(max(spread[at, at], 0.0))
            elo = self.average + ELO * float(found.beta[at])
            rated.append(Rated(name, elo, elo - half, elo + half, seated[name]))
        rated.sort(key=lambda line: (-line.elo, line.player))
        return RatingTable(
            self.name,
            tuple(rated),
            _differences(found, spread, level),
            _seat_effects(found, spread, level),
            tuple(notes),
        )

    def fit(self, games: Sequence[Game], players: Sequence[str]) -> Fit:
        """The bare parameters and covariances, in natural units."""
        return self._fit(kinds_of(games), players)

    def _fit(self, kinds: Kinds, players: Sequence[str]) -> Fit:
        draw = self.model == "davidson"
        if draw and any(len(game.side_ranks()) > 2 for game in kinds.games):
            raise ValueError("Davidson's model is for two sides; use the ranking model")
        layout, rows = encode(kinds, players, seats=self.seats, draw=draw)
        return fit(layout, rows, precision(layout) if self.prior else np.zeros(layout.size))

    def _model_note(self, games: Sequence[Game]) -> str:
        two = all(len(game.side_ranks()) <= 2 for game in games)
        model = "Davidson" if self.model == "davidson" else "Bradley-Terry" if two else "Plackett-Luce"
        if not self.prior:
            return f"{model}, maximum likelihood without a prior"
        seats = f", {SEAT_PRIOR:g} for seat effects" if self.seats else ""
        return (
            f"{model}, maximum likelihood with a normal prior of standard deviation {PLAYER_PRIOR:g} Elo around the "
            f"mean of the field{seats}; 95 % intervals by the sandwich over deals"
        )

    def _connection_notes(self, games: Sequence[Game], names: Sequence[str]) -> list[str]:
        groups = separate_groups(games, names)
        if len(groups) > 1:
            text = f"no games connect {described(groups)}"
            if not self.prior:
                raise Disconnected(f"{text}: their ratings cannot be compared", groups)
            return [f"{text}: only the prior relates their ratings"]
        groups = unbeaten_groups(games, names)
        if len(groups) > 1:
            text = f"between {described(groups)} all points went one way"
            if not self.prior:
                raise Disconnected(f"{text}: without a prior their difference has no bound", groups)
            return [f"{text}: the prior bounds their difference"]
        return []


def precision(layout: Layout) -> Floats:
    """The priors of all parameters as 1 / variance, in natural units."""
    deviations = np.full(layout.size, SEAT_PRIOR)
    deviations[: len(layout.players)] = PLAYER_PRIOR
    if layout.draw:
        deviations[-1] = DRAW_PRIOR
    return (ELO / deviations) ** 2


def quantile(found: Fit) -> float:
    """How many standard errors half a 95 % interval has: Student's t, which for many deals is 1.96."""
    return float(stdtrit(max(found.clusters - found.freedom, 1), 0.975))


def _covariance(found: Fit, games: Sequence[Game]) -> tuple[Floats, float, list[str]]:
    """The covariance to use, the width of intervals in standard errors, and what must be said about it."""
    if found.robust is None:
        note = f"only {found.clusters} deals for {found.freedom} parameters: intervals take the model for true"
        return found.model, quantile(found), [note]
    swept = _swept(games)
    if not swept:
        return found.robust, quantile(found), []
    # Results that never vary show no spread; the sandwich would call them certain.
    names = found.layout.players
    extra = found.model - found.robust
    add = np.array([max(extra[at, at], 0.0) if name in swept else 0.0 for at, name in enumerate(names)])
    spread = found.robust.copy()
    spread[np.arange(len(names)), np.arange(len(names))] += add
    note = f"all or nothing for {', '.join(sorted(swept))}: their intervals take the model for true"
    return spread, quantile(found), [note]


def _swept(games: Sequence[Game]) -> set[str]:
    """Players whose every game had the same score, that of a first or of a last."""
    scores: dict[str, set[float]] = {}
    for game in games:
        if len(game.side_ranks()) > 1:
            for name, score in zip(game.players, game.scores(), strict=True):
                scores.setdefault(name, set()).add(score)
    return {name for name, seen in scores.items() if seen in ({0.0}, {1.0})}


def _differences(found: Fit, spread: Floats, level: float) -> dict[str, dict[str, Difference]]:
    freedom = max(found.clusters - found.freedom, 1)
    table: dict[str, dict[str, Difference]] = {}
    for i, a in enumerate(found.layout.players):
        table[a] = {}
        for j, b in enumerate(found.layout.players):
            if i == j:
                continue
            gap = float(found.beta[i] - found.beta[j])
            error = math.sqrt(max(spread[i, i] + spread[j, j] - 2.0 * spread[i, j], 0.0))
            los = float(stdtr(freedom, gap / error)) if error > 0.0 else 0.5 + 0.5 * ((gap > 0) - (gap < 0))
            half = level * ELO * error
            table[a][b] = Difference(ELO * gap, ELO * gap - half, ELO * gap + half, los)
    return table


def _seat_effects(found: Fit, spread: Floats, level: float) -> tuple[SeatEffect, ...]:
    effects = []
    for family in found.layout.seat_families:
        start = found.layout.family_start(family)
        for seat in range(family[1]):
            at = start + seat
            elo, half = ELO * float(found.beta[at]), level * ELO * math.sqrt(max(spread[at, at], 0.0))
            effects.append(SeatEffect(family[0], seat, elo, elo - half, elo + half))
    return tuple(effects)
