"""The course of a turn (F-08 to F-20, F-37 to F-43): PLAY, the Tavern, SCORE, DRAW, and what a solo Thief does.

A stage is a tuple of steps like those of an action, and a function that carries out the picks and names the next stage.
Stages 1 to 14 are the characters' actions.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from palio.games.fidelitas.actions import ACTIONS, Action, DiscardCard
from palio.games.fidelitas.cards import (
    CHARACTERS,
    DRAWS,
    HAND_LIMIT_OF_THIEVES,
    SOLDIER,
    SWINDLER,
    TAVERN_NORTH,
    TAVERN_SIDES,
    TAVERN_SOUTH,
    THIEF,
)
from palio.games.fidelitas.choices import (
    CARDS_AT,
    DECK,
    DRAW_CARD,
    EXCHANGE_MISSIO,
    MISSIO,
    NONE,
    ONLY_DECK,
    PASS,
    PLACE_THIEF,
    PLAY_CARD,
    SCORE_MISSIO,
    SOLO_PLAYS,
    SWINDLER_PLAYS,
    Choices,
)
from palio.games.fidelitas.picks import Step, bits
from palio.games.fidelitas.table import ACTION_PHASE, END_PHASE, PLAY_PHASE, TAVERN_BITS, Table

PLAY: Final = 0
TAVERN: Final = 15
SCORE: Final = 16
DRAW: Final = 17
NEXT_TURN: Final = 18
THIEF_ENTERS: Final = 19
THIEF_REPLACED: Final = 20

_TAVERN_DRAW: Final = 1
_WITHOUT_CARD: Final = 0
_MISSIO_HAND: Final = 2


class Stage:
    """Part of a turn.

    Attributes:
        steps: what is picked, in order.
        finish: carries out the picks and returns the next stage.
        begin: happens before the first step, if anything does.
    """

    __slots__ = ("begin", "finish", "steps")

    def __init__(
        self, *steps: Step, finish: Callable[[Table], int], begin: Callable[[Table], None] | None = None
    ) -> None:
        self.steps = steps
        self.finish = finish
        self.begin = begin


# --- PLAY (F-09, F-10) ----------------------------------------------------------------------------------------------


class PlayCard:
    """A card in hand and where it may be played."""

    kind = PLAY_CARD

    def options(self, table: Table) -> Choices:
        hand = table.hands[table.active]
        found = table.setup.plays[bits(hand)]
        if hand and hand[-1] == SWINDLER:
            piles = table.piles
            allowed = 0
            for location in table.setup.locations:
                if piles[location].cards:
                    allowed |= 1 << location
            if not table.setup.solo:
                allowed |= TAVERN_BITS
            found += SWINDLER_PLAYS[allowed]
        return found


def play(table: Table) -> int:
    table.phase = ACTION_PHASE
    if not table.picks:
        table.draws_left = DRAWS[_WITHOUT_CARD][0]
        table.tell("nothing_played", table.active)
        return _score(table)
    _, character, location = table.picks[0]
    table.played = character
    table.played_on = location
    table.lose(table.active, character)
    table.put(character, location)
    table.bar(location)
    table.tell("card_played", table.active, character, location)
    tavern = location in TAVERN_SIDES
    table.draws_left = _TAVERN_DRAW if tavern else DRAWS[character][0]
    if character == SOLDIER:
        table.clear_full((location,))
        if not tavern and not table.piles[location].cards:
            return _score(table)  # F-30: it cleared its location and moves nothing
    return TAVERN if tavern else character


def _after_action(action: Action) -> Callable[[Table], int]:
    resolve = action.resolve

    def finish(table: Table) -> int:
        resolve(table)
        return _score(table)

    return finish


# --- The Tavern (F-20) ----------------------------------------------------------------------------------------------


class ExchangeMissio:
    """One of the player's Missio cards, if there is one in the deck too."""

    kind = EXCHANGE_MISSIO

    def options(self, table: Table) -> Choices:
        if not table.missio_deck:
            return NONE
        return tuple([MISSIO[number] for number in table.missio[table.active]])


def tavern(table: Table) -> int:
    seat = table.active
    for _, returned in table.picks:
        drawn = table.missio_deck[0]
        kept = [number for number in table.missio[seat] if number != returned]
        table.missio[seat] = tuple(sorted([*kept, drawn]))
        table.missio_deck = (*table.missio_deck[1:], returned)
        if table.log is not None:
            table.tell("missio_exchanged", seat)
            table.tell_seats((seat,), "missio_received", seat, (drawn,))
            table.tell_seats((seat,), "missio_returned", seat, returned)
    opposite = TAVERN_SOUTH if table.played_on == TAVERN_NORTH else TAVERN_NORTH
    card = table.take_top()
    table.put(card, opposite)
    table.tell("card_turned_up", card, opposite)
    table.check_deck()
    if not table.ended_by:
        table.clear_full((opposite,))
    return _score(table)


