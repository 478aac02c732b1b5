"""The log: readable by programs, bound to matches, and free of secrets."""

from __future__ import annotations

import asyncio
import io
import json
import logging
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import structlog

from palio.server.access.credentials import new_token
from palio.server.logs import about, configure, is_secret
from palio.v1 import game_pb2


@pytest.fixture
def stream() -> Iterator[io.StringIO]:
    """Where the log goes during a test; the settings before are put back."""
    root = logging.getLogger()
    before = structlog.get_config(), root.handlers[:], root.level
    yield io.StringIO()
    structlog.configure(**before[0])
    root.handlers[:], root.level = before[1], before[2]


def lines(stream: io.StringIO) -> list[dict[str, Any]]:
    return [json.loads(line) for line in stream.getvalue().splitlines()]


def test_json_lines(stream: io.StringIO) -> None:
    configure("json", "info", stream)
    structlog.get_logger().info("match.started", players=["alice", "bob"], path=Path("/x"), ratio=0.5)
    (line,) = lines(stream)
    assert line.pop("timestamp").endswith("Z")
    assert line == {
        "event": "match.started",
        "level": "info",
        "players": ["alice", "bob"],
        "path": "/x",
        "ratio": 0.5,
    }


def test_console_lines_are_plain_text_off_a_terminal(stream: io.StringIO) -> None:
    configure("console", "info", stream)
    structlog.get_logger().info("match.started", match="m1")
    assert "match.started" in stream.getvalue()
    assert "match=m1" in stream.getvalue()
    assert "\x1b" not in stream.getvalue()


@pytest.mark.parametrize(("level", "seen"), [("debug", 4), ("info", 3), ("warning", 2), ("error", 1)])
def test_the_level_leaves_out_what_is_less_important(stream: io.StringIO, level: Any, seen: int) -> None:
    configure("json", level, stream)
    log = structlog.get_logger()
    log.debug("a")
    log.info("b")
    log.warning("c")
    log.error("d")
    assert len(lines(stream)) == seen


def test_the_standard_librarys_logging_comes_out_the_same_way(stream: io.StringIO) -> None:
    configure("json", "info", stream)
    logging.getLogger("grpc").warning("port %s is busy: %s", 7654, new_token().text)
    (line,) = lines(stream)
    assert (line["level"], line["logger"]) == ("warning", "grpc")
    assert line["event"].startswith("port 7654 is busy: palio_")
    assert line["event"].endswith("_***")


async def test_facts_follow_the_task_that_bound_them(stream: io.StringIO) -> None:
    configure("json", "info", stream)
    log = structlog.get_logger()

    async def play(match: str, seat: int) -> None:
        with about(match=match, seat=seat):
            await asyncio.sleep(0)
            log.info("played")

    await asyncio.gather(play("m1", 0), play("m2", 1))
    log.info("idle")
    assert [(line.get("match"), line.get("seat")) for line in lines(stream)] == [("m1", 0), ("m2", 1), (None, None)]


@pytest.mark.parametrize(
    "key",
    [
        "token", "tokens", "bearer_token", "authorization", "Authorization", "seed", "match_seed", "hand", "hands",
        "ownHand", "missio", "deck", "virtus_deck", "entropy", "password", "client_secret", "observation", "position",
    ],
)  # fmt: skip
def test_keys_of_secrets(key: str) -> None:
    assert is_secret(key)


@pytest.mark.parametrize(
    "key", ["token_id", "credential_id", "seed_commitment", "match", "seat", "player", "choices", "handler", "seeded"]
)
def test_keys_of_what_is_public(key: str) -> None:
    assert not is_secret(key)


def test_secrets_are_dropped_wherever_they_stand(stream: io.StringIO) -> None:
    configure("json", "debug", stream)
    canary = "c4n4ry"
    message = game_pb2.Position()
    with about(token=canary):
        structlog.get_logger().info(
            "call",
            metadata={"authorization": canary, "deeper": [{"seed": canary, "kept": 1}]},
            message=message,
            raw=canary.encode(),
            deep=[[[[[[canary]]]]]],
            token_id="abc",
        )
    assert canary not in stream.getvalue()
    (line,) = lines(stream)
    assert line["metadata"] == {"deeper": [{"kept": 1}]}
    assert (line["message"], line["raw"], line["token_id"]) == ("<Position>", "<bytes>", "abc")


@pytest.mark.parametrize("style", ["json", "console"])
def test_exceptions_show_no_local_variables_and_no_tokens(stream: io.StringIO, style: Any) -> None:
    configure(style, "info", stream)
    token = new_token().text

    def fail() -> None:
        hidden_cards = "c4n4" + "ry"
        raise ValueError(f"refused {token} " + str(len(hidden_cards)))

    try:
        fail()
    except ValueError as error:
        structlog.get_logger().exception("failed")
        structlog.get_logger().error("failed", reason=error)
    assert "ValueError: refused palio_" in stream.getvalue()
    assert "c4n4ry" not in stream.getvalue()
    assert token not in stream.getvalue()
