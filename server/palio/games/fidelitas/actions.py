"""What the characters do (F-21 to F-36), each as a tuple of steps and one function that carries out what was picked.

A step lists what may be picked next, given the picks so far; an empty list means that the step falls away ("as far as
possible", F-11). While a player picks, the City stays as it was when the action began.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import combinations
from typing import Final

from palio.engine.chance import Stream
from palio.games.fidelitas.cards import (
    BAKER,
    BARRISTER,
    BROKER,
    BUTCHER,
    CLERK,
    COMMERCE_LOCATIONS,
    DOCKMASTER,
    DRAWS,
    GUILD_OF,
    HAND_LIMIT_OF_THIEVES,
    MARKET,
    MINSTREL,
    NORTH,
    PRIEST,
    PROFESSOR,
    SHOPKEEPER,
    SOLDIER,
    SOUTH,
    STUDENT,
    SWINDLER,
    THIEF,
    WAREHOUSE,
)
from palio.games.fidelitas.choices import BROKER as BROKER_OPTION
from palio.games.fidelitas.choices import (
    BROKER_MODE,
    CARDS_AT,
    CLERK_CHOICE,
    DESTINATIONS,
    DISCARD_CARD,
    DRAW_MISSIO,
    DRAW_TWO,
    DRAW_VIRTUS,
    HAND_CARDS,
    INTO,
    KEEP_CARD,
    NONE,
    OUT,
    PAIR,
    PASS,
    PICK_CARD,
    PICK_DESTINATION,
    PRIEST_CHOICE,
    Choice,
    Choices,
)
from palio.games.fidelitas.picks import (
    Destination,
    PickAny,
    PickAt,
    Step,
    bits,
    cards_of,
    free_after,
    move_picked,
    picked_moves,
    sources,
)
from palio.games.fidelitas.piles import pile_of, place_of, without
from palio.games.fidelitas.table import Table


class Action:
    """A character's action.

    Attributes:
        steps: what is picked, in order.
        resolve: carries out the picks.
        begin: happens before the first step, if anything does.
    """

    __slots__ = ("begin", "resolve", "steps")

    def __init__(
        self,
        *steps: Step,
        resolve: Callable[[Table], None],
        begin: Callable[[Table], None] | None = None,
    ) -> None:
        self.steps = steps
        self.resolve = resolve
        self.begin = begin


# --- Shopkeeper (F-21) ----------------------------------------------------------------------------------------------


class SwapCard:
    """A card of the City, then one at another location; neither where there are no two such locations."""

    kind = PICK_CARD

    def options(self, table: Table) -> Choices:
        if table.picks:
            return cards_of(table, 1 << table.picks[0][1])
        return cards_of(table) if len(sources(table)) > 1 else NONE


def swap_picked(table: Table) -> None:
    """Each card takes the other's exact place in the stack."""
    if not table.picks:
        return
    (_, first, a), (_, second, b) = table.picks
    _exchange(table, first, a, b)
    _exchange(table, second, b, a)
    table.bar(first)
    table.bar(second)
    table.tell("cards_swapped", table.active, a, first, b, second)
    table.clear_full((first, second) if first < second else (second, first))


def _exchange(table: Table, location: int, old: int, new: int) -> None:
    cards = table.piles[location].cards
    place = place_of(cards, old)
    table.piles[location] = pile_of((*cards[:place], new, *cards[place + 1 :]))


# --- Broker (F-22) --------------------------------------------------------------------------------------------------


class BrokerMode:
    """Out of or into which Commerce location: what can be done in full, else what can be done with one card."""

    kind = BROKER_MODE

    def options(self, table: Table) -> Choices:
        piles = table.piles
        filled = sources(table)
        full: list[Choice] = []
        partial: list[Choice] = []
        for location in COMMERCE_LOCATIONS:
            pile = piles[location]
            unlocked = len(pile.cards) - pile.locked
            if unlocked:
                (full if unlocked > 1 else partial).append(BROKER_OPTION[OUT][location])
        for location in COMMERCE_LOCATIONS:
            others = len(filled) - (location in filled)
            if others:
                (full if others > 1 else partial).append(BROKER_OPTION[INTO][location])
        return tuple(full or partial)


