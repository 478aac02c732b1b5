"""Players and tokens, on SQLite always and on PostgreSQL where PALIO_TEST_POSTGRES names one."""

from __future__ import annotations

import hashlib
import os
import threading
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
import sqlalchemy as sa
from alembic.config import Config
from alembic.script import ScriptDirectory

from palio.codec.status import AlreadyExists, InvalidRequest, NotFound, Unauthenticated, Unavailable, row_of
from palio.files.database import DatabaseUnusable, open_engine, writer
from palio.files.settings import ConfigError
from palio.server.access.accounts import MIGRATIONS, Accounts
from palio.server.access.credentials import Credential, ExpiredToken, RevokedToken, Role, UnknownToken, check_name

START = datetime(2026, 1, 1, 12, tzinfo=UTC)


class Time:
    """A present that tests move."""

    def __init__(self) -> None:
        self.now = START

    def __call__(self) -> datetime:
        return self.now


@pytest.fixture(params=["sqlite", pytest.param("postgres", marks=pytest.mark.postgres)])
def url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """An empty database."""
    if request.param == "sqlite":
        return f"sqlite:///{tmp_path / 'accounts.db'}"
    address = os.environ.get("PALIO_TEST_POSTGRES")
    if not address:
        pytest.skip("PALIO_TEST_POSTGRES is not set")
    with writer(open_engine(address)).begin() as connection:
        for name in ("palio_accounts_state", "palio_tokens", "palio_players", MIGRATIONS.version_table):
            connection.execute(sa.text(f"DROP TABLE IF EXISTS {name}"))
    return address


@pytest.fixture
def time() -> Time:
    return Time()


@pytest.fixture
def accounts(url: str, time: Time) -> Iterator[Accounts]:
    with Accounts.open(url, now=time) as accounts:
        yield accounts


def test_a_token_says_who_shows_it(accounts: Accounts) -> None:
    accounts.create_player("alice")
    text, token = accounts.create_token("alice", label="laptop")
    assert accounts.authenticate(text) == Credential(token.token_id, "alice", Role.PLAYER)
    assert accounts.tokens("alice") == [token]
    assert (token.label, token.created, token.expires, token.status(START)) == ("laptop", START, None, "active")


def test_the_database_holds_a_hash_and_never_the_token(accounts: Accounts, url: str, tmp_path: Path) -> None:
    accounts.create_player("alice")
    text, _ = accounts.create_token("alice")
    with open_engine(url).connect() as connection:
        (digest,) = connection.execute(sa.text("SELECT digest FROM palio_tokens")).scalars()
    assert bytes(digest) == hashlib.sha256(text.encode()).digest()
    secret = text.split("_", 2)[2].encode()
    for path in tmp_path.iterdir():
        assert secret not in path.read_bytes()


def test_every_wrong_token_gets_the_same_answer(accounts: Accounts) -> None:
    accounts.create_player("alice")
    text, token = accounts.create_token("alice")
    accounts.revoke(token.token_id)
    wrong = [
        text[:-1] + ("A" if text[-1] != "A" else "B"),
        text.replace(token.token_id, "a" * 12),
        text + "A",
        text.upper(),
        " " + text,
        "palio_",
        "x" * 100_000,
        "palio_ünïcödé",
    ]
    for attempt in wrong:
        with pytest.raises(UnknownToken) as caught:
            accounts.authenticate(attempt)
        assert str(caught.value) == "this token is not valid here"
        assert caught.value.metadata == {"cause": "unknown"}


def test_no_token_at_all(accounts: Accounts) -> None:
    with pytest.raises(UnknownToken, match="a token is needed"):
        accounts.authenticate("")


def test_refused_tokens_are_unauthenticated_on_the_wire() -> None:
    for error in (UnknownToken("x"), ExpiredToken("x"), RevokedToken("x")):
        assert isinstance(error, Unauthenticated)
        assert row_of(error).reason == "UNAUTHENTICATED"


def test_a_token_expires(accounts: Accounts, time: Time) -> None:
    accounts.create_player("alice")
    text, token = accounts.create_token("alice", expires=START + timedelta(hours=1))
    time.now += timedelta(minutes=59)
    assert accounts.authenticate(text).player == "alice"
    time.now += timedelta(minutes=1)
    with pytest.raises(ExpiredToken, match="expired on 2026-01-01 13:00 UTC"):
        accounts.authenticate(text)
    assert token.status(time.now) == "expired"


