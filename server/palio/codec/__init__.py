"""Between rules and protobuf: the only package where both meet. One module a game, found by the game's id."""

from __future__ import annotations

from functools import cache
from importlib import import_module
from importlib.metadata import entry_points
from importlib.util import find_spec

from palio.codec.base import GameCodec
from palio.games import rules_of


@cache
def codec_of(game_id: str) -> GameCodec:
    """The codec of a game: ``palio.codec.<game_id>.CODEC``, or a plug-in's entry point in ``palio.codecs``.

    Raises:
        InvalidSetup: no such game.
    """
    rules_of(game_id)
    module = f"palio.codec.{game_id}"
    if find_spec(module) is not None:
        codec: GameCodec = import_module(module).CODEC
        return codec
    (point,) = entry_points(group="palio.codecs", name=game_id)
    plugin: GameCodec = point.load()
    return plugin
