"""Run by alembic within the connection that it is given."""

from palio.files.database import run_migrations

run_migrations()
