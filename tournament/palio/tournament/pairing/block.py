"""Blocks: one deal in all its seatings, the unit of scheduling and of statistics."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import permutations
from typing import Final, Literal

from palio.engine.chance import seed_from_text
from palio.engine.errors import InvalidSetup

SeatingMode = Literal["auto", "all", "rotations", "single"]
SEATING_MODES: Final[tuple[SeatingMode, ...]] = ("auto", "all", "rotations", "single")
MAX_SEATS: Final = 5


@dataclass(frozen=True, slots=True)
class Entry:
    """Who competes: a player, or a pair of players that sit opposite each other (perhaps the same one twice).

    Attributes:
        name: unique within the tournament.
        players: one name, or two for a pair.
    """

    name: str
    players: tuple[str, ...]


def entries_of(names: Sequence[str]) -> tuple[Entry, ...]:
    """Every player competes for itself."""
    return tuple(Entry(name, (name,)) for name in names)


@dataclass(frozen=True, slots=True)
class Block:
    """One deal, to be played once in each of its seatings.

    Attributes:
        index: unique within the tournament, ascending in the order of the schedule.
        deal: number of the deal (see :func:`deal_seed_text`).
        players: names in the order of the first seating.
        entries: names of the competing entries.
        entry_of: for each of ``players`` the index of its entry in ``entries``.
        permutations: for each seating, the position in ``players`` that sits in each seat.
        round: for display, from 1.
    """

    index: int
    deal: int
    players: tuple[str, ...]
    entries: tuple[str, ...]
    entry_of: tuple[int, ...]
    permutations: tuple[tuple[int, ...], ...]
    round: int = 1

    @property
    def seatings(self) -> tuple[tuple[str, ...], ...]:
        """For each seating the names by seat."""
        return tuple(tuple(self.players[at] for at in order) for order in self.permutations)


@dataclass(frozen=True, slots=True)
class Table:
    """How a game is sat down to.

    Attributes:
        seats: seats of a match, 1 to 5.
        mode: ``auto`` is all k! seatings for 2 and 3 seats, the k rotations for 4 and 5; ``all`` is k! up to 4;
            ``rotations`` is k; ``single`` is one seating per deal (no duplicates), which turns from block to block.
        teams: four seats, 0 and 2 against 1 and 3. ``all`` then means the 8 seatings that keep partners opposite.

    Raises:
        InvalidSetup: seats, mode or teams that do not fit.
    """

    seats: int
    mode: SeatingMode = "auto"
    teams: bool = False

    def __post_init__(self) -> None:
        if not 1 <= self.seats <= MAX_SEATS:
            raise InvalidSetup("players", f"{self.seats} seats; allowed are 1 to {MAX_SEATS}")
        if self.mode not in SEATING_MODES:
            raise InvalidSetup("seatings", f"unknown mode {self.mode!r}; allowed are {', '.join(SEATING_MODES)}")
        if self.teams and self.seats != 4:
            raise InvalidSetup("teams", f"teams need 4 seats, not {self.seats}")
        if self.mode == "all" and self.seats > 4:
            raise InvalidSetup("seatings", "all 120 seatings of 5 seats are too many; use rotations")

    @property
    def entries_per_block(self) -> int:
        """How many entries meet in one block: 2 pairs, or one player for each seat."""
        return 2 if self.teams else self.seats

    @property
    def seatings_per_block(self) -> int:
        """How many games a block has."""
        return len(self.permutations(0))

    def permutations(self, turn: int) -> tuple[tuple[int, ...], ...]:
        """For each seating, the position that sits in each seat.

        Args:
            turn: number of the block; only ``single`` uses it, to give every position every seat in turn.
        """
        rotations = tuple(
            tuple((seat + shift) % self.seats for seat in range(self.seats)) for shift in range(self.seats)
        )
        if self.mode == "single":
            return (rotations[turn % self.seats],)
        if self.mode == "all" and self.teams:
            return rotations + tuple(tuple(reversed(order)) for order in rotations)
        if self.mode == "all" or (self.mode == "auto" and self.seats <= 3):
            return tuple(permutations(range(self.seats)))
        return rotations

    def block(
        self, index: int, deal: int, entries: Sequence[Entry], round_number: int = 1, turn: int | None = None
    ) -> Block:
        """The block in which these entries meet.

        Args:
            turn: how many blocks the same entries played before (for ``single``); the index if not given.

        Raises:
            InvalidSetup: the wrong number of entries, or entries of the wrong size.
        """
        if len(entries) != self.entries_per_block:
            raise InvalidSetup("bots", f"{len(entries)} entries in a block of {self.entries_per_block}")
        size = 2 if self.teams else 1
        for entry in entries:
            if len(entry.players) != size:
                raise InvalidSetup("bots", f"entry {entry.name!r} has {len(entry.players)} players; it needs {size}")
        order = tuple((at, member) for member in range(size) for at in range(len(entries)))
        return Block(
            index=index,
            deal=deal,
            players=tuple(entries[at].players[member] for at, member in order),
            entries=tuple(entry.name for entry in entries),
            entry_of=tuple(at for at, _ in order),
            permutations=self.permutations(index if turn is None else turn),
            round=round_number,
        )

    def partners_block(self, index: int, deal: int, players: Sequence[str], round_number: int, turn: int) -> Block:
        """A block of four single players, of whom positions 0 and 2 are partners against 1 and 3.

        Raises:
            InvalidSetup: this table has no teams, or not four players.
        """
        if not self.teams or len(players) != 4:
            raise InvalidSetup("teams", "changing partners need a table with teams and four players")
        return Block(index, deal, tuple(players), tuple(players), (0, 1, 2, 3), self.permutations(turn), round_number)


def deal_seed_text(tournament_seed: str, deal: int) -> str:
    """The seed of a deal as text: ``SEED/deal/NUMBER``. Given to ``palio rules options --seed`` it shows the deal."""
    return f"{tournament_seed}/deal/{deal}"


def deal_seed(tournament_seed: str, deal: int) -> bytes:
    """The 32-byte match seed of a deal: SHA-256 of the UTF-8 bytes of :func:`deal_seed_text`.

    It depends on nothing else, so all seatings of a block, and all blocks with the same deal number, are duplicates.
    """
    return seed_from_text(deal_seed_text(tournament_seed, deal))
