"""The parts of the benchmark do what they claim: else it measures something else."""

from __future__ import annotations

import time
from pathlib import Path

from palio.bench.inside import Insiders
from palio.bench.lean import parse
from palio.bench.load import Players, Tally
from palio.server.arena import Arena
from palio.v1 import play_pb2


def test_the_load_answers_every_decision_with_an_option_that_is_offered() -> None:
    response = play_pb2.PlayResponse()
    asked = response.updates.add(match_id="m", seq=2).decision
    asked.decision_id = 7
    for text in ("left", "right", "neither"):
        asked.options.add(text=text)
    response.updates.add(match_id="n").match_started.seat = 1
    response.updates.add().ping.nonce = 5
    response.updates.add(match_id="m").events.SetInParent()
    now = time.monotonic()
    answers = Players(Tally(now, now + 60)).answers(response.SerializeToString(), now)
    choose, ready, pong = map(play_pb2.PlayRequest.FromString, answers)
    assert (choose.choose.match_id, choose.choose.decision_id) == ("m", 7)
    assert choose.choose.option in range(3)
    assert ready.ready.match_id == "n"
    assert pong.pong.nonce == 5
    assert len(parse(response.SerializeToString()).updates) == 4


async def test_matches_can_be_played_without_a_network(tmp_path: Path) -> None:
    arena = Arena(tmp_path)
    insiders = Insiders(arena, "fidelitas", 2, "inside")
    rooms = [insiders.begin() for _ in range(2)]
    insiders.go_on(rooms, 30)
    insiders.go_on(rooms, 30, as_bytes=True)
    assert sum(room.course.choices for room in rooms) == 60
    assert not any(room.over for room in rooms)