class BrokerCard:
    """A card of the Commerce location, or one of another location."""

    kind = PICK_CARD

    def options(self, table: Table) -> Choices:
        picks = table.picks
        if not picks:
            return NONE
        _, direction, location = picks[0]
        if direction == INTO:
            return cards_of(table, sum(1 << pick[1] for pick in picks[1:]) | 1 << location)
        free = free_after(table, picks[1]) if len(picks) > 1 else table.piles[location].free
        return CARDS_AT[location][free]


class BrokerDestination(Destination):
    """Only cards that go out need one."""

    def __init__(self) -> None:
        super().__init__(apart=True)

    def options(self, table: Table) -> Choices:
        picks = table.picks
        return super().options(table) if picks and picks[0][1] == OUT else NONE


def broker(table: Table) -> None:
    picks = table.picks
    if not picks:
        return
    _, direction, location = picks[0]
    if direction == OUT:
        move_picked(table)
    else:
        table.move([(pick[2], pick[1], location) for pick in picks[1:]])


# --- Butcher (F-23), Clerk (F-27), Barrister (F-28) -----------------------------------------------------------------


def remove(table: Table, cards: list[tuple[int, int]]) -> None:
    """Cards (location, character) from the City to the discard pile."""
    for location, character in cards:
        table.lift(location, character)
        table.discard += (character,)
    if cards:
        table.tell("cards_removed", table.active, tuple(cards))


def butcher(table: Table) -> None:
    remove(table, [(pick[1], pick[2]) for pick in table.picks])


class ClerkChoice:
    """Two draws, or a guild pair of unlocked cards."""

    kind = CLERK_CHOICE

    def options(self, table: Table) -> Choices:
        found: list[Choice] = [DRAW_TWO]
        for location in table.setup.locations:
            pile = table.piles[location]
            if pile.pair:
                free = sorted(pile.cards[pile.locked :])
                pairs = {(a, b) for a, b in combinations(free, 2) if GUILD_OF[a] == GUILD_OF[b]}
                found += [PAIR[location, a, b] for a, b in sorted(pairs)]
        return tuple(found)


def clerk(table: Table) -> None:
    choice = table.picks[0]
    fewest, most = DRAWS[CLERK]
    if choice is DRAW_TWO:
        table.draws_left = most
    else:
        table.draws_left = fewest
        _, location, a, b = choice
        remove(table, [(location, a), (location, b)])


def barrister(table: Table) -> None:
    for _, location, character in table.picks:
        table.lift(location, character)
        table.tell("card_taken", table.active, character, location)
        table.gain(table.active, (character,))


# --- Professor (F-25), Student (F-26), Priest (F-32) ----------------------------------------------------------------


class DiscardCard:
    """A card in hand."""

    kind = DISCARD_CARD

    def options(self, table: Table) -> Choices:
        return HAND_CARDS[bits(table.hands[table.active])]


def professor(table: Table) -> None:
    for pick in table.picks:
        table.discard_from_hand(table.active, pick[1])
    table.gain(table.active, table.draw(table.active, 3))


def draw_four(table: Table) -> None:
    table.student = tuple(sorted(table.draw(table.active, 4)))


class KeepCard:
    """One of the Student's four."""

    kind = KEEP_CARD

    def options(self, table: Table) -> Choices:
        return HAND_CARDS[bits(table.student)]


def student(table: Table) -> None:
    kept = table.picks[0][1]
    others = without(table.student, kept)
    table.student = ()
    table.gain(table.active, (kept,))
    table.discard += others
    table.tell("cards_discarded", table.active, others)
    table.tell_seats((table.active,), "card_kept", table.active, kept)


class PriestChoice:
    """A Missio card, if there is one, or two Virtus cards."""

    kind = PRIEST_CHOICE

    def options(self, table: Table) -> Choices:
        return (DRAW_MISSIO, DRAW_VIRTUS) if table.missio_deck else (DRAW_VIRTUS,)