def test_times_survive_the_database(accounts: Accounts) -> None:
    accounts.create_player("alice")
    east = datetime(2027, 1, 1, 3, tzinfo=UTC) + timedelta(microseconds=7)
    _, token = accounts.create_token("alice", expires=east)
    assert accounts.tokens() == [token]
    assert accounts.tokens()[0].expires == east


def test_a_revoked_token_is_refused_at_once_and_for_good(accounts: Accounts, time: Time) -> None:
    accounts.create_player("alice")
    text, token = accounts.create_token("alice")
    other, _ = accounts.create_token("alice")
    accounts.authenticate(text)
    revoked = accounts.revoke(token.token_id)
    with pytest.raises(RevokedToken, match="revoked on 2026-01-01"):
        accounts.authenticate(text)
    time.now += timedelta(days=1)
    assert accounts.revoke(token.token_id) == revoked
    assert accounts.authenticate(other).player == "alice"


def test_another_programs_changes_are_seen_at_the_next_poll(url: str) -> None:
    with Accounts.open(url, poll_seconds=0.0) as server, Accounts.open(url) as tool:
        tool.create_player("alice")
        text, token = tool.create_token("alice")
        assert server.authenticate(text).role is Role.PLAYER
        tool.set_role("alice", Role.SPECTATOR)
        assert server.authenticate(text).role is Role.SPECTATOR
        tool.revoke(token.token_id)
        with pytest.raises(RevokedToken):
            server.authenticate(text)


def test_between_polls_the_database_is_left_alone(url: str) -> None:
    with Accounts.open(url, poll_seconds=3600.0) as accounts:
        accounts.create_player("alice")
        text, _ = accounts.create_token("alice")
        accounts.authenticate(text)
        statements: list[str] = []
        sa.event.listen(accounts._engine, "before_cursor_execute", lambda *args: statements.append(args[2]))
        for _ in range(100):
            accounts.authenticate(text)
        assert statements == []
        with pytest.raises(UnknownToken):
            accounts.authenticate("not even a token")
        assert statements == []


def test_nobody_is_let_in_while_the_database_cannot_be_asked(tmp_path: Path) -> None:
    path = tmp_path / "accounts.db"
    with Accounts.open(f"sqlite:///{path}", poll_seconds=0.0) as accounts:
        accounts.create_player("alice")
        text, _ = accounts.create_token("alice")
        path.unlink()
        path.mkdir()
        with pytest.raises(Unavailable, match="database"):
            accounts.authenticate(text)


def test_a_disabled_player_is_refused_until_enabled(accounts: Accounts) -> None:
    accounts.create_player("alice")
    text, _ = accounts.create_token("alice")
    assert accounts.set_disabled("alice", True).disabled == START
    with pytest.raises(RevokedToken):
        accounts.authenticate(text)
    assert accounts.set_disabled("alice", False).disabled is None
    assert accounts.authenticate(text).player == "alice"


def test_a_token_never_allows_more_than_its_player(accounts: Accounts) -> None:
    accounts.create_player("kate", Role.ORGANISER)
    with pytest.raises(InvalidRequest, match="kate is organiser"):
        accounts.create_token("kate", role=Role.ADMIN)
    bot, _ = accounts.create_token("kate", role=Role.PLAYER)
    full, _ = accounts.create_token("kate")
    assert accounts.authenticate(bot).role is Role.PLAYER
    assert accounts.authenticate(full).role is Role.ORGANISER
    accounts.set_role("kate", Role.SPECTATOR)
    assert accounts.authenticate(full).role is Role.SPECTATOR


def test_roles_contain_those_below() -> None:
    allowed = {role: [needed for needed in Role if role.allows(needed)] for role in Role}
    assert [len(needed) for needed in allowed.values()] == [1, 2, 3, 4]


@pytest.mark.parametrize("name", ["a", "Alice", "7of9", "a.b-c_d", "x" * 40])
def test_names_that_may_be_given(name: str) -> None:
    assert check_name(name) == name


@pytest.mark.parametrize("name", ["", "-a", ".a", "a b", "é", "a\n", "x" * 41, "a/b", "\x00", "a٣"])
def test_names_that_may_not(name: str, accounts: Accounts) -> None:
    with pytest.raises(InvalidRequest, match="1 to 40 of A-Z a-z 0-9") as caught:
        accounts.create_player(name)
    assert caught.value.field == "player"
    assert accounts.players() == []


def test_a_name_is_taken_whatever_its_case(accounts: Accounts) -> None:
    accounts.create_player("Alice")
    with pytest.raises(AlreadyExists, match="a player Alice already"):
        accounts.create_player("aLICE")
    assert accounts.player("alice").name == "Alice"


