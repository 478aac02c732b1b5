"""How many matches to play at once where the tournament file does not say. Pure: no input or output, no clock."""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Collection, Mapping
from typing import Final, NamedTuple

from palio.server.config import TimeControlSettings
from palio.tournament.ledger import Entry

AT_ONCE: Final = 64
"""Matches at once where no bot thinks to speak of. More bring little: the server's one core is full by then."""
QUICK: Final = 0.002
"""Processor seconds a decision up to which a bot does not think to speak of."""
SLOW: Final = 0.004
"""Processor seconds a decision from which on it does; apart from QUICK, so that nothing goes to and fro."""
LEAST_CLOCK: Final = 1.0
"""Seconds for a decision that a clock has to give. Below, waiting for the others would be felt."""
BANKED: Final = 100
"""Decisions that a bank of time is taken to be for."""
_ENOUGH: Final = 200
_LOOKED_BACK: Final = 1000
_ARREARS: Final = 3.0


class _Mark(NamedTuple):
    """What a bot has used, in processor seconds, and decided so far."""

    used: float
    decided: int


class Pace:
    """Watches what the bots' decisions cost, and says how many matches may run at once.

    As many as there are cores, since a bot whose clock runs is to have a core. But a bot that answers within a
    millisecond or two leaves its core idle while messages are on their way, and gains nothing from having it for
    itself: as long as *all* bots are known to be like that, there are :data:`AT_ONCE` matches. What counts is processor
    time, which does not depend on how many matches run.

    Args:
        bots: names of those that have processes here. Of others nobody knows where they think.
        others: whether there are others.
        clock: what the bots may take.
        cores: of this machine.

    Attributes:
        window: matches at once.
    """

    def __init__(self, bots: Collection[str], *, others: bool, clock: TimeControlSettings, cores: int) -> None:
        self._cores = cores
        self._marks: dict[str, deque[_Mark]] = {name: deque() for name in bots}
        self._decided: Counter[str] = Counter()
        self._fixed = others or seconds_of(clock) < LEAST_CLOCK or cores >= AT_ONCE
        self.window = cores

    def played(self, entry: Entry) -> None:
        """A match is over."""
        for seat in entry.seats:
            self._decided[seat.player] += seat.decisions

    def crashed(self) -> None:
        """A bot crashed and loses what it was playing: from now on that is no more than it need be."""
        self._fixed = True
        self.window = self._cores

    def look(self, used: Mapping[str, float], withdrawn: Collection[str] = ()) -> str:
        """Take in what the bots' processes have used since they started, in processor seconds.

        Returns:
            What changes, for people; empty if nothing does.
        """
        if self._fixed:
            return ""
        for name, marks in self._marks.items():
            if name in used:
                self._mark(marks, _Mark(used[name], self._decided[name]))
        playing = {name: marks for name, marks in self._marks.items() if name not in withdrawn}
        if self.window == self._cores:
            if all(map(_quick, playing.values())):
                self.window = AT_ONCE
                return f"no bot needs more than {1000 * QUICK:g} ms a decision: {AT_ONCE} matches at once"
        elif slow := [name for name, marks in playing.items() if _slow(marks)]:
            self.window = self._cores
            return f"{', '.join(slow)} needs more than {1000 * SLOW:g} ms a decision: {self._cores} matches at once"
        return ""

    def _mark(self, marks: deque[_Mark], mark: _Mark) -> None:
        if marks and mark.used < marks[-1].used:  # one of its processes is another one than before
            marks.clear()
        marks.append(mark)
        while len(marks) > 2 and mark.decided - marks[1].decided >= _LOOKED_BACK:
            marks.popleft()


def seconds_of(clock: TimeControlSettings) -> float:
    """What a clock gives for one decision."""
    banked = clock.bank / BANKED + clock.increment if clock.bank is not None else clock.idle_limit
    return min(banked, clock.per_decision if clock.per_decision is not None else banked)


def _since(marks: deque[_Mark]) -> _Mark:
    return _Mark(marks[-1].used - marks[0].used, marks[-1].decided - marks[0].decided)


def _quick(marks: deque[_Mark]) -> bool:
    if not marks:
        return False
    used, decided = _since(marks)
    return decided >= _ENOUGH and used <= QUICK * decided


def _slow(marks: deque[_Mark]) -> bool:
    """Decisions are counted when their match is over, so a bot may be in arrears with them."""
    used, decided = _since(marks)
    return used > SLOW * decided + _ARREARS
