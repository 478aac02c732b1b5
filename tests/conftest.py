"""Shared by all tests: the plug-in game is importable, here and in the processes that tests start."""

from __future__ import annotations

import asyncio
import logging
import os
import sys
from pathlib import Path

import grpc.aio
import pytest

PLUGIN = str(Path(__file__).parent / "plugin")
if PLUGIN not in sys.path:
    sys.path.insert(0, PLUGIN)
os.environ["PYTHONPATH"] = os.pathsep.join(filter(None, [PLUGIN, os.environ.get("PYTHONPATH", "")]))


def pytest_configure() -> None:
    _check_compiled()
    asyncio.run(_keep_the_poller())


async def _keep_the_poller() -> None:
    """Hold gRPC's completion queue for as long as the tests run.

    It is taken down with the last object that uses it. In a test process that is when some later test, which may have
    nothing to do with gRPC, collects the garbage of an earlier one: it then waits for a thread that was writing to an
    event loop which nobody runs any more. Programs of Palio have one loop, and end with it.
    """
    grpc.aio.init_grpc_aio()


def _check_compiled() -> None:
    """Tests of a compiled copy that is older than the source would say nothing about the source."""
    import palio.engine.chance as loaded

    copy, source = Path(str(loaded.__file__)).parents[1], Path(__file__).parents[1] / "server" / "palio"
    if copy == source:
        return
    for folder in ("engine", "games", "codec", "server"):
        for path in sorted((source / folder).rglob("*.py")):
            mine = copy / path.relative_to(source)
            if not mine.exists() or mine.read_bytes() != path.read_bytes():
                pytest.exit(f"the compiled copy is older than {path}: make compile, or make uncompile", 4)


def _own_database(url: str, worker: str) -> str:
    """A database for one of several workers, which would drop each other's tables in a shared one."""
    import sqlalchemy as sa

    name = f"palio_{worker}"
    engine = sa.create_engine(url, isolation_level="AUTOCOMMIT")
    with engine.connect() as connection:
        connection.exec_driver_sql(f"DROP DATABASE IF EXISTS {name}")
        connection.exec_driver_sql(f"CREATE DATABASE {name}")
    engine.dispose()
    return sa.make_url(url).set(database=name).render_as_string(hide_password=False)


if (_worker := os.environ.get("PYTEST_XDIST_WORKER")) and (_url := os.environ.get("PALIO_TEST_POSTGRES")):
    os.environ["PALIO_TEST_POSTGRES"] = _own_database(_url, _worker)


def _of_our_own_loop(record: logging.LogRecord) -> bool:
    """False for what gRPC's poller says of an earlier test's event loop.

    All event loops of a process share one completion queue. In a test process one loop follows the other, and what
    completes late for a closed one is handed to its successor, which complains. A program of Palio has one loop.
    """
    error = record.exc_info[1] if record.exc_info else None
    return not (isinstance(error, RuntimeError) and str(error) == "Event loop is closed")


logging.getLogger("asyncio").addFilter(_of_our_own_loop)