def test_what_does_not_exist(accounts: Accounts) -> None:
    accounts.create_player("alice")
    with pytest.raises(NotFound, match=r"no player 'alcie'; did you mean 'alice'\?"):
        accounts.create_token("alcie")
    with pytest.raises(NotFound, match=r"no player 'zzz'$"):
        accounts.tokens("zzz")
    with pytest.raises(NotFound):
        accounts.set_role("zzz", Role.ADMIN)
    with pytest.raises(NotFound, match="no token with the id 'zzz'"):
        accounts.revoke("zzz")


@pytest.mark.parametrize("label", ["x" * 81, "a\nb"])
def test_labels_are_short_lines(accounts: Accounts, label: str) -> None:
    accounts.create_player("alice")
    with pytest.raises(InvalidRequest, match="80 printable"):
        accounts.create_token("alice", label=label)


def test_an_end_in_the_past_is_refused(accounts: Accounts) -> None:
    accounts.create_player("alice")
    with pytest.raises(InvalidRequest, match="past already"):
        accounts.create_token("alice", expires=START)


def test_many_threads_at_once(url: str) -> None:
    with Accounts.open(url, poll_seconds=0.0) as accounts:
        failures: list[BaseException] = []

        def work(number: int) -> None:
            try:
                accounts.create_player(f"p{number}")
                text, _ = accounts.create_token(f"p{number}")
                assert accounts.authenticate(text).player == f"p{number}"
            except BaseException as error:
                failures.append(error)

        threads = [threading.Thread(target=work, args=(number,)) for number in range(16)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert failures == []
        assert len(accounts.players()) == len(accounts.tokens()) == 16


def test_several_programs_open_a_new_database_at_once(url: str) -> None:
    failures: list[BaseException] = []

    def work() -> None:
        try:
            Accounts.open(url).close()
        except BaseException as error:
            failures.append(error)

    threads = [threading.Thread(target=work) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == []


def test_the_named_revision_is_the_newest() -> None:
    config = Config()
    config.set_main_option("script_location", str(MIGRATIONS.folder))
    assert ScriptDirectory.from_config(config).get_current_head() == MIGRATIONS.head


def test_a_database_of_a_newer_version_is_left_alone(url: str) -> None:
    Accounts.open(url).close()
    engine = open_engine(url)
    with writer(engine).begin() as connection:
        connection.execute(sa.text(f"UPDATE {MIGRATIONS.version_table} SET version_num = '9999'"))
    with pytest.raises(DatabaseUnusable, match="newer version of Palio"):
        Accounts.open(url)


def test_only_the_owner_can_read_the_file(tmp_path: Path) -> None:
    Accounts.open(f"sqlite:///{tmp_path / 'new' / 'accounts.db'}").close()
    assert (tmp_path / "new" / "accounts.db").stat().st_mode & 0o077 == 0


@pytest.mark.parametrize("url", ["nonsense", "mysql://host/db", "sqlite+nothing:///x"])
def test_urls_that_cannot_be_used(url: str) -> None:
    with pytest.raises(ConfigError, match="allowed: sqlite:///FILE"):
        Accounts.open(url)


def test_a_postgresql_that_is_not_there_is_told_without_its_password() -> None:
    with pytest.raises(DatabaseUnusable) as caught:
        Accounts.open("postgresql://palio:s3cret@127.0.0.1:1/palio")
    assert "s3cret" not in str(caught.value)


def test_a_file_that_is_no_database(tmp_path: Path) -> None:
    path = tmp_path / "x.db"
    path.write_text("this is no database at all, but long enough to look like one" * 20)
    with pytest.raises(DatabaseUnusable, match="not a database"):
        Accounts.open(f"sqlite:///{path}")


def test_the_rank_of_a_token_counts_older_ones_that_can_play(accounts: Accounts, time: Time) -> None:
    for name in ("ada", "ben"):
        accounts.create_player(name)
    accounts.create_token("ada", role=Role.SPECTATOR)
    accounts.create_token("ben")
    first, second, third = (
        accounts.create_token("ada", expires=expires)[1].token_id
        for expires in (None, START + timedelta(hours=1), None)
    )
    assert [accounts.rank(token) for token in (first, second, third)] == [0, 1, 2]
    accounts.revoke(first)
    assert [accounts.rank(token) for token in (second, third)] == [0, 1]
    time.now = START + timedelta(hours=2)
    assert accounts.rank(third) == 0
