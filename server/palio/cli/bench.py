"""``palio bench``: how fast it is here, as ratios of figures taken in one run."""

from __future__ import annotations

import json
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.table import Table

app = typer.Typer(no_args_is_help=False, invoke_without_command=True)
AsJson = Annotated[bool, typer.Option("--json", help="One JSON object, for programs.")]


@app.callback()
def bench(context: typer.Context) -> None:
    """Measure; without a command: engine and server, briefly."""
    if context.invoked_subcommand is None:
        engine(seconds=3.0, as_json=False)
        server(matches=[1, 64], game=[], seconds=4.0, as_json=False)


@app.command()
def engine(
    seconds: Annotated[float, typer.Option(help="Processor time per game and player count.")] = 5.0,
    as_json: AsJson = False,
) -> None:
    """Random playouts of every game: decisions a second, clone and view in microseconds, on one core."""
    from palio.bench.engine import playouts
    from palio.games import all_rules

    found = [playouts(rules, players, seconds) for rules in all_rules().values() for players in rules.seats]
    if as_json:
        print(json.dumps([speed._asdict() for speed in found]))
        return
    table = _table("game", "players", "decisions/s", "clone, us", "view, us", "decisions a game")
    for speed in found:
        table.add_row(
            speed.game,
            str(speed.players),
            f"{speed.decisions_per_second:,.0f}",
            f"{speed.clone_us:.2f}",
            f"{speed.view_us:.2f}",
            f"{speed.decisions_per_game:.0f}",
        )
    Console().print(table)


@app.command()
def server(
    matches: Annotated[list[int] | None, typer.Option(help="Matches at once; may be repeated.")] = None,
    game: Annotated[list[str] | None, typer.Option(help="Games; all by default.")] = None,
    seconds: Annotated[float, typer.Option(help="Per row and side.")] = 5.0,
    as_json: AsJson = False,
) -> None:
    """Real matches with bots that cost nothing, beside a bare echo stream of the same message sizes."""
    from palio.bench.server import Row, measure
    from palio.games import all_rules, rules_of

    games = [rules_of(name).game_id for name in game or all_rules()]
    rows: list[Row] = []
    console = Console(stderr=True)
    for name in games:
        for count in matches or [1, 16, 64, 256]:
            with console.status(f"{name}, {count} matches at once"):
                rows.append(measure(name, count, seconds))
    if as_json:
        print(json.dumps([_plain(row) for row in rows]))
        return
    columns = ("game", "matches", "decisions/s", "echo/s", "ratio", "p50, ms", "p99, ms", "p99 / echo's")
    table = _table(*columns, "CPU, us", "echo, us", "bytes", "KiB a match")
    for row in rows:
        arena, echo = row.arena, row.echo
        table.add_row(
            row.game,
            str(row.matches),
            f"{arena.rate:,.0f}",
            f"{echo.rate:,.0f}",
            f"{row.ratio:.2f}",
            f"{arena.p50_ms:.1f}",
            f"{arena.p99_ms:.1f}",
            f"{arena.p99_ms / echo.p99_ms:.1f}",
            f"{arena.cpu_us:.0f}",
            f"{echo.cpu_us:.0f}",
            f"{arena.bytes:.0f}",
            f"{arena.kib_per_match:.0f}",
        )
    Console().print(table)


def _plain(row: Any) -> dict[str, Any]:
    return {
        "game": row.game,
        "matches": row.matches,
        "ratio": row.ratio,
        "arena": row.arena._asdict(),
        "echo": row.echo._asdict(),
    }


def _table(*columns: str) -> Table:
    table = Table(box=None, pad_edge=False)
    for index, column in enumerate(columns):
        table.add_column(column, justify="left" if index == 0 else "right")
    return table
