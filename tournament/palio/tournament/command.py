"""What the commands do, without their arguments and printing."""

from __future__ import annotations

import asyncio
import signal
import sys
from collections.abc import Callable, Coroutine, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

from rich.console import Console

from palio.engine.errors import GameError, InvalidSetup
from palio.files.database import DatabaseUnusable
from palio.files.settings import ConfigError, Problem, load_settings
from palio.server.app import loop_factory
from palio.tournament.config import TournamentConfig, load_tournament
from palio.tournament.display import LiveView, PlainView
from palio.tournament.ledger import Ledger, LedgerError, open_ledger
from palio.tournament.plan import make_schedule
from palio.tournament.report import write_report
from palio.tournament.rollouts import fill, policy_of, tasks_of
from palio.tournament.runner.prepare import Prepared, folder_of, prepare
from palio.tournament.runner.record import RunFailed
from palio.tournament.runner.run import Run, cores
from palio.tournament.runner.site import Folder
from palio.tournament.summary import Summary, summarise

__all__ = ["Interrupted", "RunFailed", "Unusable", "describe", "play_rollouts", "run", "summary_of"]


class Unusable(GameError):
    """A file, directory or database that was named cannot be used."""


class Interrupted(Exception):
    """Somebody pressed Ctrl-C; the tournament can go on later."""


@contextmanager
def _named(file: Path | None = None) -> Iterator[None]:
    """Before anything was played, what cannot be read or written is bad input.

    Args:
        file: the tournament file, if what is wrong with the schedule is wrong in there.
    """
    try:
        yield
    except InvalidSetup as error:
        if file is None:
            raise
        raise ConfigError(str(file), [Problem(error.field, error.reason)]) from None
    except OSError as error:
        raise Unusable(f"{error.filename}: {error.strerror}" if error.filename else str(error)) from None
    except DatabaseUnusable as error:
        raise Unusable(str(error)) from None


def describe(file: Path) -> list[str]:
    """What a tournament file would play.

    Raises:
        ConfigError, Unusable: it cannot be played.
    """
    with _named(file):
        config = load_tournament(file)
        schedule = make_schedule(config, config.seed or "trial")
    blocks = schedule.format.expected_blocks
    known = schedule.format.blocks({})
    upto = "" if schedule.format.static else "at most "
    lines = [
        f"{config.name} ({config.id}): {config.game}, {config.format}, {len(config.bots)} bots",
        *(f"  {bot.name}: {bot.what}" + (f", {bot.slots} processes" if bot.slots > 1 else "") for bot in config.bots),
        *schedule.format.notes,
    ]
    if schedule.format.static:
        lines.append(f"{blocks} blocks, {sum(len(block.permutations) for block in known)} games")
    else:
        lines.append(f"{upto}{blocks} blocks of {len(known[0].permutations)} games")
    return lines


def run(
    file: Path, directory: Path | None = None, database: str | None = None, *, plain: bool = False
) -> tuple[Summary, Folder]:
    """Run a tournament or go on with it, write its report, and say what came of it.

    Raises:
        ConfigError, GameError: it cannot be started; nothing was played.
        OSError: the report, or a process, cannot be written or started.
        RunFailed: it cannot go on.
        Interrupted: it was stopped.
    """
    with _named(file):
        prepared = prepare(file, directory, database)
    try:
        console = Console(file=sys.stdout)
        view = PlainView(console) if plain or not console.is_terminal else LiveView(console, prepared.config)
        for warning in warnings(prepared):
            console.print(f"warning: {warning}", style="yellow", markup=False, highlight=False, soft_wrap=True)
        with view:
            _play(prepared, view)
        summary = summarise(prepared.ledger, rating=prepared.config.rating)
        write_report(summary, prepared.folder.report)
        return summary, prepared.folder
    finally:
        prepared.close()


