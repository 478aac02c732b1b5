"""Uniformly random games of every variant with all invariants checked after every decision.

``python -m tests.fuzz [--game G] [--decisions N] [--seed N]`` plays N decisions (default: a million) of every variant
of every game, or of one, and prints what it met. A game takes part when its package has a module ``invariants`` with a
function ``check(state)`` that raises AssertionError. A broken invariant ends the run with exit code 1 and the
choices that lead there.
"""

from __future__ import annotations

import argparse
import random
import sys
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from importlib import import_module
from importlib.util import find_spec
from typing import Any

from palio.engine.chance import seed_from_text
from palio.engine.game import Rules, State
from palio.games import BUILT_IN, all_rules
from palio.games.variants import variants

Check = Callable[[Any], None]


@dataclass(slots=True)
class Report:
    """What a run met."""

    games: int = 0
    decisions: int = 0
    options: int = 0
    turns: int = 0
    kinds: Counter[str] = field(default_factory=Counter)
    events: Counter[str] = field(default_factory=Counter)
    ended: Counter[str] = field(default_factory=Counter)


class BrokenError(Exception):
    """An invariant does not hold; the message tells how to get there."""


def checker_of(game_id: str) -> Check | None:
    """The invariants of a built-in game, if it has any."""
    for package in BUILT_IN:
        name = f"{package}.invariants"
        if import_module(package).RULES.game_id == game_id and find_spec(name) is not None:
            check: Check = import_module(name).check
            return check
    return None


def fuzz(rules: Rules, check: Check, players: int, given: dict[str, bool], decisions: int, seed: int) -> Report:
    """
    Raises:
        BrokenError: an invariant does not hold.
    """
    report = Report()
    chooser = random.Random(f"{rules.game_id} {players} {given} {seed}")
    options = rules.options(**given)
    while report.decisions < decisions:
        text = f"fuzz-{seed}-{report.games}"
        state = rules.start(seed_from_text(text), players, options)
        choices: list[int] = []
        try:
            _play(state, check, chooser, report, choices)
        except Exception as error:
            where = f"--seed {text} --players {players} {given}"
            raise BrokenError(f"{type(error).__name__}: {error}\nafter {where}, choices {choices}") from error
        report.games += 1
    return report


def _play(state: State, check: Check, chooser: random.Random, report: Report, choices: list[int]) -> None:
    while True:
        check(state)
        report.events.update(str(event.fact[0]) for event in state.take_events())
        decision = state.decision()
        if decision is None:
            break
        index = chooser.randrange(len(decision.options))
        choices.append(index)
        report.decisions += 1
        report.options += len(decision.options)
        report.kinds[decision.kind] += 1
        state.choose(index)
    outcome = state.outcome()
    assert outcome is not None, "no decision and no outcome"
    report.turns += state.turn
    report.ended[outcome.ended_by] += 1


def _show(name: str, report: Report, seconds: float) -> None:
    games = report.games
    print(f"{name}: {report.decisions:,} decisions in {games:,} games, {seconds:.0f} s, every invariant held")
    print(f"  per game: {report.decisions / games:.1f} decisions, {report.turns / games:.1f} turns; ", end="")
    print(f"{report.options / report.decisions:.2f} options a decision")
    for title, counts in (("decisions", report.kinds), ("events", report.events), ("ended by", report.ended)):
        print(f"  {title}: " + ", ".join(f"{key} {count:,}" for key, count in counts.most_common()))


def main(arguments: list[str] | None = None) -> int:
    """The program."""
    games = [game_id for game_id in all_rules() if checker_of(game_id)]
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz", description=__doc__.splitlines()[0])
    parser.add_argument("--game", choices=games, help="only this game")
    parser.add_argument("--decisions", type=int, default=1_000_000, help="per variant (default: a million)")
    parser.add_argument("--seed", type=int, default=1, help="another seed gives other games (default: 1)")
    given = parser.parse_args(arguments)
    for game_id in [given.game] if given.game else games:
        rules, check = all_rules()[game_id], checker_of(game_id)
        assert check is not None, "only games with invariants are listed"
        for name, players, switches in variants(rules):
            start = time.perf_counter()
            try:
                report = fuzz(rules, check, players, switches, given.decisions, given.seed)
            except BrokenError as broken:
                print(f"{game_id}, {name}: {broken}", file=sys.stderr)
                return 1
            _show(f"{game_id}, {name}", report, time.perf_counter() - start)
    return 0


if __name__ == "__main__":
    sys.exit(main())
