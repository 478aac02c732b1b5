"""Results for other programs."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable
from dataclasses import asdict
from typing import Any, Final

from palio.engine.errors import InvalidSetup
from palio.tournament.rating.export import tournament_json, trf16
from palio.tournament.report import report_html
from palio.tournament.summary import Summary

CSV_COLUMNS: Final = (
    *("block", "deal", "round", "seating", "attempt", "match_id", "rated", "seat", "player", "side", "rank", "points"),
    *("termination", "decisions", "charged", "slowest", "network", "ended_by", "choices", "replay_digest", "ended"),
    "foretold",
)


def to_csv(summary: Summary) -> str:
    """One line per seat of every recorded attempt, void ones too (``rated`` is 0 then); times in seconds. ``foretold``
    is by how many points the rollouts of that deal were ahead in that seat, empty where there are none."""
    foretold = summary.baselines.get(summary.luck.policy, {}) if summary.luck else {}
    out = io.StringIO()
    writer = csv.DictWriter(out, CSV_COLUMNS, lineterminator="\n")
    writer.writeheader()
    for entry in summary.entries:
        for number, seat in enumerate(entry.seats):
            row = asdict(entry) | asdict(seat) | {"seat": number, "rated": int(entry.rated)}
            row["ended"] = entry.ended.isoformat()
            row["foretold"] = foretold.get((entry.deal, number), "")
            writer.writerow({name: row[name] for name in CSV_COLUMNS})
    return out.getvalue()


def standings_data(summary: Summary) -> list[dict[str, Any]]:
    """The standings as plain data, best first."""
    rating = {line.player: line for line in summary.rating.rated}
    alone = {line.player: line for line in summary.solo[0]} if summary.alone else {}
    lucky = {line.player: line for line in summary.luck.lines} if summary.luck else {}
    lines = []
    for line in summary.standings:
        rated = rating[line.player]
        data = asdict(line) | {"elo": rated.elo, "elo_low": rated.low, "elo_high": rated.high}
        if line.player in alone:
            data |= {"elo": None, "elo_low": None, "elo_high": None}  # nobody plays against anybody
            data |= {"points_low": alone[line.player].low, "points_high": alone[line.player].high}
        if line.player in lucky:
            adjusted = lucky[line.player]
            data |= {"adjusted": adjusted.score, "adjusted_low": adjusted.low, "adjusted_high": adjusted.high}
            data |= {"adjusted_interval": adjusted.shrunk}
        lines.append(data | {"withdrawn": _withdrawn(summary, line.player)})
    return lines


def _withdrawn(summary: Summary, entrant: str) -> str | None:
    """Why that bot, or one of that pair, is withdrawn."""
    members = summary.config.pairs.get(entrant, (entrant,))
    return next((summary.withdrawn[name] for name in members if name in summary.withdrawn), None)


def to_json(summary: Summary) -> str:
    """Everything: settings, standings, ratings, crosstable, games that count, seats, time use, all attempts."""
    name, ratings = summary.config.name, [] if summary.alone else [summary.rating]
    tables = tournament_json(name, summary.games, summary.standings, summary.crosstable, ratings)
    attempts = [asdict(entry) for entry in summary.entries]
    for attempt in attempts:
        for moment in ("started", "ended"):
            attempt[moment] = None if attempt[moment] is None else attempt[moment].isoformat()
    data = {
        "tournament": summary.config.id,
        "settings": summary.config.model_dump(mode="json"),
        "finished": None if summary.finished is None else summary.finished.isoformat(),
        "withdrawn": summary.withdrawn,
        **json.loads(tables),
        **({"solo": _solo_data(summary)} if summary.alone else {}),
        **({"luck": asdict(summary.luck)} if summary.luck else {}),
        "seats": [asdict(line) for line in summary.seats],
        "forfeits": summary.forfeits,
        "time_use": [asdict(use) for use in summary.time_use],
        "attempts": attempts,
    }
    return json.dumps(data, indent=1, ensure_ascii=False) + "\n"


def _solo_data(summary: Summary) -> dict[str, Any]:
    """Mean points with their intervals, best first, and for every two players how far the first is ahead."""
    lines, gaps = summary.solo
    return {
        "points": [asdict(line) for line in lines if line.deals],
        "ahead": {a: {b: asdict(gap) for b, gap in row.items() if gap.deals} for a, row in gaps.items()},
    }


def to_trf(summary: Summary) -> str:
    """The FIDE tournament report file.

    Raises:
        InvalidSetup: games of more or fewer than two players, which it cannot hold.
    """
    control = summary.config.time_control
    per_decision = f"{control.per_decision:g} s a decision" if control.per_decision else ""
    try:
        return trf16(summary.config.name, summary.contest, summary.rating, per_decision)
    except ValueError as error:
        raise InvalidSetup("--format", str(error)) from None


EXPORTS: Final[dict[str, Callable[[Summary], str]]] = {
    "csv": to_csv,
    "json": to_json,
    "trf": to_trf,
    "html": report_html,
}
"""What ``palio tournament export`` can write."""
