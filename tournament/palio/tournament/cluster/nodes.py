"""All that we ask of Ray, in one place: a cluster, its nodes, and workers on them."""

from __future__ import annotations

import asyncio
import contextlib
import importlib
import os
import socket
from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

from palio.files.settings import ConfigError, Problem
from palio.tournament.cluster.messages import Job, News, NoStart, Order
from palio.tournament.cluster.worker import BlockWorker, survey
from palio.tournament.config import TournamentConfig

_DIAL_SECONDS: Final = 5.0
_SURVEY_SECONDS: Final = 300.0
_CLOSE_SECONDS: Final = 10.0


class Lost(Exception):
    """A worker is gone: its node was lost, or its process ended."""


class Broken(Exception):
    """A worker failed in a way that another one would fail in, too."""


class Hand:
    """A worker as the runner sees it.

    Attributes:
        number: from 1, in the order in which they were taken on.
    """

    def __init__(self, number: int, actor: Any) -> None:
        self.number = number
        self._actor = actor

    async def open(self, *, rehearse: bool) -> NoStart | None:
        """See :meth:`BlockWorker.open`. Lasts until a node has room for it.

        Raises:
            Lost, Broken: it is gone, or cannot work.
        """
        with _translated():
            answer: NoStart | None = await self._actor.open.remote(rehearse)
            return answer

    async def play(self, order: Order) -> AsyncIterator[News]:
        """See :meth:`BlockWorker.play`.

        Raises:
            Lost, Broken: it is gone, or cannot work.
        """
        with _translated():
            async for reference in self._actor.play.options(num_returns="streaming").remote(order):
                news: News = await reference
                yield news

    async def close(self, grace: float) -> dict[str, bytes]:
        """End it; what its bots wrote, as far as it can still say."""
        try:
            with _translated():
                logs: dict[str, bytes] = await asyncio.wait_for(self._actor.close.remote(), grace + _CLOSE_SECONDS)
                return logs
        except (Lost, Broken, TimeoutError):
            return {}
        finally:
            self.dismiss()

    def dismiss(self) -> None:
        """End it at once."""
        with contextlib.suppress(Exception):  # it may be gone, and the cluster too
            _ray().kill(self._actor)


class Cluster:
    """A connection to a Ray cluster. The process may have one at a time.

    Attributes:
        warnings: what the organiser should know about the nodes.
    """

    def __init__(self, job: Job) -> None:
        self._job = job
        self._settings = job.terms.config.cluster
        self._hired = 0
        self.warnings: list[str] = []

    def survey(self, source: str) -> None:
        """Look whether every node has what the tournament needs.

        Raises:
            ConfigError: what is missing where.
        """
        ray = _ray()
        strategy = importlib.import_module("ray.util.scheduling_strategies").NodeAffinitySchedulingStrategy
        task = ray.remote(num_cpus=0, max_retries=0)(survey)
        asked = {
            node["NodeManagerAddress"]: task.options(scheduling_strategy=strategy(node["NodeID"], soft=False)).remote(
                self._job
            )
            for node in self._nodes()
        }
        if not asked:
            raise ConfigError(source, [Problem("ray.address", f"no node has {self._settings.cpus} cores (ray.cpus)")])
        problems: list[Problem] = []
        for address, reference in asked.items():
            try:
                found = ray.get(reference, timeout=_SURVEY_SECONDS)
            except ray.exceptions.RayError as error:
                problems.append(Problem("ray.address", f"node {address} cannot play: {_reason(error)}"))
            else:
                at = f"on node {found.name} ({address})"
                problems += [Problem(field, f"{at}: {message}") for field, message in found.problems]
                self.warnings += [f"{at}: {found.warning}"] if found.warning else []
        if problems:
            raise ConfigError(source, problems)

    def room(self) -> int:
        """How many workers the nodes have cores for."""
        return sum(int(node["Resources"].get("CPU", 0)) // self._settings.cpus for node in self._nodes())

    def hire(self) -> Hand:
        """A new worker, as soon as a node has room for it."""
        self._hired += 1
        actor = _ray().remote(num_cpus=self._settings.cpus, max_restarts=0, max_task_retries=0)(BlockWorker)
        return Hand(self._hired, actor.options(scheduling_strategy="SPREAD").remote(self._job))

    def _nodes(self) -> list[dict[str, Any]]:
        return [
            node for node in _ray().nodes() if node["Alive"] and node["Resources"].get("CPU", 0) >= self._settings.cpus
        ]


@contextmanager
def connected(job: Job, file: Path, log: Path) -> Iterator[Cluster]:
    """Connect to the cluster of the tournament file, or start one on this machine.

    Args:
        log: file for what Ray prints, which would spoil the runner's own output.

    Raises:
        ConfigError: there is no such cluster, or it does not suit.
    """
    settings = job.terms.config.cluster
    address = settings.address
    if address == "auto":
        address = os.environ.get("RAY_ADDRESS", "auto")
    if address not in ("auto", "local"):
        _dial(address, str(file))
    with log.open("a", encoding="utf-8", buffering=1) as out, contextlib.redirect_stdout(out):
        ray = _ray()
        try:
            ray.init(
                address=address,
                log_to_driver=False,
                logging_level="ERROR",
                runtime_env={"working_dir": str(job.upload)} if job.upload is not None else None,
                **_local_settings(job.terms.config) if address == "local" else {},
            )
        except Exception as error:  # Ray raises whatever went wrong within it
            raise ConfigError(str(file), [Problem("ray.address", _unreachable(address, error))]) from None
        try:
            cluster = Cluster(job)
            cluster.survey(str(file))
            yield cluster
        finally:
            ray.shutdown()


def _local_settings(config: TournamentConfig) -> dict[str, Any]:
    from palio.tournament.runner.run import cores

    return {
        "num_cpus": max(cores(), config.cluster.cpus),
        "include_dashboard": False,
        "object_store_memory": 100 << 20,
    }


def _dial(address: str, source: str) -> None:
    """Ray would try for minutes."""
    host, _, port = address.rpartition(":")
    try:
        socket.create_connection((host.strip("[]"), int(port)), _DIAL_SECONDS).close()
    except (OSError, ValueError, OverflowError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise ConfigError(source, [Problem("ray.address", f"no cluster answers at {address}: {reason}")]) from None


def _unreachable(address: str, error: Exception) -> str:
    if address == "auto" and isinstance(error, ConnectionError):
        return (
            "no cluster runs on this machine, and RAY_ADDRESS is not set: start one (ray start --head), give the "
            'host:port of one, or set "local"'
        )
    return f"the cluster at {address} cannot be used: {_reason(error)}"


def _ray() -> Any:
    return importlib.import_module("ray")


def _reason(error: BaseException) -> str:
    """The last line that says something, without Ray's picture of the stack."""
    if "No module named 'palio" in str(error):
        return "Palio is not installed there; pip install 'palio[ray]' with the Python that Ray runs with"
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    return lines[-1] if lines else type(error).__name__


@contextmanager
def _translated() -> Iterator[None]:
    errors = _ray().exceptions
    try:
        yield
    except (errors.RayActorError, errors.NodeDiedError, errors.ObjectLostError, errors.WorkerCrashedError) as error:
        if getattr(error, "actor_init_failed", False) or getattr(error, "_actor_init_failed", False):
            raise Broken(_reason(error)) from None
        raise Lost(_reason(error)) from None
    except errors.RayTaskError as error:
        raise Broken(_reason(error)) from None
