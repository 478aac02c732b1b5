"""Players and their tokens, in SQLite or PostgreSQL.

Tokens are stored as SHA-256 digests and shown once. :meth:`Accounts.authenticate` answers from memory; every change
of the accounts, by this program or another one, raises a revision number that is looked at once a second, so a
token that was revoked elsewhere works for one second more at most.
"""

from __future__ import annotations

import hmac
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Final, NamedTuple, Self

import sqlalchemy as sa

from palio.codec.status import AlreadyExists, InvalidRequest, LimitReached, NotFound, Unavailable
from palio.files.database import Migrations, UtcTime, migrate, open_engine, unreachable, writer
from palio.files.settings import did_you_mean
from palio.server.access.allowance import Allowance
from palio.server.access.credentials import (
    Credential,
    Grant,
    Role,
    check_name,
    digest_of,
    id_of,
    new_token,
    unknown_token,
)

MIGRATIONS: Final = Migrations(Path(__file__).parent / "migrations", "palio_accounts_version", head="0001")
LONGEST_LABEL: Final = 80
LOOK_UPS_PER_SECOND: Final = 200.0
LOOK_UPS_AT_ONCE: Final = 2000
_CACHED: Final = 10_000

_metadata = sa.MetaData()
_players = sa.Table(
    "palio_players",
    _metadata,
    sa.Column("id", sa.Integer, primary_key=True),
    sa.Column("name", sa.String(40)),
    sa.Column("folded_name", sa.String(40)),
    sa.Column("role", sa.String(16)),
    sa.Column("created", UtcTime),
    sa.Column("disabled", UtcTime),
)
_tokens = sa.Table(
    "palio_tokens",
    _metadata,
    sa.Column("id", sa.Integer, primary_key=True),
    sa.Column("token_id", sa.String(16)),
    sa.Column("player_id", sa.Integer, sa.ForeignKey("palio_players.id")),
    sa.Column("digest", sa.LargeBinary(32)),
    sa.Column("role", sa.String(16)),
    sa.Column("label", sa.String(LONGEST_LABEL)),
    sa.Column("created", UtcTime),
    sa.Column("expires", UtcTime),
    sa.Column("revoked", UtcTime),
)
_state = sa.Table(
    "palio_accounts_state",
    _metadata,
    sa.Column("id", sa.Integer, primary_key=True),
    sa.Column("revision", sa.BigInteger),
)


class Player(NamedTuple):
    """A registered player.

    Attributes:
        name: unique, also when upper and lower case are not told apart.
        role: the most that its tokens allow.
        created: when it was registered.
        disabled: since when its tokens are refused; ``None`` while they work.
    """

    name: str
    role: Role
    created: datetime
    disabled: datetime | None


class Token(NamedTuple):
    """A token without its secret.

    Attributes:
        token_id: names it.
        player: whose it is.
        role: what it allows, if the player's role allows it too.
        label: for people.
        created, expires, revoked: when; ``None`` means never.
    """

    token_id: str
    player: str
    role: Role
    label: str
    created: datetime
    expires: datetime | None
    revoked: datetime | None

    def status(self, now: datetime) -> str:
        """``active``, ``expired`` or ``revoked``."""
        if self.revoked is not None:
            return "revoked"
        return "expired" if self.expires is not None and now >= self.expires else "active"


def utc_now() -> datetime:
    """The present time."""
    return datetime.now(UTC)


