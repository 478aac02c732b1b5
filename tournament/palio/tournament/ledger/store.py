"""Reading and writing the ledger. One small transaction per finished match; SQLite or PostgreSQL."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

import sqlalchemy as sa
from sqlalchemy.exc import IntegrityError, SQLAlchemyError

from palio.engine.errors import GameError
from palio.files.database import Migrations, migrate, open_engine, writer
from palio.tournament.ledger.tables import bots, incidents, luck, results, seats, tournaments
from palio.tournament.results import Game

FINISHED: Final = "FINISHED"
MIGRATIONS: Final = Migrations(Path(__file__).parent / "migrations", "palio_ledger_version", head="0003")


_RESULT_COLUMNS: Final = (
    *("match_id", "deal", "round", "rated", "ended_by", "void_reason", "replay_digest", "choices", "started", "ended"),
)


class LedgerError(GameError):
    """The database cannot be used, or what is in it does not fit."""


@dataclass(frozen=True, slots=True)
class SeatRecord:
    """One seat of a match that is over.

    Attributes:
        player: name of the bot.
        side: number of its side; without teams its seat.
        rank: 1 is best; 0 in a void match.
        points: as the game counts them.
        termination: ``FINISHED``, or the type of the fault.
        decisions: choices it made itself.
        charged, slowest, network: seconds: all decisions together, the slowest one, network time that was not charged.
    """

    player: str
    side: int
    rank: int
    points: float
    termination: str
    decisions: int = 0
    charged: float = 0.0
    slowest: float = 0.0
    network: float = 0.0


@dataclass(frozen=True, slots=True)
class Entry:
    """One attempt at playing one seating of one block.

    Attributes:
        replay_digest: of the replay, empty where nothing was played.
        rated: whether it counts; there is at most one such entry per block and seating.
        void_reason: why it does not.
        choices: decisions that were made in all.
        started, ended: UTC.
    """

    block: int
    seating: int
    attempt: int
    match_id: str
    deal: int
    round: int
    seats: tuple[SeatRecord, ...]
    rated: bool
    ended: datetime
    ended_by: str = ""
    void_reason: str = ""
    replay_digest: str = ""
    choices: int = 0
    started: datetime | None = None

    @property
    def finishers(self) -> list[str]:
        """Names of those who played to the end without a fault."""
        return [seat.player for seat in self.seats if seat.termination == FINISHED]

    def game(self) -> Game:
        """What ratings and schedules want to know of it."""
        return Game(
            block=self.block,
            deal=self.deal,
            seating=self.seating,
            players=tuple(seat.player for seat in self.seats),
            ranks=tuple(seat.rank for seat in self.seats),
            points=tuple(seat.points for seat in self.seats),
            faults=tuple(None if seat.termination == FINISHED else seat.termination for seat in self.seats),
            sides=tuple(seat.side for seat in self.seats),
            round=self.round,
        )


@dataclass(frozen=True, slots=True)
class Registered:
    """A tournament as the ledger knows it.

    Attributes:
        config: JSON of everything that schedule and results depend on.
        withdrawn: name of each withdrawn bot: why.
        cancelled: why it was ended before its time, ``None`` if it was not.
    """

    id: str
    name: str
    config: str
    seed: str
    created: datetime
    finished: datetime | None
    bots: tuple[str, ...]
    withdrawn: dict[str, str]
    cancelled: str | None = None


class Ledger:
    """One tournament's ledger. Methods may be called from any one thread at a time."""

    def __init__(self, engine: sa.Engine, tournament: str) -> None:
        self._engine = engine
        self.tournament = tournament

    def close(self) -> None:
        self._engine.dispose()

    def registered(self) -> Registered | None:
        """The tournament, or ``None`` before its first start."""
        with _errors(), self._engine.connect() as connection:
            row = connection.execute(sa.select(tournaments).where(tournaments.c.id == self.tournament)).one_or_none()
            if row is None:
                return None
            query = sa.select(bots).where(bots.c.tournament == self.tournament).order_by(bots.c.position)
            entered = connection.execute(query).all()
        return Registered(
            id=row.id,
            name=row.name,
            config=row.config,
            seed=row.seed,
            created=row.created,
            finished=row.finished,
            bots=tuple(bot.name for bot in entered),
            withdrawn={bot.name: bot.withdrawn for bot in entered if bot.withdrawn is not None},
            cancelled=row.cancelled,
        )

    def register(self, name: str, config: str, seed: str, bot_names: Sequence[str]) -> None:
        """Enter the tournament and its bots, before anything is played."""
        head = {"id": self.tournament, "name": name, "config": config, "seed": seed, "created": datetime.now(UTC)}
        with _errors(), writer(self._engine).begin() as connection:
            connection.execute(sa.insert(tournaments).values(head))
            connection.execute(
                sa.insert(bots),
                [{"tournament": self.tournament, "name": n, "position": at} for at, n in enumerate(bot_names)],
            )

    def record(self, entry: Entry) -> bool:
        """Append an attempt in one transaction.

        Returns:
            False if exactly this attempt, or a rated result of this seating, was recorded before; nothing changes then.
        """
        return self.record_all([entry])[0]

    def record_all(self, entries: Sequence[Entry]) -> list[bool]:
        """Append attempts, together in one transaction. For each of them what :meth:`record` says."""
        rows, lines = [], []
        for entry in entries:
            key = {
                "tournament": self.tournament,
                "block": entry.block,
                "seating": entry.seating,
                "attempt": entry.attempt,
            }
            rows.append(key | {name: getattr(entry, name) for name in _RESULT_COLUMNS})
            lines += [
                key | {"seat": at} | {name: getattr(seat, name) for name in SeatRecord.__slots__}
                for at, seat in enumerate(entry.seats)
            ]
        with _errors():
            try:
                with writer(self._engine).begin() as connection:
                    connection.execute(sa.insert(results), rows)
                    connection.execute(sa.insert(seats), lines)
            except IntegrityError:
                if len(entries) > 1:
                    return [self.record(entry) for entry in entries]
                if self._has(entries[0]):
                    return [False]
                raise
        return [True] * len(entries)

    def entries(self) -> list[Entry]:
        """Everything recorded, void attempts included, by block, seating and attempt."""
        columns = ("block", "seating", "attempt")
        order = [results.c[name] for name in columns]
        with _errors(), self._engine.connect() as connection:
            heads = connection.execute(
                sa.select(results).where(results.c.tournament == self.tournament).order_by(*order)
            ).all()
            lines = connection.execute(
                sa.select(seats)
                .where(seats.c.tournament == self.tournament)
                .order_by(*(seats.c[name] for name in columns), seats.c.seat)
            ).all()
        by_key: dict[tuple[int, int, int], list[SeatRecord]] = {}
        for line in lines:
            record = SeatRecord(*(getattr(line, name) for name in SeatRecord.__slots__))
            by_key.setdefault((line.block, line.seating, line.attempt), []).append(record)
        return [_entry(row, by_key.get((row.block, row.seating, row.attempt), ())) for row in heads]

    def withdraw(self, bot: str, reason: str) -> None:
        """A bot takes no further part."""
        where = sa.and_(bots.c.tournament == self.tournament, bots.c.name == bot, bots.c.withdrawn.is_(None))
        with _errors(), writer(self._engine).begin() as connection:
            connection.execute(sa.update(bots).where(where).values(withdrawn=reason))

    def finish(self) -> None:
        """All games are played."""
        where = sa.and_(tournaments.c.id == self.tournament, tournaments.c.finished.is_(None))
        with _errors(), writer(self._engine).begin() as connection:
            connection.execute(sa.update(tournaments).where(where).values(finished=datetime.now(UTC)))

    def cancel(self, reason: str) -> None:
        """It ends before its time."""
        where = sa.and_(tournaments.c.id == self.tournament, tournaments.c.finished.is_(None))
        with _errors(), writer(self._engine).begin() as connection:
            connection.execute(sa.update(tournaments).where(where).values(finished=datetime.now(UTC), cancelled=reason))

    def note_incident(self, bot: str, what: str, tail: Iterable[str]) -> None:
        """Keep what went wrong with a bot's process."""
        row = {"tournament": self.tournament, "bot": bot, "time": datetime.now(UTC), "what": what}
        with _errors(), writer(self._engine).begin() as connection:
            connection.execute(sa.insert(incidents).values(row | {"tail": "\n".join(tail)}))

    def incidents(self) -> list[tuple[str, datetime, str, str]]:
        """(bot, time, what, last lines that it wrote), oldest first."""
        query = sa.select(incidents).where(incidents.c.tournament == self.tournament).order_by(incidents.c.id)
        with _errors(), self._engine.connect() as connection:
            return [(row.bot, row.time, row.what, row.tail) for row in connection.execute(query)]

    def record_luck(self, policy: str, deal: int, scores: Sequence[float]) -> None:
        """Keep what the rollouts of a deal came to, in one transaction; a deal that is there already stays as it is.

        Args:
            scores: what they foretell for each seat.
        """
        key = {"tournament": self.tournament, "policy": policy, "deal": deal}
        rows = [key | {"seat": seat, "score": score} for seat, score in enumerate(scores)]
        with _errors():
            try:
                with writer(self._engine).begin() as connection:
                    connection.execute(sa.insert(luck), rows)
            except IntegrityError:
                if deal not in {known for known, _ in self.luck().get(policy, {})}:
                    raise

    def luck(self) -> dict[str, dict[tuple[int, int], float]]:
        """For each policy whose rollouts are kept: (deal, seat) -> what they foretell."""
        query = sa.select(luck).where(luck.c.tournament == self.tournament).order_by(luck.c.deal, luck.c.seat)
        found: dict[str, dict[tuple[int, int], float]] = {}
        with _errors(), self._engine.connect() as connection:
            for row in connection.execute(query):
                found.setdefault(row.policy, {})[row.deal, row.seat] = row.score
        return found

    def _has(self, entry: Entry) -> bool:
        where = sa.and_(
            results.c.tournament == self.tournament,
            results.c.block == entry.block,
            results.c.seating == entry.seating,
            sa.or_(results.c.attempt == entry.attempt, results.c.rated),
        )
        with self._engine.connect() as connection:
            return connection.execute(sa.select(results.c.attempt).where(where)).first() is not None


