"""Players and their tokens."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None


def upgrade() -> None:
    time = sa.DateTime(timezone=True)
    op.create_table(
        "palio_players",
        sa.Column("id", sa.Integer, primary_key=True),
        sa.Column("name", sa.String(40), nullable=False),
        sa.Column("folded_name", sa.String(40), nullable=False, unique=True),
        sa.Column("role", sa.String(16), nullable=False),
        sa.Column("created", time, nullable=False),
        sa.Column("disabled", time),
    )
    op.create_table(
        "palio_tokens",
        sa.Column("id", sa.Integer, primary_key=True),
        sa.Column("token_id", sa.String(16), nullable=False, unique=True),
        sa.Column("player_id", sa.Integer, sa.ForeignKey("palio_players.id"), nullable=False, index=True),
        sa.Column("digest", sa.LargeBinary(32), nullable=False),
        sa.Column("role", sa.String(16), nullable=False),
        sa.Column("label", sa.String(80), nullable=False),
        sa.Column("created", time, nullable=False),
        sa.Column("expires", time),
        sa.Column("revoked", time),
    )
    op.create_table(
        "palio_accounts_state",
        sa.Column("id", sa.Integer, primary_key=True),
        sa.Column("revision", sa.BigInteger, nullable=False),
    )
    op.bulk_insert(
        sa.table("palio_accounts_state", sa.column("id", sa.Integer), sa.column("revision", sa.BigInteger)),
        [{"id": 1, "revision": 0}],
    )


def downgrade() -> None:
    for table in ("palio_accounts_state", "palio_tokens", "palio_players"):
        op.drop_table(table)
