"""Decisions of one game as messages, joined from parts that are kept serialised."""

from __future__ import annotations

from functools import cache
from typing import Final

from palio.codec import codec_of
from palio.codec.base import GameCodec
from palio.codec.wire import Kept, nested, number, tag
from palio.engine.game import Decision, Opaque, Option
from palio.v1 import play_pb2

_KIND: Final = tag(play_pb2.Decision.KIND_FIELD_NUMBER)
_OBSERVATION: Final = tag(play_pb2.Decision.OBSERVATION_FIELD_NUMBER)
_OPTIONS: Final = tag(play_pb2.Decision.OPTIONS_FIELD_NUMBER)
_DECISION_ID: Final = play_pb2.Decision.DECISION_ID_FIELD_NUMBER
_KEPT_OPTIONS: Final = 1 << 16


class Questions:
    """Writes the decisions of a game."""

    __slots__ = ("_kind", "_observation", "_option")

    def __init__(self, codec: GameCodec) -> None:
        self._observation = codec.observation
        self._option = Kept[Option](lambda option: nested(_OPTIONS, codec.option(option)), _KEPT_OPTIONS).__getitem__
        self._kind = Kept[str](lambda kind: nested(_KIND, kind.encode())).__getitem__

    def write(self, decision_id: int, decision: Decision, view: Opaque) -> bytes:
        """A serialised ``Decision`` without its clock.

        Args:
            view: what the seat that is asked sees.
        """
        return b"".join(
            (
                number(_DECISION_ID, decision_id),
                self._kind(decision.kind),
                nested(_OBSERVATION, self._observation(view)),
                *map(self._option, decision.options),
            )
        )


@cache
def questions_of(game: str) -> Questions:
    """Shared by all matches of a game."""
    return Questions(codec_of(game))
