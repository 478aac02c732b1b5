"""Databases: opening SQLite or PostgreSQL, and bringing their tables up to date with Alembic's migrations.

Several kinds of tables may share a database: each has its own folder of migrations and its own version table.
"""

from __future__ import annotations

import contextlib
import sqlite3
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final, NamedTuple

import sqlalchemy as sa
from sqlalchemy.engine import make_url
from sqlalchemy.pool import NullPool, QueuePool, StaticPool

from palio.files.settings import ConfigError, Problem

_LOCK: Final = 0x70616C696F  # "palio": two programs that start at once migrate one after the other
_BUSY_SECONDS: Final = 15
_ALLOWED: Final = "sqlite:///FILE, postgresql+psycopg://USER:PASSWORD@HOST/NAME"


class DatabaseUnusable(Exception):
    """The database is out of reach, or newer than this program."""


class Migrations(NamedTuple):
    """One kind of tables.

    Attributes:
        folder: Alembic's script location.
        version_table: where the database keeps which revision it has.
        head: the newest revision in the folder. Named here so that Alembic, which is slow to import, is needed only
            where there is something to do.
    """

    folder: Path
    version_table: str
    head: str


def open_engine(url: str, *, busy: bool = False) -> sa.Engine:
    """An engine for ``sqlite:///FILE`` (the file is made, readable by its owner only) or ``postgresql+psycopg://…``.

    Reading goes through ``engine.connect()``, writing through ``writer(engine).begin()``: that takes SQLite's write
    lock at once, so a transaction never fails half-way because another program was quicker.

    Args:
        busy: many small transactions are to be expected. SQLite then keeps its connection and a write-ahead log beside
            the file: each commit waits for the disk once instead of three times, and readers do not wait at all.

    Raises:
        ConfigError: this is no URL, another kind of database, or its driver is not installed.
        OSError: the SQLite file cannot be made.
    """
    try:
        parsed = make_url(url)
    except sa.exc.ArgumentError:
        raise _bad_url(f"{url!r} is no database URL") from None
    if parsed.get_backend_name() not in ("sqlite", "postgresql"):
        raise _bad_url(f"{parsed.get_backend_name()} is not supported")
    if parsed.drivername == "postgresql":
        parsed = parsed.set(drivername="postgresql+psycopg")
    try:
        return (
            _sqlite(parsed, busy=busy)
            if parsed.get_backend_name() == "sqlite"
            else sa.create_engine(parsed, pool_pre_ping=True)
        )
    except sa.exc.NoSuchModuleError:
        raise _bad_url(f"{parsed.drivername} is not known") from None
    except ModuleNotFoundError as error:
        raise _bad_url(f"{error}: install palio[postgres]") from None


def _bad_url(text: str) -> ConfigError:
    return ConfigError("database", [Problem("", f"{text}; allowed: {_ALLOWED}")])


def _sqlite(url: sa.URL, *, busy: bool) -> sa.Engine:
    if url.database and url.database != ":memory:":
        # A connection of its own for each use: cheap on SQLite, and safe to share among threads.
        pool = QueuePool if busy else NullPool
        arguments = {"timeout": _BUSY_SECONDS, "check_same_thread": not busy}
        engine = sa.create_engine(url, poolclass=pool, connect_args=arguments)
        path = Path(url.database)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch(mode=0o600)
    else:
        engine = sa.create_engine(url, poolclass=StaticPool, connect_args={"check_same_thread": False})

    @sa.event.listens_for(engine, "connect")
    def on_connect(connection: Any, _record: Any) -> None:
        connection.isolation_level = None  # the driver starts no transactions of its own accord
        connection.execute("PRAGMA foreign_keys = ON")
        if busy:
            with contextlib.suppress(sqlite3.OperationalError):  # somebody has it open the old way
                connection.execute("PRAGMA journal_mode = WAL")
            connection.execute("PRAGMA synchronous = FULL")

    @sa.event.listens_for(engine, "begin")
    def on_begin(connection: sa.Connection) -> None:
        mode = "IMMEDIATE" if connection.get_execution_options().get("writes") else "DEFERRED"
        connection.exec_driver_sql(f"BEGIN {mode}")

    return engine


def writer(engine: sa.Engine) -> sa.Engine:
    """The same engine for transactions that write: ``with writer(engine).begin() as connection``."""
    return engine.execution_options(writes=True)


def migrate(engine: sa.Engine, migrations: Migrations) -> None:
    """Bring the tables up to date; safe when several programs do it at once.

    Raises:
        DatabaseUnusable: the database cannot be reached, or a newer version of Palio has written to it.
    """
    try:
        if _revision(engine, migrations) == migrations.head:
            return
        with writer(engine).begin() as connection:
            if engine.dialect.name == "postgresql":
                connection.execute(sa.select(sa.func.pg_advisory_xact_lock(_LOCK)))
            _upgrade(connection, migrations)
    except sa.exc.DatabaseError as error:
        raise DatabaseUnusable(unreachable(engine, error)) from None


def unreachable(engine: sa.Engine, error: sa.exc.DBAPIError) -> str:
    """What to tell when the database does not answer, without its password."""
    return f"database {engine.url.render_as_string(hide_password=True)}: {str(error.orig).strip()}"


def _revision(engine: sa.Engine, migrations: Migrations) -> str | None:
    if not sa.inspect(engine).has_table(migrations.version_table):
        return None
    with engine.connect() as connection:
        table = sa.table(migrations.version_table, sa.column("version_num", sa.String))
        return connection.execute(sa.select(table.c.version_num)).scalar()


def _upgrade(connection: sa.Connection, migrations: Migrations) -> None:
    from alembic import command
    from alembic.config import Config
    from alembic.util.exc import CommandError

    config = Config()
    config.set_main_option("script_location", str(migrations.folder).replace("%", "%%"))
    config.attributes["connection"] = connection
    config.attributes["version_table"] = migrations.version_table
    try:
        command.upgrade(config, "head")
    except CommandError as error:
        raise DatabaseUnusable(f"the database was written by a newer version of Palio ({error})") from None


def run_migrations() -> None:
    """All that the ``env.py`` of a folder of migrations has to call: runs them within :func:`migrate`'s transaction."""
    from alembic import context

    attributes = context.config.attributes
    context.configure(
        connection=attributes["connection"], version_table=attributes["version_table"], transactional_ddl=True
    )
    context.run_migrations()


class UtcTime(sa.TypeDecorator[datetime]):
    """A point in time: aware datetimes in the program, UTC in the database (SQLite keeps no time zone)."""

    impl = sa.DateTime(timezone=True)
    cache_ok = True

    def process_bind_param(self, value: datetime | None, dialect: sa.Dialect) -> datetime | None:  # noqa: ARG002
        if value is not None and value.tzinfo is None:
            raise ValueError("a datetime without a time zone")
        return value.astimezone(UTC) if value is not None else None

    def process_result_value(self, value: datetime | None, dialect: sa.Dialect) -> datetime | None:  # noqa: ARG002
        if value is None:
            return None
        return value.replace(tzinfo=UTC) if value.tzinfo is None else value.astimezone(UTC)
