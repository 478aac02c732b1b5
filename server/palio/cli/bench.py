"""``palio bench``: how fast it is here, as ratios of figures taken in one run."""

from __future__ import annotations

import json
import os
from dataclasses import asdict
from pathlib import Path
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
    from palio.bench.engine import compiled, playouts
    from palio.games import all_rules

    found = [playouts(rules, players, seconds) for rules in all_rules().values() for players in rules.seats]
    if as_json:
        print(json.dumps([speed._asdict() for speed in found]))
        return
    table = _table("game", "players", "decisions/s", "clone, us", "view, us", "decisions a game")
    table.caption = "rules compiled by mypyc" if compiled() else "rules in plain Python"
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
def peers(
    seconds: Annotated[float, typer.Option(help="Processor time per game.")] = 5.0,
    as_json: AsJson = False,
) -> None:
    """Random games of OpenSpiel and RLCard beside ours (pip install 'palio[peers]'): decisions a second of one core."""
    from palio.bench.peers import measure

    with Console(stderr=True).status("one game after the other"):
        found = measure(seconds)
    if as_json:
        print(json.dumps([line._asdict() for line in found]))
        return
    first = found[0]
    table = _table("library", "game", "decisions/s", f"{first.game.partition(',')[0]} is", "decisions a game")
    for line in found:
        if line.missing:
            continue
        factor = first.decisions_per_second / line.decisions_per_second
        numbers = (f"{line.decisions_per_second:,.0f}", f"{factor:.1f} x", f"{line.decisions_per_game:.0f}")
        table.add_row(line.library, line.game, *numbers)
    Console().print(table)
    for line in found:
        if line.missing:
            print(f"not measured: {line.library} {line.game}: {line.missing}")


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
    columns = ("game", "matches", "decisions/s", "echo/s", "ratio", "joined", "p50, ms", "p99, ms", "p99 / echo's")
    table = _table(*columns, "CPU, us", "echo, us", "bytes", "messages", "KiB a match")
    for row in rows:
        arena, echo = row.arena.load, row.echo.load
        table.add_row(
            row.game,
            str(row.matches),
            f"{arena.rate:,.0f}",
            f"{echo.rate:,.0f}",
            f"{row.ratio:.2f}",
            f"{row.joined_ratio:.2f}",
            f"{arena.p50_ms:.1f}",
            f"{arena.p99_ms:.1f}",
            f"{row.late:.1f}",
            f"{row.arena.cpu_us:.0f}",
            f"{row.echo.cpu_us:.0f}",
            f"{arena.bytes_out:.0f}",
            f"{arena.messages_out:.2f}",
            f"{row.arena.kib_per_match:.0f}",
        )
    Console().print(table)


@app.command()
def stages(
    game: Annotated[list[str] | None, typer.Option(help="Games; all by default.")] = None,
    as_json: AsJson = False,
) -> None:
    """What a decision costs stage by stage, in processor time, without a network."""
    from palio.bench.inside import measure
    from palio.games import all_rules, rules_of

    found = [measure(rules_of(name).game_id) for name in game or all_rules()]
    if as_json:
        print(json.dumps([costs._asdict() for costs in found]))
        return
    table = _table("game", "rules, us", "+ asking", "+ the whole match", "+ reading the choice")
    for costs in found:
        table.add_row(
            costs.game, f"{costs.rules:.1f}", f"{costs.asking:.1f}", f"{costs.room:.1f}", f"{costs.message:.1f}"
        )
    Console().print(table)


@app.command()
def clients(
    folder: Annotated[Path, typer.Option("--clients", help="The folder of that name in a checkout.")] = Path("clients"),
    seconds: Annotated[float, typer.Option(help="Per language.")] = 8.0,
    as_json: AsJson = False,
) -> None:
    """The random bot of each SDK against one server, as ratios to the echo. Build them before: make clients."""
    from palio.bench.clients import measure

    with Console(stderr=True).status("one language after the other"):
        found = measure(folder.resolve(), seconds)
    if as_json:
        print(json.dumps([language._asdict() for language in found]))
        return
    table = _table("SDK", "decisions/s", "ratio to echo", "CPU of the bots, us a decision")
    for language in found:
        if language.built:
            numbers = (f"{language.decisions:,.0f}", f"{language.ratio:.2f}", f"{language.bot_cpu_us:.0f}")
        else:
            numbers = ("not built", "", "")
        table.add_row(language.name, *numbers)
    Console().print(table)


