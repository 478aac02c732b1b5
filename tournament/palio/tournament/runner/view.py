"""What a running tournament tells whoever looks at it."""

from __future__ import annotations

import itertools
import time
from collections import deque
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Final

from palio.tournament.ledger import Entry
from palio.tournament.pairing import Director

_RECENT: Final = 5
_RATE_WINDOW: Final = 60.0


@dataclass
class View:
    """Keeps what is worth showing; subclasses show it.

    Attributes:
        games: rated games in the ledger.
        new_games: those of this run.
        blocks: complete blocks.
        running, waiting: matches.
        recent: the last results, newest last.
        remarks: the last remarks, newest last.
        doing: what goes on before the first match.
        withdrawn_bots: names.
    """

    director: Director | None = None
    games: int = 0
    new_games: int = 0
    blocks: int = 0
    voids: int = 0
    running: int = 0
    waiting: int = 0
    recent: deque[Entry] = field(default_factory=lambda: deque(maxlen=_RECENT))
    remarks: deque[str] = field(default_factory=lambda: deque(maxlen=_RECENT))
    doing: str = ""
    withdrawn_bots: set[str] = field(default_factory=set)
    _ends: deque[float] = field(default_factory=deque)
    _first: float | None = None

    # --- told by the run ---

    def begin(self, director: Director, entries: Iterable[Entry], withdrawn: Collection[str]) -> None:
        """Where the tournament stands at the start."""
        self.director = director
        self.games = sum(entry.rated for entry in entries)
        self.blocks = len(director.results)
        self.withdrawn_bots = set(withdrawn)

    def now(self, running: int, waiting: int) -> None:
        """How many matches run, and how many of those that could be played wait."""
        if self._first is None and running:
            self._first = time.monotonic()
            self.doing = ""
        self.running, self.waiting = running, waiting

    def say(self, text: str) -> None:
        """Something that people may want to know."""
        self.remarks.append(text)

    def do(self, text: str) -> None:
        """What is being done, worth knowing until the first match runs."""
        self.doing = text

    def invite(self, text: str) -> None:
        """Something that somebody has to copy."""
        self.say(text)

    def incident(self, what: str, tail: Sequence[str]) -> None:
        """A bot's process ended."""
        last = f": {tail[-1]}" if tail else ""
        self.say(f"{what}{last}")

    def withdrawn(self, bot: str, reason: str) -> None:
        """A bot takes no further part."""
        self.withdrawn_bots.add(bot)
        self.say(f"{bot} is withdrawn: it {reason}")

    def entered(self, entry: Entry, *, block_complete: bool) -> None:
        """A match is over and recorded."""
        if not entry.rated:
            self.voids += 1
            self.say(f"match {entry.match_id} is void: {entry.void_reason}")
            return
        self.games += 1
        self.new_games += 1
        self.blocks += block_complete
        self.recent.append(entry)
        now = time.monotonic()
        self._ends.append(now)
        while self._ends[0] < now - _RATE_WINDOW:
            self._ends.popleft()

    # --- for showing ---

    @property
    def expected_games(self) -> int:
        """Games in all; an upper bound where results decide."""
        if self.director is None:
            return 0
        known = self.director.known
        if self.director.format.static:
            return sum(len(block.permutations) for block in known.values())
        per_block = max((len(block.permutations) for block in known.values()), default=1)
        return max(self.director.format.expected_blocks, len(known)) * per_block

    @property
    def rate(self) -> float:
        """Games per second, over the last minute."""
        if len(self._ends) < 2 or self._first is None:
            return 0.0
        span = min(time.monotonic() - self._first, _RATE_WINDOW)
        return len(self._ends) / span if span > 0 else 0.0

    @property
    def eta(self) -> float | None:
        """Seconds to the end, if it goes on like this."""
        return (self.expected_games - self.games) / self.rate if self.rate else None


def result_text(entry: Entry) -> str:
    """A result with the points: "greedy 23 > random 11 = novice 11 (forfeit time)"."""
    seats = sorted(entry.seats, key=lambda seat: seat.rank)
    parts = [
        f"{seat.player} {seat.points:g}"
        + ("" if seat.termination == "FINISHED" else f" ({seat.termination.lower().replace('_', ' ')})")
        for seat in seats
    ]
    between = [" = " if a.rank == b.rank else " > " for a, b in itertools.pairwise(seats)]
    return "".join(a + b for a, b in zip(parts, [*between, ""], strict=True))
