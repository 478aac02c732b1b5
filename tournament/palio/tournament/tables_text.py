"""Results as tables for people."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from palio.tournament.rating.luck import Adjusted
from palio.tournament.rating.solo import SoloGap
from palio.tournament.rating.tables import Cell, head_to_head, per_deal
from palio.tournament.summary import Summary, largest_first


class TextTable(NamedTuple):
    """A table of plain text.

    Attributes:
        title: may be empty.
        columns: headings; ``>`` first means aligned to the right.
        rows: cells.
        notes: sentences below it.
        narrow: the same with less in it, for terminals that are not wide enough; its notes take the place of these.
    """

    title: str
    columns: Sequence[str]
    rows: Sequence[Sequence[str]]
    notes: Sequence[str] = ()
    narrow: TextTable | None = None


def standings_table(summary: Summary) -> TextTable:
    """Place, rating with interval, score; mean points with interval where everybody plays alone."""
    if summary.alone:
        return _solo_standings(summary)
    rating = {line.player: line for line in summary.rating.rated}
    intervals = any(line.low is not None for line in rating.values())
    columns = [
        ">",
        _who(summary),
        ">Elo",
        *([">95 %"] if intervals else []),
        ">games",
        ">won",
        ">drawn",
        ">lost",
        ">score",
    ]
    lucky = {line.player: line for line in summary.luck.lines} if summary.luck else {}
    columns += [*([">luck-adjusted", ">95 %", ">interval"] if lucky else []), ">points", "forfeits"]
    rows = []
    for line in summary.standings:
        rated = rating[line.player]
        elo = f"{rated.elo:.0f}" if line.games else ""
        interval = [_half(rated.low, rated.high)] if intervals else []
        row = [str(line.place), _name(summary, line.player), elo, *interval, str(line.games)]
        row += [str(line.wins), str(line.draws), str(line.losses)]
        row.append(f"{100 * line.share:.1f} %" if line.games else "")
        if lucky:
            row += _adjusted(lucky.get(line.player))
        row += [f"{line.points:.2f}" if line.games else "", _faults(line.forfeits)]
        rows.append(row)
    notes = _notes(summary, [*summary.rating.notes, *luck_notes(summary)])
    kept = [at for at, name in enumerate(columns) if name not in (">won", ">drawn", ">lost", ">points")]
    narrow = TextTable("Standings", [columns[at] for at in kept], [[row[at] for at in kept] for row in rows], notes)
    return TextTable("Standings", columns, rows, notes, narrow)


def _adjusted(line: Adjusted | None) -> list[str]:
    """The luck-adjusted score, its interval, and how long that is compared with the plain score's."""
    if line is None:
        return ["", "", ""]
    return [f"{100 * line.score:.1f} %", _half(100 * line.low, 100 * line.high, 1), f"x {line.shrunk:.2f}"]


def luck_notes(summary: Summary) -> list[str]:
    """What stands behind the luck-adjusted column, or keeps it from being shown."""
    luck = summary.luck
    if luck is None:
        return []
    bot, _, count = luck.policy.rpartition(":")
    source = f"{count} rollouts of {bot} for each deal"
    if luck.missing:
        return [f"luck-adjusted scores need {source}; {luck.missing} deals lack them: palio tournament luck plays them"]
    return [f"luck-adjusted by {source}; interval: its length, the plain score's being 1"]


def _solo_standings(summary: Summary) -> TextTable:
    forfeits = {line.player: line.forfeits for line in summary.standings}
    rows = [
        [
            str(line.place),
            _name(summary, line.player),
            str(line.deals),
            f"{line.points:.2f}" if line.deals else "",
            _half(line.low, line.high, 2),
            _faults(forfeits[line.player]),
        ]
        for line in summary.solo[0]
    ]
    notes = _notes(summary, ["mean points over the deals, with 95 % intervals by deals"])
    return TextTable("Standings", [">", "bot", ">deals", ">points", ">95 %", "forfeits"], rows, notes)


def _name(summary: Summary, player: str) -> str:
    return f"{player} (withdrawn)" if player in summary.gone else player


def _who(summary: Summary) -> str:
    return "pair" if summary.config.pairs else "bot"


def _faults(forfeits: Mapping[str, int]) -> str:
    return ", ".join(f"{count} {short_fault(fault)}" for fault, count in largest_first(forfeits))


def _notes(summary: Summary, own: Sequence[str]) -> list[str]:
    notes = [*summary.director.format.notes, *own]
    if summary.config.pairs:
        pairs = [f"{name} ({' and '.join(members)})" for name, members in summary.config.pairs.items()]
        notes.insert(0, f"the pairs: {', '.join(pairs)}")
    if not summary.counts_forfeits:
        notes.append("blocks in which somebody forfeited are left out")
    return notes + [f"{name} is withdrawn: it {reason}" for name, reason in summary.withdrawn.items()]


