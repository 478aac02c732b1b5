"""Tournaments, their bots, results per (block, seating, attempt), seats and incidents."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None


def _key() -> list[sa.Column[object]]:
    columns: list[sa.Column[object]] = [sa.Column("tournament", sa.String(64), primary_key=True)]
    columns += [sa.Column(name, sa.Integer, primary_key=True) for name in ("block", "seating", "attempt")]
    return columns


def upgrade() -> None:
    op.create_table(
        "palio_tournaments",
        sa.Column("id", sa.String(64), primary_key=True),
        sa.Column("name", sa.Text, nullable=False),
        sa.Column("config", sa.Text, nullable=False),
        sa.Column("seed", sa.Text, nullable=False),
        sa.Column("created", sa.DateTime(timezone=True), nullable=False),
        sa.Column("finished", sa.DateTime(timezone=True)),
    )
    op.create_table(
        "palio_bots",
        sa.Column("tournament", sa.String(64), primary_key=True),
        sa.Column("name", sa.String(64), primary_key=True),
        sa.Column("position", sa.Integer, nullable=False),
        sa.Column("withdrawn", sa.Text),
        sa.ForeignKeyConstraint(["tournament"], ["palio_tournaments.id"]),
    )
    op.create_table(
        "palio_results",
        *_key(),
        sa.Column("match_id", sa.String(80), nullable=False),
        sa.Column("deal", sa.Integer, nullable=False),
        sa.Column("round", sa.Integer, nullable=False),
        sa.Column("rated", sa.Boolean, nullable=False),
        sa.Column("ended_by", sa.Text, nullable=False),
        sa.Column("void_reason", sa.Text, nullable=False),
        sa.Column("replay_digest", sa.String(128), nullable=False),
        sa.Column("choices", sa.BigInteger, nullable=False),
        sa.Column("started", sa.DateTime(timezone=True)),
        sa.Column("ended", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(["tournament"], ["palio_tournaments.id"]),
    )
    op.create_index(
        "palio_one_rated_result",
        "palio_results",
        ["tournament", "block", "seating"],
        unique=True,
        sqlite_where=sa.text("rated"),
        postgresql_where=sa.text("rated"),
    )
    op.create_table(
        "palio_seats",
        *_key(),
        sa.Column("seat", sa.Integer, primary_key=True),
        sa.Column("player", sa.String(64), nullable=False),
        sa.Column("side", sa.Integer, nullable=False),
        sa.Column("rank", sa.Integer, nullable=False),
        sa.Column("points", sa.Float, nullable=False),
        sa.Column("termination", sa.String(40), nullable=False),
        sa.Column("decisions", sa.Integer, nullable=False),
        sa.Column("charged", sa.Float, nullable=False),
        sa.Column("slowest", sa.Float, nullable=False),
        sa.Column("network", sa.Float, nullable=False),
        sa.ForeignKeyConstraint(
            ["tournament", "block", "seating", "attempt"],
            [f"palio_results.{name}" for name in ("tournament", "block", "seating", "attempt")],
        ),
    )
    op.create_table(
        "palio_incidents",
        sa.Column("id", sa.Integer, primary_key=True, autoincrement=True),
        sa.Column("tournament", sa.String(64), nullable=False),
        sa.Column("bot", sa.String(64), nullable=False),
        sa.Column("time", sa.DateTime(timezone=True), nullable=False),
        sa.Column("what", sa.Text, nullable=False),
        sa.Column("tail", sa.Text, nullable=False),
        sa.ForeignKeyConstraint(["tournament"], ["palio_tournaments.id"]),
    )


def downgrade() -> None:
    for name in ("incidents", "seats", "results", "bots", "tournaments"):
        op.drop_table(f"palio_{name}")