def _play(prepared: Prepared, view: PlainView | LiveView) -> None:
    if prepared.config.engine == "local":
        _until_done(Run(prepared, view).play)
        return
    # Only here: it starts with the import of Ray.
    from palio.tournament.cluster import messages, nodes
    from palio.tournament.cluster.run import ClusterRun

    run = ClusterRun(prepared, view)
    if run.nothing_left:
        _until_done(run.finish)
        return
    job = messages.job_of(prepared.schedule.terms, prepared.file)
    # Ray takes over the signals' handlers, so it comes first.
    with nodes.connected(job, prepared.file, prepared.folder.logs / "ray.log") as cluster:
        _until_done(partial(run.play, cluster))


def _until_done(work: Callable[[], Coroutine[Any, Any, None]]) -> None:
    async def play() -> None:
        task = asyncio.current_task()
        assert task is not None
        loop = asyncio.get_running_loop()
        for number in (signal.SIGINT, signal.SIGTERM):
            loop.add_signal_handler(number, task.cancel)
        await work()

    with asyncio.Runner(loop_factory=loop_factory()) as runner:
        try:
            runner.run(play())
        except (asyncio.CancelledError, KeyboardInterrupt):
            raise Interrupted from None


def warnings(prepared: Prepared) -> list[str]:
    """What the organiser should know beforehand."""
    found = []
    config = prepared.config
    window, own = config.concurrency or cores(), cores()
    if window > own and config.engine == "local":
        found.append(
            f"concurrency = {window} on {own} cores: the bots' thinking overlaps, so they get less time than the clock "
            f"says; set concurrency to at most {own} where strength depends on time"
        )
    if config.sandbox == "off":
        found.append('sandbox = "off": bots can use the network and read and write your files, the journals too')
    elif prepared.sandbox.missing:
        found.append(prepared.sandbox.missing)
    return found


def summary_of(
    place: Path, directory: Path | None, database: str | None, *, rating: str | None = None, forfeits: bool = True
) -> Summary:
    """The results of a tournament, running or not.

    Args:
        place: its file or its directory.

    Raises:
        LedgerError: it was not started yet.
        ConfigError, Unusable: file or ledger cannot be read.
    """
    with _named():
        ledger, _ = _opened(place, directory, database)
    try:
        return summarise(ledger, rating=rating, forfeits=forfeits)
    finally:
        ledger.close()


def play_rollouts(
    place: Path,
    directory: Path | None,
    database: str | None,
    *,
    bot: str,
    rollouts: int,
    jobs: int,
    progress: Callable[[int, int], None],
) -> tuple[Summary, int, int]:
    """Play the rollouts of all deals that count and have none yet, and write the report anew.

    Args:
        progress: told how many deals are done, and how many there are.

    Returns:
        The results with them, how many deals there are, and of how many the rollouts were played now.

    Raises:
        InvalidSetup: this bot cannot play them.
        LedgerError, ConfigError, DatabaseUnusable, OSError: as :func:`summary_of`.
    """
    with _named():
        ledger, folder = _opened(place, directory, database)
    try:
        before = summarise(ledger)
        policy = policy_of(bot, rollouts, before.config.game)
        known = ledger.registered()
        assert known is not None, "it has a summary"
        tasks = tasks_of(make_schedule(before.config, known.seed), before.games, policy)
        played = fill(ledger, tasks, jobs, lambda done: progress(done, len(tasks)))
        after = summarise(ledger, policy=str(policy))
        if folder.root.is_dir():
            write_report(after, folder.report)
        return after, len(tasks), played
    finally:
        ledger.close()


def _opened(place: Path, directory: Path | None, database: str | None) -> tuple[Ledger, Folder]:
    if place.is_dir():
        folder, tournament = Folder(place.resolve()), None
    else:
        folder, tournament = folder_of(place, directory), load_settings(TournamentConfig, place).id
    if database is None and not (folder.root / "ledger.sqlite3").exists():
        raise LedgerError(f"there is no ledger in {folder.root}: the tournament was not started yet (or see --db)")
    return open_ledger(database or folder.default_database, tournament), folder