def crosstable_table(summary: Summary) -> TextTable:
    """Score of the row's bot against the column's, and the Elo difference that it stands for; where everybody plays
    alone, by how many points the row's bot is ahead."""
    if summary.alone:
        return _gaps_table(summary)
    names = [line.player for line in summary.standings]
    rows = []
    for number, name in enumerate(names, 1):
        cells = [_cell(summary.crosstable.get(name, {}).get(other)) if other != name else "·" for other in names]
        rows.append([f"{number}", name, *cells])
    who = _who(summary)
    columns = [">", who, *(f">{number} {name}" for number, name in enumerate(names, 1))]
    note = f"score in percent (games) and Elo difference of the row's {who} against the column's"
    narrow = TextTable(
        "Crosstable",
        [">", who, *(f">{number}" for number in range(1, len(names) + 1))],
        [[number, name, *(cell.partition(" ")[0] for cell in cells)] for number, name, *cells in rows],
        [f"score in percent of the row's {who} against the column's; games and Elo differences need a wider terminal"],
    )
    return TextTable("Crosstable", columns, rows, [note], narrow)


def _gaps_table(summary: Summary) -> TextTable:
    lines, gaps = summary.solo
    names = [line.player for line in lines]
    rows = [
        [str(number), name, *(gap_text(gaps[name][other]) if other != name else "·" for other in names)]
        for number, name in enumerate(names, 1)
    ]
    columns = [">", "bot", *(f">{number} {name}" for number, name in enumerate(names, 1))]
    note = "points a deal by which the row's bot is ahead of the column's, over the deals that both played; 95 %"
    return TextTable("Points ahead", columns, rows, [note])


def gap_text(gap: SoloGap) -> str:
    """ "+1.50 ± 0.40"."""
    return f"{gap.points:+.2f} {_half(gap.low, gap.high, 2)}".rstrip() if gap.deals else ""


def seats_table(summary: Summary) -> TextTable:
    """The mean score in each seat, for everybody and each bot."""
    rows = [
        [line.player or "everybody", str(line.seats), str(line.seat), str(line.games), f"{100 * line.share:.1f} %"]
        + [f"{line.points:.2f}"]
        for line in summary.seats
        if line.seats > 1
    ]
    return TextTable("Seats", ["bot", ">players", ">seat", ">games", ">score", ">points"], rows)


def forfeits_table(summary: Summary) -> TextTable:
    """Faults by type."""
    rows = [
        [name, short_fault(fault), str(count)]
        for name, faults in summary.forfeits.items()
        for fault, count in largest_first(faults)
    ]
    return TextTable("Forfeits", ["bot", "type", ">games"], rows)


def time_table(summary: Summary) -> TextTable:
    """Thinking time."""
    rows = [
        [use.player, str(use.decisions), f"{use.total:.2f}", _ms(use.mean), _ms(use.slowest), _ms(use.network)]
        for use in summary.time_use
    ]
    columns = ["bot", ">decisions", ">total s", ">mean ms", ">slowest ms", ">network ms"]
    return TextTable("Time use", columns, rows)


def versus_table(summary: Summary, one: str, two: str) -> TextTable:
    """Block by block, one bot against another."""
    rows = [
        [
            str(meeting.block),
            str(meeting.deal),
            " ".join({1.0: "1", 0.5: "½", 0.0: "0"}[score] for score in meeting.games),
            " ".join(f"{a:g}:{b:g}" for a, b in meeting.points),
            f"{100 * sum(meeting.games) / len(meeting.games):.0f} %",
        ]
        for meeting in head_to_head(summary.contest, one, two)
    ]
    cell = summary.crosstable.get(one, {}).get(two)
    notes = [f"{one}: {_cell(cell)} {_interval(cell.low, cell.high)}".rstrip()] if cell is not None else []
    return TextTable(f"{one} against {two}", [">block", ">deal", "results", "points", ">score"], rows, notes)


def deals_table(summary: Summary) -> TextTable:
    """Every bot's mean score and points with every deal."""
    names = [line.player for line in summary.standings if line.games]
    cells: dict[int, dict[str, str]] = {}
    for line in per_deal(summary.contest):
        cells.setdefault(line.deal, {})[line.player] = f"{100 * line.share:.0f} % {line.points:.1f}"
    rows = [[str(deal), *(by_name.get(name, "") for name in names)] for deal, by_name in cells.items()]
    notes = ["mean score and mean points with the deal, over all its seatings"]
    return TextTable("Deals", [">deal", *(f">{name}" for name in names)], rows, notes)


def all_tables(summary: Summary) -> Iterator[TextTable]:
    """Everything that ``show`` prints; tables without rows are left out."""
    for make in (standings_table, crosstable_table, seats_table, forfeits_table, time_table):
        table = make(summary)
        if table.rows:
            yield table


def short_fault(termination: str) -> str:
    """``FORFEIT_TIMEOUT`` as "timeout"."""
    return termination.removeprefix("FORFEIT_").lower().replace("_", " ")


def _cell(cell: Cell | None) -> str:
    if cell is None:
        return ""
    elo = f" {cell.elo:+.0f}" if cell.elo is not None else ""
    return f"{100 * cell.share:.0f} % ({cell.games}){elo}"


def _interval(low: float | None, high: float | None) -> str:
    return "" if low is None or high is None else f"{low:+.0f} to {high:+.0f}"


def _half(low: float | None, high: float | None, digits: int = 0) -> str:
    return "" if low is None or high is None else f"± {(high - low) / 2:.{digits}f}"


def _ms(seconds: float) -> str:
    return f"{1000 * seconds:.2f}"
