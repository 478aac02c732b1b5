"""Everything that has to be right before the first game: directory, ledger, schedule, tokens, the server's settings."""

from __future__ import annotations

import fcntl
import os
import secrets
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from palio.engine.errors import GameError
from palio.files.settings import ConfigError, Problem
from palio.tournament.config import TournamentConfig, differences, load_tournament
from palio.tournament.ledger import Ledger, open_ledger
from palio.tournament.plan import Schedule, make_schedule
from palio.tournament.processes import Sandbox, find_sandbox
from palio.tournament.runner.site import Folder, Site, equip


class Busy(GameError):
    """Another runner works in this directory."""


class Changed(GameError):
    """The file is not the one that the tournament was started with."""


def folder_of(path: Path, directory: Path | None) -> Folder:
    """Where a tournament's files lie: beside its file, unless a directory is given."""
    return Folder((directory or path.with_suffix(".palio")).resolve())


@dataclass(slots=True)
class Prepared:
    """A tournament that can be run.

    Attributes:
        file: the tournament file.
        sandbox: what bots run in on this machine.
        site: where the server on this machine lies; ``None`` if matches are played elsewhere.
    """

    file: Path
    config: TournamentConfig
    folder: Folder
    ledger: Ledger
    schedule: Schedule
    withdrawn: set[str]
    sandbox: Sandbox
    site: Site | None
    _lock: IO[str]

    def close(self) -> None:
        """Let go of the ledger, the directory and its lock."""
        self.ledger.close()
        if self.site is not None:
            self.site.close()
        self._lock.close()


def prepare(file: Path, directory: Path | None = None, database: str | None = None) -> Prepared:
    """Read a tournament file and make ready to run it, or to go on with it.

    Raises:
        ConfigError: something in the file is wrong.
        InvalidSetup: what it asks for cannot be scheduled or played.
        Changed: it differs from the one that the tournament was started with.
        Busy: it is being run already.
        LedgerError, DatabaseUnusable: the database cannot be used.
        OSError: a file or directory cannot be read or written.
    """
    config = load_tournament(file)
    make_schedule(config, "trial")  # whatever is wrong with it shows before anything is written
    here = config.engine == "local"
    sandbox = sandbox_for(config, str(file)) if here else Sandbox(None)
    folder = folder_of(file, directory)
    folder.make()
    lock = _lock(folder.root / "runner.lock")
    try:
        ledger = open_ledger(database or folder.default_database, config.id)
        seed, withdrawn = _register(config, ledger, file)
        site = equip(config, file, folder, sandbox) if here else None
    except BaseException:
        lock.close()
        raise
    return Prepared(
        file=file.resolve(),
        config=config,
        folder=folder,
        ledger=ledger,
        schedule=make_schedule(config, seed),
        withdrawn=withdrawn,
        sandbox=sandbox,
        site=site,
        _lock=lock,
    )


def sandbox_for(config: TournamentConfig, source: str) -> Sandbox:
    """The sandbox that the file asks for, as far as this machine has it.

    Args:
        source: the tournament file, for the message.

    Raises:
        ConfigError: it is required and does not work here.
    """
    if config.sandbox == "off":
        return Sandbox(None)
    sandbox = find_sandbox()
    if config.sandbox == "require" and sandbox.program is None:
        raise ConfigError(source, [Problem("sandbox", f'"require" cannot be met: {sandbox.missing}')])
    return sandbox


def _lock(path: Path) -> IO[str]:
    file = path.open("a+")
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        file.seek(0)
        owner = file.read().strip() or "unknown"
        file.close()
        raise Busy(f"this tournament is being run already, by process {owner} ({path})") from None
    file.seek(0)
    file.truncate()
    file.write(f"{os.getpid()}\n")
    file.flush()
    return file


def _register(config: TournamentConfig, ledger: Ledger, file: Path) -> tuple[str, set[str]]:
    """The seed and the withdrawn bots of a tournament that is new or goes on."""
    stored = config.stored()
    known = ledger.registered()
    if known is None:
        seed = config.seed or secrets.token_hex(16)
        ledger.register(config.name, stored, seed, [bot.name for bot in config.bots])
        return seed, set()
    changes = differences(known.config, stored)
    if changes:
        raise Changed(
            "\n  ".join(
                [
                    (
                        f"{file}: tournament {config.id!r} was started with other settings; "
                        "change them back, or give the new tournament another name or directory:"
                    ),
                    *changes,
                ]
            )
        )
    return known.seed, set(known.withdrawn)
