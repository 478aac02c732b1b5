"""``docs/protocol.md`` and the session recorded beside it say what the protocol is; a client made from them plays."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import grpc
import pytest
from google.protobuf.json_format import ParseDict
from tests.support.process import ServerProcess

from palio.v1 import match_pb2, match_pb2_grpc, play_pb2

ROOT = Path(__file__).parent.parent.parent
BOT = ROOT / "clients" / "without-sdk" / "bot.mjs"


def parse(line: str) -> play_pb2.PlayRequest | play_pb2.Update:
    """A line of JSON as the message that it stands for; fields that do not exist are errors."""
    said: dict[str, Any] = json.loads(line)
    if "request" in said:
        return ParseDict(said["request"], play_pb2.PlayRequest())
    return ParseDict(said["update"], play_pb2.Update())


def check(lines: list[str]) -> None:
    """A whole session: seq without a gap, every decision answered and every answer accepted, ends that are said."""
    messages = [parse(line) for line in lines]
    kinds = [message.WhichOneof("message") for message in messages]
    assert kinds[:2] == ["hello", "welcome"]
    assert kinds[-2:] == ["leave", "goodbye"]
    updates = [message for message in messages if isinstance(message, play_pb2.Update)]
    counted = [update.seq for update in updates if update.seq]
    assert counted == list(range(1, len(counted) + 1))
    assert all(bool(update.seq) == bool(update.match_id) for update in updates)
    asked = [m.decision.decision_id for m in updates if m.HasField("decision")]
    answered = [m.choose.decision_id for m in messages if isinstance(m, play_pb2.PlayRequest) and m.HasField("choose")]
    accepted = [m.choice_accepted.decision_id for m in updates if m.HasField("choice_accepted")]
    assert asked
    assert asked == answered == accepted == list(range(1, len(asked) + 1))
    assert kinds.count("ping") == kinds.count("pong")


def test_the_recorded_session_is_a_whole_one() -> None:
    check((ROOT / "docs" / "protocol-session.jsonl").read_text().splitlines())


def test_the_document_tells_the_same_session() -> None:
    document = (ROOT / "docs" / "protocol.md").read_text()
    section = document.split("## A whole session")[1].split("## Counting")[0]
    told = re.findall(r'^\{"(?:request|update)".*$', section, re.MULTILINE)
    check(told)
    recorded = (ROOT / "docs" / "protocol-session.jsonl").read_text().splitlines()
    assert [parse(line).WhichOneof("message") for line in told] == [
        parse(line).WhichOneof("message") for line in recorded
    ]


def test_every_example_of_the_document_is_readable() -> None:
    document = (ROOT / "docs" / "protocol.md").read_text()
    for line in re.findall(r'^\{"(?:request|update)".*$', document, re.MULTILINE):
        parse(line)


def test_the_client_without_an_sdk_is_short_and_has_nothing_generated() -> None:
    assert len(BOT.read_text().splitlines()) <= 80
    there = {path.name for path in BOT.parent.iterdir()}
    assert there <= {"bot.mjs", "package.json", "package-lock.json", "node_modules"}


@pytest.mark.slow
def test_the_client_without_an_sdk_plays_whole_matches_of_every_game(tmp_path: Path) -> None:
    if shutil.which("node") is None:
        pytest.skip("node is not installed")
    if not (BOT.parent / "node_modules" / "@grpc" / "grpc-js").is_dir():
        pytest.skip("its packages are not installed: npm ci --prefix clients/without-sdk")
    server = ServerProcess(tmp_path)
    environment = os.environ | {"PALIO_SERVER": server.start(), "PALIO_TOKEN": "", "PALIO_BOT_NAME": ""}
    commands = [
        ["node", str(BOT), "2"],
        [sys.executable, "-m", "palio.cli", "bot", "run", "random", "--name", "opponent", "--matches", "2"],
    ]
    bots = [subprocess.Popen(command, env=environment | {"PALIO_BOT_NAME": "no-sdk"}) for command in commands]
    try:
        with grpc.insecure_channel(server.address) as channel:
            matches = match_pb2_grpc.MatchServiceStub(channel)
            for game in ("fidelitas", "feudum"):
                request = match_pb2.CreateMatchRequest(match_id=game, game=game, players=["no-sdk", "opponent"])
                matches.CreateMatch(request)
            assert [bot.wait(timeout=120) for bot in bots] == [0, 0]
            for game in ("fidelitas", "feudum"):
                match = matches.GetMatch(match_pb2.GetMatchRequest(match_id=game)).match
                assert [seat.termination for seat in match.result.seats] == [match_pb2.TERMINATION_FINISHED] * 2
    finally:
        for bot in bots:
            bot.kill()
            bot.wait()
        server.kill()
