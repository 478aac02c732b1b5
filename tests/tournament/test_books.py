"""The books of a run: what waits for the database is written together, and told only once it is written."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest
from tests.support.tourney import write_tournament

from palio.tournament.ledger import Entry
from palio.tournament.pairing import Block
from palio.tournament.runner.books import VOIDS_BORNE, Books
from palio.tournament.runner.prepare import Prepared, prepare
from palio.tournament.runner.queue import Seating
from palio.tournament.runner.record import RunFailed, walkover
from palio.tournament.runner.view import View


@pytest.fixture
def prepared(tmp_path: Path) -> Prepared:
    return prepare(write_tournament(tmp_path, {"a": "good", "b": "good"}, deals=10))


def result(prepared: Prepared, block: Block, number: int) -> Entry:
    seating = Seating(block, number, block.seatings[number])
    match_id = prepared.schedule.match_id(*seating.key)
    return walkover(seating, 1, match_id, (0, 1), {"b"}, datetime.now(UTC))


async def test_results_that_come_while_the_database_is_busy_are_written_together(prepared: Prepared) -> None:
    books, sizes = Books(prepared, View()), []
    first, go_on = asyncio.Event(), threading.Event()
    record, loop = prepared.ledger.record_all, asyncio.get_running_loop()

    def slowly(entries: Sequence[Entry]) -> list[bool]:
        sizes.append(len(entries))
        loop.call_soon_threadsafe(first.set)
        assert go_on.wait(60)
        return record(entries)

    prepared.ledger.record_all = slowly  # type: ignore[method-assign]
    entries = [result(prepared, block, number) for block in books.director.ready() for number in (0, 1)]
    tasks = [asyncio.create_task(books.enter(entries[0]))]
    await first.wait()
    tasks += [asyncio.create_task(books.enter(entry)) for entry in entries[1:]]
    await asyncio.sleep(0)
    assert not any(task.done() for task in tasks)
    assert books.director.results == {}
    go_on.set()
    await asyncio.gather(*tasks)
    assert sizes == [1, 19]
    assert len(prepared.ledger.entries()) == 20
    assert books.director.finished
    prepared.close()


async def test_a_database_that_fails_fails_everybody_who_waits_for_it(prepared: Prepared) -> None:
    books = Books(prepared, View())
    played = [result(prepared, block, number) for block in books.director.ready() for number in (0, 1)]

    def fails(entries: Sequence[Entry]) -> list[bool]:
        raise OSError("the disk is full")

    prepared.ledger.record_all = fails  # type: ignore[method-assign]
    answers = await asyncio.gather(*(books.enter(entry) for entry in played), return_exceptions=True)
    assert [str(answer) for answer in answers] == ["the disk is full"] * 20
    assert books.director.results == {}
    prepared.close()


async def test_a_seating_that_is_void_again_and_again_ends_the_run(prepared: Prepared) -> None:
    books = Books(prepared, View())
    entry = result(prepared, books.director.ready()[0], 0)
    for attempt in range(1, VOIDS_BORNE):
        await books.enter(replace(entry, rated=False, attempt=attempt, void_reason="power cut"))
    assert books.next_attempt(0, 0) == VOIDS_BORNE
    with pytest.raises(RunFailed, match=r"match trial.0.0 was void 5 times: power cut"):
        await books.enter(replace(entry, rated=False, attempt=VOIDS_BORNE, void_reason="power cut"))
    prepared.close()
