"""The journal of a match, which is its replay: length-prefixed, checksummed records in one append-only file.

Each record is ``length (4 bytes little-endian) | CRC-32 of the payload (4 bytes) | payload``, the payload being a
serialised ``ReplayRecord``. A record is written before any of its consequences is sent out; what the operating
system has accepted survives the death of the process, and with ``durability=power`` it is on the disk as well. A torn
last record (the process died in the middle of a write) is cut off when the file is opened again.
"""

from __future__ import annotations

import heapq
import os
import re
import struct
import time
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from google.protobuf.message import DecodeError

from palio.engine.errors import GameError
from palio.v1 import replay_pb2

_HEAD: Final = struct.Struct("<II")
MAX_RECORD: Final = 1 << 20
SUFFIX: Final = ".replay"
VOID_SUFFIX: Final = ".void"
"""Of a journal whose match is void, though its last record could not be written: renaming works on a full disk."""
ATTEMPTS_APART: Final = 16
"""Attempts of a match are found as long as no more than so many in a row are missing."""
_NAME = re.compile(r"(?P<match>.+)\.(?P<attempt>[1-9][0-9]*)\.(?:replay|void)")


class BrokenReplay(GameError):
    """The file is no replay, or it is damaged before its last record."""


def frame(payload: bytes) -> bytes:
    """A record as it stands in the file."""
    return _HEAD.pack(len(payload), zlib.crc32(payload)) + payload


def unframe(data: bytes) -> tuple[list[replay_pb2.ReplayRecord], int]:
    """The records of a file's bytes, and how many bytes they take; what follows is a torn record.

    Raises:
        BrokenReplay: bytes that are whole but wrong: a bad checksum before the last record, or no record of ours.
    """
    records: list[replay_pb2.ReplayRecord] = []
    position = 0
    while position + _HEAD.size <= len(data):
        size, checksum = _HEAD.unpack_from(data, position)
        end = position + _HEAD.size + size
        if size > MAX_RECORD:
            raise BrokenReplay(f"record {len(records) + 1} claims {size} bytes; this is no replay, or it is damaged")
        if end > len(data):
            break
        payload = data[position + _HEAD.size : end]
        if zlib.crc32(payload) != checksum:
            if end == len(data):
                break
            raise BrokenReplay(f"record {len(records) + 1} is damaged (its checksum does not fit)")
        try:
            records.append(replay_pb2.ReplayRecord.FromString(payload))
        except DecodeError as error:
            raise BrokenReplay(f"record {len(records) + 1} cannot be read: {error}") from None
        position = end
    return records, position


def read(path: Path) -> list[replay_pb2.ReplayRecord]:
    """The records of a replay file.

    Raises:
        BrokenReplay: it is no replay, or damaged before its last record.
        OSError: it cannot be read.
    """
    records, _ = unframe(path.read_bytes())
    if not records or records[0].WhichOneof("record") != "header":
        raise BrokenReplay(f"{path}: this is no replay: it does not begin with a header")
    return records


class Journal:
    """An open replay file.

    Args:
        path: the file; its folder exists.
        sync: wait for the disk after each record (``durability=power``).

    Attributes:
        seconds: what the last record took.
    """

    __slots__ = ("_fd", "_sync", "path", "seconds")

    def __init__(self, path: Path, *, sync: bool = False) -> None:
        self.path = path
        self._sync = sync
        self.seconds = 0.0
        self._fd: int | None = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC, 0o640)

    def append(self, record: replay_pb2.ReplayRecord) -> None:
        """Write one record; when this returns, it survives ``kill -9``.

        Raises:
            OSError: as for :meth:`append_payload`.
        """
        self.append_payload(record.SerializeToString())

    def append_payload(self, payload: bytes) -> None:
        """Write one serialised ``ReplayRecord``; when this returns, it survives ``kill -9``.

        Raises:
            OSError: the disk is full or the file cannot be written. A part that was written is cut off again.
        """
        if self._fd is None:
            raise OSError(f"{self.path}: the journal is closed")
        begin = time.perf_counter()
        data = frame(payload)
        written = os.write(self._fd, data)
        if written != len(data):
            os.ftruncate(self._fd, os.fstat(self._fd).st_size - written)
            raise OSError(f"{self.path}: only {written} of {len(data)} bytes could be written: is the disk full?")
        if self._sync:
            os.fdatasync(self._fd)
        self.seconds = time.perf_counter() - begin

    def close(self) -> None:
        """Close the file; nothing can be appended then."""
        if self._fd is not None:
            os.close(self._fd)
            self._fd = None


class ReplayStore:
    """The replay files of a server's data directory.

    Args:
        folder: made if it does not exist.
        sync: passed on to every journal.
    """

    def __init__(self, folder: Path, *, sync: bool = False) -> None:
        self.folder = folder
        self._sync = sync
        folder.mkdir(parents=True, exist_ok=True)

    def path(self, match_id: str, attempt: int) -> Path:
        """Where the replay of that attempt lies."""
        return self.folder / f"{match_id}.{attempt}{SUFFIX}"

    def create(self, match_id: str, attempt: int) -> Journal:
        """A new journal. What a creation that failed left there is replaced.

        Raises:
            OSError: the folder cannot be written.
        """
        path = self.path(match_id, attempt)
        path.unlink(missing_ok=True)
        journal = Journal(path, sync=self._sync)
        if self._sync:
            self._sync_folder()
        return journal

    def _sync_folder(self) -> None:
        """A file's name survives the loss of power only once its folder is on the disk."""
        folder = os.open(self.folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        try:
            os.fsync(folder)
        finally:
            os.close(folder)

    def file(self, path: Path, match_id: str, attempt: int) -> Path:
        """Take a finished journal from another folder. Returns where it is now.

        Raises:
            OSError: it cannot be moved.
        """
        filed = self.path(match_id, attempt)
        path.rename(filed)
        if self._sync:
            self._sync_folder()
        return filed

    def reopen(self, path: Path) -> tuple[list[replay_pb2.ReplayRecord], Journal]:
        """The records of an unfinished match, and its journal to go on with. A torn last record is cut off.

        Raises:
            BrokenReplay: the file is damaged before its last record.
        """
        records, size = unframe(path.read_bytes())
        if path.stat().st_size != size:
            os.truncate(path, size)
        return records, Journal(path, sync=self._sync)

    def attempts(self, match_id: str) -> list[int]:
        """The attempts of a match that have a file, ascending."""
        found: list[int] = []
        attempt = 1
        while attempt <= (found[-1] if found else 0) + ATTEMPTS_APART:
            if self.path(match_id, attempt).exists():
                found.append(attempt)
            attempt += 1
        return found

    def newest_first(self, most: int) -> list[Path]:
        """The replay files that were written last, the last one first."""
        with os.scandir(self.folder) as entries:
            found = ((entry.stat().st_mtime_ns, entry.path) for entry in entries if entry.name.endswith(SUFFIX))
            return [Path(path) for _, path in heapq.nlargest(most, found)]

    def all(self) -> Iterator[tuple[str, int, Path]]:
        """Every journal: match id, attempt, path."""
        for path in sorted(self.folder.iterdir()):
            if (match := _NAME.fullmatch(path.name)) is not None:
                yield match["match"], int(match["attempt"]), path
