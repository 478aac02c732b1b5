"""``python -m palio.cli`` is the program ``palio``."""

from palio.cli.main import run

run()
