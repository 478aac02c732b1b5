"""Records ``docs/protocol-session.jsonl``: one whole session over the play stream, as proto3 JSON.

    python -m tests.vectors.make_session

The match starts from a position a few turns before the end, so that people can read the whole of it. Each line is a
message: ``{"request": PlayRequest}`` from the bot or ``{"update": Update}`` from the server.
"""

from __future__ import annotations

import json
import os
import queue
import random
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import grpc
from google.protobuf.json_format import MessageToDict
from google.protobuf.message import Message
from tests.support.process import ServerProcess

from palio.codec.simulate import simulate
from palio.v1 import game_pb2, match_pb2, match_pb2_grpc, play_pb2, play_pb2_grpc, simulation_pb2

ROOT: Final = Path(__file__).parent.parent.parent
TARGET: Final = ROOT / "docs" / "protocol-session.jsonl"
TURNS_LEFT: Final = 3


def late_position(seed: str) -> game_pb2.Position:
    """A position of Fidelitas for two, so many turns before the end of a game played at random."""
    chooser, request = random.Random(seed), simulation_pb2.ApplyRequest(game="fidelitas", players=2, seed_text=seed)
    positions: list[game_pb2.Position] = []
    while True:
        response = simulate(request)
        if response.HasField("position"):
            positions.append(response.position)
        if not response.HasField("decision"):
            return positions[-TURNS_LEFT]
        request.choices.append(chooser.randrange(len(response.decision.options)))


def play(channel: grpc.Channel) -> Iterator[dict[str, Any]]:
    """Plays one match as the simplest bot does, always the first option; yields what is said."""
    outgoing: queue.SimpleQueue[play_pb2.PlayRequest | None] = queue.SimpleQueue()

    def say(**message: Message) -> dict[str, Any]:
        request = play_pb2.PlayRequest(**message)  # type: ignore[arg-type]
        outgoing.put(request)
        return {"request": MessageToDict(request, preserving_proto_field_name=True)}

    hello = play_pb2.Hello(bot_name="example-bot", protocol_version=1, games=["fidelitas"], max_concurrent_matches=1)
    yield say(hello=hello)
    for response in play_pb2_grpc.PlayServiceStub(channel).Play(iter(outgoing.get, None)):
        for update in response.updates:
            yield {"update": MessageToDict(update, preserving_proto_field_name=True)}
            match update.WhichOneof("message"):
                case "ping":
                    yield say(pong=play_pb2.Pong(nonce=update.ping.nonce))
                case "match_started":
                    yield say(ready=play_pb2.Ready(match_id=update.match_id))
                case "decision":
                    decision_id = update.decision.decision_id
                    yield say(choose=play_pb2.Choose(match_id=update.match_id, decision_id=decision_id, option=0))
                case "match_ended":
                    yield say(leave=play_pb2.Leave())
                case "goodbye":
                    outgoing.put(None)


def record(directory: Path) -> list[dict[str, Any]]:
    """All messages of a session of one match against ``greedy``, on a server of its own."""
    server = ServerProcess(directory)
    environment = os.environ | {"PALIO_SERVER": server.start(), "PALIO_TOKEN": ""}
    command = [sys.executable, "-m", "palio.cli", "bot", "run", "greedy", "--name", "greedy", "--matches", "1"]
    try:
        with subprocess.Popen(command, env=environment) as opponent, grpc.insecure_channel(server.address) as channel:
            request = match_pb2.CreateMatchRequest(
                match_id="example", game="fidelitas", players=["example-bot", "greedy"]
            )
            request.position.CopyFrom(late_position("an example"))
            request.time_control.per_decision.FromSeconds(10)
            match_pb2_grpc.MatchServiceStub(channel).CreateMatch(request)
            said = list(play(channel))
            opponent.wait(timeout=60)
    finally:
        server.kill()
    return said


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as scratch:
        lines = [json.dumps(line) for line in record(Path(scratch))]
    TARGET.write_text("\n".join(lines) + "\n")
