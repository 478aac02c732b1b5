"""The ledger: written once, never lost; SQLite always, PostgreSQL where PALIO_TEST_POSTGRES names one."""

from __future__ import annotations

import os
import uuid
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest
import sqlalchemy as sa
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext

from palio.files.database import DatabaseUnusable, open_engine
from palio.files.settings import ConfigError
from palio.tournament.ledger import Entry, Ledger, LedgerError, SeatRecord, open_ledger
from palio.tournament.ledger.store import MIGRATIONS
from palio.tournament.ledger.tables import metadata

NOW = datetime(2026, 5, 4, 12, 30, tzinfo=UTC)


@pytest.fixture(params=["sqlite", pytest.param("postgres", marks=pytest.mark.postgres)])
def url(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[str]:
    if request.param == "sqlite":
        yield f"sqlite:///{tmp_path / 'ledger.sqlite3'}"
        return
    address = os.environ.get("PALIO_TEST_POSTGRES")
    if not address:
        pytest.skip("PALIO_TEST_POSTGRES is not set")
    name = f"ledger_{uuid.uuid4().hex}"
    admin = sa.create_engine(address, isolation_level="AUTOCOMMIT")
    with admin.connect() as connection:
        connection.execute(sa.text(f"CREATE DATABASE {name}"))
    yield sa.make_url(address).set(database=name).render_as_string(hide_password=False)
    with admin.connect() as connection:
        connection.execute(sa.text(f"DROP DATABASE {name} WITH (FORCE)"))
    admin.dispose()


@pytest.fixture
def ledger(url: str) -> Iterator[Ledger]:
    ledger = open_ledger(url, "cup")
    ledger.register("Cup", "{}", "seed", ["b", "a"])
    yield ledger
    ledger.close()


def entry(block: int = 0, seating: int = 0, attempt: int = 1, *, rated: bool = True) -> Entry:
    termination = "FINISHED" if rated else "VOID"
    seats = (
        SeatRecord("a", 0, 2, 3.5, "FORFEIT_TIMEOUT" if rated else "VOID", 12, 1.25, 0.5, 0.01),
        SeatRecord("b", 1, 1, 9, termination, 13, 2.5, 0.75, 0.02),
    )
    return Entry(
        block=block,
        seating=seating,
        attempt=attempt,
        match_id=f"cup.{block}.{seating}",
        deal=block,
        round=1,
        seats=seats,
        rated=rated,
        ended=NOW,
        ended_by="target",
        void_reason="" if rated else "the power went out",
        replay_digest="d1",
        choices=25,
        started=NOW,
    )


def test_an_entry_is_read_back_as_it_was_written(ledger: Ledger) -> None:
    written = [entry(1, 1), entry(0, 0), entry(0, 1, rated=False), entry(0, 1, 2)]
    assert all(ledger.record(one) for one in written)
    assert ledger.entries() == sorted(written, key=lambda one: (one.block, one.seating, one.attempt))


def test_the_same_attempt_is_recorded_once(ledger: Ledger) -> None:
    assert ledger.record(entry())
    assert not ledger.record(replace(entry(), replay_digest="other"))
    assert [one.replay_digest for one in ledger.entries()] == ["d1"]


def test_a_seating_has_one_rated_result(ledger: Ledger) -> None:
    assert ledger.record(entry(attempt=1, rated=False))
    assert ledger.record(entry(attempt=2))
    assert not ledger.record(entry(attempt=3))
    assert [one.attempt for one in ledger.entries() if one.rated] == [2]


def test_several_are_recorded_together_and_each_is_told_whether_it_is_new(ledger: Ledger) -> None:
    assert ledger.record_all([entry(0, 0), entry(0, 1), entry(1, 0)]) == [True, True, True]
    assert ledger.record_all([entry(0, 1), entry(1, 1), entry(0, 0, 2), entry(2, 0)]) == [False, True, False, True]
    assert [(one.block, one.seating) for one in ledger.entries()] == [(0, 0), (0, 1), (1, 0), (1, 1), (2, 0)]


def test_a_failed_write_leaves_nothing_behind(ledger: Ledger) -> None:
    broken = replace(entry(), seats=(entry().seats[0], replace(entry().seats[1], player=None)))  # type: ignore[arg-type]
    with pytest.raises(LedgerError):
        ledger.record(broken)
    assert ledger.entries() == []


def test_what_is_committed_is_there_for_the_next_process(url: str, ledger: Ledger) -> None:
    ledger.record(entry())
    ledger.withdraw("a", "crashed 3 times in a row")
    ledger.withdraw("a", "something later")
    ledger.note_incident("a", "a ended with exit code 3", ["Traceback", "boom"])
    ledger.finish()
    again = open_ledger(url, "cup")
    known = again.registered()
    assert known is not None
    assert known.bots == ("b", "a")
    assert known.withdrawn == {"a": "crashed 3 times in a row"}
    assert known.finished is not None
    assert known.created.tzinfo is not None
    assert again.entries() == [entry()]
    assert [(bot, what, tail) for bot, _, what, tail in again.incidents()] == [
        ("a", "a ended with exit code 3", "Traceback\nboom")
    ]
    again.close()


def test_tournaments_share_a_database_without_seeing_each_other(url: str, ledger: Ledger) -> None:
    ledger.record(entry())
    other = open_ledger(url, "other")
    other.register("Other", "{}", "seed", ["a", "b"])
    assert other.entries() == []
    assert other.record(entry())
    other.close()


def test_the_only_tournament_needs_no_name(url: str, ledger: Ledger) -> None:
    unnamed = open_ledger(url)
    assert unnamed.tournament == "cup"
    unnamed.register  # noqa: B018
    unnamed.close()
    second = open_ledger(url, "second")
    second.register("Second", "{}", "s", ["a"])
    second.close()
    with pytest.raises(LedgerError, match=r"2 tournaments \(cup, second\)"):
        open_ledger(url)


def test_the_migrations_make_the_tables_that_the_program_uses(url: str) -> None:
    open_ledger(url, "cup").close()
    engine = open_engine(url)
    with engine.connect() as connection:
        context = MigrationContext.configure(connection, opts={"version_table": MIGRATIONS.version_table})
        assert compare_metadata(context, metadata) == []
    engine.dispose()


@pytest.mark.parametrize(
    ("url", "error", "text"),
    [
        ("nonsense", ConfigError, "no database URL"),
        ("mysql://host/x", ConfigError, "mysql is not supported"),
        ("postgresql://palio:s3cret@127.0.0.1:1/palio", DatabaseUnusable, "127.0.0.1"),
    ],
)
def test_a_database_that_cannot_be_used_is_named_without_its_password(
    url: str, error: type[Exception], text: str
) -> None:
    with pytest.raises(error, match=text) as caught:
        open_ledger(url, "cup")
    assert "s3cret" not in str(caught.value)


def test_a_file_that_is_no_database_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "ledger.sqlite3"
    path.write_text("this is no database, but long enough to be taken for one" * 40)
    with pytest.raises((LedgerError, DatabaseUnusable), match="not a database"):
        open_ledger(f"sqlite:///{path}", "cup")


def test_a_ledger_of_a_newer_version_is_refused(url: str) -> None:
    open_ledger(url, "cup").close()
    engine = open_engine(url)
    with engine.begin() as connection:
        connection.execute(sa.text(f"UPDATE {MIGRATIONS.version_table} SET version_num = '9999'"))
    engine.dispose()
    with pytest.raises(DatabaseUnusable, match="newer version of Palio"):
        open_ledger(url, "cup")
