"""The conformance kit finds what is wrong with a bot, and nothing else."""

from __future__ import annotations

import pytest
from tests.support.faulty_bot import FAULTS
from tests.support.in_process import in_process

from palio.conformance import Report, Settings, Status, check
from palio.conformance.kit import obligations

PATIENCE = 8.0


def broken(report: Report) -> set[str]:
    return {verdict.obligation.id for verdict in report.verdicts if verdict.status is Status.BROKEN}


def test_obligations_are_numbered_and_each_has_a_fault() -> None:
    ids = [obligation.id for obligation in obligations()]
    assert ids == [f"O-{number:02}" for number in range(1, len(ids) + 1)]
    assert len(ids) >= 25
    assert set(FAULTS.values()) == set(ids)


def test_obligations_say_what_a_reader_needs() -> None:
    for obligation in obligations():
        for text in (obligation.title, obligation.tried, obligation.expected):
            assert text, obligation.id
            assert not text.endswith("."), obligation.id
        assert obligation.mend.endswith("."), obligation.id


async def test_a_correct_bot_holds_all() -> None:
    report = await check(in_process(), Settings(patience=PATIENCE))
    assert report.passed, [verdict for verdict in report.verdicts if verdict.status is not Status.HELD]
    assert report.held == len(obligations())


@pytest.mark.parametrize(("fault", "obligation"), FAULTS.items(), ids=FAULTS)
async def test_a_fault_is_caught(fault: str, obligation: str) -> None:
    report = await check(in_process(fault), Settings(patience=3.0, only=(obligation,)))
    (verdict,) = report.verdicts
    assert verdict.status is Status.BROKEN, verdict


@pytest.mark.slow
@pytest.mark.parametrize(("fault", "obligation"), FAULTS.items(), ids=FAULTS)
async def test_a_fault_breaks_its_obligation_only(fault: str, obligation: str) -> None:
    report = await check(in_process(fault), Settings(patience=PATIENCE, jobs=8))
    assert broken(report) == {obligation}


async def test_what_rests_on_a_broken_obligation_is_not_tried() -> None:
    report = await check(in_process("is-never-ready"), Settings(patience=1.0))
    status = {verdict.obligation.id: verdict.status for verdict in report.verdicts}
    assert status["O-07"] is Status.BROKEN
    assert {status[f"O-{number:02}"] for number in range(8, len(status) + 1)} == {Status.NOT_TRIED}
    assert not report.passed


async def test_the_same_bot_gets_the_same_report_twice() -> None:
    wanted = Settings(patience=PATIENCE, only=("O-02", "O-09", "O-19", "O-34", "O-40"))
    reports = [await check(in_process("resumes-from-the-start"), wanted) for _ in range(2)]
    assert reports[0] == reports[1]
    assert broken(reports[0]) == {"O-34"}
