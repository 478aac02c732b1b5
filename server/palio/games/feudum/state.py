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

    __slots__ = (
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

    def __init__(self, seed: bytes, n: int, advanced: bool, colours: int) -> None:
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

    def clone(self) -> Self:
        """An independent copy that records no events."""
        new = object.__new__(type(self))
        new.seed = self.seed
        new.n = self.n
        new.advanced = self.advanced
        new.phase = self.phase
        new.round = self.round
        new.turn_no = self.turn_no
        new.epoch = self.epoch
        new.place = self.place
        new.starter = self.starter
        new.active = self.active
        new.turns = self.turns
        new.bank = self.bank
        new.purse = self.purse
        new.coffer = self.coffer
        new.bead = self.bead
        new.unfed = self.unfed
        new.hidden = self.hidden
        new.card = self.card
        new.dirty = self.dirty
        new.streams = self.streams[:]
        new.goods = self.goods[:]
        new.barrel = self.barrel[:]
        new.shillings = self.shillings[:]
        new.markers = self.markers[:]
        new.pool = self.pool[:]
        new.vessels = self.vessels[:]
        new.used = self.used[:]
        new.engaged = self.engaged[:]
        new.moves = self.moves[:]
        new.successes = self.successes[:]
        new.military = self.military[:]
        new.voyage = self.voyage[:]
        new.scores = self.scores[:]
        new.earned = self.earned[:]
        new.beads = self.beads[:]
        new.seals = self.seals[:]
        new.hands = self.hands[:]
        new.pawn_char = self.pawn_char[:]
        new.pawn_at = self.pawn_at[:]
        new.pawn_wine = self.pawn_wine[:]
        new.kind = self.kind[:]
        new.guild_of = self.guild_of[:]
        new.ruler = self.ruler[:]
        new.subject = self.subject[:]
        new.serf = self.serf[:]
        new.stock = self.stock[:]
        new.tracks = self.tracks[:]
        new.waiting = self.waiting[:]
        new.right = self.right[:]
        new.left = self.left[:]
        new.stars = self.stars  # replaced as a whole by a settlement, never changed in place
        new.barn = self.barn[:]
        new.rows = self.rows[:]
        new.stores = self.stores[:]
        new.sale = self.sale[:]
        new.krows = self.krows[:]
        new.scrolls = self.scrolls[:]
        new.chickens = self.chickens
        new.rosary = self.rosary
        new.haversack = self.haversack[:]
        new.reserve = self.reserve[:]
        new.discs = self.discs
        new.docks = self.docks[:]
        new.feudums = self.feudums[:]
        new.deck = self.deck
        new.discard = self.discard
        new.drawn = self.drawn
        new.fists = self.fists
        new.doing = self.doing
        new.stack = self.stack[:]
        new.offered = self.offered  # replaced, never changed in place
        new.log = None
        return new

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


Ask: TypeAlias = Callable[[Table, Frame], list[Frame]]
"""The options of a question, in canonical order (G-31)."""
Answer: TypeAlias = Callable[[Table, Frame, Frame, bool], None]
"""Carries out a chosen option; the flag says that it was the only one. The question's frame is off the stack then."""
Questions: TypeAlias = dict[str, tuple[Ask, Answer]]
Steps: TypeAlias = dict[str, Callable[[Table, Frame], None]]
"""What happens by itself; the frame is off the stack when it is called."""
