"""What is demanded of a bot, and how trying it came out."""

from __future__ import annotations

import enum
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Obligation:
    """One thing that a bot has to do.

    Attributes:
        id: ``O-01`` ...; never given to another obligation.
        title: what it does, with the bot as the subject left out: "answers a Ping with its nonce".
        tried: what the server does to find out.
        expected: what it has to see.
        mend: how to make a bot hold it.
    """

    id: str
    title: str
    tried: str
    expected: str
    mend: str


class Status(enum.Enum):
    """How an obligation came out."""

    HELD = "held"
    BROKEN = "broken"
    NOT_TRIED = "not tried"


@dataclass(frozen=True, slots=True)
class Verdict:
    """How one obligation came out.

    Attributes:
        seen: what the bot did; for one that was not tried, why not.
    """

    obligation: Obligation
    status: Status
    seen: str


class Missing(Exception):
    """Something that had to come did not; the message says what came instead."""