class Accounts:
    """The accounts of one server; safe to use from several threads.

    Args:
        engine: a database whose tables are up to date (see :meth:`open`).
        now: the present time.
        poll_seconds: how often other programs' changes are looked for.
    """

    def __init__(self, engine: sa.Engine, *, now: Callable[[], datetime] = utc_now, poll_seconds: float = 1.0) -> None:
        self._engine = engine
        self._now = now
        self._poll_seconds = poll_seconds
        self._lock = threading.Lock()
        self._grants: dict[bytes, Grant] = {}
        self._revision = -1
        self._next_poll = 0.0
        self._look_ups = Allowance(LOOK_UPS_PER_SECOND, LOOK_UPS_AT_ONCE, time.monotonic())

    @classmethod
    def open(cls, url: str, *, now: Callable[[], datetime] = utc_now, poll_seconds: float = 1.0) -> Self:
        """Open the accounts of a database and bring its tables up to date.

        Raises:
            ConfigError: the URL is none that can be used.
            DatabaseUnusable: the database cannot be reached, or is newer than this program.
            OSError: the SQLite file cannot be made.
        """
        engine = open_engine(url)
        migrate(engine, MIGRATIONS)
        return cls(engine, now=now, poll_seconds=poll_seconds)

    def close(self) -> None:
        """Let go of the database."""
        self._engine.dispose()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def authenticate(self, token: str) -> Credential:
        """Who shows this token. Usually without IO; a look at the database takes place once a second, and for a token
        that was not seen since the last change.

        Raises:
            UnknownToken, ExpiredToken, RevokedToken: it is not valid; the last two only for who holds the real one.
            LimitReached: too many tokens that nobody has seen yet.
            Unavailable: the database cannot be asked (nobody is let in then).
        """
        token_id, digest = id_of(token), digest_of(token)
        with self._lock:
            self._forget_if_changed()
            grant = self._grants.get(digest)
            if grant is None:
                # Only for those not in memory: who guesses keeps out nobody who is known.
                if not self._look_ups.take(time.monotonic()):
                    raise LimitReached("too many unknown tokens; try again later")
                grant = self._look_up(token_id, digest)
                if len(self._grants) >= _CACHED:
                    self._grants.clear()
                self._grants[digest] = grant
        return grant.check(self._now())

    def _forget_if_changed(self) -> None:
        if time.monotonic() < self._next_poll:
            return
        with self._reading() as connection:
            revision = connection.execute(sa.select(_state.c.revision)).scalar_one()
        if revision != self._revision:
            self._grants.clear()
            self._revision = revision
        self._next_poll = time.monotonic() + self._poll_seconds

    def _look_up(self, token_id: str, digest: bytes) -> Grant:
        query = (
            sa.select(_tokens, _players.c.name, _players.c.role.label("player_role"), _players.c.disabled)
            .join(_players, _players.c.id == _tokens.c.player_id)
            .where(_tokens.c.token_id == token_id)
        )
        with self._reading() as connection:
            row = connection.execute(query).one_or_none()
        stored = row.digest if row is not None else bytes(len(digest))
        if not hmac.compare_digest(stored, digest) or row is None:
            raise unknown_token()
        role = min(Role(row.role), Role(row.player_role), key=list(Role).index)
        return Grant(Credential(token_id, row.name, role), row.expires, row.revoked or row.disabled)

    def create_player(self, name: str, role: Role = Role.PLAYER) -> Player:
        """Register a player.

        Raises:
            InvalidRequest: the name breaks the rule.
            AlreadyExists: it is taken.
        """
        player = Player(check_name(name), role, self._now(), None)
        values = player._asdict() | {"folded_name": name.lower()}
        try:
            with self._writing() as connection:
                connection.execute(_players.insert().values(values))
        except sa.exc.IntegrityError:
            taken = self.player(name).name
            raise AlreadyExists(f"there is a player {taken} already", field="player") from None
        return player

    def player(self, name: str) -> Player:
        """One player.

        Raises:
            NotFound: there is none of that name; the message names the nearest.
        """
        with self._reading() as connection:
            return self._player(connection, name)[1]

    def players(self) -> list[Player]:
        """All players by name."""
        with self._reading() as connection:
            rows = connection.execute(sa.select(_players).order_by(_players.c.folded_name)).all()
        return [_player(row) for row in rows]

    def set_role(self, name: str, role: Role) -> Player:
        """Give a player another role; its tokens allow no more than it from now on.

        Raises:
            NotFound: no such player.
        """
        return self._update_player(name, role=str(role))

    def set_disabled(self, name: str, disabled: bool) -> Player:
        """Refuse, or accept again, all tokens of a player.

        Raises:
            NotFound: no such player.
        """
        return self._update_player(name, disabled=self._now() if disabled else None)

    def create_token(
        self, player: str, *, label: str = "", role: Role | None = None, expires: datetime | None = None
    ) -> tuple[str, Token]:
        """Make a token for a player.

        Args:
            player: its name.
            label: for people, what the token is for.
            role: what it allows, at most the player's role, which is the default.
            expires: ``None`` means never.

        Returns:
            The secret text, which is stored nowhere, and the token.

        Raises:
            NotFound: no such player.
            InvalidRequest: the label is too long, the role is above the player's, or ``expires`` is past.
        """
        if len(label) > LONGEST_LABEL or not label.isprintable():
            raise InvalidRequest(f"a label has at most {LONGEST_LABEL} printable characters", field="label")
        if expires is not None and expires <= self._now():
            raise InvalidRequest("this time is past already", field="expires")
        made = new_token()
        with self._writing() as connection:
            player_id, owner = self._player(connection, player)
            role = role or owner.role
            if not owner.role.allows(role):
                raise InvalidRequest(f"player {owner.name} is {owner.role}, a token cannot allow more", field="role")
            token = Token(made.token_id, owner.name, role, label, self._now(), expires, None)
            values = token._asdict() | {"player_id": player_id, "digest": made.digest}
            del values["player"]
            connection.execute(_tokens.insert().values(values))
        return made.text, token

    def tokens(self, player: str | None = None) -> list[Token]:
        """All tokens, or those of one player, oldest first.

        Raises:
            NotFound: no such player.
        """
        query = sa.select(_tokens, _players.c.name).join(_players).order_by(_tokens.c.id)
        with self._reading() as connection:
            if player is not None:
                query = query.where(_players.c.id == self._player(connection, player)[0])
            return [_token(row) for row in connection.execute(query)]

    def rank(self, token_id: str) -> int:
        """How many older tokens of the same player can play now: 0 for its first one."""
        ours = sa.select(_tokens.c.player_id).where(_tokens.c.token_id == token_id).scalar_subquery()
        query = (
            sa.select(_tokens.c.token_id, _tokens.c.expires)
            .where(_tokens.c.player_id == ours, _tokens.c.revoked.is_(None), _tokens.c.role != str(Role.SPECTATOR))
            .order_by(_tokens.c.id)
        )
        with self._reading() as connection:
            rows = connection.execute(query).all()
        valid = [row.token_id for row in rows if row.expires is None or self._now() < row.expires]
        return valid.index(token_id) if token_id in valid else 0

    def revoke(self, token_id: str) -> Token:
        """Take a token back for good. Doing it again changes nothing.

        Raises:
            NotFound: no such token.
        """
        with self._writing() as connection:
            connection.execute(
                _tokens.update()
                .where(_tokens.c.token_id == token_id, _tokens.c.revoked.is_(None))
                .values(revoked=self._now())
            )
            query = sa.select(_tokens, _players.c.name).join(_players).where(_tokens.c.token_id == token_id)
            row = connection.execute(query).one_or_none()
            if row is None:
                raise NotFound(f"there is no token with the id {token_id!r}", field="token_id")
            return _token(row)

    def _update_player(self, name: str, **values: object) -> Player:
        with self._writing() as connection:
            player_id, _ = self._player(connection, name)
            connection.execute(_players.update().where(_players.c.id == player_id).values(**values))
            return self._player(connection, name)[1]

    def _player(self, connection: sa.Connection, name: str) -> tuple[int, Player]:
        row = connection.execute(sa.select(_players).where(_players.c.folded_name == name.lower())).one_or_none()
        if row is None:
            known = connection.execute(sa.select(_players.c.name)).scalars()
            near = did_you_mean(name, known).strip()
            raise NotFound(f"there is no player {name!r}" + (f"; {near}" if near else ""), field="player")
        return row.id, _player(row)

    @contextmanager
    def _reading(self) -> Iterator[sa.Connection]:
        try:
            with self._engine.connect() as connection:
                yield connection
        except sa.exc.IntegrityError:
            raise
        except sa.exc.DatabaseError as error:
            raise Unavailable(unreachable(self._engine, error)) from None

    @contextmanager
    def _writing(self) -> Iterator[sa.Connection]:
        """A transaction that changes the accounts: it raises the revision, and the cache is checked at once."""
        try:
            with writer(self._engine).begin() as connection:
                yield connection
                connection.execute(_state.update().values(revision=_state.c.revision + 1))
        except sa.exc.IntegrityError:
            raise
        except sa.exc.DatabaseError as error:
            raise Unavailable(unreachable(self._engine, error)) from None
        self._next_poll = 0.0


def _player(row: sa.Row[tuple[object, ...]]) -> Player:
    return Player(row.name, Role(row.role), row.created, row.disabled)


def _token(row: sa.Row[tuple[object, ...]]) -> Token:
    return Token(row.token_id, row.name, Role(row.role), row.label, row.created, row.expires, row.revoked)