def open_ledger(url: str, tournament: str | None = None) -> Ledger:
    """Open a database and bring its tables up to date.

    Args:
        url: for SQLAlchemy: ``sqlite:///cup.sqlite3``, ``postgresql://user@host/name``.
        tournament: its id; ``None`` means the only one in the ledger.

    Raises:
        ConfigError: this is no URL of a database that can be used.
        DatabaseUnusable: it cannot be reached, or a newer version of Palio wrote it.
        LedgerError: it cannot be written, or it has not exactly one tournament where none is named.
        OSError: the SQLite file cannot be made.
    """
    engine = open_engine(url, busy=True)
    try:
        migrate(engine, MIGRATIONS)
        with _errors(), writer(engine).begin() as connection:
            # Fails now, before a game is played, if the database can only be read.
            if tournament is None:
                tournament = _only(list(connection.execute(sa.select(tournaments.c.id)).scalars()))
            version = sa.table(MIGRATIONS.version_table, sa.column("version_num"))
            connection.execute(sa.update(version).values(version_num=version.c.version_num))
    except Exception:
        engine.dispose()
        raise
    return Ledger(engine, tournament)


def all_tournaments(url: str) -> list[str]:
    """Ids of the tournaments in a database, oldest first; its tables are made if there are none.

    Raises:
        As :func:`open_ledger`.
    """
    engine = open_engine(url)
    try:
        migrate(engine, MIGRATIONS)
        with _errors(), engine.connect() as connection:
            return list(connection.execute(sa.select(tournaments.c.id).order_by(tournaments.c.created)).scalars())
    finally:
        engine.dispose()


def _only(found: list[str]) -> str:
    if len(found) != 1:
        raise LedgerError(
            f"the ledger has {len(found)} tournaments ({', '.join(sorted(found)) or 'none'}); name its file"
        )
    return found[0]


@contextmanager
def _errors() -> Iterator[None]:
    try:
        yield
    except SQLAlchemyError as error:
        reason = str(getattr(error, "orig", None) or error).strip().splitlines()[0]
        raise LedgerError(f"the ledger failed: {reason}") from error


def _entry(row: sa.Row[Any], lines: Sequence[SeatRecord]) -> Entry:
    return Entry(
        block=row.block,
        seating=row.seating,
        attempt=row.attempt,
        match_id=row.match_id,
        deal=row.deal,
        round=row.round,
        seats=tuple(lines),
        rated=row.rated,
        ended=row.ended,
        ended_by=row.ended_by,
        void_reason=row.void_reason,
        replay_digest=row.replay_digest,
        choices=row.choices,
        started=row.started,
    )
