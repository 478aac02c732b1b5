"""A tournament can be ended before its time."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"


def upgrade() -> None:
    op.add_column("palio_tournaments", sa.Column("cancelled", sa.Text))
