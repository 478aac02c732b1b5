"""OpenTelemetry traces (extra ``otel``): a span per match, with its choices as events.

Where the spans go is set by the usual ``OTEL_*`` environment variables.
"""

from __future__ import annotations

from opentelemetry.trace import Span, Status, StatusCode, Tracer

from palio.server.match.observer import Observer
from palio.v1 import match_pb2


class Tracing(Observer):
    """Writes spans.

    Args:
        tracer: where they go.
    """

    def __init__(self, tracer: Tracer) -> None:
        self._tracer = tracer
        self._spans: dict[str, Span] = {}

    def started(self, match_id: str, game: str, players: list[str]) -> None:
        attributes = {"palio.match": match_id, "palio.game": game, "palio.players": players}
        self._spans[match_id] = self._tracer.start_span(f"match {game}", attributes=attributes)

    def chosen(self, match_id: str, game: str, *, think: float, network: float, journal: float, handle: float) -> None:
        span = self._spans.get(match_id)
        if span is not None:
            times = {"think": think, "network": network, "journal": journal, "handle": handle}
            span.add_event("choice", {f"palio.{stage}_seconds": seconds for stage, seconds in times.items()})

    def rejected(self, match_id: str, reason: str) -> None:
        span = self._spans.get(match_id)
        if span is not None:
            span.add_event("rejected", {"palio.reason": reason})

    def fell(self, match_id: str, game: str, termination: str) -> None:
        span = self._spans.get(match_id)
        if span is not None:
            span.add_event("fault", {"palio.termination": termination})

    def ended(self, match: match_pb2.Match) -> None:
        span = self._spans.pop(match.match_id, None)
        if span is None:
            return
        span.set_attribute("palio.choices", match.choices)
        if match.state == match_pb2.MATCH_STATE_VOID:
            span.set_status(Status(StatusCode.ERROR, match.void_reason))
        span.end()

    def close(self) -> None:
        for span in self._spans.values():
            span.end()
        self._spans.clear()


def exporting_tracer() -> Tracer:
    """A tracer that exports over OTLP, as the ``OTEL_*`` variables say."""
    from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
    from opentelemetry.sdk.resources import Resource
    from opentelemetry.sdk.trace import TracerProvider
    from opentelemetry.sdk.trace.export import BatchSpanProcessor

    provider = TracerProvider(resource=Resource.create({"service.name": "palio"}))
    provider.add_span_processor(BatchSpanProcessor(OTLPSpanExporter()))
    return provider.get_tracer("palio")
