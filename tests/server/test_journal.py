"""The journal: framing, torn records, damage, full disks."""

from __future__ import annotations

import errno
import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from palio.server.match.journal import BrokenReplay, Journal, ReplayStore, frame, read, unframe
from palio.v1 import replay_pb2

HEADER = replay_pb2.ReplayRecord(header=replay_pb2.ReplayHeader(match_id="m", attempt=1, game="sticks"))


def choice(number: int) -> replay_pb2.ReplayRecord:
    return replay_pb2.ReplayRecord(choice=replay_pb2.ReplayChoice(seat=number % 2, decision_id=number, option=number))


RECORDS = [HEADER, *map(choice, range(1, 6))]
DATA = b"".join(frame(record.SerializeToString()) for record in RECORDS)


def test_what_is_appended_is_read(tmp_path: Path) -> None:
    journal = ReplayStore(tmp_path / "journal").create("m", 1)
    for record in RECORDS:
        journal.append(record)
    journal.close()
    assert journal.path.name == "m.1.replay"
    assert read(journal.path) == RECORDS


@pytest.mark.parametrize("size", range(len(DATA)))
def test_cut_anywhere_it_opens_with_the_whole_records_before_the_cut(tmp_path: Path, size: int) -> None:
    store = ReplayStore(tmp_path)
    path = store.path("m", 1)
    path.write_bytes(DATA[:size])
    records, journal = store.reopen(path)
    assert records == RECORDS[: len(records)]
    whole = b"".join(frame(record.SerializeToString()) for record in records)
    assert path.read_bytes() == whole
    assert len(whole) <= size
    journal.append(choice(99))
    journal.close()
    assert unframe(path.read_bytes())[0] == [*records, choice(99)]


@given(st.integers(0, len(DATA) - 1), st.integers(1, 255))
def test_a_flipped_byte_is_noticed(position: int, flip: int) -> None:
    damaged = bytearray(DATA)
    damaged[position] ^= flip
    try:
        records, size = unframe(bytes(damaged))
    except BrokenReplay:
        return
    # Only damage that cannot be told from a torn last record is taken for one.
    assert records == RECORDS[: len(records)]
    assert len(records) < len(RECORDS)
    assert size <= position + 8 or position >= size


def test_a_file_of_something_else_is_no_replay(tmp_path: Path) -> None:
    path = tmp_path / "x.replay"
    path.write_bytes(b"not a replay at all, but long enough to be one")
    with pytest.raises(BrokenReplay, match=r"no replay|does not begin"):
        read(path)


def test_a_full_disk_leaves_no_half_record(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    journal = Journal(tmp_path / "m.1.replay")
    journal.append(HEADER)
    real = os.write
    monkeypatch.setattr(os, "write", lambda fd, data: real(fd, data[:5]))
    with pytest.raises(OSError, match="only 5 of"):
        journal.append(choice(1))

    def full(fd: int, data: bytes) -> int:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(os, "write", full)
    with pytest.raises(OSError, match="No space left"):
        journal.append(choice(1))
    monkeypatch.undo()
    journal.append(choice(1))
    assert read(journal.path) == [HEADER, choice(1)]


def test_power_durability_waits_for_the_disk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    synced: list[int] = []
    monkeypatch.setattr(os, "fdatasync", synced.append)
    for sync in (False, True):
        journal = Journal(tmp_path / f"{sync}.1.replay", sync=sync)
        journal.append(HEADER)
        journal.close()
    assert len(synced) == 1
