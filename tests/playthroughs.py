"""Golden playthroughs: whole games as readable text that a test plays again.

``python -m tests.playthroughs --game G [--count N]`` writes ``tests/golden/G/VARIANT-n.txt`` for every variant of the
game. A changed file is a changed game: read the difference, and raise the rules version if it is meant.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from palio.engine.chance import Stream, seed_from_text
from palio.engine.game import Event, Rules
from palio.games import BUILT_IN, rules_of
from palio.games.feudum import data as feudum
from palio.games.fidelitas.text import CHARACTER_TITLES, LOCATION_TITLES
from palio.games.variants import variants

GOLDEN = Path(__file__).parent / "golden"
CHOICES = "playthrough"
"""Label of the stream that the choices are drawn from."""


def playthrough(rules: Rules, players: int, given: dict[str, Any], seed_text: str) -> str:
    """One game under uniformly random choices, as text."""
    seed = seed_from_text(seed_text)
    chooser = Stream(seed, CHOICES)
    state = rules.start(seed, players, rules.options(**given))
    digest = hashlib.sha256()
    lines = [
        f"game: {rules.game_id}",
        f"rules version: {rules.version}",
        f"players: {players}",
        f"options: {json.dumps(given)}",
        f"seed: {seed_text}",
        "",
    ]
    draw = DRAWERS.get(rules.game_id)
    drawn = -1
    while True:
        lines += [_event_line(rules, event) for event in state.take_events()]
        digest.update(repr([state.view(seat) for seat in (None, *range(players))]).encode())
        decision = state.decision()
        if decision is None:
            break
        if draw is not None and state.turn // players != drawn:
            drawn = state.turn // players
            lines += draw(state)
        index = chooser.uniform(len(decision.options))
        digest.update(repr(decision).encode())
        chosen = rules.describe_option(decision.options[index])
        lines.append(f"  seat {decision.seat} {decision.kind}: {chosen} ({index} of {len(decision.options)})")
        state.choose(index)
    outcome = state.outcome()
    assert outcome is not None
    lines += [
        "",
        f"ranks: {list(outcome.ranks)}",
        f"points: {list(outcome.points)}",
        f"ended by: {outcome.ended_by}",
        f"all that was seen and offered: {digest.hexdigest()}",
    ]
    return "\n".join(lines) + "\n"


def _event_line(rules: Rules, event: Event) -> str:
    text = rules.describe_event(event.fact)
    return text if event.viewers is None else f"{text} [only seat {', '.join(map(str, event.viewers))}]"


def _draw_fidelitas(state: Any) -> Iterator[str]:
    view = state.view(None)
    for number, (stack, locked) in enumerate(zip(view.stacks, view.locked, strict=True), 1):
        if stack:
            names = [CHARACTER_TITLES[card] for card in stack]
            shown = f"[{' '.join(names[:locked])}] {' '.join(names[locked:])}" if locked else " ".join(names)
            yield f"    | {LOCATION_TITLES[number]:13}{shown.strip()}"
    for seat in range(state.players):
        own = state.view(seat).own
        hand = " ".join(CHARACTER_TITLES[card] for card in own.hand) or "nothing"
        missio = " ".join(map(str, own.missio)) or "none"
        yield f"    | seat {seat}: {view.points[seat]} points, Missio {missio}, holds {hand}"


def _draw_feudum(state: Any) -> Iterator[str]:
    n = state.players
    yield f"    | epoch {state.epoch}, round {state.round}, turn {state.turn_no}, deck {len(state.deck)}"
    for guild, name in enumerate(feudum.GUILDS):
        track = " ".join(map(str, state.tracks[guild])) or "-"
        waiting = " ".join(map(str, state.waiting[guild])) or "-"
        stars = " ".join(map(str, state.stars[guild * n : guild * n + n]))
        yield f"    | {name:9} track {track:6} waiting {waiting:6} stars {stars}"
    boards = (("barn", state.barn), ("rows", state.rows), ("stores", state.stores), ("haversack", state.haversack))
    yield "    | " + ", ".join(f"{name} {' '.join(map(str, counts))}" for name, counts in boards)
    yield f"    | scrolls {state.scrolls}, rosary {state.rosary}, chickens {state.chickens}, Knight rows {state.krows}"
    ruled = [
        f"{at}:{feudum.TYPES[state.kind[at]].lower()} {state.ruler[at]}{'+' * state.subject[at]}"
        + (f"/{state.serf[at]}" if state.serf[at] >= 0 else "")
        for at in range(1, 23)
        if state.ruler[at] >= 0
    ]
    yield f"    | ruled: {', '.join(ruled) or 'nothing'}"
    for seat in range(n):
        pawns = [
            f"{feudum.GUILDS[state.pawn_char[i]].lower()} {state.pawn_at[i]}"
            for i in range(3 * seat, 3 * seat + 3)
            if state.pawn_at[i]
        ]
        writs = " ".join(feudum.WRITS[card] for card in state.hands[seat]) or "no writs"
        goods = " ".join(map(str, state.goods[5 * seat : 5 * seat + 5]))
        yield (
            f"    | seat {seat}: {state.scores[seat]} points, goods {goods}, barrel {state.barrel[seat]}, "
            f"{state.shillings[seat]} shillings, {state.markers[seat]} markers, pawns {', '.join(pawns) or 'none'}, "
            f"{writs}"
        )


DRAWERS: dict[str, Callable[[Any], Iterator[str]]] = {"fidelitas": _draw_fidelitas, "feudum": _draw_feudum}
"""Per game how its table is drawn once a round; a game without one shows its events only."""


def again(text: str) -> str:
    """The playthrough that a golden file describes, played now."""
    head = dict(line.split(": ", 1) for line in text.split("\n\n", 1)[0].splitlines())
    return playthrough(rules_of(head["game"]), int(head["players"]), json.loads(head["options"]), head["seed"])


def main(arguments: list[str] | None = None) -> int:
    """The program."""
    games = [name.rpartition(".")[2] for name in BUILT_IN]
    parser = argparse.ArgumentParser(prog="python -m tests.playthroughs", description=__doc__.splitlines()[0])
    parser.add_argument("--game", choices=games, required=True)
    parser.add_argument("--count", type=int, default=2, help="per variant (default: 2)")
    given = parser.parse_args(arguments)
    rules = rules_of(given.game)
    folder = GOLDEN / given.game
    folder.mkdir(parents=True, exist_ok=True)
    for name, players, options in variants(rules):
        for number in range(1, given.count + 1):
            stem = f"{name.replace(' ', '-')}-{number}"
            path = folder / f"{stem}.txt"
            path.write_text(playthrough(rules, players, options, f"golden-{stem}"))
            print(path.relative_to(GOLDEN.parent.parent))
    return 0


if __name__ == "__main__":
    sys.exit(main())
