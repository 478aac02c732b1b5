"""Alembic's entry to the migrations of the accounts."""

from palio.files.database import run_migrations

run_migrations()
