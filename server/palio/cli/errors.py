"""What a user reads, and what the shell sees, when a command cannot do what it was asked."""

from __future__ import annotations

import os
import traceback
from typing import Final, NamedTuple

FAILED: Final = 1
BAD_USAGE: Final = 2
INTERRUPTED: Final = 130


class CommandFailed(Exception):
    """A command has to give up, for a reason that its user should read. Exit code 1."""


class BadUsage(Exception):
    """What the user gave cannot be used; the message names the argument and the allowed values. Exit code 2."""


class Failure(NamedTuple):
    """The end of a command that failed.

    Attributes:
        code: exit code.
        text: for stderr, without a traceback unless ``PALIO_DEBUG`` is set.
    """

    code: int
    text: str


def explain(error: Exception) -> Failure:
    """The one table of exit codes: bad input is 2, everything else that fails is 1."""
    failure = _explain(error)
    if os.environ.get("PALIO_DEBUG"):
        return Failure(failure.code, f"{failure.text}\n{''.join(traceback.format_exception(error)).rstrip()}")
    return failure


def _explain(error: Exception) -> Failure:
    if isinstance(error, BadUsage):
        return Failure(BAD_USAGE, str(error))
    if isinstance(error, CommandFailed):
        return Failure(FAILED, str(error))
    if isinstance(error, OSError):
        return Failure(FAILED, f"{error.filename}: {error.strerror}" if error.filename else str(error))
    return _explain_other(error)


def _explain_other(error: Exception) -> Failure:
    # Imported here: a command that succeeds need not pay for it.
    from palio.codec.status import InvalidRequest, NotFound, PalioError, ServiceError
    from palio.engine.errors import GameError
    from palio.files.database import DatabaseUnusable
    from palio.files.settings import ConfigError

    match error:
        case GameError() | ConfigError():
            return Failure(BAD_USAGE, str(error))
        case DatabaseUnusable():
            return Failure(FAILED, str(error))
        case ServiceError():
            code = BAD_USAGE if isinstance(error, InvalidRequest | NotFound) else FAILED
            return Failure(code, f"{error.field}: {error}" if error.field else str(error))
        case PalioError():
            return Failure(FAILED, f"{error.field}: {error}" if error.field else str(error))
    kind = type(error).__name__
    return Failure(FAILED, f"internal error, please report it ({kind}: {error}); PALIO_DEBUG=1 shows where")
