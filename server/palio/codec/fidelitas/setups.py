"""What is settled before a match: options, decks, positions and the catalogue as messages and back."""

from __future__ import annotations

from dataclasses import fields
from functools import lru_cache
from typing import Any, Final

from google.protobuf import json_format

from palio.fidelitas.v1 import fidelitas_pb2 as pb
from palio.games.fidelitas.cards import (
    ACTION_TEXTS,
    CASTLE,
    CHARACTERS,
    DRAWS,
    GUILD_OF,
    HARBOR,
    HOUSE_COPIES,
    LOCATION_CARDS,
    LOCATIONS,
    NORTH,
    PLAYED_ON,
    SWINDLER,
    TARGETS,
    TAVERN_SIDES,
    TEAM_TARGET,
)
from palio.games.fidelitas.conditions import HOUSE_MISSIO, MissioCard
from palio.games.fidelitas.decks import CONDITION_KINDS, HOUSE_DECK, Deck, kind_of, read_deck
from palio.games.fidelitas.positions import Position
from palio.games.fidelitas.setup import DEFAULT_MAX_TURNS, Options, read_options
from palio.games.fidelitas.text import describe_condition

_CONDITION_MESSAGES: Final = {name: getattr(pb, kind.__name__) for name, kind in CONDITION_KINDS.items()}
"""The messages bear the names of the rules' classes."""


def options_message(options: Options) -> pb.GameOptions:
    """Every field set."""
    return pb.GameOptions(teams=options.teams, max_turns=options.max_turns, deck=deck_message(options.deck))


def options_from(message: pb.GameOptions) -> Options:
    """
    Raises:
        InvalidSetup: a value is out of bounds.
    """
    given: dict[str, Any] = {}
    for name in ("teams", "max_turns"):
        if message.HasField(name):
            given[name] = getattr(message, name)
    if message.HasField("deck"):
        given["deck"] = _deck_from(message.deck)
    return read_options(**given)


def deck_message(deck: Deck) -> pb.Deck:
    """The whole list of cards."""
    return pb.Deck(
        virtus=[pb.Copies(character=_character(n), copies=deck.copies[n]) for n in CHARACTERS if deck.copies[n]],
        missio=[missio_message(number, card) for number, card in enumerate(deck.missio, 1)],
    )


def _deck_from(message: pb.Deck) -> Deck:
    return _deck_of(message.SerializeToString(deterministic=True))


@lru_cache(64)
def _deck_of(serialised: bytes) -> Deck:
    """Every match's header holds its whole deck, and nearly all matches have the same."""
    message = pb.Deck.FromString(serialised)
    return read_deck(json_format.MessageToDict(message, preserving_proto_field_name=True))


def missio_message(number: int, card: MissioCard) -> pb.MissioCard:
    """A Missio card with its condition."""
    kind = kind_of(card.condition)
    values = {field.name: getattr(card.condition, field.name) for field in fields(card.condition)}
    condition = {kind: _CONDITION_MESSAGES[kind](**values)}
    return pb.MissioCard(id=number, points=card.points, text=describe_condition(card.condition), **condition)


def position_message(position: Position) -> pb.Position:
    """A position; the deck only where it is not the house deck."""
    return pb.Position(
        seed=position.seed,
        players=position.players,
        teams=position.teams,
        max_turns=position.max_turns,
        turn=position.turn,
        stacks=[_cards(cards) for cards in position.stacks],
        virtus_deck=[_character(n) for n in position.virtus_deck],
        reshuffled=position.reshuffled,
        discard=[_character(n) for n in position.discard],
        missio_deck=position.missio_deck,
        hand=[_cards(cards) for cards in position.hand],
        missio=[pb.MissioIds(ids=ids) for ids in position.missio],
        scored=[pb.MissioIds(ids=ids) for ids in position.scored],
        final_round=position.final_round,
        deck=None if position.deck == HOUSE_DECK else deck_message(position.deck),
    )


def position_from(message: pb.Position) -> Position:
    """
    Raises:
        InvalidSetup: the deck cannot be read; the rest is checked by the rules.
    """
    return Position(
        seed=message.seed,
        players=message.players,
        teams=message.teams,
        max_turns=message.max_turns or DEFAULT_MAX_TURNS,
        turn=message.turn,
        stacks=tuple(tuple(stack.cards) for stack in message.stacks),
        virtus_deck=tuple(message.virtus_deck),
        reshuffled=message.reshuffled,
        discard=tuple(message.discard),
        missio_deck=tuple(message.missio_deck),
        hand=tuple(tuple(hand.cards) for hand in message.hand),
        missio=tuple(tuple(held.ids) for held in message.missio),
        scored=tuple(tuple(scored.ids) for scored in message.scored),
        final_round=message.final_round,
        deck=_deck_from(message.deck) if message.HasField("deck") else HOUSE_DECK,
    )


def catalogue_message() -> pb.Catalogue:
    """The house deck, the City and the targets as data."""
    return pb.Catalogue(
        characters=[
            pb.CharacterInfo(
                character=_character(n),
                guild=pb.Guild.ValueType(GUILD_OF[n]),
                copies=HOUSE_COPIES[n],
                locations=[pb.Location.ValueType(place) for place in sorted({*PLAYED_ON[n], *TAVERN_SIDES})],
                needs_card=n == SWINDLER,
                draws=DRAWS[n],
                text=ACTION_TEXTS[n],
            )
            for n in CHARACTERS
        ],
        locations=[
            pb.LocationInfo(
                location=pb.Location.ValueType(n),
                card=LOCATION_CARDS[n],
                north=n in NORTH,
                tavern=n in TAVERN_SIDES,
                castle=n in CASTLE,
                harbor=n in HARBOR,
            )
            for n in LOCATIONS
        ],
        missio=[missio_message(number, card) for number, card in enumerate(HOUSE_MISSIO, 1)],
        targets=[
            *(pb.Target(players=players, points=points) for players, points in TARGETS.items()),
            pb.Target(players=4, teams=True, points=TEAM_TARGET),
        ],
    )


def _character(number: int) -> pb.Character.ValueType:
    return pb.Character.ValueType(number)


def _cards(cards: tuple[int, ...]) -> pb.Cards:
    return pb.Cards(cards=[_character(n) for n in cards])
