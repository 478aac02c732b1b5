"""Metrics and traces of a running server."""

from __future__ import annotations

import asyncio
import urllib.request
from collections.abc import Callable

import pytest
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from tests.server.conftest import Start

from palio.server.app import MissingExtra, needs_extra
from palio.server.listening import CannotListen
from palio.server.match.observer import Observer, Observers
from palio.server.tracing import Tracing
from palio.v1 import match_pb2, play_pb2


async def scrape(port: int) -> dict[str, float]:
    def fetch() -> str:
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/metrics", timeout=20) as response:
            text: str = response.read().decode()
            return text

    lines = (await asyncio.to_thread(fetch)).splitlines()
    return {name: float(value) for name, _, value in (line.rpartition(" ") for line in lines if line[0] != "#")}


async def test_metrics_count_what_happens(start: Start) -> None:
    host = await start(metrics="127.0.0.1:0")
    a, b = await host.connect("a", "b")
    await host.create("a", "b", heap=5, match_id="first")
    await asyncio.gather(a.play_to_the_end(), b.play_to_the_end())
    await host.create("a", "b", heap=5, match_id="second")
    for bot in (a, b):
        await bot.ready("second")
    await a.next("decision")
    await a.choose("second", 1, 9)
    await a.next("choice_rejected")
    numbers = await scrape(host.server.metrics_port)
    assert numbers['palio_choices_total{game="sticks"}'] == 4
    assert numbers["palio_choice_handle_seconds_count"] == 4
    assert numbers['palio_matches{state="running"}'] == 1
    assert numbers["palio_sessions"] == 2
    assert numbers["palio_storage_up"] == 1
    assert numbers['palio_rejected_choices_total{reason="REJECTION_REASON_ILLEGAL"}'] == 1
    await a.say(play_pb2.PlayRequest(resign=play_pb2.Resign(match_id="second")))
    await b.next("match_ended")
    numbers = await scrape(host.server.metrics_port)
    assert numbers['palio_faults_total{game="sticks",termination="TERMINATION_RESIGNED"}'] == 1
    assert numbers['palio_matches_ended_total{game="sticks",state="finished"}'] == 2
    assert numbers['palio_matches{state="running"}'] == 0


async def test_metrics_on_an_address_in_use_are_refused(start: Start) -> None:
    host = await start(metrics="127.0.0.1:0")
    with pytest.raises(CannotListen, match="metrics: cannot listen"):
        await start(metrics=f"127.0.0.1:{host.server.metrics_port}")


class Broken(Observer):
    def chosen(self, match_id: str, game: str, *, think: float, network: float, journal: float, handle: float) -> None:
        raise RuntimeError("no")


async def test_an_observer_that_fails_is_left_out_and_matches_go_on(start: Start) -> None:
    host = await start()
    host.server.arena.observer = Observers([Broken()])
    a, b = await host.connect("a", "b")
    await host.create("a", "b", heap=5)
    ended, _ = await asyncio.gather(a.play_to_the_end(), b.play_to_the_end())
    assert ended.result.rated


async def test_a_span_per_match(start: Start) -> None:
    host = await start()
    exporter = InMemorySpanExporter()
    provider = TracerProvider()
    provider.add_span_processor(SimpleSpanProcessor(exporter))
    host.server.arena.observer = Tracing(provider.get_tracer("test"))
    a, b = await host.connect("a", "b")
    await host.create("a", "b", heap=5)
    await asyncio.gather(a.play_to_the_end(), b.play_to_the_end())
    await host.create("a", "ghost", match_id="n")
    await host.matches.CancelMatch(match_pb2.CancelMatchRequest(match_id="n", reason="rain"))
    (span,) = exporter.get_finished_spans()
    assert span.name == "match sticks"
    assert span.attributes is not None
    assert span.attributes["palio.choices"] == 4
    assert [event.name for event in span.events] == ["choice"] * 4


def test_a_missing_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    def gone() -> Callable[[], None]:
        raise ModuleNotFoundError("No module named 'prometheus_client'", name="prometheus_client")

    with pytest.raises(MissingExtra, match=r"pip install 'palio\[metrics\]'"), needs_extra("metrics"):
        gone()