@app.command()
def workers(
    counts: Annotated[list[int] | None, typer.Option("--workers", help="How many; may be repeated.")] = None,
    seconds: Annotated[float, typer.Option(help="Per row.")] = 10.0,
    as_json: AsJson = False,
) -> None:
    """One process against several (palio serve --workers): decisions a second, and processor time of each process."""
    from palio.bench.workers import measure

    wanted = counts or [1, 2]
    with Console(stderr=True).status("one server after the other"):
        found = [measure(count, seconds, max(wanted)) for count in wanted]
    if as_json:
        print(json.dumps([{**shared._asdict(), "bound": shared.bound} for shared in found]))
        return
    table = _table("workers", "decisions/s", "front, us a decision", "workers, us a decision", "bound, decisions/s")
    for shared in found:
        each = " + ".join(f"{used:.0f}" for used in shared.worker_us)
        table.add_row(
            str(shared.workers), f"{shared.decisions:,.0f}", f"{shared.front_us:.0f}", each, f"{shared.bound:,.0f}"
        )
    Console().print(table)


@app.command()
def ratings(
    tournaments: Annotated[int, typer.Option(help="Simulated tournaments per setting.")] = 2000,
    as_json: AsJson = False,
) -> None:
    """Simulated tournaments with known strengths: how many of the 95 % intervals hold the truth."""
    from palio.tournament.rating.coverage import BENCH, simulate

    found = []
    for setting in BENCH:
        with Console(stderr=True).status(f"{setting.players} players, {setting.seats} seats, {setting.deals} deals"):
            found.append(simulate(setting, tournaments))
    if as_json:
        print(json.dumps([asdict(coverage) for coverage in found]))
        return
    table = _table("players", "seats", "deals", "luck", "differences", "ratings", "seat effects", "blocks ignored")
    for coverage in found:
        setting = coverage.setting
        shares = (coverage.differences, coverage.ratings, coverage.seats, coverage.naive)
        counts = (setting.players, setting.seats, setting.deals, setting.luck)
        table.add_row(*map(str, counts), *(f"{share:.1%}" for share in shares))
    Console().print(table)


@app.command()
def tournament(
    game: Annotated[str, typer.Option(help="Id of the game.")] = "fidelitas",
    players: Annotated[int, typer.Option(min=2, max=5, help="Bots, and seats of a match.")] = 2,
    games: Annotated[int, typer.Option(min=8, help="About so many; a quarter of them is warm-up.")] = 800,
    concurrency: Annotated[
        int | None, typer.Option(min=1, help="Matches at once; by default as in any tournament.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """A tournament of random bots over gRPC, beside the same games in one process; processor time by part."""
    os.environ.setdefault("GRPC_ENABLE_FORK_SUPPORT", "0")
    from palio.bench.tournament import measure

    # The spinner's time counts as the runner's.
    with Console(stderr=True).status(f"{games} games of {game}", refresh_per_second=1):
        pace = measure(game, players, games, concurrency)
    if as_json:
        print(json.dumps({**pace._asdict(), "cpu": pace.cpu._asdict(), "runner_share": pace.runner_share}))
        return
    table = _table("game", "games/s", "in one process", "ratio", "CPU a game, ms", "in one process", "runner", "server")
    table.add_column("bots", justify="right")
    total = sum(pace.cpu)
    table.add_row(
        f"{pace.game}, {pace.players} seats",
        f"{pace.games_per_second:.1f}",
        f"{pace.alone_per_second:.1f}",
        f"{pace.games_per_second / pace.alone_per_second:.2f}",
        f"{total:.1f}",
        f"{pace.alone_cpu:.1f}",
        *(f"{part:.1f} ({part / total:.0%})" for part in pace.cpu),
    )
    Console().print(table)
    if not pace.same:
        print("the results differ between the two: please report it")


def _plain(row: Any) -> dict[str, Any]:
    return {
        "game": row.game,
        "matches": row.matches,
        "ratio": row.ratio,
        "joined_ratio": row.joined_ratio,
        "arena": _flat(row.arena),
        "echo": _flat(row.echo),
        "joined": _flat(row.joined),
    }


def _flat(side: Any) -> dict[str, float]:
    return {**side.load._asdict(), "server_cpu_us": side.cpu_us, "kib_per_match": side.kib_per_match}


def _table(*columns: str) -> Table:
    table = Table(box=None, pad_edge=False)
    for index, column in enumerate(columns):
        table.add_column(column, justify="left" if index == 0 else "right")
    return table
