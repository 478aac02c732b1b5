"""Random games of other libraries beside Palio's, all in one run: decisions a second of one core.

The others are driven as their own documentation does it, from Python: ask for the legal actions, apply one of them at
random. OpenSpiel's games are written in C++, RLCard's in Python (a step of its environments also encodes what the
player sees, which it cannot leave out). Chance is drawn and not counted; only players' decisions are.
"""

from __future__ import annotations

import random
import time
from collections.abc import Callable
from importlib import import_module
from importlib.metadata import PackageNotFoundError, version
from types import ModuleType
from typing import Any, Final, NamedTuple, TypeAlias

from palio.bench.engine import compiled, playouts
from palio.engine.game import Rules
from palio.games import rules_of

PlayOne: TypeAlias = Callable[[random.Random], int]
"""Plays one game at random and returns how many decisions its players took."""


class Peer(NamedTuple):
    """A game of another library.

    Attributes:
        library: for people.
        package: what to install.
        module: what to import.
        game: its name there.
        open: makes the function that plays one game.
    """

    library: str
    package: str
    module: str
    game: str
    open: Callable[[ModuleType, str], PlayOne]


class Line(NamedTuple):
    """What was measured, or why it was not.

    Attributes:
        library, game: what was played, with the library's version.
        decisions_per_second: 0 where nothing was measured.
        decisions_per_game: on average.
        missing: what keeps it from being measured; empty otherwise.
    """

    library: str
    game: str
    decisions_per_second: float = 0.0
    decisions_per_game: float = 0.0
    missing: str = ""


def open_spiel(module: ModuleType, name: str) -> PlayOne:
    """A game of OpenSpiel."""
    game: Any = module.load_game(name)

    def play(rng: random.Random) -> int:
        state = game.new_initial_state()
        decisions = 0
        while not state.is_terminal():
            if state.is_chance_node():
                outcomes, chances = zip(*state.chance_outcomes(), strict=True)
                state.apply_action(rng.choices(outcomes, chances)[0])
            else:
                actions = state.legal_actions()
                state.apply_action(actions[int(rng.random() * len(actions))])
                decisions += 1
        return decisions

    return play


def rlcard(module: ModuleType, name: str) -> PlayOne:
    """A game of RLCard."""
    environment: Any = module.make(name, config={"seed": 1})

    def play(rng: random.Random) -> int:
        state, _ = environment.reset()
        decisions = 0
        while not environment.is_over():
            actions = list(state["legal_actions"])
            state, _ = environment.step(actions[int(rng.random() * len(actions))])
            decisions += 1
        return decisions

    return play


PEERS: Final = (
    *(Peer("OpenSpiel", "open_spiel", "pyspiel", name, open_spiel) for name in ("hearts", "gin_rummy", "backgammon")),
    *(Peer("RLCard", "rlcard", "rlcard", name, rlcard) for name in ("uno", "gin-rummy")),
)
OWN: Final = (("fidelitas", 2), ("fidelitas", 4), ("feudum", 2), ("feudum", 4))
"""Our games, with their numbers of players; the first one is what the others are compared with."""


def measure(seconds: float, peers: tuple[Peer, ...] = PEERS) -> list[Line]:
    """Our games and then the others, each for so many seconds of processor time."""
    kind = "compiled" if compiled() else "plain Python"
    lines = []
    for name, players in OWN:
        rules: Rules = rules_of(name)
        speed = playouts(rules, players, seconds)
        title = f"{rules.title}, {players} players"
        lines.append(Line(f"Palio ({kind})", title, speed.decisions_per_second, speed.decisions_per_game))
    return lines + [_measured(peer, seconds) for peer in peers]


def _measured(peer: Peer, seconds: float) -> Line:
    try:
        module = import_module(peer.module)
    except ImportError as error:
        lacks = f"{peer.package} is not installed" if error.name == peer.module else f"{peer.package}: {error}"
        return Line(peer.library, peer.game, missing=f"{lacks}; pip install 'palio[peers]'")
    library = f"{peer.library} {_version(peer.package)}".rstrip()
    try:
        play = peer.open(module, peer.game)
        rate, length = _rate(play, seconds)
    except Exception as error:  # whatever another library throws: the others are measured all the same
        return Line(library, peer.game, missing=f"failed: {type(error).__name__}: {error}")
    return Line(library, peer.game, rate, length)


def _rate(play: PlayOne, seconds: float) -> tuple[float, float]:
    """Decisions a second of processor time, and decisions a game; the first game warms up and does not count."""
    rng = random.Random(1)  # noqa: S311 (chance for a benchmark)
    play(rng)
    games = decisions = 0
    begin = time.process_time()
    while (spent := time.process_time() - begin) < seconds or not games:
        decisions += play(rng)
        games += 1
    return decisions / max(spent, 1e-9), decisions / games


def _version(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return ""
