"""Drawings of games in the terminal: one module a game, found by the game's id; a game without one is shown plainly."""

from __future__ import annotations

from collections.abc import Sequence
from importlib import import_module
from importlib.util import find_spec
from typing import Protocol, runtime_checkable

from rich.console import RenderableType
from rich.text import Text

from palio.client import Match
from palio.codec.jsons import payload_of
from palio.v1 import game_pb2


class Board(Protocol):
    """Shows one match to the person who plays it. It knows no more than a bot would."""

    def draw(self, observation: game_pb2.Observation, names: Sequence[str], *, whole: bool = True) -> RenderableType:
        """What the seat sees.

        Args:
            names: of the players by seat.
            whole: all of it; otherwise a board that is large may leave out what the pending decision does not need.
        """

    def option_text(self, option: game_pb2.Option) -> str:
        """A choice in a few words."""

    def help(self, topic: str) -> RenderableType | None:
        """What a card or another thing does; for an empty topic an overview; ``None`` where nothing is to be said."""


@runtime_checkable
class Talkative(Protocol):
    """The board of a game whose partners may signal to each other."""

    def talk(self, names: Sequence[str]) -> game_pb2.Words:
        """What a signal of these words says to the partner.

        Raises:
            ValueError: it cannot be said; the message tells why.
        """


class PlainBoard:
    """For games without a drawing: the observation as it is on the wire."""

    def __init__(self, match: Match) -> None:
        del match

    def draw(
        self,
        observation: game_pb2.Observation,
        names: Sequence[str],  # noqa: ARG002
        *,
        whole: bool = True,  # noqa: ARG002
    ) -> RenderableType:
        return Text(str(payload_of(observation)).rstrip())

    def option_text(self, option: game_pb2.Option) -> str:
        return option.text

    def help(self, topic: str) -> RenderableType | None:  # noqa: ARG002
        return None


def board_of(match: Match) -> Board:
    """The board for a match."""
    name = f"{__name__}.{match.game}"
    if find_spec(name) is None:
        return PlainBoard(match)
    board: Board = import_module(name).BOARD(match)
    return board