# --- SCORE (F-15, F-41) ---------------------------------------------------------------------------------------------


def _score(table: Table) -> int:
    """The stage after an action: scoring, but a solo player places his Thieves first."""
    if table.setup.solo and THIEF in table.hands[0]:
        table.resume = SCORE
        return THIEF_ENTERS
    return SCORE


def score_phase(table: Table) -> None:
    table.phase = END_PHASE


class ScoreMissio:
    """PASS, or a Missio card in hand whose condition is met."""

    kind = SCORE_MISSIO

    def options(self, table: Table) -> Choices:
        met = table.setup.met
        locations = table.setup.locations
        piles = table.piles
        found = NONE
        for number in table.missio[table.asked]:
            if met[number](piles, locations):
                found += (MISSIO[number],)
        return (PASS, *found) if found else NONE


def score(table: Table) -> int:
    seat = table.asked
    picks = table.picks
    if picks and picks[0] is not PASS:
        table.score(seat, picks[0][1])
        return SCORE
    if table.scored_now[seat]:
        table.draw_missio(seat, max(0, _MISSIO_HAND - len(table.missio[seat])))
    if table.setup.teams and seat == table.active:
        table.asked = (seat + 2) % 4
        return SCORE
    table.asked = table.active
    return DRAW


# --- DRAW (F-16) ----------------------------------------------------------------------------------------------------


class DrawCard:
    """The deck, or an unlocked card of a Tavern side that is not barred."""

    kind = DRAW_CARD

    def options(self, table: Table) -> Choices:
        if not table.draws_left:
            return NONE
        found = ONLY_DECK
        barred = table.barred
        for side in TAVERN_SIDES:
            free = table.piles[side].free
            if free and not barred >> side & 1:
                found += CARDS_AT[side][free]
        return found


def draw(table: Table) -> int:
    seat = table.active
    if table.picks:
        table.draws_left -= 1
        choice = table.picks[0]
        if choice is DECK:
            table.gain(seat, table.draw(seat, 1))
        else:
            _, side, character = choice
            table.lift(side, character)
            table.gain(seat, (character,))
            table.tell("tavern_drawn", seat, character, side)
        return DRAW
    if table.setup.solo and THIEF in table.hands[0]:
        table.resume = NEXT_TURN
        return THIEF_ENTERS
    return next_turn(table)


# --- The end of a turn (F-38, F-39) ---------------------------------------------------------------------------------


def next_turn(table: Table) -> int:
    if table.final_round and table.active == table.setup.players - 1:
        table.end("target")
    elif table.turn >= table.setup.max_turns:
        table.end("turn_limit")
    else:
        start_turn(table, table.turn + 1)
    return PLAY


def start_turn(table: Table, turn: int) -> None:
    """The seat whose turn it is may play."""
    players = table.setup.players
    table.turn = turn
    table.active = table.asked = (turn - 1) % players
    table.phase = PLAY_PHASE
    table.played = 0
    table.played_on = 0
    table.draws_left = 0
    table.barred = 0
    table.scored_now = [0] * players
    table.signals = [0] * players
    if table.log is not None:
        table.tell("turn_started", turn, (turn - 1) // players + 1, table.active)


# --- Thieves of a solo player (F-43) --------------------------------------------------------------------------------


class PlaceThief:
    """Any location."""

    kind = PLACE_THIEF

    def options(self, table: Table) -> Choices:  # noqa: ARG002 (a step's signature)
        return SOLO_PLAYS[1 << THIEF]


def place_thief(table: Table) -> int:
    _, character, location = table.picks[0]
    table.lose(0, character)
    table.put(character, location)
    table.tell("thief_placed", 0, location)
    return THIEF_REPLACED


class DiscardForThief(DiscardCard):
    """A card in hand, if there are more than two without the Thief."""

    def options(self, table: Table) -> Choices:
        return super().options(table) if len(table.hands[0]) > HAND_LIMIT_OF_THIEVES else NONE


def replace_thief(table: Table) -> int:
    for _, character in table.picks:
        table.discard_from_hand(0, character)
    table.gain(0, table.draw(0, 1))
    return THIEF_ENTERS if THIEF in table.hands[0] else table.resume


STAGES: Final = (
    Stage(PlayCard(), finish=play),
    *(
        Stage(*ACTIONS[number].steps, finish=_after_action(ACTIONS[number]), begin=ACTIONS[number].begin)
        for number in CHARACTERS
    ),
    Stage(ExchangeMissio(), finish=tavern),
    Stage(ScoreMissio(), finish=score, begin=score_phase),
    Stage(DrawCard(), finish=draw),
    Stage(finish=next_turn),
    Stage(PlaceThief(), finish=place_thief),
    Stage(DiscardForThief(), finish=replace_thief),
)
"""By stage number."""
