"""Results for other programs: CSV, JSON and TRF16, as text."""

from __future__ import annotations

import csv
import io
import json
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict
from typing import Any

from palio.tournament.rating.standings import Standing, standings
from palio.tournament.rating.table import RatingTable
from palio.tournament.rating.tables import Cell
from palio.tournament.results import Game, in_order

GAME_COLUMNS = (
    "block",
    "deal",
    "round",
    "seating",
    "seat",
    "player",
    "side",
    "rank",
    "points",
    "score",
    "fault",
)


def games_csv(games: Iterable[Game]) -> str:
    """One line per game and seat, with a header; the schedule's order; lines end with a newline."""
    rows: list[Sequence[object]] = [GAME_COLUMNS]
    for game in in_order(games):
        scores = game.scores()
        for seat, player in enumerate(game.players):
            where = (game.block, game.deal, game.round, game.seating, seat)
            how = (game.sides[seat], game.ranks[seat], _short(game.points[seat]), _short(scores[seat]))
            rows.append((*where, player, *how, game.faults[seat] or ""))
    return _csv(rows)


def standings_csv(lines: Iterable[Standing], ratings: RatingTable | None = None) -> str:
    """One line per player, with a header; the columns ``elo``, ``elo_low``, ``elo_high`` are empty without ratings."""
    rows: list[Sequence[object]] = [
        (
            *("place", "player", "games", "wins", "draws", "losses", "score", "share", "points"),
            *("buchholz", "sonneborn_berger", "forfeits", "byes", "elo", "elo_low", "elo_high"),
        )
    ]
    rated = {line.player: line for line in ratings.rated} if ratings is not None else {}
    for s in lines:
        elo = rated.get(s.player)
        numbers = (s.score, s.share, s.points, s.buchholz, s.sonneborn_berger)
        rows.append(
            (
                *(s.place, s.player, s.games, s.wins, s.draws, s.losses),
                *map(_short, numbers),
                sum(s.forfeits.values()),
                s.byes,
                *(("", "", "") if elo is None else map(_short, (elo.elo, elo.low, elo.high))),
            )
        )
    return _csv(rows)


def tournament_json(
    name: str,
    games: Iterable[Game],
    lines: Iterable[Standing],
    table: Mapping[str, Mapping[str, Cell]],
    ratings: Sequence[RatingTable] = (),
) -> str:
    """One object: ``name``, ``standings``, ``ratings``, ``crosstable``, ``games``; no number is rounded."""
    content = {
        "name": name,
        "standings": [asdict(line) for line in lines],
        "ratings": [asdict(rating) for rating in ratings],
        "crosstable": {a: {b: asdict(cell) for b, cell in row.items()} for a, row in table.items()},
        "games": [asdict(game) for game in in_order(games)],
    }
    return json.dumps(_finite(content), indent=1, ensure_ascii=False) + "\n"


def trf16(name: str, games: Iterable[Game], ratings: RatingTable | None = None, time_control: str = "") -> str:
    """The FIDE tournament report file (TRF16), for chess programs' tables and pairings.

    Every game takes a TRF round of its own: the first one in which both players are free; who has no game in it gets a
    zero-point bye. The first seat is white. Its points column holds four characters: from 100 points on it is rounded
    down (the rounds say it exactly).

    Raises:
        ValueError: a game with more or fewer than two seats, which the format cannot hold.
    """
    played = in_order(games)
    for game in played:
        if len(game.players) != 2:
            raise ValueError(f"TRF holds games of two players; block {game.block} has {len(game.players)} seats")
    lines = standings(played)
    number = {line.player: at for at, line in enumerate(lines, 1)}
    results, rounds = _trf_rounds(played, number)
    elo = {line.player: round(line.elo) for line in ratings.rated} if ratings is not None else {}
    out = [
        f"012 {name}",
        f"062 {len(lines)}",
        f"072 {len(elo)}",
        "082 0",
        "092 Round robin of programs, duplicate deals",
    ]
    if time_control:
        out.append(f"122 {time_control}")
    out.append(f"XXR {rounds}")
    for line in lines:
        points = f"{line.score:4.1f}" if line.score < 100 else f"{math.floor(line.score):4d}"
        rating = elo.get(line.player, "")
        head = f"001 {number[line.player]:4d}      {line.player[:33]:<33} {rating!s:>4} {'':3} {'':11} {'':10} "
        row = "".join(f"  {results.get((line.player, at), '0000 - Z')}" for at in range(1, rounds + 1))
        out.append(f"{head}{points} {line.place:4d}{row}")
    return "\n".join(out) + "\n"


def _trf_rounds(games: Iterable[Game], number: Mapping[str, int]) -> tuple[dict[tuple[str, int], str], int]:
    busy: dict[str, set[int]] = {name: set() for name in number}
    results: dict[tuple[str, int], str] = {}
    rounds = 0
    for game in games:
        white, black = game.players
        taken = busy[white] | busy[black]
        at = next(r for r in range(1, len(taken) + 2) if r not in taken)
        busy[white].add(at)
        busy[black].add(at)
        rounds = max(rounds, at)
        for seat, (name, rival) in enumerate(((white, black), (black, white))):
            score = game.scores()[seat]
            code = "10="[(0 if score == 1.0 else 1 if score == 0.0 else 2)]
            if game.forfeited and code != "=":
                code = "+" if code == "1" else "-"
            results[name, at] = f"{number[rival]:4d} {'wb'[seat]} {code}"
    return results, rounds


def _csv(rows: Iterable[Sequence[object]]) -> str:
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows(rows)
    return text.getvalue()


def _short(value: float | None) -> str:
    """At most six decimals, none if whole; empty for ``None``."""
    return "" if value is None else f"{value:.6f}".rstrip("0").rstrip(".")


def _finite(value: Any) -> Any:
    """JSON has no infinity: such numbers become null."""
    if isinstance(value, float) and not math.isfinite(value):
        return None
    if isinstance(value, Mapping):
        return {key: _finite(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_finite(item) for item in value]
    return value
