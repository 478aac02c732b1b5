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
    return View(
        seat=me,
        players=table.n,
        advanced=table.advanced,
        phase=table.phase,
        round=table.round,
        turn_no=table.turn_no,
        place=table.place,
        epoch=table.epoch,
        starter=table.starter,
        active=table.active,
        turns=table.turns,
        asked=frame[1],
        asked_kind=frame[0],
        doing=table.doing,
        card=table.card,
        fists=table.fists,
        unfed=table.unfed,
        progress=table.stack[:],
        scores=table.scores[:],
        earned=table.earned[:],
        goods=table.goods[:],
        barrel=table.barrel[:],
        shillings=table.shillings[:],
        markers=table.markers[:],
        pool=table.pool[:],
        seal_counts=[len(seals) for seals in table.seals],
        beads=table.beads[:],
        vessels=table.vessels[:],
        writ_counts=[len(hand) for hand in table.hands],
        used=table.used[:],
        engaged=table.engaged[:],
        moves=table.moves[:],
        successes=table.successes[:],
        military=table.military[:],
        voyage=table.voyage[:],
        pawn_char=table.pawn_char[:],
        pawn_at=table.pawn_at[:],
        pawn_wine=table.pawn_wine[:],
        kind=table.kind[:],
        guild_of=table.guild_of[:],
        ruler=table.ruler[:],
        subject=table.subject[:],
        serf=table.serf[:],
        stock=table.stock[:],
        tracks=table.tracks[:],
        waiting=table.waiting[:],
        left=table.left[:],
        right=table.right[:],
        stars=table.stars[:],
        barn=table.barn[:],
        chickens=table.chickens,
        rows=table.rows[:],
        stores=table.stores[:],
        sale=table.sale[:],
        krows=table.krows[:],
        sealed=[int(value > 0) for value in table.scrolls],
        rosary=table.rosary,
        purse=table.purse,
        coffer=table.coffer,
        haversack=table.haversack[:],
        bank=table.bank,
        reserve=table.reserve[:],
        discs=len(table.discs),
        docks=table.docks[:],
        feudums=table.feudums[:],
        deck=len(table.deck),
        discard=table.discard,
        hand=table.hands[me] if me >= 0 else (),
        drawn=table.drawn if me >= 0 and frame[:2] == ("WRIT_KEEP", me) else (),
        hidden=table.hidden if hiding else -1,
    )
