"""What a seat or a spectator sees (section 8 of the rules): built by listing what may be seen, never by deleting."""

from __future__ import annotations

from typing import Final, NamedTuple

from palio.games.fidelitas.choices import Choice
from palio.games.fidelitas.table import END_PHASE, TAVERN_BITS, Table


class Asking(NamedTuple):
    """A question to the viewing seat.

    Attributes:
        kind: of the decision.
        character: whose action asks; 0 outside an action.
        step: within the action, from 1.
        picks: what was picked in this action before.
    """

    kind: str
    character: int
    step: int
    picks: tuple[Choice, ...]


class Own(NamedTuple):
    """What only the viewing seat sees: its number, hand, Missio cards and a Student's four, each ascending."""

    seat: int
    hand: tuple[int, ...]
    missio: tuple[int, ...]
    student: tuple[int, ...]


class View(NamedTuple):
    """Field by field the ``Observation`` message.

    Attributes:
        stacks: ten of them, bottom to top; that of location n is at index n - 1.
        locked: how many cards of each are locked.
        barred: locations.
        discard: ascending.
        own, asking: ``None`` for a spectator, or for a seat that is not asked.
    """

    players: int
    teams: bool
    turn: int
    round: int
    active: int
    phase: int
    final_round: bool
    played: int
    played_on: int
    draws_left: int
    barred: tuple[int, ...]
    stacks: tuple[tuple[int, ...], ...]
    locked: tuple[int, ...]
    virtus_deck_size: int
    reshuffled: bool
    discard: tuple[int, ...]
    missio_deck_size: int
    hand_sizes: tuple[int, ...]
    missio_counts: tuple[int, ...]
    scored: tuple[tuple[int, ...], ...]
    points: tuple[int, ...]
    scored_now: tuple[int, ...]
    own: Own | None
    asking: Asking | None


_new: Final = tuple.__new__
"""Without the Python function that a NamedTuple's own constructor is: a view is made for each decision."""

BARRED_SIDES = {bits: tuple(n for n in (3, 8) if bits >> n & 1) for bits in (0, 1 << 3, 1 << 8, TAVERN_BITS)}


def view_of(table: Table, seat: int | None, kind: str) -> View:
    """
    Args:
        seat: who looks; ``None`` for a spectator.
        kind: of the pending decision; empty if there is none.
    """
    setup = table.setup
    piles = table.piles[1:]
    turn = table.turn
    own: Own | None = None
    asking: Asking | None = None
    if seat is not None:
        mine = seat == table.active
        own = _new(Own, (seat, table.hands[seat], table.missio[seat], table.student if mine else ()))
        if kind and seat == table.asked:
            stage = table.stage
            asking = _new(Asking, (kind, stage if 0 < stage < 15 else 0, len(table.picks) + 1, table.picks))
    values = (
        setup.players,
        setup.teams,
        turn,
        (turn - 1) // setup.players + 1,
        table.active,
        table.phase,
        table.final_round,
        table.played,
        table.played_on,
        table.draws_left if table.phase == END_PHASE else 0,
        BARRED_SIDES[table.barred],
        tuple([pile.cards for pile in piles]),
        tuple([pile.locked for pile in piles]),
        len(table.virtus) - table.drawn,
        table.reshuffled,
        tuple(sorted(table.discard)),
        len(table.missio_deck),
        tuple([len(hand) for hand in table.hands]),
        tuple([len(missio) for missio in table.missio]),
        tuple(table.scored),
        tuple(table.points),
        tuple(table.scored_now),
        own,
        asking,
    )
    return _new(View, values)
