"""Crosstable, head-to-head, per seat and per deal: plain data, made from games."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from statistics import NormalDist, fmean
from typing import Final

from palio.tournament.results import Game, by_block, in_order, pair_score, player_names

Z95: Final = NormalDist().inv_cdf(0.975)


@dataclass(frozen=True, slots=True)
class Cell:
    """One player against another, over all games in which they sat on different sides.

    Attributes:
        games, wins, draws, losses: by comparing their ranks.
        score: wins plus half the draws.
        share: score per game.
        blocks: complete or not, in which they met.
        elo: difference that the share stands for; ``None`` when it is 0 or 1.
        low, high: 95 % interval of that difference from the spread between blocks; ``None`` with fewer than two blocks
            and where it is unbounded.
    """

    games: int
    wins: int
    draws: int
    losses: int
    score: float
    share: float
    blocks: int
    elo: float | None
    low: float | None
    high: float | None


def logistic_elo(share: float) -> float | None:
    """The Elo difference at which that share is expected; ``None`` at 0, 1 and beyond."""
    return -400.0 * math.log10(1.0 / share - 1.0) if 0.0 < share < 1.0 else None


def crosstable(games: Iterable[Game], players: Sequence[str] = ()) -> dict[str, dict[str, Cell]]:
    """``table[a][b]``: how a fared against b. Pairs that never met are missing."""
    played = list(games)
    table: dict[str, dict[str, Cell]] = {name: {} for name in player_names(played, players)}
    for (a, b), blocks in _meetings(played).items():
        table[a][b] = _cell(blocks)
        table[b][a] = _cell({block: [1.0 - score for score in scores] for block, scores in blocks.items()})
    return table


def _meetings(games: Iterable[Game]) -> dict[tuple[str, str], dict[int, list[float]]]:
    """For each pair (in the order of names) and block the pair scores of the first."""
    found: dict[tuple[str, str], dict[int, list[float]]] = {}
    for game in in_order(games):
        for s, t in combinations(range(len(game.players)), 2):
            if game.sides[s] == game.sides[t] or game.players[s] == game.players[t]:
                continue
            i, j = (s, t) if game.players[s] < game.players[t] else (t, s)
            blocks = found.setdefault((game.players[i], game.players[j]), {})
            blocks.setdefault(game.block, []).append(pair_score(game.ranks[i], game.ranks[j]))
    return found


def _cell(blocks: Mapping[int, Sequence[float]]) -> Cell:
    scores = [score for block in blocks.values() for score in block]
    share = fmean(scores)
    low, high = _share_interval([(sum(block), len(block)) for block in blocks.values()], share)
    wins, losses = scores.count(1.0), scores.count(0.0)
    return Cell(
        games=len(scores),
        wins=wins,
        draws=len(scores) - wins - losses,
        losses=losses,
        score=sum(scores),
        share=share,
        blocks=len(blocks),
        elo=logistic_elo(share),
        low=None if low is None else logistic_elo(low),
        high=None if high is None else logistic_elo(high),
    )


def _share_interval(blocks: Sequence[tuple[float, int]], share: float) -> tuple[float | None, float | None]:
    """95 % interval of a ratio of sums, blocks independent of each other."""
    n = len(blocks)
    if n < 2:
        return None, None
    games = sum(size for _, size in blocks)
    variance = sum((score - share * size) ** 2 for score, size in blocks) * n / (n - 1) / games**2
    half = Z95 * math.sqrt(variance)
    return share - half, share + half


@dataclass(frozen=True, slots=True)
class Meeting:
    """A block in which two players met.

    Attributes:
        block, deal, round: where.
        games: pair scores of the first player, by seating.
        seats: for each of these games the two players' seats.
        points: for each of these games the two players' points.
    """

    block: int
    deal: int
    round: int
    games: tuple[float, ...]
    seats: tuple[tuple[int, int], ...]
    points: tuple[tuple[float, float], ...]


def head_to_head(games: Iterable[Game], one: str, two: str) -> list[Meeting]:
    """All blocks in which ``one`` and ``two`` sat on different sides, in order."""
    found = []
    for index, block in by_block(games).items():
        met = [
            (game, s, t)
            for game in block
            for s, a in enumerate(game.players)
            for t, b in enumerate(game.players)
            if a == one and b == two and game.sides[s] != game.sides[t]
        ]
        if met:
            found.append(
                Meeting(
                    block=index,
                    deal=met[0][0].deal,
                    round=met[0][0].round,
                    games=tuple(pair_score(game.ranks[s], game.ranks[t]) for game, s, t in met),
                    seats=tuple((s, t) for _, s, t in met),
                    points=tuple((game.points[s], game.points[t]) for game, s, t in met),
                )
            )
    return found


@dataclass(frozen=True, slots=True)
class SeatLine:
    """How a player (``None``: everybody) fared in one seat of games with that many seats.

    Attributes:
        games: how many.
        share: mean score.
        wins: games with score 1.
        points: mean points.
    """

    player: str | None
    seats: int
    seat: int
    games: int
    share: float
    wins: int
    points: float


def per_seat(games: Iterable[Game], players: Sequence[str] = ()) -> list[SeatLine]:
    """Everybody's lines first (the seats' advantage), then each player's, seats ascending."""
    found: dict[tuple[str | None, int, int], list[tuple[float, float]]] = defaultdict(list)
    played = list(games)
    for game in played:
        for seat, (name, score, points) in enumerate(zip(game.players, game.scores(), game.points, strict=True)):
            for who in (None, name):
                found[who, len(game.players), seat].append((score, points))
    names: tuple[str | None, ...] = (None, *player_names(played, players))
    return [
        SeatLine(
            player=who,
            seats=seats,
            seat=seat,
            games=len(values),
            share=fmean(score for score, _ in values),
            wins=sum(score == 1.0 for score, _ in values),
            points=fmean(points for _, points in values),
        )
        for who in names
        for (_, seats, seat), values in sorted(
            ((key, values) for key, values in found.items() if key[0] == who), key=lambda item: item[0][1:]
        )
    ]


@dataclass(frozen=True, slots=True)
class DealLine:
    """How a player fared with one deal, over all games with it.

    Attributes:
        deal: its number.
        games: seats played.
        share: mean score.
        points: mean points.
    """

    deal: int
    player: str
    games: int
    share: float
    points: float


def per_deal(games: Iterable[Game]) -> list[DealLine]:
    """One line per deal and player, deals ascending, then names."""
    found: dict[tuple[int, str], list[tuple[float, float]]] = defaultdict(list)
    for game in games:
        for name, score, points in zip(game.players, game.scores(), game.points, strict=True):
            found[game.deal, name].append((score, points))
    return [
        DealLine(deal, name, len(values), fmean(s for s, _ in values), fmean(p for _, p in values))
        for (deal, name), values in sorted(found.items())
    ]
