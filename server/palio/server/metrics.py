"""Prometheus metrics (extra ``metrics``), on an address of their own."""

from __future__ import annotations

from collections import Counter as Tally
from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

from prometheus_client import CollectorRegistry, Counter, Histogram, start_http_server
from prometheus_client.core import GaugeMetricFamily, Metric
from prometheus_client.registry import Collector

from palio.files.address import Address
from palio.server.match.observer import Observer
from palio.v1 import match_pb2

if TYPE_CHECKING:
    from palio.server.arena import Arena

_FAST: Final = (0.00005, 0.0001, 0.0002, 0.0005, 0.001, 0.002, 0.005, 0.01, 0.05, 0.1, 1.0)
_SLOW: Final = (0.001, 0.005, 0.02, 0.1, 0.5, 1.0, 5.0, 20.0, 60.0, 300.0)


class Metrics(Observer):
    """Counts, and serves what it counted.

    Args:
        arena: looked at when somebody asks.
        address: where to serve ``/metrics``; ``None`` counts only.

    Raises:
        OSError: the address cannot be used.
    """

    def __init__(self, arena: Arena, address: Address | None = None) -> None:
        self.registry = registry = CollectorRegistry()
        self._choices = Counter("palio_choices", "Choices taken in.", ["game"], registry=registry)
        self._rejections = Counter(
            "palio_rejected_choices", "Choices that did not count.", ["reason"], registry=registry
        )
        self._faults = Counter("palio_faults", "Seats that fell out.", ["game", "termination"], registry=registry)
        self._started = Counter("palio_matches_started", "Matches that began.", ["game"], registry=registry)
        self._ended = Counter("palio_matches_ended", "Matches that are over.", ["game", "state"], registry=registry)
        stages = {"journal": _FAST, "handle": _FAST, "network": _SLOW, "think": _SLOW}
        self._stages = {
            stage: Histogram(
                f"palio_choice_{stage}_seconds", f"Seconds per choice: {stage}.", buckets=buckets, registry=registry
            )
            for stage, buckets in stages.items()
        }
        registry.register(ArenaCollector(arena))
        self._server = None
        if address is not None:
            self._server, _ = start_http_server(address.port, address.host, registry)

    @property
    def port(self) -> int:
        """Where it serves, 0 if it does not."""
        return self._server.server_port if self._server is not None else 0

    def started(self, match_id: str, game: str, players: list[str]) -> None:
        self._started.labels(game).inc()

    def chosen(self, match_id: str, game: str, *, think: float, network: float, journal: float, handle: float) -> None:
        self._choices.labels(game).inc()
        stages = self._stages
        stages["journal"].observe(journal)
        stages["handle"].observe(handle)
        stages["network"].observe(network)
        stages["think"].observe(think)

    def rejected(self, match_id: str, reason: str) -> None:
        self._rejections.labels(reason).inc()

    def fell(self, match_id: str, game: str, termination: str) -> None:
        self._faults.labels(game, termination).inc()

    def ended(self, match: match_pb2.Match) -> None:
        state = match_pb2.MatchState.Name(match.state).removeprefix("MATCH_STATE_").lower()
        self._ended.labels(match.game, state).inc()

    def close(self) -> None:
        if self._server is not None:
            self._server.shutdown()


class ArenaCollector(Collector):
    """How many there are of everything, at the moment when somebody asks."""

    def __init__(self, arena: Arena) -> None:
        self._arena = arena

    def collect(self) -> Iterator[Metric]:
        rooms = list(self._arena.rooms.values())
        sessions = list(self._arena.sessions.values())
        states = Tally(match_pb2.MatchState.Name(room.state).removeprefix("MATCH_STATE_").lower() for room in rooms)
        matches = GaugeMetricFamily("palio_matches", "Matches that are not over.", labels=["state"])
        for state in ("waiting", "running"):
            matches.add_metric([state], states[state])
        yield matches
        yield GaugeMetricFamily("palio_sessions", "Bots that are connected.", value=len(sessions))
        queued = [len(session.outbox.messages) for session in sessions]
        yield GaugeMetricFamily("palio_queued_messages", "Messages that wait to be sent.", value=sum(queued))
        deepest = max(queued, default=0)
        up = float(not self._arena.storage.fault)
        yield GaugeMetricFamily("palio_storage_up", "1 while the journal can be written.", value=up)
        yield GaugeMetricFamily("palio_queued_messages_max", "The longest queue of a session.", value=deepest)
