"""Two matches that differ only in what a seat cannot know: it, spectators and the log are told the same bytes."""

from __future__ import annotations

import asyncio
import contextlib
import copy
import dataclasses
import io
import json
from collections.abc import Awaitable, Callable
from pathlib import Path

import grpc.aio
import pytest
from tests.games.test_fidelitas_secrets import NEEDS_PLAIN_RULES, STORIES, Story
from tests.support.arena import Host
from tests.support.fidelitas_host import FOUR, asked, create, message_of
from tests.support.waiting import until

from palio.codec import codec_of
from palio.engine.game import Value
from palio.games.fidelitas.table import Table
from palio.v1 import match_pb2, play_pb2

Start = Callable[..., Awaitable[Host]]
CODEC = codec_of("fidelitas")


@dataclasses.dataclass
class Told:
    """What came out of a world: to the watching seat, to a spectator, into the log."""

    seat: list[bytes] = dataclasses.field(default_factory=list)
    spectator: list[bytes] = dataclasses.field(default_factory=list)
    log: list[str] = dataclasses.field(default_factory=list)


def plain(update: play_pb2.Update | match_pb2.WatchMatchResponse) -> bytes:
    """Without the times, which differ whenever a match is played again."""
    same = copy.deepcopy(update)
    if isinstance(same, play_pb2.Update):
        if same.HasField("decision"):
            same.decision.ClearField("clock")
        if same.HasField("match_started"):
            same.match_started.ClearField("ready_deadline")
    elif same.HasField("match"):
        same.match.ClearField("created")
    return same.SerializeToString(deterministic=True)


async def world(host: Host, log: io.StringIO, story: Story, which: int) -> Told:
    """Play one world of a story to the watcher and a spectator. Everybody else also tries what cannot be."""
    start, choices = (story.one, story.two)[which]
    told = Told()
    names = FOUR[: start.players]
    log.truncate(0)
    log.seek(0)
    bots = await host.connect(*names)
    await create(host, *names, position=message_of(start))
    looks: list[match_pb2.WatchMatchResponse] = []

    async def watch() -> None:
        async for update in host.matches.WatchMatch(match_pb2.WatchMatchRequest(match_id="m")):
            looks.append(update)  # noqa: PERF401 (looked at meanwhile)

    watching = asyncio.create_task(watch())
    await until(lambda: len(looks) >= 2)
    for bot in bots:
        await bot.next("match_started")
        await bot.ready("m")
    for number, option in enumerate(choices):
        decision, seat = await asked(host, bots)
        if number == 0 and seat != story.watcher:
            await bots[seat].choose("m", decision.decision_id, 1000)
            await bots[seat].next("choice_rejected")
        wanted = CODEC.option(option)
        offered = [one.SerializeToString(deterministic=True) for one in decision.options]
        await bots[seat].choose("m", decision.decision_id, offered.index(wanted))
        await bots[seat].next("choice_accepted")
    if story.watcher is not None:
        watcher = bots[story.watcher]
        await watcher.choose("m", 99, 0)
        await watcher.next("choice_rejected")
        told.seat = [plain(update) for update in watcher.seen if update.match_id == "m"]
    match = (await host.matches.GetMatch(match_pb2.GetMatchRequest(match_id="m"))).match
    shown_to_all = len(looks)
    # Whoever watches from now on is told the same as who watched all along, so nothing is on its way any more.
    late: list[match_pb2.WatchMatchResponse] = []
    async for update in host.matches.WatchMatch(match_pb2.WatchMatchRequest(match_id="m")):
        late.append(update)
        if update.HasField("observation"):
            break
    await until(lambda: len(looks) >= shown_to_all)
    watching.cancel()
    with contextlib.suppress(asyncio.CancelledError, grpc.aio.AioRpcError):
        await watching
    told.spectator = [plain(update) for update in [*looks, *late, match_pb2.WatchMatchResponse(match=match)]]
    told.log = [tidy(line) for line in log.getvalue().splitlines()]
    return told


def tidy(line: str) -> str:
    """A line of the log without times, addresses and the names of sessions, which are random."""
    entry = json.loads(line)
    return json.dumps({k: v for k, v in entry.items() if k not in ("timestamp", "session", "seconds_alive")})


@pytest.mark.parametrize("story", STORIES.values(), ids=STORIES.keys())
async def test_what_is_hidden_changes_no_byte_on_the_wire_and_no_line_of_the_log(
    start: Start, tmp_path: Path, log: io.StringIO, story: Story
) -> None:
    one, two = [await world(await start(data=tmp_path / str(which)), log, story, which) for which in (0, 1)]
    assert one.seat == two.seat
    assert one.spectator == two.spectator
    assert one.log == two.log
    assert one.log


@NEEDS_PLAIN_RULES
async def test_a_planted_leak_is_noticed(
    start: Start, tmp_path: Path, log: io.StringIO, monkeypatch: pytest.MonkeyPatch
) -> None:
    def tell_everybody(table: Table, _viewers: tuple[int, ...], *fact: Value) -> None:
        table.tell(*fact)

    monkeypatch.setattr(Table, "tell_seats", tell_everybody)
    story = STORIES["draw from the deck"]
    one, two = [await world(await start(data=tmp_path / str(which)), log, story, which) for which in (0, 1)]
    assert one.seat != two.seat
    assert one.spectator != two.spectator