def priest(table: Table) -> None:
    if table.picks[0] is DRAW_MISSIO:
        table.draw_missio(table.active, 1)
    else:
        table.gain(table.active, table.draw(table.active, 2))


# --- Soldier (F-31), Minstrel (F-33) --------------------------------------------------------------------------------


class SoldierCard:
    """Another card of the Soldier's location."""

    kind = PICK_CARD

    def options(self, table: Table) -> Choices:
        pile = table.piles[table.played_on]
        return CARDS_AT[table.played_on][bits(pile.cards[pile.locked : -1])]


def soldier(table: Table) -> None:
    moves = picked_moves(table)
    if moves:
        # The Soldier just played lies on top; where another one is to move, it is the topmost below it.
        character, origin, destination = moves[0]
        under = table.piles[origin].cards[:-1]
        table.piles[origin] = pile_of((*without(under, character), SOLDIER))
        table.tell("cards_moved", table.active, ((character, origin, destination),))
        table.land([(character, destination)])


class MinstrelCard:
    """A card of the Minstrel's location, or none; after a PASS nothing more."""

    kind = PICK_CARD

    def options(self, table: Table) -> Choices:
        picks = table.picks
        location = table.played_on
        if not picks:
            return (PASS, *CARDS_AT[location][table.piles[location].free])
        if picks[0] is PASS:
            return NONE
        return (PASS, *CARDS_AT[location][free_after(table, picks[0])])


class MinstrelDestination:
    """Another location of the same side."""

    kind = PICK_DESTINATION

    def options(self, table: Table) -> Choices:
        if table.picks[0] is PASS:
            return NONE
        here = table.played_on
        side = NORTH if here in NORTH else SOUTH
        return DESTINATIONS[sum(1 << n for n in side if n != here) & table.setup.location_bits]


def minstrel(table: Table) -> None:
    picks = table.picks
    if picks[0] is PASS:
        return
    destination = picks[1][1]
    table.move([(pick[2], pick[1], destination) for pick in picks if pick[0] == "card"])


# --- Thief (F-34), Swindler (F-36) ----------------------------------------------------------------------------------


def thief(table: Table) -> None:
    """From each other hand of more than two cards one at random, from the next seat on."""
    robber = table.active
    players = table.setup.players
    for distance in range(1, players):
        victim = (robber + distance) % players
        hand = table.hands[victim]
        if len(hand) > HAND_LIMIT_OF_THIEVES:
            stolen = hand[Stream(table.seed, f"thief/{table.turn}/{victim}").uniform(len(hand))]
            table.lose(victim, stolen)
            table.gain(robber, (stolen,))
            table.tell("card_stolen", robber, victim)
            table.tell_seats((robber, victim), "stolen_card", robber, victim, stolen)


def nothing(table: Table) -> None:
    """The Swindler's lock is a property of its stack."""


ACTIONS: Final[dict[int, Action]] = {
    SHOPKEEPER: Action(SwapCard(), SwapCard(), resolve=swap_picked),
    BROKER: Action(BrokerMode(), BrokerCard(), BrokerDestination(), BrokerCard(), BrokerDestination(), resolve=broker),
    BUTCHER: Action(PickAny(), PickAny(), resolve=butcher),
    BAKER: Action(PickAny(), Destination(), PickAny(), Destination(apart=True), resolve=move_picked),
    PROFESSOR: Action(DiscardCard(), resolve=professor),
    STUDENT: Action(KeepCard(), resolve=student, begin=draw_four),
    CLERK: Action(ClerkChoice(), resolve=clerk),
    BARRISTER: Action(PickAny(), resolve=barrister),
    SOLDIER: Action(SoldierCard(), Destination(), resolve=soldier),
    PRIEST: Action(PriestChoice(), resolve=priest),
    MINSTREL: Action(MinstrelCard(), MinstrelDestination(), MinstrelCard(), resolve=minstrel),
    THIEF: Action(resolve=thief),
    DOCKMASTER: Action(PickAt(MARKET), Destination(), PickAt(WAREHOUSE), Destination(), resolve=move_picked),
    SWINDLER: Action(resolve=nothing),
}
