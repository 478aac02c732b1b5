"""Where the matches of several workers lie: a folder of journals for each, one folder of replays for all."""

from __future__ import annotations

import fcntl
import os
from pathlib import Path
from typing import Final

import structlog

from palio.server.archive import MATCH_ID
from palio.server.listening import CannotListen
from palio.server.match.journal import ReplayStore

JOURNALS: Final = "journal"
_PREFIX: Final = "worker-"
_LOCK: Final = "lock"

log = structlog.get_logger(__name__)


def journal_of(data: Path, worker: int) -> Path:
    """The folder of a worker's journals."""
    return data / JOURNALS / f"{_PREFIX}{worker}"


def lock(folder: Path) -> int | None:
    """Take the lock of a folder of journals, which ends with this process: nobody else writes there then. Returns its
    file, or ``None`` where another process has it."""
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    descriptor = os.open(folder / _LOCK, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        os.close(descriptor)
        return None
    except OSError as error:  # some network file systems have no locks: then it is the operator who sees to it
        log.warning("journal.not_locked", folder=folder, error=error.strerror)
    return descriptor


def gather(data: Path, workers: int) -> int:
    """Bring journals of a server that had another number of workers to where they are looked for now. Bots that have a
    seat in them are sent there, whichever worker is theirs otherwise. Returns how many.

    Raises:
        CannotListen: another server uses them.
        OSError: they cannot be moved.
    """
    root = data / JOURNALS
    if not root.is_dir():
        return 0
    single = workers == 1
    target = root if single else journal_of(data, 0)
    known = set() if single else {journal_of(data, worker) for worker in range(workers)}
    strangers = [folder for folder in root.glob(f"{_PREFIX}*") if folder.is_dir() and folder not in known]
    moved = 0
    if not single:
        moved += _move(root, target)
    for folder in strangers:
        held = lock(folder)
        if held is None:
            raise CannotListen(f"another server uses {folder}")
        moved += _move(folder, target)
        os.close(held)
        (folder / _LOCK).unlink()
        if not any(folder.iterdir()):
            folder.rmdir()
    if moved:
        log.info("journals.gathered", matches=moved, folder=target)
    return moved


def _move(source: Path, target: Path) -> int:
    moved = 0
    for _, _, path in list(ReplayStore(source).all()):
        target.mkdir(mode=0o700, exist_ok=True)
        if (target / path.name).exists():
            log.error("journal.not_gathered", path=path, folder=target)
            continue
        path.rename(target / path.name)
        moved += 1
    return moved


class Folders:
    """Finds the worker that hosts a match.

    Args:
        data: the data directory.
        workers: how many there are.
    """

    def __init__(self, data: Path, workers: int) -> None:
        root = data / JOURNALS
        root.mkdir(parents=True, exist_ok=True)
        root.chmod(0o700)  # seeds of running matches lie below
        self._stores = [ReplayStore(journal_of(data, worker)) for worker in range(workers)]

    def host_of(self, match_id: str) -> int | None:
        """The worker in whose folder the journal of that match lies; ``None`` where it is over or never was."""
        if not MATCH_ID.fullmatch(match_id):
            return None
        return next((worker for worker, store in enumerate(self._stores) if store.attempts(match_id)), None)
