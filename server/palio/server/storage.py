"""Whether the data directory can be written, and what is left to be written once it can again."""

from __future__ import annotations

import asyncio
import contextlib
import os
from collections.abc import Callable
from pathlib import Path
from typing import Final, NamedTuple

import structlog

from palio.server.match.journal import VOID_SUFFIX, ReplayStore
from palio.v1 import replay_pb2

PROBE_BYTES: Final = 4096
PROBE_SECONDS: Final = 1.0

log = structlog.get_logger(__name__)


class Unfiled(NamedTuple):
    """A match that is over, though its journal does not lie with the replays yet.

    Attributes:
        path: where it lies.
        end: the record that it lacks, or ``None``.
    """

    path: Path
    end: replay_pb2.ReplayRecord | None


class Storage:
    """Files journals of matches that are over, now or as soon as the disk allows it.

    Args:
        running: the journals.
        replays: where they go in the end.
        changed: called when it fails and when it works again.

    Attributes:
        fault: why nothing can be written now; empty while all is well.
        unfiled: by match id and attempt.
    """

    def __init__(self, running: ReplayStore, replays: ReplayStore, changed: Callable[[], None]) -> None:
        self._running = running
        self._replays = replays
        self._changed = changed
        self._task: asyncio.Task[None] | None = None
        self.fault = ""
        self.unfiled: dict[tuple[str, int], Unfiled] = {}

    def failed(self, error: OSError) -> None:
        """Something could not be written. From now on it is looked at every second whether that is over."""
        if not self.fault:
            self.fault = error.strerror or str(error)
            log.error("storage.failed", error=self.fault, folder=self._running.folder)
            self._task = asyncio.get_running_loop().create_task(self._until_it_works())
            self._changed()

    def file(self, match_id: str, attempt: int, path: Path, end: replay_pb2.ReplayRecord | None) -> None:
        """A match is over: its journal becomes its replay.

        Args:
            path: its journal.
            end: the record that could not be written; ``None`` where it was.
        """
        if end is not None:
            # Should this process die first, the next one knows that the match is void: its players were told so.
            marked = path.with_suffix(VOID_SUFFIX)
            with contextlib.suppress(OSError):
                path = path.rename(marked)
        try:
            self._file(match_id, attempt, Unfiled(path, end))
        except OSError as error:
            self.unfiled[match_id, attempt] = Unfiled(path, end)
            self.failed(error)

    def _file(self, match_id: str, attempt: int, unfiled: Unfiled) -> None:
        path = unfiled.path
        if unfiled.end is not None:
            _, journal = self._running.reopen(path)
            try:
                journal.append(unfiled.end)
            finally:
                journal.close()
        self._replays.file(path, match_id, attempt)

    async def _until_it_works(self) -> None:
        while not self.works():  # noqa: ASYNC110 (a disk tells nobody that it works again)
            await asyncio.sleep(PROBE_SECONDS)
        log.info("storage.recovered", folder=self._running.folder)
        self.fault = ""
        self._changed()

    def works(self) -> bool:
        """Write what is left to be written, and a probe. Whether that worked."""
        try:
            for (match_id, attempt), unfiled in list(self.unfiled.items()):
                self._file(match_id, attempt, unfiled)
                del self.unfiled[match_id, attempt]
            probe = self._running.folder / "probe"
            probe.unlink(missing_ok=True)
            descriptor = os.open(probe, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
            try:
                complete = os.write(descriptor, bytes(PROBE_BYTES)) == PROBE_BYTES
            finally:
                os.close(descriptor)
                probe.unlink()
        except OSError:
            return False
        return complete

    def close(self) -> None:
        """The server stops: no more tries but the last one."""
        if self._task is not None:
            self._task.cancel()
        if self.fault:
            self.works()
