"""``palio serve``: the server."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from palio.server.config import ServerConfig

app = typer.Typer()


@app.command()
def serve(
    config: Annotated[Path | None, typer.Option(help="palio.toml; without it the defaults hold.")] = None,
    listen: Annotated[
        list[str] | None, typer.Option(help="HOST:PORT or unix:/PATH; may be given more than once. Port 0: any free.")
    ] = None,
    data: Annotated[Path | None, typer.Option(help="Directory of journals, replays and accounts.")] = None,
    open_mode: Annotated[
        bool | None,
        typer.Option("--open/--tokens", help="Open local mode: no tokens, bots are who they say. This machine only."),
    ] = None,
    tls_cert: Annotated[Path | None, typer.Option(help="Certificate chain, PEM.")] = None,
    tls_key: Annotated[Path | None, typer.Option(help="Private key, PEM.")] = None,
    tls_client_ca: Annotated[Path | None, typer.Option(help="Clients must show a certificate of this CA, PEM.")] = None,
    workers: Annotated[int | None, typer.Option(help="Processes that host matches; see docs/operations.md.")] = None,
    durability: Annotated[str | None, typer.Option(help="process or power.")] = None,
    log_format: Annotated[str | None, typer.Option(help="console or json.")] = None,
    log_level: Annotated[str | None, typer.Option(help="debug, info, warning or error.")] = None,
    settings: Annotated[
        list[str] | None,
        typer.Option("--set", metavar="KEY=VALUE", help="Any key of palio.toml, for example limits.max_matches=50."),
    ] = None,
    print_config: Annotated[
        bool, typer.Option("--print-config", help="Print what would hold, every key explained, and exit.")
    ] = False,
    ready_file: Annotated[
        Path | None, typer.Option(help="Written once the server listens: JSON with its address and process id.")
    ] = None,
) -> None:
    """Run the server until SIGTERM or Ctrl-C."""
    from palio.files.settings import parse_override
    from palio.server.config import load_config

    options = {
        "listen": listen or None,
        "data": data,
        "open": open_mode,
        "tls.cert": tls_cert,
        "tls.key": tls_key,
        "tls.client_ca": tls_client_ca,
        "workers": workers,
        "durability": durability,
        "log.format": log_format,
        "log.level": log_level,
    }
    given = {key: value for key, value in options.items() if value is not None}
    chosen = load_config(config, {**dict(map(parse_override, settings or ())), **given})
    if print_config:
        from palio.files.toml import to_toml

        print(to_toml(chosen.printable()), end="")
        return
    _serve(chosen, ready_file)


def _serve(config: ServerConfig, ready_file: Path | None) -> None:
    from palio.server import app as server
    from palio.server import logs
    from palio.server.access.accounts import Accounts
    from palio.server.front.folders import JOURNALS, gather, lock
    from palio.server.front.server import FrontServer
    from palio.server.listening import CannotListen
    from palio.tournament.hosted.extension import TournamentExtension, hosted_database

    logs.configure(config.log.format, config.log.level)
    config.data.mkdir(parents=True, exist_ok=True)
    if lock(config.data / JOURNALS) is None:  # kept until this process ends
        raise CannotListen(f"another server uses {config.data}")
    with Accounts.open(config.database_url) as accounts:
        tournaments = TournamentExtension(hosted_database(config.data))
        if config.workers > 1:
            server.run(lambda: FrontServer(config, accounts, [tournaments]), ready_file)
            return
        gather(config.data, 1)
        server.run(lambda: server.ArenaServer(config, accounts, [tournaments]), ready_file)
