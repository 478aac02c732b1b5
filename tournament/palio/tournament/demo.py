"""The tournament of ``palio demo``: four built-in bots, two of them started as commands like anybody's own bot.

How many deals are played follows from how long one match takes here, so that the demo of any game is short.
"""

from __future__ import annotations

import json
import math
import shutil
import sys
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final, NamedTuple

from palio.bots import all_bots, bot_named
from palio.bots.arena import play_match
from palio.engine.chance import Stream, seed_from_text
from palio.engine.errors import InvalidSetup
from palio.engine.game import Rules
from palio.games import rules_of
from palio.tournament.runner.prepare import folder_of

BEST_FIRST: Final = ("planner", "greedy", "random")
MOST_SEATS: Final = 4
BUDGET: Final = 24.0
"""Seconds that the games may take; starting, measuring and reporting come on top."""
MOST_DEALS: Final = 4
MOST_MEASURED: Final = 4
SERVER_SECONDS: Final = 0.0015
"""What the server needs for a decision, roughly."""
CORES: Final = 2


class Pace(NamedTuple):
    """How fast a game goes.

    Attributes:
        thinking: of each bot, mean seconds for a decision.
        lengths: by size of match the decisions of a whole match.
    """

    thinking: Sequence[float]
    lengths: Mapping[int, int]


def measure(game: str, bots: Sequence[str], sizes: Sequence[int], seed: str) -> Pace:
    """Play matches of the bots in the largest size, and one at random of every size."""
    rules = rules_of(game)
    largest = max(sizes)
    thinking: list[float] = []
    decisions = 0
    for start in range(0, len(bots), largest):
        found, decisions = _measured_match(game, [*bots[start:], *bots][:largest], seed)
        thinking += found
    lengths = {size: _random_length(rules, size, seed) for size in sizes}
    real = decisions / lengths[largest]
    return Pace(thinking[: len(bots)], {size: math.ceil(real * length) for size, length in lengths.items()})


def _measured_match(game: str, bots: Sequence[str], seed: str) -> tuple[list[float], int]:
    """Each seat's mean time for a decision, and the number of decisions.

    Time is that of this process, so that a machine that is busy just now gets the same demo as an idle one. The first
    match of quick bots does not count: much of its time goes into loading them.
    """
    begin = time.process_time()
    for number in range(MOST_MEASURED):
        wall, own = time.perf_counter(), time.process_time()
        seats = [bot_named(bot, seed) for bot in bots]
        played = play_match(game, seats, seed_from_text(f"{seed}/{number}"), "measured")
        busy = (time.process_time() - own) / (time.perf_counter() - wall)
        if time.process_time() - begin > 1:
            break
    thinking = [busy * used / max(1, n) for used, n in zip(played.seconds, played.decisions, strict=True)]
    return thinking, sum(played.decisions)


def _random_length(rules: Rules, size: int, seed: str) -> int:
    """Decisions of a match of uniformly random choices."""
    state = rules.start(seed_from_text(seed), size, rules.options())
    chance = Stream(seed_from_text(seed), "demo")
    length = 0
    while decision := state.decision():
        state.choose(chance.uniform(len(decision.options)))
        length += 1
    return length


class Plan(NamedTuple):
    """What is played.

    Attributes:
        deals: per pairing, by size of match.
        duplicate: every deal is played with everybody in every seat; else once.
    """

    deals: Mapping[int, int]
    duplicate: bool


def plan(pace: Pace, budget: float = BUDGET) -> Plan:
    """Deals that fit the budget, as even in games as they can be.

    Every size is played while there is time for it, if need be without duplicates; the smallest always is.
    """
    sizes = sorted(pace.lengths)
    duplicate = seconds(pace, Plan(dict.fromkeys(sizes, 1), True)) <= budget
    deals: dict[int, int] = {}

    def fits(size: int) -> bool:
        return seconds(pace, Plan({**deals, size: deals.get(size, 0) + 1}, duplicate)) <= budget

    def games(size: int) -> int:
        return deals[size] * math.comb(len(pace.thinking), size) * (size if duplicate else 1)

    for size in sizes:
        if not deals or fits(size):
            deals[size] = 1
    while open_sizes := [size for size in deals if deals[size] < MOST_DEALS and fits(size)]:
        deals[min(open_sizes, key=games)] += 1
    return Plan(deals, duplicate)


def seconds(pace: Pace, planned: Plan) -> float:
    """What a plan takes at least: a bot's process plays its games one decision at a time, and so does the server."""
    entries = len(pace.thinking)
    work = [0.0] * entries
    server = 0.0
    for size, count in planned.deals.items():
        games = count * (size if planned.duplicate else 1) * pace.lengths[size]
        for bot, thinking in enumerate(pace.thinking):
            work[bot] += games * math.comb(entries - 1, size - 1) / size * thinking
        server += games * math.comb(entries, size) * SERVER_SECONDS
    return max(*work, server, (sum(work) + server) / CORES)


def write_demo(game: str, directory: Path, seed: str) -> Path:
    """Write the demo's tournament file; what an earlier demo left there is removed.

    Raises:
        InvalidSetup: there is no such game.
        OSError: the directory cannot be written.
    """
    rules = rules_of(game)
    directory.mkdir(parents=True, exist_ok=True)
    file = directory / f"{game}.toml"
    old = folder_of(file, None).root
    if (old / "ledger.sqlite3").exists():
        shutil.rmtree(old)
    sizes = [seats for seats in rules.seats if 2 <= seats <= MOST_SEATS]
    if not sizes:
        raise InvalidSetup("game", f"{game} is no game for 2 to {MOST_SEATS} players")
    bots = _bots(game)
    deals, duplicate = plan(measure(game, [bot for _, bot in bots], sizes, seed))
    lines = [
        "# Written by palio demo. Run it again, or change it and run it: palio tournament run FILE",
        f"name = {json.dumps(f'Demo of {rules.title}')}",
        f"game = {json.dumps(game)}",
        f"players = {list(deals)}  # matches of these sizes",
        f"deals = {list(deals.values())}  # per pairing, for each size",
        f"duplicate = {json.dumps(duplicate)}  # every deal with everybody in every seat, or only once",
        'seatings = "rotations"',
        f"seed = {json.dumps(seed)}",
        "",
    ]
    for number, (name, bot) in enumerate(bots):
        lines += ["[[bots]]", f"name = {json.dumps(name)}"]
        if number % 2:
            command = [sys.executable, "-m", "palio.cli", "bot", "run", bot, "--seed", name]
            lines += [f"command = {json.dumps(command)}", ""]
        else:
            lines += [f"builtin = {json.dumps(bot)}", ""]
    file.write_text("\n".join(lines), encoding="utf-8")
    return file


def _bots(game: str) -> list[tuple[str, str]]:
    """(name in the tournament, built-in bot), four of them, the strongest first."""
    able = [name for name in BEST_FIRST if game in all_bots().get(name, ())]
    able += [name for name, games in all_bots().items() if game in games and name not in able]
    chosen = [(name, name) for name in able[:4]]
    for extra in range(4 - len(chosen)):
        bot = able[::-1][extra % len(able)]
        chosen.append((f"{bot}-2" if extra < len(able) else f"{bot}-{extra // len(able) + 2}", bot))
    return chosen
