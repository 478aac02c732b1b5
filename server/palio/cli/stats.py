"""``palio stats``: what a game is like, from many games of the built-in bots."""

from __future__ import annotations

import os
import shlex
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from palio.cli.errors import BadUsage
from palio.cli.output import JsonFlag, print_json, print_table, progress_bar

if TYPE_CHECKING:
    from palio.bots.arena import Strength
    from palio.bots.arena.census import Table
    from palio.games.variants import Variant

app = typer.Typer(no_args_is_help=True, help="What a game is like, from many games of the built-in bots.")

GameArgument = Annotated[str, typer.Argument(metavar="GAME", help="Id of the game; palio rules games lists them.")]
VariantsOption = Annotated[
    list[str] | None,
    typer.Option("--variant", metavar="NAME", help='Only this one, e.g. "2 players"; may be repeated.'),
]
LabelOption = Annotated[str, typer.Option(metavar="TEXT", help="Another text gives other deals.")]
JobsOption = Annotated[int, typer.Option(min=1, max=256, metavar="N", help="Processes; the default is one a core.")]
WriteOption = Annotated[
    Path | None,
    typer.Option("--write", metavar="FILE", help="Replace the marked section of this Markdown file by the tables."),
]
CORES = os.cpu_count() or 1


@app.command()
def games(
    game: GameArgument,
    bot: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME=N", help="Games of a bot with itself, per variant; may be repeated. [random=200]"),
    ] = None,
    variant: VariantsOption = None,
    label: LabelOption = "census",
    jobs: JobsOption = CORES,
    write: WriteOption = None,
    as_json: JsonFlag = False,
) -> None:
    """Play every variant with copies of a bot: decisions and options, turns, ends, seats, what gets scored.

    The same command plays the same games again. Intervals are 95 %.
    """
    from palio.bots.arena.census import tables, take_census

    counts = dict(_count_of(text) for text in bot or ["random=200"])
    section = _Section(write, f"games {game}")
    wanted = _variants(game, variant)
    with progress_bar("games") as progress:
        found = take_census(game, counts, wanted, label=label, jobs=jobs, progress=progress)
    command = ["games", game, *_repeated("--bot", [f"{name}={n}" for name, n in counts.items()])]
    command += [*_repeated("--variant", variant or []), *([] if label == "census" else ["--label", label])]
    _show(tables(game, found), command, section, as_json)


@app.command()
def strength(
    game: GameArgument,
    pair: Annotated[
        list[str],
        typer.Option(metavar="A,B", help="Two bots; B takes all seats that A has not. May be repeated."),
    ],
    deals: Annotated[
        int, typer.Option(min=2, metavar="N", help="Deals per pair and variant, each in every seat.")
    ] = 50,
    variant: VariantsOption = None,
    label: LabelOption = "arena",
    jobs: JobsOption = CORES,
    write: WriteOption = None,
    as_json: JsonFlag = False,
) -> None:
    """Duplicate deals between built-in bots, in every variant with opponents.

    Intervals are 95 %, by deals: the games of one deal are not independent.
    """
    from palio.bots.arena import measure
    from palio.bots.arena.census import Table

    pairs = [_pair_of(text) for text in pair]
    section = _Section(write, f"strength {game}")
    wanted = [one for one in _variants(game, variant) if one.players > 1 and set(one.given) <= {"teams"}]
    tasks = [(one, first, second) for one in wanted for first, second in pairs]
    rows: list[tuple[str, ...]] = []
    with progress_bar("deals") as progress:

        def tell(done: int) -> None:
            progress(len(rows) * deals + done, len(tasks) * deals)

        for one, first, second in tasks:
            found = measure(
                game,
                first,
                second,
                deals=deals,
                players=one.players,
                teams=bool(one.given),
                label=label,
                jobs=jobs,
                progress=tell,
            )
            rows.append((one.name, first, second, f"{deals:,}", *_strength_cells(found)))
    columns = ("variant", "bot", "against", ">deals", ">games", ">left behind, %", ">Elo", ">points")
    command = ["strength", game, *_repeated("--pair", pair), "--deals", str(deals)]
    command += [*_repeated("--variant", variant or []), *([] if label == "arena" else ["--label", label])]
    _show([Table("Strength", columns, rows)], command, section, as_json)


def _strength_cells(found: Strength) -> tuple[str, ...]:
    from palio.bots.arena import SURE

    elo, low, high = found.elo
    return (
        f"{found.games:,}",
        f"{100 * found.score:.1f} ± {100 * SURE * found.error:.1f}",
        f"{elo:+.0f} ({low:+.0f} to {high:+.0f})",
        f"{found.points[0]:.2f} : {found.points[1]:.2f}",
    )


class _Section:
    """The part of a Markdown file between two marks, checked before anything long begins."""

    def __init__(self, path: Path | None, name: str) -> None:
        """
        Raises:
            BadUsage: the file has no such part.
        """
        self.path = path
        self._begin, self._end = f"<!-- palio stats {name} -->", f"<!-- end of palio stats {name} -->"
        if path is not None:
            text = path.read_text(encoding="utf-8")
            if not 0 <= text.find(self._begin) < text.find(self._end):
                raise BadUsage(f"--write: {path} lacks the lines {self._begin!r} and, later, {self._end!r}")

    def write(self, content: str) -> None:
        assert self.path is not None
        text = self.path.read_text(encoding="utf-8")
        before, _, rest = text.partition(self._begin)
        _, _, after = rest.partition(self._end)
        self.path.write_text(f"{before}{self._begin}\n\n{content}\n\n{self._end}{after}", encoding="utf-8")


def _show(found: Sequence[Table], command: Sequence[str], section: _Section, as_json: bool) -> None:
    if section.path is not None:
        line = shlex.join(["palio", "stats", *command, "--write", str(section.path)])
        section.write("\n\n".join([f"```sh\n{line}\n```", *map(_markdown, found)]))
    if as_json:
        print_json([{"title": table.title, "columns": _plain(table), "rows": table.rows} for table in found])
        return
    for table in found:
        print_table(table.columns, table.rows, title=table.title)


def _markdown(table: Table) -> str:
    lines = [
        "| " + " | ".join(_plain(table)) + " |",
        "|" + "|".join("--:" if column.startswith(">") else "--" for column in table.columns) + "|",
        *("| " + " | ".join(row) + " |" for row in table.rows),
    ]
    return f"**{table.title}**\n\n" + "\n".join(lines)


def _plain(table: Table) -> list[str]:
    return [column.removeprefix(">") for column in table.columns]


def _repeated(option: str, values: Sequence[str]) -> Iterator[str]:
    for value in values:
        yield from (option, value)


def _count_of(text: str) -> tuple[str, int]:
    name, _, number = text.partition("=")
    if not number.isascii() or not number.isdecimal() or not 1 <= int(number) <= 10**6:
        raise BadUsage(f"--bot: {text!r} is not of the form NAME=N with 1 to 1,000,000 games")
    return name, int(number)


def _pair_of(text: str) -> tuple[str, str]:
    first, comma, second = text.partition(",")
    if not comma:
        raise BadUsage(f"--pair: {text!r} is not of the form A,B")
    return first, second


def _variants(game: str, names: Sequence[str] | None) -> list[Variant]:
    from palio.games import rules_of
    from palio.games.variants import variants

    found: Mapping[str, Variant] = {variant.name: variant for variant in variants(rules_of(game))}
    for name in names or []:
        if name not in found:
            raise BadUsage(f"--variant: {game} has no variant {name!r}; it has {', '.join(found)}")
    return [found[name] for name in names or found]
