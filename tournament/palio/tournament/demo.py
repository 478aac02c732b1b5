"""The tournament of ``palio demo``: four built-in bots, two of them started as commands like anybody's own bot."""

from __future__ import annotations

import json
import shutil
import sys
from pathlib import Path
from typing import Final

from palio.bots import all_bots
from palio.engine.errors import InvalidSetup
from palio.games import rules_of
from palio.tournament.runner.prepare import folder_of

BEST_FIRST: Final = ("planner", "greedy", "random")
MOST_SEATS: Final = 4
DEALS: Final[dict[str, dict[int, int]]] = {"fidelitas": {2: 6, 3: 1, 4: 2}}
"""Blocks per pairing by game and size of match, so that the demo takes well under a minute on two cores."""


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
    deals = [DEALS.get(game, {}).get(size, 1) for size in sizes]
    lines = [
        "# Written by palio demo. Run it again, or change it and run it: palio tournament run FILE",
        f"name = {json.dumps(f'Demo of {rules.title}')}",
        f"game = {json.dumps(game)}",
        f"players = {sizes}  # matches of these sizes",
        f"deals = {deals}  # per pairing, for each size; every deal is played in all seatings",
        f"seed = {json.dumps(seed)}",
        "",
    ]
    for number, (name, bot) in enumerate(_bots(game)):
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
