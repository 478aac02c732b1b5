"""Tries all obligations against a program."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

from palio.conformance.obligation import Obligation, Status, Verdict
from palio.conformance.program import Start
from palio.conformance.script import SCENARIOS, Scenario
from palio.conformance.stage import Stage

PATIENCE: Final = 20.0
JOBS: Final = 4


@dataclass(frozen=True, slots=True)
class Settings:
    """How to try.

    Attributes:
        patience: seconds to wait for what must come; only turns a hang into a verdict.
        jobs: scenarios at the same time, each with a server and a program of its own.
        only: ids of the obligations wanted; empty for all. What they need is taken for granted then.
    """

    patience: float = PATIENCE
    jobs: int = JOBS
    only: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Report:
    """How it went: one verdict per obligation, by their numbers."""

    verdicts: tuple[Verdict, ...]

    @property
    def held(self) -> int:
        """How many obligations hold."""
        return sum(verdict.status is Status.HELD for verdict in self.verdicts)

    @property
    def passed(self) -> bool:
        """Whether all of them hold."""
        return self.held == len(self.verdicts)


def obligations() -> list[Obligation]:
    """All of them, by their numbers."""
    return [obligation for scenario in _scenarios() for obligation in scenario.obligations]


def _scenarios() -> list[Scenario]:
    from palio.conformance import scenarios  # registers them

    assert scenarios.__all__
    return SCENARIOS


async def check(start: Start, settings: Settings | None = None, done: Callable[[], object] = lambda: None) -> Report:
    """Try a program.

    Args:
        start: starts it; called once for every scenario.
        done: called after each scenario, for a progress bar.

    Raises:
        OSError: the program cannot be started, or there is no port left.
    """
    settings = settings or Settings()
    chosen = [
        scenario
        for scenario in _scenarios()
        if not settings.only or any(obligation.id in settings.only for obligation in scenario.obligations)
    ]
    loop = asyncio.get_running_loop()
    verdicts: dict[Obligation, asyncio.Future[Verdict]] = {
        obligation: loop.create_future() for scenario in chosen for obligation in scenario.obligations
    }
    slots = asyncio.Semaphore(settings.jobs)

    async def run(scenario: Scenario) -> None:
        needed = [await verdicts[need] for need in scenario.needs if need in verdicts]
        lacking = next((verdict for verdict in needed if verdict.status is not Status.HELD), None)
        if lacking is not None:
            reason = f"{lacking.obligation.id} has to hold first"
            found: Sequence[Verdict] = [
                Verdict(obligation, Status.NOT_TRIED, reason) for obligation in scenario.obligations
            ]
        else:
            async with slots:
                found = await Stage(scenario.obligations, start, settings.patience).run(scenario.play)
        for verdict in found:
            verdicts[verdict.obligation].set_result(verdict)
        done()

    async with asyncio.TaskGroup() as group:
        for scenario in chosen:
            group.create_task(run(scenario))
    wanted = [
        verdict.result()
        for obligation, verdict in verdicts.items()
        if not settings.only or obligation.id in settings.only
    ]
    return Report(tuple(sorted(wanted, key=lambda verdict: verdict.obligation.id)))


def count(settings: Settings) -> int:
    """How many scenarios :func:`check` will play."""
    return sum(
        not settings.only or any(obligation.id in settings.only for obligation in scenario.obligations)
        for scenario in _scenarios()
    )
