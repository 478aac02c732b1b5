"""Royal Writs: drawing and keeping, the hand limit, mandates (section 9 of the rules)."""

from __future__ import annotations

from palio.games.feudum.data import (
    AIRWRIGHT,
    CROWN,
    FAIR,
    FLYING_MACHINE,
    FOOD,
    HAND,
    IRON,
    PATRON,
    S_WRITS,
    SAILING_SHIP,
    SHIPWRIGHT,
    STALL,
    SUBMARINE,
    SULFUR,
    WOOD,
)
from palio.games.feudum.events import emit, emit_to
from palio.games.feudum.state import Frame, Questions, Table
from palio.games.feudum.supply import gain_markers, gain_shillings, pay_good, shuffled, take_disc

BUY_SHILLINGS = {
    (STALL, 1): ((FOOD,), 3),
    (STALL, 2): ((WOOD, FOOD), 7),
    (FAIR, 1): ((IRON, WOOD, FOOD), 9),
    (FAIR, 2): ((SULFUR, IRON, WOOD, FOOD), 13),
}
"""By (card, choice): goods paid, shillings received."""
BUY_VESSELS = {
    (AIRWRIGHT, 1): (FOOD, FLYING_MACHINE),
    (AIRWRIGHT, 2): (WOOD, SAILING_SHIP),
    (SHIPWRIGHT, 1): (WOOD, SAILING_SHIP),
    (SHIPWRIGHT, 2): (IRON, SUBMARINE),
}
"""By (card, choice): good paid, vessel received."""
PATRON_GOODS, PATRON_SHILLINGS, CROWN_MARKERS = 3, 3, 3
_STARS = 3
"""What PATRON and CROWN ask for in some guild (G-119)."""


def draw(table: Table, player: int, count: int) -> None:
    """Draw that many cards, to keep one (G-116, G-117)."""
    drawn: tuple[int, ...] = ()
    while len(drawn) < count and (table.deck or table.discard):
        if not table.deck:
            table.deck = shuffled(table, S_WRITS, table.discard)
            table.discard = ()
            emit(table, "writs_reshuffled", len(table.deck))
        drawn += table.deck[:1]
        table.deck = table.deck[1:]
    if not drawn:
        return
    table.drawn = drawn
    emit(table, "writs_drawn", player, len(drawn))
    emit_to(table, player, "writs_seen", player, drawn)
    table.stack.append(("WRIT_KEEP", player, len(drawn)))


def _keep_options(table: Table, frame: Frame) -> list[Frame]:
    return [("card", card) for card in sorted(table.drawn)]


def _keep_answer(table: Table, frame: Frame, option: Frame, forced: bool) -> None:
    player, kept = frame[1], option[1]
    emit_to(table, player, "writ_kept", player, kept, forced)
    table.deck += tuple(card for card in table.drawn if card != kept)
    table.drawn = ()
    hand = table.hands[player] = tuple(sorted((*table.hands[player], kept)))
    if len(hand) > HAND:
        table.stack.append(("WRIT_LIMIT", player))


def _limit_options(table: Table, frame: Frame) -> list[Frame]:
    return [("card", card) for card in table.hands[frame[1]]]


def _limit_answer(table: Table, frame: Frame, option: Frame, forced: bool) -> None:
    player, card = frame[1], option[1]
    emit(table, "writ_returned", player, forced)
    emit_to(table, player, "writ_bottomed", player, card)
    _drop(table, player, card)
    table.deck += (card,)


def _drop(table: Table, player: int, card: int) -> None:
    table.hands[player] = tuple(held for held in table.hands[player] if held != card)


def play(table: Table, player: int, card: int) -> None:
    """A card from the hand, face up, to the discard pile."""
    _drop(table, player, card)
    table.discard += (card,)


def choices_of(table: Table, player: int, card: int) -> list[int]:
    """The card's choices that can be paid and give something (G-119, G-120)."""
    if card in (PATRON, CROWN):
        if max(table.stars[player :: table.n]) < _STARS:
            return []
        if card == PATRON:
            there = (any(table.haversack), table.bank > 0, any(table.docks))
        else:
            there = (table.reserve[player] > 0, bool(table.discs), bool(table.discs))
        return [choice for choice, possible in enumerate(there, 1) if possible]
    return [choice for choice in (1, 2) if _affordable(table, player, card, choice)]


def _affordable(table: Table, player: int, card: int, choice: int) -> bool:
    if (card, choice) in BUY_VESSELS:
        good, vessel = BUY_VESSELS[card, choice]
        return table.goods[5 * player + good] > 0 and table.docks[vessel] > 0
    goods, _ = BUY_SHILLINGS[card, choice]
    return table.bank > 0 and all(table.goods[5 * player + good] for good in goods)


def _choice_options(table: Table, frame: Frame) -> list[Frame]:
    return [("choice", choice) for choice in choices_of(table, frame[1], table.card)]


def _choice_answer(table: Table, frame: Frame, option: Frame, forced: bool) -> None:
    player, choice = frame[1], option[1]
    card = table.card
    table.card = -1
    play(table, player, card)
    shillings = markers = seals = bead = 0
    vessel = -1
    if (card, choice) in BUY_SHILLINGS:
        goods, due = BUY_SHILLINGS[card, choice]
        for good in goods:
            pay_good(table, player, good)
        shillings = gain_shillings(table, player, due)
    elif (card, choice) in BUY_VESSELS:
        good, vessel = BUY_VESSELS[card, choice]
        pay_good(table, player, good)
        table.docks[vessel] -= 1
        table.vessels[3 * player + vessel] += 1
    elif card == PATRON:
        if choice == 1:
            table.stack.append(("GOOD_PICK", player, PATRON_GOODS, 0, 0, 1))
        elif choice == 2:
            shillings = gain_shillings(table, player, PATRON_SHILLINGS)
        else:
            table.stack.append(("VESSEL_PICK", player, 0))
    elif choice == 1:
        markers = gain_markers(table, player, CROWN_MARKERS)
    elif choice == 2:
        table.seals[player] += (take_disc(table),)
        seals = 1
    else:
        bead = take_disc(table)
        table.beads[player] += (bead,)
    emit(table, "mandate", player, card, choice, shillings, markers, seals, bead, vessel, forced)


QUESTIONS: Questions = {
    "WRIT_KEEP": (_keep_options, _keep_answer),
    "WRIT_LIMIT": (_limit_options, _limit_answer),
    "WRIT_CHOICE": (_choice_options, _choice_answer),
}
