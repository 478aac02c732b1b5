"""What a game's codec offers: its states, options and events as protobuf messages and back."""

from __future__ import annotations

from typing import Protocol

from palio.engine.game import Opaque, Option, Value
from palio.v1 import game_pb2


class GameCodec(Protocol):
    """Translates one game.

    What goes out during play is returned as bytes: options and most parts of an observation repeat all the time,
    so a codec may keep them serialised and join them (concatenated protobuf messages merge).
    """

    def observation(self, view: Opaque) -> bytes:
        """A view as a serialised ``palio.v1.Observation``."""

    def option(self, option: Option) -> bytes:
        """An option, with its text, as a serialised ``palio.v1.Option``."""

    def event(self, fact: tuple[Value, ...]) -> bytes:
        """An event's fact as a serialised ``palio.v1.Event``."""

    def read_observation(self, message: game_pb2.Observation) -> Opaque:
        """The inverse of :meth:`observation`, for bots that search with the rules engine."""

    def read_option(self, message: game_pb2.Option) -> Option:
        """The inverse of :meth:`option`."""

    def read_event(self, message: game_pb2.Event) -> tuple[Value, ...]:
        """The inverse of :meth:`event`."""

    def game_options(self, options: Opaque) -> game_pb2.GameOptions:
        """The game's options object as a message, every field set."""

    def read_game_options(self, message: game_pb2.GameOptions) -> Opaque:
        """The options object; unset fields get the game's defaults.

        Raises:
            InvalidSetup: the message is of another game, or a value is out of bounds.
        """

    def position(self, position: Opaque) -> game_pb2.Position:
        """A position as a message."""

    def read_position(self, message: game_pb2.Position) -> Opaque:
        """A position from a message; the rules check it.

        Raises:
            InvalidSetup: the message is of another game, or a field cannot be read.
        """

    def words(self, words: Opaque) -> game_pb2.Words:
        """Team talk as a message."""

    def read_words(self, message: game_pb2.Words) -> Opaque:
        """Team talk from a message.

        Raises:
            InvalidAction: the game has no signals, or the message cannot be read.
        """

    def catalogue(self) -> game_pb2.Catalogue:
        """The game's cards as data."""
