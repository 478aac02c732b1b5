"""What ``palio player`` and ``palio token`` have in common: which accounts are meant."""

from __future__ import annotations

from datetime import datetime, timedelta
from pathlib import Path
from typing import Annotated

import typer

from palio.cli.errors import BadUsage
from palio.files.settings import parse_seconds
from palio.server.access.accounts import Accounts
from palio.server.config import ServerConfig, default_database, load_config

DataOption = Annotated[
    Path | None,
    typer.Option("--data", envvar="PALIO_DATA", metavar="DIR", help="The server's data directory (palio-data)."),
]
ConfigOption = Annotated[
    Path | None,
    typer.Option("--config", metavar="FILE", help="palio.toml of the server, for its data and database."),
]
DatabaseOption = Annotated[
    str | None,
    typer.Option("--database", envvar="PALIO_DATABASE", metavar="URL", help="Database URL instead of the data's own."),
]


def open_accounts(data: Path | None, config: Path | None, database: str | None) -> Accounts:
    """The accounts that the options mean; the command line counts more than the file."""
    settings = load_config(config) if config else ServerConfig()
    if database is None:
        database = default_database(data) if data else settings.database_url
    return Accounts.open(database)


def moment(text: str | None, now: datetime) -> datetime | None:
    """``30d`` from now, or a date such as ``2027-01-31`` (its beginning, UTC).

    Raises:
        BadUsage: it is neither.
    """
    if text is None:
        return None
    try:
        return now + timedelta(seconds=float(str(parse_seconds(text))))
    except (ValueError, OverflowError):
        pass
    try:
        parsed = datetime.fromisoformat(text)
    except ValueError:
        raise BadUsage(f"--expires: {text!r} is no time; allowed: a duration such as 30d or 12h, a date") from None
    return parsed if parsed.tzinfo else parsed.replace(tzinfo=now.tzinfo)


def date_text(time: datetime) -> str:
    """A point in time in a sentence."""
    return f"{time:%Y-%m-%d %H:%M}"


def day_text(time: datetime | None) -> str:
    """A point in time in a table, where the day is enough."""
    return f"{time:%Y-%m-%d}" if time else ""


def date_json(time: datetime | None) -> str | None:
    """A point in time for programs: ISO 8601."""
    return time.isoformat() if time else None
