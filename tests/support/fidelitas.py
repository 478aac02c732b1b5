"""Fidelitas positions that read like the table, and ways to play on from them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any, Final

from palio.engine.chance import seed_from_text
from palio.engine.game import Event, Option
from palio.games.fidelitas import RULES, Deck, Position, State
from palio.games.fidelitas.cards import CHARACTER_NAMES, CHARACTERS, LOCATION_NAMES, LOCATIONS

VARIANTS: Final = ((1, False), (2, False), (3, False), (4, False), (4, True))
"""Every number of players and team play."""


def variant_name(variant: tuple[int, bool]) -> str:
    players, teams = variant
    return "teams" if teams else "solo" if players == 1 else f"{players}p"


def characters(names: str) -> tuple[int, ...]:
    """``"Soldier Priest"`` as numbers, in that order."""
    return tuple(CHARACTER_NAMES.index(name.upper()) for name in names.split())


def location(name: str) -> int:
    """``"tavern_north"`` as a number."""
    return LOCATION_NAMES.index(name.upper())


def position(
    city: Mapping[str, str] | None = None,
    *,
    hands: Sequence[str] = (),
    missio: Sequence[Sequence[int]] = (),
    scored: Sequence[Sequence[int]] = (),
    deck_top: str = "",
    deck_size: int | None = None,
    missio_top: Sequence[int] = (),
    missio_size: int | None = None,
    discard: str | None = None,
    players: int = 2,
    turn: int = 1,
    seed: str = "by hand",
    deck: Deck | None = None,
    **rest: Any,
) -> Position:
    """A position with these cards; all others go to the decks, or to the discard pile beyond the sizes given.

    Args:
        city: stacks by location, bottom to top: ``{"market": "Broker Priest"}``.
        hands: per seat; seats left out hold nothing.
        missio, scored: per seat Missio ids; seats left out hold nothing.
        deck_top: the first cards of the Virtus deck.
        deck_size: the deck's size, ``deck_top`` included. None: all cards that are left, where no discard is given.
        missio_top: the first cards of the Missio deck.
        missio_size: the Missio deck's size; what is left over counts as scored by the last seat (mind its points).
        discard: cards that must be in the discard pile.
    """
    own = deck or Deck()
    stacks = [characters((city or {}).get(LOCATION_NAMES[n].lower(), "")) for n in LOCATIONS]
    held = [characters(hands[seat]) if seat < len(hands) else () for seat in range(players)]
    top, thrown = characters(deck_top), characters(discard or "")
    used = Counter(card for cards in (*stacks, *held, top, thrown) for card in cards)
    rest_of_virtus = [n for n in CHARACTERS for _ in range(own.copies[n] - used[n])]
    size = len(top) + len(rest_of_virtus) if deck_size is None else deck_size
    virtus = (*top, *rest_of_virtus[: size - len(top)])
    thrown += tuple(rest_of_virtus[size - len(top) :])

    ids = [tuple(missio[seat]) if seat < len(missio) else () for seat in range(players)]
    face_up = [tuple(scored[seat]) if seat < len(scored) else () for seat in range(players)]
    gone = {number for numbers in (*ids, *face_up, missio_top) for number in numbers}
    spare = [number for number in range(1, len(own.missio) + 1) if number not in gone]
    below = len(spare) if missio_size is None else missio_size - len(missio_top)
    face_up[-1] += tuple(spare[below:])
    return Position(
        seed=seed_from_text(seed),
        players=players,
        turn=turn,
        stacks=tuple(stacks),
        virtus_deck=virtus,
        missio_deck=(*missio_top, *spare[:below]),
        hand=tuple(held),
        missio=tuple(ids),
        scored=tuple(face_up),
        discard=thrown,
        deck=own,
        **rest,
    )


def fresh(seed_text: str, players: int = 2, **options: Any) -> State:
    """A game from a seed given as text."""
    return RULES.start(seed_from_text(seed_text), players, RULES.options(**options))


class Game:
    """A state with words for what tests do.

    Attributes:
        events: those of the last choice, or of the start.
        history: all events so far.
    """

    def __init__(self, start: Position | State) -> None:
        self.state = start if isinstance(start, State) else RULES.from_position(start)
        self.events: list[Event] = self.state.take_events()
        self.history: list[Event] = list(self.events)

    @property
    def kind(self) -> str | None:
        """Of the pending decision."""
        decision = self.state.decision()
        return decision.kind if decision else None

    @property
    def options(self) -> list[Option]:
        """Of the pending decision."""
        decision = self.state.decision()
        return list(decision.options) if decision else []

    def choose(self, *option: int | str) -> Game:
        """Take the option; its events replace the ones before."""
        assert option in self.options, f"{option} is not among {self.options} of {self.kind}"
        self.state.choose(self.options.index(option))
        self.events = self.state.take_events()
        self.history += self.events
        return self

    def play(self, character: str, place: str) -> Game:
        """Play a card from hand."""
        return self.choose("play", *characters(character), location(place))

    def pick(self, place: str, character: str) -> Game:
        """Pick a card of the City."""
        return self.choose("card", location(place), *characters(character))

    def send(self, place: str) -> Game:
        """Pick a destination."""
        return self.choose("destination", location(place))

    def stack(self, place: str) -> str:
        """A location's cards, bottom to top."""
        return _titles(self.state.piles[location(place)].cards)

    def hand(self, seat: int) -> str:
        """A seat's cards."""
        return _titles(self.state.hands[seat])

    @property
    def discarded(self) -> str:
        """The discard pile, ascending by character number."""
        return _titles(sorted(self.state.discard))

    def facts(self, name: str) -> list[tuple[Any, ...]]:
        """The last choice's events of that name, without the name."""
        return [event.fact[1:] for event in self.events if event.fact[0] == name]

    def cards_offered(self) -> str:
        """The card options as ``place:character`` in their order."""
        return " ".join(
            f"{LOCATION_NAMES[int(option[1])].lower()}:{_titles([int(option[2])])}"  # type: ignore[arg-type]
            for option in self.options
            if option[0] == "card"
        )


def _titles(cards: Sequence[int]) -> str:
    return " ".join(CHARACTER_NAMES[card].capitalize() for card in cards)
