"""Full states at the start of a turn (section 10 of the rules): taken from a game, checked, and played on from."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from palio.engine.chance import SEED_BYTES
from palio.engine.errors import InvalidSetup
from palio.games.fidelitas.cards import (
    CHARACTER_NAMES,
    CHARACTERS,
    LOCATION_NAMES,
    LOCATIONS,
    SOLDIER,
    TAVERN_SIDES,
    THIEF,
)
from palio.games.fidelitas.choices import PLAY_CARD
from palio.games.fidelitas.decks import HOUSE_DECK, Deck
from palio.games.fidelitas.piles import pile_of
from palio.games.fidelitas.setup import DEFAULT_MAX_TURNS, Setup, read_options
from palio.games.fidelitas.state import State

Cards = tuple[int, ...]

CLEARING: Final = 3
"""So many Soldiers never lie at one location (F-13)."""


@dataclass(frozen=True, slots=True)
class Position:
    """Field by field the ``Position`` message.

    Attributes:
        seed: 32 bytes that later shuffles and thefts follow from.
        players: 1 to 4.
        turn: the turn that is about to start.
        stacks: ten of them, bottom to top; that of location n is at index n - 1.
        virtus_deck, missio_deck: top first.
        discard: in any order.
        hand, missio, scored: per seat; scored oldest first.
    """

    seed: bytes
    players: int
    turn: int
    stacks: tuple[Cards, ...]
    virtus_deck: Cards
    missio_deck: Cards
    hand: tuple[Cards, ...]
    missio: tuple[Cards, ...]
    scored: tuple[Cards, ...]
    discard: Cards = ()
    reshuffled: bool = False
    teams: bool = False
    max_turns: int = DEFAULT_MAX_TURNS
    final_round: bool = False
    deck: Deck = HOUSE_DECK


def position_of(state: State) -> Position | None:
    """The state as a position, if it stands at the start of a turn."""
    pending = state.decision()
    if pending is None or pending.kind != PLAY_CARD:
        return None
    setup = state.setup
    return Position(
        seed=state.seed,
        players=setup.players,
        turn=state.turn,
        stacks=tuple(pile.cards for pile in state.piles[1:]),
        virtus_deck=state.virtus[state.drawn :],
        missio_deck=state.missio_deck,
        hand=tuple(state.hands),
        missio=tuple(state.missio),
        scored=tuple(state.scored),
        discard=tuple(sorted(state.discard)),
        reshuffled=state.reshuffled,
        teams=setup.teams,
        max_turns=setup.max_turns,
        final_round=state.final_round,
        deck=setup.deck,
    )


def state_from(position: Position) -> State:
    """
    Raises:
        InvalidSetup: the position breaks an invariant; the field names where.
    """
    setup = _check(position)
    state = State(setup, position.seed)
    for location, cards in zip(LOCATIONS, position.stacks, strict=True):
        state.piles[location] = pile_of(tuple(cards))
    state.virtus = tuple(position.virtus_deck)
    state.missio_deck = tuple(position.missio_deck)
    state.discard = tuple(position.discard)
    state.reshuffled = position.reshuffled
    state.hands = [tuple(sorted(hand)) for hand in position.hand]
    state.missio = [tuple(sorted(held)) for held in position.missio]
    state.scored = [tuple(scored) for scored in position.scored]
    state.points = [sum(setup.missio[number].points for number in scored) for scored in position.scored]
    state.final_round = position.final_round
    state.begin(position.turn)
    return state


def _check(position: Position) -> Setup:
    options = read_options(teams=position.teams, max_turns=position.max_turns, deck=position.deck)
    setup = Setup(position.players, options)
    if len(position.seed) != SEED_BYTES:
        raise InvalidSetup("seed", f"{len(position.seed)} bytes; a seed has {SEED_BYTES}")
    if not 1 <= position.turn <= position.max_turns:
        raise InvalidSetup("turn", f"{position.turn}; allowed are 1 to max_turns, which is {position.max_turns}")
    if len(position.stacks) != len(LOCATIONS):
        raise InvalidSetup("stacks", f"{len(position.stacks)} stacks; there are {len(LOCATIONS)} locations")
    for name, lists in (("hand", position.hand), ("missio", position.missio), ("scored", position.scored)):
        if len(lists) != setup.players:
            raise InvalidSetup(name, f"{len(lists)} lists; there are {setup.players} seats")
    _check_virtus(position, setup)
    _check_missio(position, setup)
    _check_progress(position, setup)
    return setup


def _check_virtus(position: Position, setup: Setup) -> None:
    places = [
        *((f"stacks[{n}].cards", cards) for n, cards in enumerate(position.stacks)),
        ("virtus_deck", position.virtus_deck),
        ("discard", position.discard),
        *((f"hand[{n}].cards", cards) for n, cards in enumerate(position.hand)),
    ]
    for path, cards in places:
        for index, card in enumerate(cards):
            if type(card) is not int or card not in CHARACTERS:
                raise InvalidSetup(
                    f"{path}[{index}]", f"{card!r} is not a character; allowed are 1 to {CHARACTERS[-1]}"
                )
    for location, cards in zip(LOCATIONS, position.stacks, strict=True):
        path = f"stacks[{location - 1}].cards"
        if cards.count(SOLDIER) >= CLEARING:
            raise InvalidSetup(
                path, f"{cards.count(SOLDIER)} Soldiers at {LOCATION_NAMES[location]}: it would be cleared"
            )
        if setup.solo and location in TAVERN_SIDES and cards:
            raise InvalidSetup(path, "the solo game has no Tavern")
    if not position.virtus_deck:
        raise InvalidSetup(
            "virtus_deck", "empty; the deck is made again, or the game ends, when its last card leaves it"
        )
    found = Counter(card for _, cards in places for card in cards)
    wrong = [
        f"{found[character]} of {CHARACTER_NAMES[character]} instead of {setup.deck.copies[character]}"
        for character in CHARACTERS
        if found[character] != setup.deck.copies[character]
    ]
    if wrong:
        raise InvalidSetup("deck.virtus", f"stacks, decks, discard pile and hands together hold {', '.join(wrong)}")


def _check_missio(position: Position, setup: Setup) -> None:
    known = len(setup.deck.missio)
    where: dict[int, str] = {}
    for path, number in _missio_places(position):
        if type(number) is not int or not 1 <= number <= known:
            raise InvalidSetup(path, f"{number!r} is not a Missio card; allowed are 1 to {known}")
        if number in where:
            raise InvalidSetup(path, f"Missio card {number} is in {where[number]} already")
        where[number] = path
    missing = sorted(set(range(1, known + 1)) - set(where))
    if missing:
        raise InvalidSetup("missio_deck", f"Missio cards that are nowhere: {', '.join(map(str, missing))}")


def _missio_places(position: Position) -> Iterable[tuple[str, int]]:
    lists: list[tuple[str, Sequence[int]]] = [("missio_deck", position.missio_deck)]
    lists += [(f"missio[{seat}].ids", held) for seat, held in enumerate(position.missio)]
    lists += [(f"scored[{seat}].ids", scored) for seat, scored in enumerate(position.scored)]
    for path, numbers in lists:
        for index, number in enumerate(numbers):
            yield f"{path}[{index}]", number


def _check_progress(position: Position, setup: Setup) -> None:
    if setup.solo:
        if position.reshuffled:
            raise InvalidSetup("reshuffled", "a solo game ends when the deck runs out for the first time")
        if THIEF in position.hand[0]:
            raise InvalidSetup("hand[0].cards", "a solo player never holds a Thief: it is placed at once")
        if len(position.scored[0]) == len(setup.deck.missio):
            raise InvalidSetup("scored[0].ids", "the game is over: every Missio card is scored")
    points = [0] * setup.players
    for side, scored in zip(setup.sides, position.scored, strict=True):
        points[side] += sum(setup.missio[number].points for number in scored)
    reached = bool(setup.target) and max(points) >= setup.target
    if position.final_round != reached:
        has = "has" if reached else "has not"
        raise InvalidSetup("final_round", f"must be {str(reached).lower()}: a side {has} the {setup.target} points")
    if reached and (position.turn - 1) % setup.players == 0:
        raise InvalidSetup("final_round", "the game is over: the last round is finished")
