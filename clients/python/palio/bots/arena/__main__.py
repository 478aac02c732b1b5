"""``python -m palio.bots.arena``: see the package."""

from __future__ import annotations

import argparse
import sys
from functools import partial

from palio.bots.arena import SURE, measure
from palio.engine.errors import GameError


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m palio.bots.arena", description="Duplicate deals in one process.")
    parser.add_argument("game")
    parser.add_argument("first", help="built-in bot")
    parser.add_argument("second", help="built-in bot that takes all other seats")
    parser.add_argument("--deals", type=int, default=100)
    parser.add_argument("--players", type=int, default=2)
    parser.add_argument("--teams", action="store_true", help="four seats in two teams")
    parser.add_argument("--label", default="arena", help="text that the deals follow from")
    parser.add_argument("--jobs", type=int, default=1, help="processes")
    given = parser.parse_args()
    players = 4 if given.teams else given.players
    try:
        found = measure(
            given.game,
            given.first,
            given.second,
            deals=given.deals,
            players=players,
            teams=given.teams,
            label=given.label,
            jobs=given.jobs,
            progress=partial(_show, given.deals) if sys.stderr.isatty() else None,
        )
    except GameError as error:
        print(f"palio: {error}", file=sys.stderr)
        return 2
    elo, low, high = found.elo
    print(f"{given.first} against {given.second}: {given.game}, {players} players, {found.games} games")
    print(f"  score   {found.score:.3f} +- {SURE * found.error:.3f} (95 %, by deals)")
    print(f"  Elo     {elo:+.0f} ({low:+.0f} to {high:+.0f})")
    print(f"  points  {found.points[0]:.2f} against {found.points[1]:.2f}")
    print(
        f"  ms      {found.milliseconds[0]:.2f} a decision, {found.slowest:.2f} in the slowest game; "
        f"{found.milliseconds[1]:.2f} against it"
    )
    return 0


def _show(deals: int, done: int) -> None:
    end = "" if done < deals else "\n"
    print(f"\r{done}/{deals} deals", end=end, file=sys.stderr, flush=True)


if __name__ == "__main__":
    sys.exit(main())
