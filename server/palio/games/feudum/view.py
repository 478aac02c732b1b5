"""What a seat may see: built by listing it, attribute by attribute (section 12 of the rules)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from palio.games.feudum.state import Frame, Table

NOBODY: Final = -1


@dataclass(slots=True)
class View:
    """The public part of G-142 and, for a seat, the private part of G-143.

    Lists have the shapes of :class:`~palio.games.feudum.state.Table`. Counts stand where values are hidden. The
    options of the pending decision travel with the decision, past events with the events.

    Attributes:
        seat: whose view it is; -1 for a spectator.
        asked: who is asked; -1 when the game is over.
        asked_kind: of the pending decision, "" when the game is over.
        progress: the steps under way, the next one last, as the rules engine keeps them; nothing hidden is in them.
        sealed: per scroll cell whether a seal lies on it.
        seal_counts, writ_counts: per player.
        discs, deck: how many.
        hand, drawn, hidden: private: own writs; cards drawn to keep one; own assignment of the beads or -1.
    """

    seat: int
    players: int
    advanced: bool
    phase: int
    round: int
    turn_no: int
    place: int
    epoch: int
    starter: int
    active: int
    turns: int
    asked: int
    asked_kind: str
    doing: tuple[int, ...]
    card: int
    fists: tuple[int, ...]
    unfed: int
    progress: list[Frame]
    scores: list[int]
    earned: list[int]
    goods: list[int]
    barrel: list[int]
    shillings: list[int]
    markers: list[int]
    pool: list[int]
    seal_counts: list[int]
    beads: list[tuple[int, ...]]
    vessels: list[int]
    writ_counts: list[int]
    used: list[int]
    engaged: list[int]
    moves: list[int]
    successes: list[int]
    military: list[int]
    voyage: list[int]
    pawn_char: list[int]
    pawn_at: list[int]
    pawn_wine: list[int]
    kind: list[int]
    guild_of: list[int]
    ruler: list[int]
    subject: list[int]
    serf: list[int]
    stock: list[int]
    tracks: list[tuple[int, ...]]
    waiting: list[tuple[int, ...]]
    left: list[int]
    right: list[int]
    stars: list[int]
    barn: list[int]
    chickens: tuple[int, ...]
    rows: list[int]
    stores: list[int]
    sale: list[int]
    krows: list[int]
    sealed: list[int]
    rosary: tuple[int, ...]
    purse: int
    coffer: int
    haversack: list[int]
    bank: int
    reserve: list[int]
    discs: int
    docks: list[int]
    feudums: list[int]
    deck: int
    discard: tuple[int, ...]
    hand: tuple[int, ...]
    drawn: tuple[int, ...]
    hidden: int


def view_of(table: Table, seat: int | None) -> View:
    """What that seat sees now; ``None`` for a spectator."""
    me = NOBODY if seat is None else seat
    frame: Frame = table.stack[-1] if table.stack else ("", NOBODY)
    hiding = any(f[0] == "FIST" and f[2] == me for f in table.stack[-1:])
    # Attribute by attribute: a view is made for each decision, and so many keyword arguments cost half of it.
    view = View.__new__(View)
    view.seat = me
    view.players = table.n
    view.advanced = table.advanced
    view.phase = table.phase
    view.round = table.round
    view.turn_no = table.turn_no
    view.place = table.place
    view.epoch = table.epoch
    view.starter = table.starter
    view.active = table.active
    view.turns = table.turns
    view.asked = frame[1]
    view.asked_kind = frame[0]
    view.doing = table.doing
    view.card = table.card
    view.fists = table.fists
    view.unfed = table.unfed
    view.progress = table.stack[:]
    view.scores = table.scores[:]
    view.earned = table.earned[:]
    view.goods = table.goods[:]
    view.barrel = table.barrel[:]
    view.shillings = table.shillings[:]
    view.markers = table.markers[:]
    view.pool = table.pool[:]
    view.seal_counts = [len(seals) for seals in table.seals]
    view.beads = table.beads[:]
    view.vessels = table.vessels[:]
    view.writ_counts = [len(hand) for hand in table.hands]
    view.used = table.used[:]
    view.engaged = table.engaged[:]
    view.moves = table.moves[:]
    view.successes = table.successes[:]
    view.military = table.military[:]
    view.voyage = table.voyage[:]
    view.pawn_char = table.pawn_char[:]
    view.pawn_at = table.pawn_at[:]
    view.pawn_wine = table.pawn_wine[:]
    view.kind = table.kind[:]
    view.guild_of = table.guild_of[:]
    view.ruler = table.ruler[:]
    view.subject = table.subject[:]
    view.serf = table.serf[:]
    view.stock = table.stock[:]
    view.tracks = table.tracks[:]
    view.waiting = table.waiting[:]
    view.left = table.left[:]
    view.right = table.right[:]
    view.stars = table.stars[:]
    view.barn = table.barn[:]
    view.chickens = table.chickens
    view.rows = table.rows[:]
    view.stores = table.stores[:]
    view.sale = table.sale[:]
    view.krows = table.krows[:]
    view.sealed = [int(value > 0) for value in table.scrolls]
    view.rosary = table.rosary
    view.purse = table.purse
    view.coffer = table.coffer
    view.haversack = table.haversack[:]
    view.bank = table.bank
    view.reserve = table.reserve[:]
    view.discs = len(table.discs)
    view.docks = table.docks[:]
    view.feudums = table.feudums[:]
    view.deck = len(table.deck)
    view.discard = table.discard
    view.hand = table.hands[me] if me >= 0 else ()
    view.drawn = table.drawn if me >= 0 and frame[:2] == ("WRIT_KEEP", me) else ()
    view.hidden = table.hidden if hiding else -1
    return view
