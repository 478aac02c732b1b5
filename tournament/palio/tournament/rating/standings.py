"""Standings with their tie-breaks: plain data, made from games."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final, Literal

from palio.tournament.results import Game, Kinds, kinds_of, pair_score, player_names

Order = Literal["share", "score", "points"]


@dataclass(frozen=True, slots=True)
class Standing:
    """One line of the standings.

    Attributes:
        place: from 1; equal only if all criteria are equal.
        player: name.
        games: seats played (a name in two seats of a game counts twice).
        wins, draws, losses: games with score 1, with a score between, with score 0.
        score: sum of scores; byes count as games won in it but not in ``games``.
        share: score per game without byes, 0 to 1.
        points: mean points of the game.
        buchholz: sum over games of the mean share of the opponents.
        sonneborn_berger: sum over opponents of the score against them times their share.
        forfeits: own faults by type.
        byes: rounds without a game.
    """

    place: int
    player: str
    games: int
    wins: int
    draws: int
    losses: int
    score: float
    share: float
    points: float
    buchholz: float
    sonneborn_berger: float
    forfeits: Mapping[str, int]
    byes: int


@dataclass(slots=True)
class _Tally:
    games: int = 0
    wins: int = 0
    losses: int = 0
    score: float = 0.0
    points: float = 0.0


def standings(
    games: Iterable[Game],
    players: Sequence[str] = (),
    *,
    order: Order = "share",
    byes: Mapping[str, int] | None = None,
    games_per_bye: int = 0,
) -> list[Standing]:
    """Standings of all players.

    Args:
        order: first criterion. ``share`` for round robin and gauntlet (unequal numbers of games do not matter),
            ``score`` for Swiss, ``points`` for solo games. Ties are broken by Sonneborn-Berger (``share``), Buchholz
            then Sonneborn-Berger (``score``), the share (``points``); then mean points.
        byes: rounds without a game per player.
        games_per_bye: how many won games a bye is worth.
    """
    played = list(games)
    names = player_names(played, players)
    tallies: dict[str, _Tally] = {name: _Tally() for name in names}
    faults: dict[str, dict[str, int]] = {name: defaultdict(int) for name in names}
    kinds = kinds_of(played)
    for game, count in zip(kinds.games, kinds.counts, strict=True):
        for name, score in zip(game.players, game.scores(), strict=True):
            tally = tallies[name]
            tally.games += count
            tally.wins += count * (score == 1.0)
            tally.losses += count * (score == 0.0)
            tally.score += count * score
    for game in played:
        for name, points, fault in zip(game.players, game.points, game.faults, strict=True):
            tallies[name].points += points
            if fault is not None:
                faults[name][fault] += 1
    share = {name: t.score / t.games if t.games else 0.0 for name, t in tallies.items()}
    buchholz, sonneborn = _tie_breaks(kinds, names, share)
    byes = byes or {}
    lines = [
        Standing(
            place=0,
            player=name,
            games=t.games,
            wins=t.wins,
            draws=t.games - t.wins - t.losses,
            losses=t.losses,
            score=t.score + byes.get(name, 0) * games_per_bye,
            share=share[name],
            points=t.points / t.games if t.games else 0.0,
            buchholz=buchholz[name],
            sonneborn_berger=sonneborn[name],
            forfeits=dict(sorted(faults[name].items())),
            byes=byes.get(name, 0),
        )
        for name, t in tallies.items()
    ]
    return _placed(lines, _CRITERIA[order])


def _rounded(*values: float) -> tuple[float, ...]:
    return tuple(-round(value, 9) for value in values)


_CRITERIA: Final[dict[Order, Callable[[Standing], tuple[float, ...]]]] = {
    "share": lambda s: _rounded(s.share, s.sonneborn_berger, s.points),
    "score": lambda s: _rounded(s.score, s.buchholz, s.sonneborn_berger, s.points),
    "points": lambda s: _rounded(s.points, s.share),
}


def _placed(lines: list[Standing], key: Callable[[Standing], tuple[float, ...]]) -> list[Standing]:
    lines.sort(key=lambda line: (line.games == 0 and not line.byes, key(line), line.player))
    placed: list[Standing] = []
    for number, line in enumerate(lines, 1):
        same = placed and key(placed[-1]) == key(line) and (placed[-1].games > 0) == (line.games > 0)
        placed.append(replace(line, place=placed[-1].place if same else number))
    return placed


def _tie_breaks(
    kinds: Kinds, names: Iterable[str], share: Mapping[str, float]
) -> tuple[dict[str, float], dict[str, float]]:
    buchholz = dict.fromkeys(names, 0.0)
    sonneborn = dict.fromkeys(buchholz, 0.0)
    for game, count in zip(kinds.games, kinds.counts, strict=True):
        seats = range(len(game.players))
        for seat in seats:
            others = [s for s in seats if game.sides[s] != game.sides[seat]]
            for other in others:
                strength = count * share[game.players[other]] / len(others)
                buchholz[game.players[seat]] += strength
                sonneborn[game.players[seat]] += strength * pair_score(game.ranks[seat], game.ranks[other])
    return buchholz, sonneborn
