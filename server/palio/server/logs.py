"""What the server writes about itself: one line an event on stderr, for people or as JSON.

Nothing secret gets out: keys that name a secret are dropped, tokens inside texts are masked, and values that are no
plain data (messages, game states) are replaced by the name of their type.
"""

from __future__ import annotations

import io
import logging
import re
import sys
import traceback
from collections.abc import Mapping
from contextlib import AbstractContextManager, suppress
from pathlib import Path
from typing import Any, Final, Literal, TextIO, cast

import structlog
from structlog.contextvars import bound_contextvars
from structlog.typing import EventDict, Processor, WrappedLogger

SECRET_WORDS: Final = frozenset(
    {
        *("authorization", "cookie", "entropy", "password", "secret", "seed", "seeds", "token", "tokens"),
        *("deck", "hand", "hands", "missio", "observation", "option", "options", "position", "stolen", "student"),
    }
)
"""A key that has one of these among its words (``match_seed``, ``ownHand``) is dropped ..."""

SAFE_KEYS: Final = frozenset({"token_id", "seed_commitment"})
"""... except these, which are public."""

_WORDS: Final = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|[0-9]+")
_TOKEN: Final = re.compile(r"palio_([a-z2-7]+)_[A-Za-z0-9_-]+")
_DEEPEST: Final = 4
_LONGEST: Final = 2000
_MANY_LINES: Final = frozenset({"exception", "stack"})


class Unfailing(io.TextIOBase):
    """A stream that loses what cannot be written: a full disk below the log is no reason to lose a match."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream

    def write(self, text: str) -> int:
        with suppress(OSError, ValueError):
            return self._stream.write(text)
        return len(text)

    def flush(self) -> None:
        with suppress(OSError, ValueError):
            self._stream.flush()

    def isatty(self) -> bool:
        return self._stream.isatty()


def configure(
    format: Literal["console", "json"] = "console",  # noqa: A002 (the name in palio.toml)
    level: Literal["debug", "info", "warning", "error"] = "info",
    stream: TextIO | None = None,
    worker: int | None = None,
) -> None:
    """Set up structlog, and the standard library's logging (grpc, asyncio) to come out the same way.

    Args:
        format: lines for people, or one JSON object a line.
        level: anything less important is left out.
        stream: where to write; ``None`` means stderr.
        worker: which of several this process is; every line bears it.
    """

    def add_worker(_logger: WrappedLogger, _method: str, event: EventDict) -> EventDict:
        return event if worker is None else {"worker": worker, **event}

    out = cast(TextIO, Unfailing(stream or sys.stderr))
    shared: list[Processor] = [
        structlog.contextvars.merge_contextvars,
        add_worker,
        structlog.processors.add_log_level,
        structlog.processors.TimeStamper(fmt="iso", utc=True),
        structlog.processors.StackInfoRenderer(),
        # Tracebacks as text: the richer formats show local variables, hidden cards among them.
        structlog.processors.format_exc_info,
        drop_secrets,
    ]
    renderer: Processor = (
        structlog.processors.JSONRenderer(ensure_ascii=False)
        if format == "json"
        else structlog.dev.ConsoleRenderer(colors=out.isatty(), pad_event_to=24)
    )
    number = logging.getLevelNamesMapping()[level.upper()]
    structlog.configure(
        processors=[*shared, renderer],
        wrapper_class=structlog.make_filtering_bound_logger(number),
        logger_factory=structlog.WriteLoggerFactory(file=out),
    )
    handler = logging.StreamHandler(out)
    handler.setFormatter(
        structlog.stdlib.ProcessorFormatter(
            foreign_pre_chain=[structlog.stdlib.add_logger_name, *shared],
            processors=[structlog.stdlib.ProcessorFormatter.remove_processors_meta, renderer],
        )
    )
    logging.basicConfig(handlers=[handler], level=max(number, logging.INFO), force=True)
    # What it does at a first start is a dozen lines that tell an operator nothing.
    logging.getLogger("alembic").setLevel(logging.WARNING)


def outline(error: BaseException) -> str:
    """Where an error came from, without its text, for errors whose text may name what is secret."""
    return "".join(traceback.format_tb(error.__traceback__))


def about(**facts: str | int) -> AbstractContextManager[Any]:
    """While it lasts, every line bears these facts: ``with about(match="m1", seat=0, player="alice"):``.

    They follow the task that they were bound in (context variables) and end with the block.
    """
    return bound_contextvars(**facts)


def drop_secrets(logger: WrappedLogger, method: str, event: EventDict) -> EventDict:  # noqa: ARG001 (structlog's)
    """A structlog processor: leaves only what anybody who reads the log may know."""
    return {
        key: _TOKEN.sub(r"palio_\1_***", value) if key in _MANY_LINES else _plain(value, 0)
        for key, value in event.items()
        if not is_secret(key)
    }


def is_secret(key: str) -> bool:
    """Whether a key's name says that its value is secret."""
    return key not in SAFE_KEYS and any(word.lower() in SECRET_WORDS for word in _WORDS.findall(key))


def _one_line(text: str) -> str:
    """A text that others may have written, such that it can neither forge lines of a log nor fill it."""
    if len(text) > _LONGEST:
        text = f"{text[:_LONGEST]}... ({len(text)} characters)"
    return text if text.isprintable() else "".join(c if c.isprintable() else repr(c)[1:-1] for c in text)


def _plain(value: object, depth: int) -> object:
    match value:
        case None | bool() | int() | float():
            return value
        case str():
            return _one_line(_TOKEN.sub(r"palio_\1_***", value))
        case Path():
            return _one_line(str(value))
        case Mapping() if depth < _DEEPEST:
            return {str(key): _plain(inner, depth + 1) for key, inner in value.items() if not is_secret(str(key))}
        case list() | tuple() | set() | frozenset() if depth < _DEEPEST:
            return [_plain(inner, depth + 1) for inner in value]
        case BaseException():
            return _one_line(_TOKEN.sub(r"palio_\1_***", f"{type(value).__name__}: {value}"))
    return f"<{type(value).__name__}>"
