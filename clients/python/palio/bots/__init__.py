"""The built-in bots, by name.

A bot for every game is a module ``palio.bots.<name>``; a bot for one game is a module ``palio.bots.<game>.<name>``.
Either has a ``BOT``: called with a match and a seed text it makes the bot. Modules whose names start with an
underscore are helpers. A module may have variants of its bot for comparisons: ``greedy:quiet`` is ``QUIET`` in the
module of ``greedy``; they are not listed. Plug-ins add theirs through the entry point group ``palio.bots``, named
``<game>.<name>``. Nothing is imported before it is needed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache
from importlib import import_module
from importlib.metadata import EntryPoint, entry_points
from importlib.util import find_spec
from pkgutil import iter_modules
from typing import Final, TypeAlias

from palio.client import Bot, Factory, Match
from palio.engine.errors import InvalidSetup
from palio.games import all_rules

Strategy: TypeAlias = Callable[[Match, str], Bot]
"""Makes the bot for a match, given a seed text."""

_GROUP: Final = "palio.bots"


@cache
def all_bots() -> dict[str, tuple[str, ...]]:
    """Every bot's name, with the ids of the games that it plays."""
    games = tuple(all_rules())
    found: dict[str, list[str]] = {name: list(games) for name in _modules(__name__)}
    own = {game: list(_modules(f"{__name__}.{game}")) for game in games}
    for point in entry_points(group=_GROUP):
        game, _, name = point.name.partition(".")
        own.setdefault(game, []).append(name)
    for game, names in own.items():
        for name in names:
            found.setdefault(name, []).append(game)
    return {name: tuple(dict.fromkeys(played)) for name, played in found.items()}


def bot_named(name: str, seed: str = "") -> Factory:
    """The factory of a built-in bot, for any of its games.

    Args:
        seed: text that tells bots of one name apart, where they use chance at all.

    Raises:
        InvalidSetup: there is no such bot; by the factory: it does not play the match's game.
    """
    if name.partition(":")[0] not in all_bots():
        raise InvalidSetup("bot", f"there is no bot {name!r}; the bots are {', '.join(all_bots())}")

    def factory(match: Match) -> Bot:
        return strategy(name, match.game)(match, seed)

    factory.blocking = False  # type: ignore[attr-defined]
    return factory


@cache
def strategy(name: str, game: str) -> Strategy:
    """What plays a game under a bot's name.

    Raises:
        InvalidSetup: there is no such bot, or it does not play that game.
    """
    name, _, variant = name.partition(":")
    games = all_bots().get(name, ())
    if game not in games:
        able = [bot for bot, played in all_bots().items() if game in played]
        raise InvalidSetup("bot", f"{name!r} does not play {game!r}; those that do: {', '.join(able) or 'none'}")
    for module in (f"{__name__}.{game}.{name}", f"{__name__}.{name}"):
        if _exists(module):
            found: Strategy | None = getattr(import_module(module), variant.upper() or "BOT", None)
            if found is None:
                raise InvalidSetup("bot", f"{name!r} has no variant {variant!r}")
            return found
    plugin: Strategy = _point(f"{game}.{name}").load()
    return plugin


def _point(name: str) -> EntryPoint:
    (point,) = entry_points(group=_GROUP, name=name)
    return point


def _modules(package: str) -> Iterator[str]:
    """Names of a package's modules that are bots; none if there is no such package."""
    spec = find_spec(package)
    for module in iter_modules(spec.submodule_search_locations if spec else []):
        if not module.ispkg and not module.name.startswith("_"):
            yield module.name


def _exists(module: str) -> bool:
    try:
        return find_spec(module) is not None
    except ModuleNotFoundError:  # its package does not exist
        return False
