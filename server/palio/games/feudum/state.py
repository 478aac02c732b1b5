"""The state of a game: flat lists of small integers, and a stack of small tuples for what is under way.

Nothing here knows a rule. Tables by player and something else are flat: ``goods[5 * player + good]``. Lists whose
length changes are tuples inside a list, so that a copy of the outer list is a copy of everything.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final, Self, TypeAlias

from palio.engine.game import Event

Frame: TypeAlias = tuple[Any, ...]
"""A step or a question under way: its name first, then small integers; a question's second item is the seat asked.
Frames hold nothing hidden, so that views may show them."""

SETUP, TURNS, ROUND_END, OVER = range(4)
PHASES: Final = ("SETUP", "TURNS", "ROUND_END", "OVER")

FIELDS: Final = (
    "active",
    "advanced",
    "bank",
    "barn",
    "barrel",
    "bead",
    "beads",
    "card",
    "chickens",
    "coffer",
    "deck",
    "dirty",
    "discard",
    "discs",
    "docks",
    "doing",
    "drawn",
    "earned",
    "engaged",
    "epoch",
    "feudums",
    "fists",
    "goods",
    "guild_of",
    "hands",
    "haversack",
    "hidden",
    "kind",
    "krows",
    "left",
    "log",
    "markers",
    "military",
    "moves",
    "n",
    "offered",
    "pawn_at",
    "pawn_char",
    "pawn_wine",
    "phase",
    "place",
    "pool",
    "purse",
    "reserve",
    "right",
    "rosary",
    "round",
    "rows",
    "ruler",
    "sale",
    "scores",
    "scrolls",
    "seals",
    "seed",
    "serf",
    "shillings",
    "stack",
    "stars",
    "starter",
    "stock",
    "stores",
    "streams",
    "subject",
    "successes",
    "tracks",
    "turn_no",
    "turns",
    "unfed",
    "used",
    "vessels",
    "voyage",
    "waiting",
)
"""All that a :class:`Table` consists of, by name."""


class Table:
    """Everything on and around the table.

    Attributes (n players, c colours, ids of locations from 1):
        n, advanced, seed: fixed for the match.
        phase, round, turn_no, place, epoch: where the game is; ``place`` counts the turn's players from the starter.
        starter, active: seats; ``active`` is the player on turn.
        turns: public counter of finished turns.
        streams: numbers taken from each chance stream.
        goods (5n), barrel, shillings, markers, pool, beads, seals, vessels (3n), hands: personal; ``seals`` hold
            values that nobody knows, oldest first; ``beads`` are public.
        used, engaged: bit masks of this round's action cards and guilds; ``moves``: MOVE actions of this round.
        successes, military, voyage, scores: per player; ``earned`` (16n): points by reason.
        pawn_char, pawn_at, pawn_wine (3n): character or -1, location or 0, carries sulfur.
        kind, guild_of, ruler, subject, serf (23), stock (115): locations; -1 for none; goods as ``5 * id + good``.
        tracks, waiting: per guild tuples of seats; ``right``, ``left``: owner of the reeve or -1.
        stars (6n): ``stars[guild * n + player]`` as of the last settlement.
        barn, chickens, rows, stores, sale, krows (c), scrolls (6 values, 0 empty), rosary, purse, coffer: the guilds.
        haversack, bank, reserve (c markers), discs (values, next first), docks (vessels), feudums: general supply.
        deck (top first), discard: writs.
        drawn, fists, hidden, bead, doing, card: under way: cards drawn, (low, high) beads, how they are hidden or -1,
            the chosen bead or 0, (guild, function, host or -1), the writ being played or -1.
        unfed: bit mask of pawns that will leave.
        dirty: a settlement is due.
        stack: frames, the next one last; ``offered``: options of the pending question.
        log: events since the last call, ``None`` where nobody listens.
    """

    __slots__ = FIELDS

    def __init__(self, seed: bytes, n: int, advanced: bool, colours: int, original: Table | None = None) -> None:
        """
        Args:
            original: the table to copy; ``None`` for an empty one.
        """
        if original is not None:
            self._copy(original)
            return
        self.seed = seed
        self.n = n
        self.advanced = advanced
        self.phase = SETUP
        self.round = self.turn_no = self.epoch = 1
        self.place = self.starter = self.active = self.turns = 0
        self.bank = self.purse = self.coffer = 0
        self.bead = self.unfed = 0
        self.hidden = self.card = -1
        self.dirty = False
        self.streams = [0] * 7
        self.goods = [0] * (5 * n)
        self.barrel = [0] * n
        self.shillings = [0] * n
        self.markers = [0] * n
        self.pool = [0] * n
        self.vessels = [0] * (3 * n)
        self.used = [0] * n
        self.engaged = [0] * n
        self.moves = [0] * n
        self.successes = [0] * n
        self.military = [0] * n
        self.voyage = [0] * n
        self.scores = [0] * n
        self.earned = [0] * (16 * n)
        self.beads: list[tuple[int, ...]] = [()] * n
        self.seals: list[tuple[int, ...]] = [()] * n
        self.hands: list[tuple[int, ...]] = [()] * n
        self.pawn_char = [-1] * (3 * n)
        self.pawn_at = [0] * (3 * n)
        self.pawn_wine = [0] * (3 * n)
        self.kind = [-1] * 23
        self.guild_of = [-1] * 23
        self.ruler = [-1] * 23
        self.subject = [0] * 23
        self.serf = [-1] * 23
        self.stock = [0] * 115
        self.tracks: list[tuple[int, ...]] = [()] * 6
        self.waiting: list[tuple[int, ...]] = [()] * 6
        self.right = [-1] * 6
        self.left = [-1] * 6
        self.stars = [0] * (6 * n)
        self.barn = [0] * 5
        self.rows = [0] * 5
        self.stores = [0] * 5
        self.sale = [0] * 3
        self.krows = [0] * colours
        self.scrolls = [0] * 6
        self.chickens: tuple[int, ...] = ()
        self.rosary: tuple[int, ...] = ()
        self.haversack = [0] * 5
        self.reserve = [0] * colours
        self.discs: tuple[int, ...] = ()
        self.docks = [0] * 3
        self.feudums = [0] * 6
        self.deck: tuple[int, ...] = ()
        self.discard: tuple[int, ...] = ()
        self.drawn: tuple[int, ...] = ()
        self.fists: tuple[int, ...] = ()
        self.doing: tuple[int, ...] = ()
        self.stack: list[Frame] = []
        self.offered: list[Frame] = []
        self.log: list[Event] | None = None

    def __reduce__(self) -> tuple[object, ...]:
        return _restored, (type(self), tuple([getattr(self, name) for name in FIELDS]))

    def clone(self) -> Self:
        """An independent copy that records no events."""
        return type(self)(self.seed, self.n, self.advanced, 0, self)

    def _copy(self, original: Table) -> None:
        self.seed = original.seed
        self.n = original.n
        self.advanced = original.advanced
        self.phase = original.phase
        self.round = original.round
        self.turn_no = original.turn_no
        self.epoch = original.epoch
        self.place = original.place
        self.starter = original.starter
        self.active = original.active
        self.turns = original.turns
        self.bank = original.bank
        self.purse = original.purse
        self.coffer = original.coffer
        self.bead = original.bead
        self.unfed = original.unfed
        self.hidden = original.hidden
        self.card = original.card
        self.dirty = original.dirty
        self.streams = original.streams[:]
        self.goods = original.goods[:]
        self.barrel = original.barrel[:]
        self.shillings = original.shillings[:]
        self.markers = original.markers[:]
        self.pool = original.pool[:]
        self.vessels = original.vessels[:]
        self.used = original.used[:]
        self.engaged = original.engaged[:]
        self.moves = original.moves[:]
        self.successes = original.successes[:]
        self.military = original.military[:]
        self.voyage = original.voyage[:]
        self.scores = original.scores[:]
        self.earned = original.earned[:]
        self.beads = original.beads[:]
        self.seals = original.seals[:]
        self.hands = original.hands[:]
        self.pawn_char = original.pawn_char[:]
        self.pawn_at = original.pawn_at[:]
        self.pawn_wine = original.pawn_wine[:]
        self.kind = original.kind[:]
        self.guild_of = original.guild_of[:]
        self.ruler = original.ruler[:]
        self.subject = original.subject[:]
        self.serf = original.serf[:]
        self.stock = original.stock[:]
        self.tracks = original.tracks[:]
        self.waiting = original.waiting[:]
        self.right = original.right[:]
        self.left = original.left[:]
        self.stars = original.stars  # replaced as a whole by a settlement, never changed in place
        self.barn = original.barn[:]
        self.rows = original.rows[:]
        self.stores = original.stores[:]
        self.sale = original.sale[:]
        self.krows = original.krows[:]
        self.scrolls = original.scrolls[:]
        self.chickens = original.chickens
        self.rosary = original.rosary
        self.haversack = original.haversack[:]
        self.reserve = original.reserve[:]
        self.discs = original.discs
        self.docks = original.docks[:]
        self.feudums = original.feudums[:]
        self.deck = original.deck
        self.discard = original.discard
        self.drawn = original.drawn
        self.fists = original.fists
        self.doing = original.doing
        self.stack = original.stack[:]
        self.offered = original.offered  # replaced, never changed in place
        self.log = None

    # Small questions that many rules ask. ------------------------------------------------------------------------

    @property
    def first(self) -> int:
        """Where "clockwise from" begins in a settlement (G-47)."""
        return self.active if self.phase == TURNS else self.starter

    def clockwise(self, first: int) -> list[int]:
        """All seats, clockwise from that one."""
        return [*range(first, self.n), *range(first)]

    def ruled(self, player: int, kind: int) -> list[int]:
        """Ids of the locations of that type which the player rules, ascending."""
        return [i for i, ruler in enumerate(self.ruler) if ruler == player and self.kind[i] == kind]

    def count_ruled(self, player: int, kind: int) -> int:
        ruler, kinds = self.ruler, self.kind
        return sum(1 for i in range(1, 23) if ruler[i] == player and kinds[i] == kind)

    def stock_at(self, location: int) -> list[int]:
        """Goods at a location, by kind."""
        return self.stock[5 * location : 5 * location + 5]

    def pawns_in_play(self, player: int) -> list[int]:
        """Numbers 0 to 2 of the player's pawns that stand on the board."""
        base = 3 * player
        return [i for i in range(3) if self.pawn_at[base + i]]

    def pawn_places(self, player: int) -> list[int]:
        """Ids of the locations where the player has a pawn, ascending, each once."""
        base = 3 * player
        return sorted({at for at in self.pawn_at[base : base + 3] if at})

    def rank(self, guild: int, player: int) -> int:
        """0 MASTER, 1 JOURNEYMAN, 2 APPRENTICE, -1 not on the track."""
        track = self.tracks[guild]
        return track.index(player) if player in track else -1

    def holder(self, guild: int, rank: int) -> int:
        """Who has that rank, -1 for nobody."""
        track = self.tracks[guild]
        return track[rank] if rank < len(track) else -1


def _restored(kind: type[Table], values: tuple[object, ...]) -> Table:
    """A pickled table."""
    table = kind(b"", 0, False, 0)
    for name, value in zip(FIELDS, values, strict=True):
        setattr(table, name, value)
    return table


Ask: TypeAlias = Callable[[Table, Frame], list[Frame]]
"""The options of a question, in canonical order (G-31)."""
Answer: TypeAlias = Callable[[Table, Frame, Frame, bool], None]
"""Carries out a chosen option; the flag says that it was the only one. The question's frame is off the stack then."""
Questions: TypeAlias = dict[str, tuple[Ask, Answer]]
Steps: TypeAlias = dict[str, Callable[[Table, Frame], None]]
"""What happens by itself; the frame is off the stack when it is called."""
