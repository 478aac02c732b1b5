"""What is settled before a match: its options, its cards, and the constants that follow from them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from palio.engine.errors import InvalidSetup
from palio.engine.game import OptionField
from palio.engine.record import Record
from palio.games.fidelitas.cards import (
    LOCATIONS,
    SOLO_LOCATIONS,
    TARGETS,
    TEAM_TARGET,
)
from palio.games.fidelitas.choices import MAX_MISSIO, PLAYS, SOLO_PLAYS
from palio.games.fidelitas.decks import (
    HOUSE_DECK,
    MAX_POINTS,
    MAX_VIRTUS,
    MIN_MISSIO,
    MIN_VIRTUS,
    Deck,
    read_deck,
)

SEATS: Final = (1, 2, 3, 4)
DEFAULT_MAX_TURNS: Final = 200
MIN_MAX_TURNS: Final = 20
MAX_MAX_TURNS: Final = 10_000


@dataclass(frozen=True, slots=True)
class Options(Record):
    """What an organiser can set.

    Attributes:
        teams: four seats in two teams, 0 and 2 against 1 and 3.
        max_turns: the game ends after this turn (F-39).
        deck: the cards; the house deck unless a match brings its own.
    """

    teams: bool = False
    max_turns: int = DEFAULT_MAX_TURNS
    deck: Deck = HOUSE_DECK


OPTION_FIELDS: Final = (
    OptionField("teams", "bool", "false", "Four seats in two teams, 0 and 2 against 1 and 3."),
    OptionField(
        "max_turns",
        "int",
        str(DEFAULT_MAX_TURNS),
        "The game ends after this turn at the latest.",
        MIN_MAX_TURNS,
        MAX_MAX_TURNS,
    ),
    OptionField(
        "deck",
        "message",
        "the house deck",
        f"Copies per character, {MIN_VIRTUS} to {MAX_VIRTUS} in all, and {MIN_MISSIO} to {MAX_MISSIO} Missio cards of "
        f"1 to {MAX_POINTS} points.",
    ),
)


class Setup:
    """The constants of one match, shared by all copies of its state.

    Attributes:
        players, teams, max_turns, deck: as in the options.
        solo: whether there is one player, and no Tavern (F-43).
        sides: per seat the side it plays for.
        target: points that start the last round; 0 for none.
        locations: the locations of the City, ascending.
        location_bits: bit ``1 << location`` for each of them.
        plays: the table of play options by hand.
        missio: the Missio cards by id; index 0 is a copy of the first.
        met: by id, whether a City (and the locations that are played with) meets the card's condition.
    """

    __slots__ = (
        "deck",
        "location_bits",
        "locations",
        "max_turns",
        "met",
        "missio",
        "players",
        "plays",
        "sides",
        "solo",
        "target",
        "teams",
    )

    def __init__(self, players: object, options: Options) -> None:
        """
        Raises:
            InvalidSetup: that number of players, or the options with it, cannot be played.
        """
        if type(players) is not int or players not in SEATS:
            raise InvalidSetup("players", f"{players!r}; allowed are 1 to 4")
        if options.teams and players != 4:
            raise InvalidSetup("teams", f"a team match has 4 players, not {players}")
        self.players: int = players
        self.teams = options.teams
        self.max_turns = options.max_turns
        self.deck = options.deck
        self.solo = players == 1
        self.sides = tuple(seat % 2 if options.teams else seat for seat in range(players))
        self.target = 0 if self.solo else TEAM_TARGET if options.teams else TARGETS[players]
        self.locations = SOLO_LOCATIONS if self.solo else LOCATIONS
        self.location_bits = sum(1 << location for location in self.locations)
        self.plays = SOLO_PLAYS if self.solo else PLAYS
        self.missio = (options.deck.missio[0], *options.deck.missio)
        self.met = tuple([card.condition.met for card in self.missio])

    def __reduce__(self) -> tuple[object, ...]:
        return Setup, (self.players, self.options)

    @property
    def options(self) -> Options:
        """The options that this was made from."""
        return Options(self.teams, self.max_turns, self.deck)


def read_options(**given: object) -> Options:
    """Validated options, with defaults for what is not given.

    Raises:
        InvalidSetup: an unknown name, a wrong type, or a value out of bounds.
    """
    known = [field.name for field in OPTION_FIELDS]
    for name in given:
        if name not in known:
            raise InvalidSetup(name, f"Fidelitas has no such option; its options are {', '.join(known)}")
    teams = given.get("teams", False)
    if not isinstance(teams, bool):
        raise InvalidSetup("teams", f"{teams!r} is not true or false")
    max_turns = given.get("max_turns", DEFAULT_MAX_TURNS)
    if type(max_turns) is not int or not MIN_MAX_TURNS <= max_turns <= MAX_MAX_TURNS:
        raise InvalidSetup(
            "max_turns", f"{max_turns!r}; allowed are whole numbers from {MIN_MAX_TURNS} to {MAX_MAX_TURNS}"
        )
    deck = given.get("deck")
    if deck is None:
        deck = HOUSE_DECK
    elif not isinstance(deck, Deck):
        deck = read_deck(deck)
    deck.check()
    return Options(teams, max_turns, deck)
