"""What rollouts foretell for each deal and seat, for luck-adjusted results."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"


def upgrade() -> None:
    op.create_table(
        "palio_luck",
        sa.Column("tournament", sa.String(64), primary_key=True),
        sa.Column("policy", sa.String(80), primary_key=True),
        sa.Column("deal", sa.Integer, primary_key=True),
        sa.Column("seat", sa.Integer, primary_key=True),
        sa.Column("score", sa.Float, nullable=False),
        sa.ForeignKeyConstraint(["tournament"], ["palio_tournaments.id"]),
    )
