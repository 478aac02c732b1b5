"""What is demanded of a bot, and how trying it came out."""

from __future__ import annotations

import enum
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, TypeAlias

if TYPE_CHECKING:
    from palio.conformance.stage import Stage


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


Play: TypeAlias = "Callable[[Stage], Awaitable[str | None]]"
"""What a scenario does. It judges its obligations one after another; where it returns a text instead, its only (or
last) obligation holds and the text says what was seen."""


@dataclass(frozen=True, slots=True)
class Scenario:
    """A script that tries one or more obligations with a freshly started program.

    Attributes:
        obligations: in the order in which they are judged. If the script cannot go on, the first that has no verdict
            yet is broken, and the rest could not be tried.
        needs: obligations without which this makes no sense; where one is broken, these are not tried.
    """

    play: Play
    obligations: tuple[Obligation, ...]
    needs: tuple[Obligation, ...]


SCENARIOS: Final[list[Scenario]] = []
"""All of them, in the order of their definition; filled by importing :mod:`palio.conformance.scenarios`."""


def scenario(*obligations: Obligation, needs: tuple[Obligation, ...] = ()) -> Callable[[Play], Play]:
    """Register the decorated script."""

    def register(play: Play) -> Play:
        SCENARIOS.append(Scenario(play, obligations, needs))
        return play

    return register
