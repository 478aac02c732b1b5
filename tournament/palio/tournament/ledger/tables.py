"""The tables. Their history is in ``migrations``; a test compares both."""

from __future__ import annotations

from sqlalchemy import (
    BigInteger,
    Boolean,
    Column,
    Float,
    ForeignKeyConstraint,
    Index,
    Integer,
    MetaData,
    String,
    Table,
    Text,
    text,
)

from palio.files.database import UtcTime

metadata = MetaData()

tournaments = Table(
    "palio_tournaments",
    metadata,
    Column("id", String(64), primary_key=True),
    Column("name", Text, nullable=False),
    Column("config", Text, nullable=False),  # JSON of everything that schedule and results depend on
    Column("seed", Text, nullable=False),
    Column("created", UtcTime(), nullable=False),
    Column("finished", UtcTime()),
    Column("cancelled", Text),  # why; null where it was not ended before its time
)

bots = Table(
    "palio_bots",
    metadata,
    Column("tournament", String(64), primary_key=True),
    Column("name", String(64), primary_key=True),
    Column("position", Integer, nullable=False),
    Column("withdrawn", Text),  # why; null while it takes part
    ForeignKeyConstraint(["tournament"], ["palio_tournaments.id"]),
)

results = Table(
    "palio_results",
    metadata,
    Column("tournament", String(64), primary_key=True),
    Column("block", Integer, primary_key=True),
    Column("seating", Integer, primary_key=True),
    Column("attempt", Integer, primary_key=True),
    Column("match_id", String(80), nullable=False),
    Column("deal", Integer, nullable=False),
    Column("round", Integer, nullable=False),
    Column("rated", Boolean, nullable=False),
    Column("ended_by", Text, nullable=False),
    Column("void_reason", Text, nullable=False),
    Column("replay_digest", String(128), nullable=False),
    Column("choices", BigInteger, nullable=False),
    Column("started", UtcTime()),
    Column("ended", UtcTime(), nullable=False),
    ForeignKeyConstraint(["tournament"], ["palio_tournaments.id"]),
)

Index(
    "palio_one_rated_result",
    results.c.tournament,
    results.c.block,
    results.c.seating,
    unique=True,
    sqlite_where=text("rated"),
    postgresql_where=text("rated"),
)

seats = Table(
    "palio_seats",
    metadata,
    Column("tournament", String(64), primary_key=True),
    Column("block", Integer, primary_key=True),
    Column("seating", Integer, primary_key=True),
    Column("attempt", Integer, primary_key=True),
    Column("seat", Integer, primary_key=True),
    Column("player", String(64), nullable=False),
    Column("side", Integer, nullable=False),
    Column("rank", Integer, nullable=False),
    Column("points", Float, nullable=False),
    Column("termination", String(40), nullable=False),
    Column("decisions", Integer, nullable=False),
    Column("charged", Float, nullable=False),  # seconds, all decisions together
    Column("slowest", Float, nullable=False),  # seconds
    Column("network", Float, nullable=False),  # seconds, measured and not charged
    ForeignKeyConstraint(
        ["tournament", "block", "seating", "attempt"],
        [f"palio_results.{name}" for name in ("tournament", "block", "seating", "attempt")],
    ),
)

incidents = Table(
    "palio_incidents",
    metadata,
    Column("id", Integer, primary_key=True, autoincrement=True),
    Column("tournament", String(64), nullable=False),
    Column("bot", String(64), nullable=False),
    Column("time", UtcTime(), nullable=False),
    Column("what", Text, nullable=False),
    Column("tail", Text, nullable=False),  # the last lines that it wrote
    ForeignKeyConstraint(["tournament"], ["palio_tournaments.id"]),
)

luck = Table(
    "palio_luck",
    metadata,
    Column("tournament", String(64), primary_key=True),
    Column("policy", String(80), primary_key=True),  # what played the rollouts, and how many: greedy:20
    Column("deal", Integer, primary_key=True),
    Column("seat", Integer, primary_key=True),
    Column("score", Float, nullable=False),  # mean points ahead of the mean of all seats
    ForeignKeyConstraint(["tournament"], ["palio_tournaments.id"]),
)
