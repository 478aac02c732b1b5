"""The report as a whole."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime
from html import escape
from importlib.metadata import version
from pathlib import Path
from statistics import median
from typing import Final

from palio.games import rules_of
from palio.tournament.rating.luck import Adjusted
from palio.tournament.rating.methods import method
from palio.tournament.rating.methods import progress as rating_progress
from palio.tournament.report import plots
from palio.tournament.report.matrix import MatrixCell, matrix
from palio.tournament.report.style import STYLE
from palio.tournament.summary import Summary, largest_first
from palio.tournament.tables_text import TextTable, forfeits_table, gap_text, luck_notes, standings_table, time_table

_SIDE_BY_SIDE: Final = 4
_CRASHES_SHOWN: Final = 10


def write_report(summary: Summary, path: Path) -> None:
    """Write the report; readers see the old one or the new one, never a half.

    Raises:
        OSError: it cannot be written.
    """
    temporary = path.with_suffix(".new")
    temporary.write_text(report_html(summary), encoding="utf-8")
    temporary.replace(path)


def report_html(summary: Summary) -> str:
    """One HTML document, complete in itself."""
    sections = [
        _strength(summary),
        _luck(summary),
        _pairs(summary),
        _progress(summary),
        _seats(summary),
        _lengths(summary),
    ]
    sections += [_conduct(summary), _setup(summary)]
    title = escape(summary.config.name)
    return (
        f'<!DOCTYPE html><html lang="en"><head><meta charset="utf-8"><title>{title} · Palio</title>'
        f'<meta name="viewport" content="width=device-width, initial-scale=1"><style>{STYLE}</style></head><body><main>'
        f"{_head(summary)}{''.join(sections)}{_foot(summary)}</main></body></html>\n"
    )


def _head(summary: Summary) -> str:
    config = summary.config
    entries = summary.counted
    sizes = " and ".join(filter(None, [", ".join(map(str, config.players[:-1])), str(config.players[-1])]))
    kind = config.format.replace("_", " ")
    when = f", finished {summary.finished:%d %B %Y, %H:%M} UTC" if summary.finished else ", not finished"
    subtitle = f"{rules_of(config.game).title} for {sizes} players, {kind}{when}"
    lengths = [entry.choices for entry in entries]
    tiles = [
        (f"{len(config.bots)}", "bots"),
        (f"{len(summary.games):,}", "games that count"),
        (f"{len({entry.block for entry in entries}):,}", "blocks"),
        (f"{sum(lengths):,}", "decisions"),
        (f"{median(lengths):g}" if lengths else "–", "decisions a game (median)"),
        (f"{sum(sum(faults.values()) for faults in summary.forfeits.values())}", "forfeits"),
    ]
    boxes = "".join(f'<div class="tile"><b>{number}</b><span>{words}</span></div>' for number, words in tiles)
    return f'<header><h1>{escape(config.name)}</h1><p>{escape(subtitle)}</p></header><div class="tiles">{boxes}</div>'


def _colours(summary: Summary) -> dict[str, str]:
    """Of entrants; a bot in a fixed pair has that of its pair."""
    own = {name: plots.colour(at) for at, name in enumerate(summary.entrants)}
    return own | {name: own[pair] for name, pair in summary.config.pair_of.items()}


def _strength(summary: Summary) -> str:
    table = standings_table(summary)
    colours = _colours(summary)
    content = ""
    if summary.alone:
        content += _solo_plot(summary)
    elif summary.games:
        lines = [
            plots.Interval(line.player, line.elo, line.low, line.high, colours[line.player])
            for line in summary.rating.rated
            if line.games
        ]
        intervals = any(line.low is not None for line in lines)
        unit = "Elo, the mean of the field being 1500, with 95 % intervals" if intervals else "Elo"
        content += plots.intervals(lines, unit, "ratings")
    content += _html_table(table, dots=colours)
    return _section("Strength", "Who is stronger, and how sure that is.", content + _notes(table.notes))


def _solo_plot(summary: Summary) -> str:
    colours = _colours(summary)
    lines = [
        plots.Interval(line.player, line.points, line.low, line.high, colours[line.player])
        for line in summary.solo[0]
        if line.deals
    ]
    unit = "mean points of a deal, with 95 % intervals"
    return plots.intervals(lines, unit, "mean points of all bots", digits=1) if lines else ""


def _solo_pairs(summary: Summary) -> str:
    lines, gaps = summary.solo
    names = [line.player for line in lines if line.deals]

    def ahead(row: str, column: str) -> MatrixCell | None:
        gap = gaps[row][column]
        if gap.los is None:
            return None
        hint = f"{row} is better than {column} with a probability of {_percent(gap.los)}, over {gap.deals} deals"
        main, _, half = gap_text(gap).partition(" ")
        return MatrixCell(gap.los, main, half, hint)

    if not any(ahead(a, b) for a in names for b in names if a != b):
        return ""
    words = (
        "Points a deal by which the row's bot is ahead of the column's over the same deals, with 95 % intervals; blue "
        "where it surely is, red where it surely is behind."
    )
    return _section("Against each other", words, f'<div class="pair"><div>{matrix(names, ahead)}</div></div>')


def _luck(summary: Summary) -> str:
    if summary.luck is None or not summary.luck.lines:
        return ""
    colours = _colours(summary)
    lines = []
    for line in summary.luck.lines:
        colour = colours[line.player]
        lines.append(_score_line(line.player, line.raw, line.raw_low, line.raw_high, colour))
        lines.append(_score_line("luck-adjusted", line.score, line.low, line.high, colour)._replace(aside=True))
    picture = plots.intervals(lines, "score in percent, with 95 % intervals", "scores with and without luck", digits=1)
    words = f"Scores as they are, and without what the deals alone explain: {_by_how_much(summary.luck.lines)}."
    return _section("Luck of the deals", words, picture + _notes(luck_notes(summary)))


def _by_how_much(lines: Sequence[Adjusted]) -> str:
    """What the adjustment came to, in words."""
    shrunk = median(line.shrunk for line in lines)
    if abs(shrunk - 1) < 0.02:
        return "the intervals are as long as before, so luck of the deals explains little here"
    return f"the intervals are {abs(1 - shrunk):.0%} {'shorter' if shrunk < 1 else 'longer'} (median)"


def _score_line(name: str, score: float, low: float, high: float, colour: str) -> plots.Interval:
    return plots.Interval(name, 100 * score, 100 * low, 100 * high, colour)


def _percent(probability: float) -> str:
    percent = 100 * probability
    return f"{percent:.1f} %" if 0.05 <= percent <= 99.95 else "> 99.9 %" if percent > 50 else "< 0.1 %"


def _elo_text(elo: float) -> str:
    return f"{round(elo):+d} Elo" if round(elo) else "0 Elo"


def _pairs(summary: Summary) -> str:
    if summary.alone:
        return _solo_pairs(summary)
    names = [line.player for line in summary.standings if line.games]
    if len(names) < 2:
        return ""

    def score(row: str, column: str) -> MatrixCell | None:
        cell = summary.crosstable.get(row, {}).get(column)
        if cell is None:
            return None
        elo = _elo_text(cell.elo) if cell.elo is not None else "all" if cell.share else "none"
        hint = f"{row} against {column}: {cell.wins} won, {cell.draws} drawn, {cell.losses} lost"
        return MatrixCell(cell.share, f"{100 * cell.share:.0f} %", elo, hint)

    def superiority(row: str, column: str) -> MatrixCell | None:
        difference = summary.rating.differences.get(row, {}).get(column)
        if difference is None or difference.los is None:
            return None
        shown = _percent(difference.los)
        elo = _elo_text(difference.elo)
        hint = f"{row} is better than {column} with a probability of {shown}; difference {elo}"
        return MatrixCell(difference.los, shown, elo, hint)

    tables = ["<div><h3>Crosstable: score, and the Elo difference it stands for</h3>" + matrix(names, score) + "</div>"]
    words = "Row against column; blue where the row is ahead, red where it is behind."
    if any(superiority(a, b) for a in names for b in names if a != b):
        heading = "<h3>Likelihood of superiority, and the difference of the ratings</h3>"
        tables.append(f"<div>{heading}{matrix(names, superiority)}</div>")
        words += " A likelihood between 5 % and 95 % may well be luck."
    place = "pair" if len(names) <= _SIDE_BY_SIDE else "stack"
    return _section("Against each other", words, f'<div class="{place}">{"".join(tables)}</div>')


def _progress(summary: Summary) -> str:
    if summary.alone or len({game.block for game in summary.games}) < 3:
        return ""
    steps = rating_progress(method(summary.rating_name), summary.contest, 24)
    series: dict[str, list[tuple[int, float]]] = {}
    playing = {line.player for line in summary.rating.rated if line.games}
    for count, table in steps:
        if playing.difference(line.player for line in table.rated if line.games):
            continue  # ratings of a field that is not complete yet mean little
        for line in table.rated:
            if line.player in playing:
                series.setdefault(line.player, []).append((count, line.elo))
    names = [line.player for line in summary.rating.rated if line.player in series]
    if not names or len(series[names[0]]) < 2:
        return ""
    ordered = {name: series[name] for name in names}
    picture = plots.progress(ordered, _colours(summary), "ratings by the number of complete blocks")
    return _section("Progress of the ratings", "Ratings as they were after so many blocks.", picture)


def _seats(summary: Summary) -> str:
    parts = []
    for seats in sorted({line.seats for line in summary.seats}):
        lines = [line for line in summary.seats if line.player is None and line.seats == seats]
        if seats < 2:
            continue
        bars = [plots.SeatBar(line.seat, line.share, line.games, 0.5) for line in lines]
        parts.append(f"<div><h3>{seats} players</h3>{plots.seats(bars, f'score by seat, {seats} players')}</div>")
    if not parts:
        return ""
    words = "What a seat is worth, all bots together."
    if summary.config.duplicate:
        words += " Duplicate blocks cancel it: every bot sits everywhere."
    effects = []
    for seats in sorted({effect.seats for effect in summary.rating.seats}):
        place = "side" if summary.config.pairs else "seat"
        worths = [
            f"{place} {effect.seat} {round(effect.elo):+d} ± {(effect.high - effect.low) / 2:.0f}"
            for effect in summary.rating.seats
            if effect.seats == seats
        ]
        size = "" if summary.config.pairs else f", {seats} players"
        effects.append(f"in Elo{size}: {', '.join(worths)}")
    return _section("Seats", words, f'<div class="pair">{"".join(parts)}</div>{_notes(effects)}')


def _lengths(summary: Summary) -> str:
    parts = []
    for length in summary.lengths:
        endings = ", ".join(f"{name} {count}" for name, count in largest_first(length.endings))
        picture = plots.histogram(length.choices, "decisions a game", f"length of games of {length.seats} players")
        parts.append(
            f'<div><h3>{length.seats} players, {length.games} games</h3>{picture}<p class="muted">ended by: '
            f"{escape(endings)}</p></div>"
        )
    if not parts:
        return ""
    return _section("Length of the games", "", f'<div class="pair">{"".join(parts)}</div>')


def _conduct(summary: Summary) -> str:
    content = _html_table(time_table(summary), dots=_colours(summary))
    faults = forfeits_table(summary)
    if faults.rows:
        content += f"<h3 style='margin-top:22px'>Forfeits</h3>{_html_table(faults, dots=_colours(summary))}"
    if summary.incidents:
        content += "<h3 style='margin-top:22px'>Crashes</h3>" + "".join(_crashes(summary))
    words = "Time used per decision as the server measured it, and what went wrong."
    return _section("Conduct", words, content, kind="long")


def _crashes(summary: Summary) -> Iterator[str]:
    """What ended how and with what last words; the same thing once."""
    times: dict[tuple[str, str], list[datetime]] = {}
    for _, time, what, tail in summary.incidents:
        times.setdefault((what, tail), []).append(time)
    newest = sorted(times.items(), key=lambda item: item[1][-1])[-_CRASHES_SHOWN:]
    for (what, tail), found in newest:
        when = f"{found[-1]:%Y-%m-%d %H:%M:%S} UTC"
        often = when if len(found) == 1 else f"{len(found)} times, the last one {when}"
        words = f"<p>{escape(what)} <span class='muted'>({often})</span></p>"
        yield f"<div class='crash'>{words}{f'<pre>{escape(tail)}</pre>' if tail else ''}</div>"


def _setup(summary: Summary) -> str:
    config = summary.config
    colours = _colours(summary)
    bots = TextTable("", ["bot", "program"], [[name, what] for name, what in summary.programs.items()])
    control = config.time_control
    limits = [
        f"{words} {value:g} s"
        for words, value in (
            ("per decision", control.per_decision),
            ("bank", control.bank),
            ("increment", control.increment),
        )
        if value
    ]
    facts = [
        f"time control: {', '.join(limits) or 'none'}",
        f"rules version {rules_of(config.game).version}" + (f", options {config.options}" if config.options else ""),
        f"void attempts: {summary.voids}; games of incomplete blocks, which do not count: {summary.half_blocks}",
    ]
    return _section("Setup", "", _html_table(bots, dots=colours) + _notes(facts))


def _foot(summary: Summary) -> str:
    return f"<footer>Made by Palio {escape(version('palio'))} from ledger {escape(summary.config.id)}.</footer>"


def _section(title: str, words: str, content: str, kind: str = "") -> str:
    intro = f"<p>{escape(words)}</p>" if words else ""
    return f"<section{f' class={kind}' if kind else ''}><h2>{escape(title)}</h2>{intro}{content}</section>"


def _notes(lines: Iterable[str]) -> str:
    items = "".join(f"<li>{escape(line)}</li>" for line in lines)
    return f'<ul class="notes">{items}</ul>' if items else ""


def _html_table(table: TextTable, dots: dict[str, str]) -> str:
    """A table of text as HTML; the bots' names get dots of their colours."""
    classes = ["n" if column.startswith(">") else "" for column in table.columns]
    heads = "".join(
        f'<th class="{kind}">{escape(column.removeprefix(">"))}</th>'
        for kind, column in zip(classes, table.columns, strict=True)
    )
    bot_column = next((at for at, column in enumerate(table.columns) if column in ("bot", "pair")), -1)
    rows = "".join(f"<tr>{_html_row(row, classes, bot_column, dots)}</tr>" for row in table.rows)
    size = " many" if len(table.columns) > 11 else ""
    body = f"<thead><tr>{heads}</tr></thead><tbody>{rows}</tbody>"
    return f'<div class="scroll"><table class="plain{size}">{body}</table></div>'


def _html_row(row: Sequence[str], classes: Sequence[str], bot_column: int, dots: dict[str, str]) -> str:
    cells = []
    for at, (cell, kind) in enumerate(zip(row, classes, strict=True)):
        mark = ""
        if at == bot_column:
            kind = "strong"
            shade = dots.get(cell.removesuffix(" (withdrawn)"), "#aaa")
            mark = f'<span class="dot" style="background:{shade}"></span>'
        cells.append(f'<td class="{kind}">{mark}{escape(cell)}</td>')
    return "".join(cells)
