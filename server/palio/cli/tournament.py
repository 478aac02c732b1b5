"""``palio tournament``: run tournaments, and look at their results."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from palio.cli.errors import BadUsage, CommandFailed
from palio.cli.output import JsonFlag, print_json, print_note, print_table, progress_bar, room_for

if TYPE_CHECKING:
    from palio.tournament.summary import Summary
    from palio.tournament.tables_text import TextTable

app = typer.Typer(no_args_is_help=True)

FileArgument = Annotated[Path, typer.Argument(metavar="FILE.toml", help="The tournament file.")]
PlaceArgument = Annotated[
    Path, typer.Argument(metavar="FILE.toml|DIR", help="The tournament file, or the directory of the tournament.")
]
DirectoryOption = Annotated[
    Path | None,
    typer.Option("--dir", metavar="DIR", help="Directory of the tournament; by default FILE.palio beside the file."),
]
DatabaseOption = Annotated[
    str | None,
    typer.Option("--db", metavar="URL", help="The ledger: sqlite:///FILE or postgresql://…; by default in --dir."),
]
RatingOption = Annotated[
    str | None, typer.Option("--rating", help="ml, elo, glicko2 or openskill; by default what the file says.")
]
ForfeitsOption = Annotated[
    bool, typer.Option("--forfeits/--no-forfeits", help="Whether blocks in which somebody forfeited count.")
]


@app.callback()
def tournament() -> None:
    """Run tournaments and look at their results."""


@app.command()
def run(
    file: FileArgument,
    directory: DirectoryOption = None,
    database: DatabaseOption = None,
    plain: Annotated[bool, typer.Option("--plain", help="Plain lines instead of a live picture.")] = False,
    check: Annotated[bool, typer.Option("--check", help="Only check the file and say what would be played.")] = False,
) -> None:
    """Run a tournament, or go on with it: exactly what is missing is played."""
    # Programs are started while gRPC runs; it has nothing to do in the instant between fork and exec. It looks at this
    # when it is imported.
    os.environ.setdefault("GRPC_ENABLE_FORK_SUPPORT", "0")
    from palio.tournament import command

    if check:
        for line in command.describe(file):
            print(line)
        return
    try:
        summary, folder = command.run(file, directory, database, plain=plain)
    except command.RunFailed as error:
        raise CommandFailed(f"{error}\nwhat was played is kept; the same command goes on from there") from None
    except command.Interrupted:
        print("stopped; the same command goes on from here")
        raise typer.Exit(130) from None
    print_results(summary)
    print(f"report   {folder.report}")
    print(f"replays  {folder.replays}")
    print(f"logs     {folder.logs}")


@app.command()
def show(
    place: PlaceArgument,
    directory: DirectoryOption = None,
    database: DatabaseOption = None,
    rating: RatingOption = None,
    forfeits: ForfeitsOption = True,
    versus: Annotated[
        tuple[str, str] | None, typer.Option("--versus", metavar="BOT BOT", help="Block by block, one against another.")
    ] = None,
    deals: Annotated[bool, typer.Option("--deals", help="Deal by deal, everybody.")] = False,
) -> None:
    """All tables: standings, crosstable, seats, forfeits, time use."""
    from palio.tournament import tables_text

    summary = _summary(place, directory, database, rating, forfeits)
    if versus is not None:
        for name in versus:
            if name not in summary.entrants:
                who = "pair" if summary.config.pairs else "bot"
                raise BadUsage(f"--versus: there is no {who} {name!r}; the {who}s are {', '.join(summary.entrants)}")
        print_text_table(tables_text.versus_table(summary, *versus))
        return
    if deals:
        print_text_table(tables_text.deals_table(summary))
        return
    for table in tables_text.all_tables(summary):
        print_text_table(table)


@app.command()
def standings(
    place: PlaceArgument,
    directory: DirectoryOption = None,
    database: DatabaseOption = None,
    rating: RatingOption = None,
    forfeits: ForfeitsOption = True,
    as_json: JsonFlag = False,
) -> None:
    """The standings, also while the tournament runs."""
    from palio.tournament import tables_text
    from palio.tournament.export import standings_data

    summary = _summary(place, directory, database, rating, forfeits)
    if as_json:
        print_json(standings_data(summary))
    else:
        print_text_table(tables_text.standings_table(summary))


@app.command()
def luck(
    place: PlaceArgument,
    directory: DirectoryOption = None,
    database: DatabaseOption = None,
    bot: Annotated[str, typer.Option("--bot", help="The built-in bot that plays the rollouts.")] = "greedy",
    rollouts: Annotated[int, typer.Option("--rollouts", metavar="N", help="Games per deal.")] = 20,
    jobs: Annotated[int | None, typer.Option("--jobs", min=1, help="Processes; by default one a core.")] = None,
) -> None:
    """Play rollouts of the deals, and show scores without the luck of the deals. Again: goes on, or takes new deals."""
    from palio.tournament import command, tables_text
    from palio.tournament.runner.run import cores

    with progress_bar("deals") as tell:
        summary, deals, played = command.play_rollouts(
            place, directory, database, bot=bot, rollouts=rollouts, jobs=jobs or cores(), progress=tell
        )
    print(f"{bot}:{rollouts}: rollouts of {played} deals played, of {deals - played} known before")
    print_text_table(tables_text.standings_table(summary))


@app.command()
def export(
    place: PlaceArgument,
    directory: DirectoryOption = None,
    database: DatabaseOption = None,
    form: Annotated[
        str, typer.Option("--format", metavar="csv|json|trf|html", help="csv: one line a seat; html: the report.")
    ] = "csv",
    output: Annotated[Path | None, typer.Option("--output", "-o", help="A file instead of stdout.")] = None,
    rating: RatingOption = None,
    forfeits: ForfeitsOption = True,
) -> None:
    """Write the results for other programs."""
    from palio.tournament.export import EXPORTS

    if form not in EXPORTS:
        raise BadUsage(f"--format: {form!r} is not known; allowed are {', '.join(EXPORTS)}")
    text = EXPORTS[form](_summary(place, directory, database, rating, forfeits))
    if output is None:
        print(text, end="")
    else:
        try:
            output.write_text(text, encoding="utf-8")
        except OSError as error:
            raise BadUsage(f"--output: {output}: {error.strerror}") from None


def print_results(summary: Summary) -> None:
    """What a run ends with."""
    from palio.tournament.tables_text import crosstable_table, forfeits_table, standings_table

    for make in (standings_table, crosstable_table, forfeits_table):
        table = make(summary)
        if table.rows:
            print_text_table(table)


def print_text_table(table: TextTable) -> None:
    """A table with its notes; with less in it where the terminal is not wide enough."""
    if table.narrow is not None and not room_for(table.columns, table.rows):
        table = table.narrow
    print_table(table.columns, table.rows, title=table.title)
    for note in table.notes:
        print_note(note)
    print()


def _summary(place: Path, directory: Path | None, database: str | None, rating: str | None, forfeits: bool) -> Summary:
    from palio.tournament.command import summary_of

    return summary_of(place, directory, database, rating=rating, forfeits=forfeits)
