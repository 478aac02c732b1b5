"""Options, events and conditions in English."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from palio.games.fidelitas.cards import CHARACTER_NAMES, GUILD_NAMES, LOCATION_NAMES, THIEF
from palio.games.fidelitas.conditions import (
    ActiveSwindlers,
    CharacterAtEach,
    CharacterCount,
    CharacterSpread,
    Condition,
    CrowdedLocation,
    DistinctGuilds,
    EmptyLocations,
    GuildAtEach,
    GuildPairs,
)

CHARACTER_TITLES: Final = tuple(name.capitalize() for name in CHARACTER_NAMES)
GUILD_TITLES: Final = tuple(name.capitalize() for name in GUILD_NAMES)
LOCATION_TITLES: Final = tuple(
    {3: "north Tavern", 8: "south Tavern"}.get(number, name.capitalize()) for number, name in enumerate(LOCATION_NAMES)
)
END_TEXTS: Final = {
    "exhaustion": "the deck has run out",
    "target": "the target was reached and the round is finished",
    "turn_limit": "the turn limit is reached",
    "all_scored": "every Missio card is scored",
}


def describe_option(option: Sequence[Any]) -> str:
    """A few words: "Baker on the College"."""
    match tuple(option):
        case ("play", character, location):
            return f"{CHARACTER_TITLES[character]} on the {LOCATION_TITLES[location]}"
        case ("card", location, character):
            return f"{CHARACTER_TITLES[character]} at the {LOCATION_TITLES[location]}"
        case ("destination", location):
            return f"to the {LOCATION_TITLES[location]}"
        case ("broker", direction, location):
            return f"{'out of' if direction == 1 else 'into'} the {LOCATION_TITLES[location]}"
        case ("hand_card", character):
            return f"{CHARACTER_TITLES[character]}"
        case ("pair", location, a, b):
            return f"remove {CHARACTER_TITLES[a]} and {CHARACTER_TITLES[b]} at the {LOCATION_TITLES[location]}"
        case ("draw_two",):
            return "draw two cards"
        case ("priest", choice):
            return "draw a Missio card" if choice == 1 else "draw two Virtus cards"
        case ("missio", number):
            return f"Missio card {number}"
        case ("pass",):
            return "pass"
        case ("deck",):
            return "draw from the deck"
    raise ValueError(f"not an option of Fidelitas: {option!r}")


def describe_event(fact: Sequence[Any]) -> str:
    """One sentence without the full stop: "seat 1 steals a card from seat 0"."""
    match tuple(fact):
        case ("set_up", stacks, _, virtus, missio, hands, _, _):
            city = ", ".join(f"{LOCATION_TITLES[n]} {_names(stack)}" for n, stack in enumerate(stacks, 1) if stack)
            sizes = ", ".join(map(str, hands))
            return f"the City is laid out: {city}; hands of {sizes}; decks of {virtus} and {missio} cards"
        case ("hand_dealt", seat, cards, missio):
            return f"seat {seat} holds {_names(cards)} and {_missio(missio)}"
        case ("turn_started", turn, round_, seat):
            return f"turn {turn} (round {round_}) of seat {seat}"
        case ("card_played", seat, character, location):
            return f"seat {seat} plays {CHARACTER_TITLES[character]} on the {LOCATION_TITLES[location]}"
        case ("nothing_played", seat):
            return f"seat {seat} can play no card"
        case ("cards_moved", seat, moves):
            ways = ", ".join(
                f"{CHARACTER_TITLES[c]} from the {LOCATION_TITLES[a]} to the {LOCATION_TITLES[b]}" for c, a, b in moves
            )
            return f"seat {seat} moves {ways}"
        case ("cards_swapped", seat, a, first, b, second):
            return f"seat {seat} swaps {_card(a, first)} with {_card(b, second)}"
        case ("cards_removed", seat, cards):
            return f"seat {seat} removes {', '.join(_card(c, n) for n, c in cards)}"
        case ("location_cleared", location, cards):
            return f"three Soldiers clear the {LOCATION_TITLES[location]} of {_names(cards)}"
        case ("card_taken", seat, character, location):
            return f"seat {seat} takes {CHARACTER_TITLES[character]} from the {LOCATION_TITLES[location]}"
        case ("card_turned_up", character, location):
            return f"the top card of the deck is put on the {LOCATION_TITLES[location]}: {CHARACTER_TITLES[character]}"
        case _:
            return _describe_cards(fact)


def _describe_cards(fact: Sequence[Any]) -> str:
    match tuple(fact):
        case ("deck_drawn", seat, count):
            return f"seat {seat} draws {_count(count, 'card')} from the deck"
        case ("cards_drawn", seat, cards):
            return f"seat {seat} finds {_names(cards)}"
        case ("tavern_drawn", seat, character, location):
            return f"seat {seat} draws {CHARACTER_TITLES[character]} from the {LOCATION_TITLES[location]}"
        case ("cards_discarded", seat, cards):
            return f"seat {seat} discards {_names(cards)}"
        case ("card_kept", seat, character):
            return f"seat {seat} keeps {CHARACTER_TITLES[character]}"
        case ("missio_exchanged", seat):
            return f"seat {seat} exchanges a Missio card"
        case ("missio_returned", seat, number):
            return f"seat {seat} puts Missio card {number} under the deck"
        case ("missio_drawn", seat, count):
            return f"seat {seat} draws {_count(count, 'Missio card')}"
        case ("missio_received", seat, numbers):
            return f"seat {seat} receives {_missio(numbers)}"
        case ("missio_scored", seat, number, points):
            return f"seat {seat} scores Missio card {number} for {_count(points, 'point')}"
        case ("card_stolen", robber, victim):
            return f"seat {robber} steals a card from seat {victim}"
        case ("stolen_card", robber, victim, character):
            return f"the card stolen by seat {robber} from seat {victim} is {CHARACTER_TITLES[character]}"
        case ("deck_reshuffled", size):
            return f"the discard pile becomes a new deck of {_count(size, 'card')}"
        case ("thief_placed", seat, location):
            return f"seat {seat} places {CHARACTER_TITLES[THIEF]} on the {LOCATION_TITLES[location]}"
        case ("final_round", seat):
            return f"seat {seat} reaches the target: this is the last round"
        case ("signalled", seat, guilds, locations):
            words = [GUILD_TITLES[g] for g in guilds] + [LOCATION_TITLES[n] for n in locations]
            return f"seat {seat} signals {', '.join(words)}"
        case ("game_over", reason):
            return f"the game is over: {END_TEXTS[reason]}"
    raise ValueError(f"not an event of Fidelitas: {fact!r}")


def describe_condition(condition: Condition) -> str:
    """What a Missio card asks for: "at least 4 guilds at the Warehouse"."""
    match condition:
        case DistinctGuilds(locations, count):
            return f"at least {count} guilds at {_places(locations)}"
        case CharacterCount(character, count):
            return f"at least {count} {CHARACTER_TITLES[character]} cards in the City"
        case EmptyLocations(count):
            return f"at least {_count(count, 'empty location')}"
        case CharacterAtEach(character, locations):
            return f"{CHARACTER_TITLES[character]} at each of {_places(locations)}"
        case GuildAtEach(guild, locations):
            return f"a card of the {GUILD_TITLES[guild]} guild at each of {_places(locations)}"
        case CharacterSpread(character, count):
            return f"{CHARACTER_TITLES[character]} at each of at least {_count(count, 'location')}"
        case ActiveSwindlers(count):
            return f"at least {_count(count, 'active Swindler')}"
        case GuildPairs(count):
            return f"a guild pair at each of at least {_count(count, 'location')}"
        case CrowdedLocation(count):
            return f"a location with at least {_count(count, 'card')}"


def _card(character: int, location: int) -> str:
    return f"{CHARACTER_TITLES[character]} at the {LOCATION_TITLES[location]}"


def _names(cards: Sequence[int]) -> str:
    return ", ".join(CHARACTER_TITLES[card] for card in cards) or "nothing"


def _missio(numbers: Sequence[int]) -> str:
    if not numbers:
        return "no Missio card"
    return f"Missio card{'s' if len(numbers) > 1 else ''} {', '.join(map(str, numbers))}"


def _places(locations: Sequence[int]) -> str:
    return " and ".join(f"the {LOCATION_TITLES[n]}" for n in locations)


def _count(count: int, noun: str) -> str:
    return f"{count} {noun}{'' if count == 1 else 's'}"
