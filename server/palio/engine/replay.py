"""The record of a match, independent of any file format, and its check by re-execution."""

from __future__ import annotations

import hashlib
import struct
from collections.abc import Iterable
from dataclasses import dataclass, field

from palio.engine.chance import commitment
from palio.engine.errors import GameError
from palio.engine.game import Opaque, Option, Outcome, Rules, State


@dataclass(frozen=True, slots=True)
class Step:
    """One choice of a seat.

    Attributes:
        seat: who chose.
        decision_id: 1, 2, 3 ... per seat.
        option: index that was chosen.
        offered: how many options there were.
        signals: team talk since the choice before, as (seat, words).
    """

    seat: int
    decision_id: int
    option: int
    offered: int
    signals: tuple[tuple[int, Opaque], ...] = ()


class DigestChain:
    """A running SHA-256 over the choices of a match: equal digests mean equal matches.

    Each link hashes the previous digest with the choice's numbers and the chosen option as text, so that a rules
    change which gives the same index another meaning is noticed.
    """

    __slots__ = ("_digest", "_ids")

    def __init__(self, head: str, seats: int) -> None:
        self._digest = hashlib.sha256(b"palio-replay" + head.encode()).digest()
        self._ids = [0] * seats

    def next_id(self, seat: int) -> int:
        """The decision_id that the next choice of that seat has."""
        return self._ids[seat] + 1

    def add(self, seat: int, index: int, offered: int, option: Option) -> None:
        self._ids[seat] += 1
        numbers = struct.pack(">4I", seat, self._ids[seat], index, offered)
        self._digest = hashlib.sha256(self._digest + numbers + repr(option).encode()).digest()

    def hexdigest(self) -> str:
        return self._digest.hex()


@dataclass(slots=True)
class Execution:
    """A match played again from its record.

    Attributes:
        state: where the record's choices lead.
        digest: hexadecimal digest of the chain.
        difference: the first thing that does not fit, or ``None``.
    """

    state: State
    digest: str
    difference: str | None = None
    outcome: Outcome | None = field(default=None)


def execute(state: State, head: str, steps: Iterable[Step]) -> Execution:
    """Play the recorded choices from ``state`` (which is changed) and report the first difference, if any.

    Args:
        head: the head of the digest chain (see :func:`chain_head`).
    """
    chain = DigestChain(head, state.players)
    for number, step in enumerate(steps, 1):
        difference = _apply(state, chain, number, step)
        if difference is not None:
            return Execution(state, chain.hexdigest(), difference)
    return Execution(state, chain.hexdigest(), None, state.outcome())


def _apply(state: State, chain: DigestChain, number: int, step: Step) -> str | None:
    for seat, words in step.signals:
        try:
            state.signal(seat, words)
        except GameError as error:
            return f"choice {number}: the signal of seat {seat} is refused: {error}"
    decision = state.decision()
    if decision is None:
        return f"choice {number}: the game is over already"
    if decision.seat != step.seat:
        return f"choice {number}: made by seat {step.seat}, but seat {decision.seat} is asked"
    if chain.next_id(step.seat) != step.decision_id:
        return f"choice {number}: decision_id {step.decision_id}, expected {chain.next_id(step.seat)}"
    if len(decision.options) != step.offered:
        return f"choice {number}: {step.offered} options recorded, {len(decision.options)} offered by the rules"
    if not 0 <= step.option < step.offered:
        return f"choice {number}: option {step.option} is not one of the {step.offered} offered"
    option = decision.options[step.option]
    state.choose(step.option)
    chain.add(step.seat, step.option, step.offered, option)
    return None


def chain_head(rules: Rules, players: int, seed_commitment: str, setup: bytes) -> str:
    """What the digest chain starts from.

    Args:
        setup: whatever else fixes the match, serialised: its options and where it starts.
    """
    fixed = hashlib.sha256(setup).hexdigest()
    return f"{rules.game_id}/{rules.version}/{players}/{seed_commitment}/{fixed}"


def seed_matches(seed: bytes, seed_commitment: str) -> bool:
    """Whether the revealed seed is the one that was committed to."""
    return commitment(seed) == seed_commitment
