"""``planner``: tries all that its turn can bring, on full states that fit what it knows. See ``docs/bots.md``."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from palio.bots.fidelitas._outlook import Outlook
from palio.bots.fidelitas._signals import Talk
from palio.bots.fidelitas._turn import Line, lines_of, next_turn_of
from palio.bots.fidelitas.greedy import missio_cards
from palio.client import Bot, Decision, Match
from palio.codec import codec_of
from palio.engine.chance import seed_from_text
from palio.engine.game import Event, Option
from palio.games import rules_of
from palio.games.fidelitas.choices import DRAW_CARD, PASS, SCORE_MISSIO
from palio.games.fidelitas.setup import Setup
from palio.games.fidelitas.state import State
from palio.games.fidelitas.view import View
from palio.v1 import game_pb2

_GAME: Final = "fidelitas"
_WORLDS: Final = 4
_BEAM: Final = 24
_LINES: Final = 40
_LINES_PER_CARD: Final = 3
_FINALISTS: Final = 6
_WORLDS_AHEAD: Final = 2
_BEAM_AHEAD: Final = 4


class Planner(Bot):
    """Plans a whole action at its first decision and keeps to the plan as long as it can.

    Deterministic: the worlds that it samples follow from the match's id, the seat and the ``seed``.
    """

    speaks = True

    def __init__(self, match: Match, seed: str = "") -> None:
        super().__init__(match)
        self._codec = codec_of(_GAME)
        options = self._codec.read_game_options(match.options)
        players = len(match.players)
        self._setup = Setup(players, options)
        self._tracker = rules_of(_GAME).tracker(match.seat, players, options)
        self._outlook = Outlook(self._setup, match.seat)
        self._talk = Talk(match, missio_cards(match), speaks=self.speaks)
        self._name = f"planner/{seed}/{match.match_id}/{match.seat}"
        self._plan: tuple[Option, ...] = ()
        self._planned_turn = 0

    def observe(self, events: Sequence[game_pb2.Event]) -> None:
        self._talk.observe(events)
        self._tracker.observe([Event(self._codec.read_event(event)) for event in events])

    def choose(self, decision: Decision) -> int:
        view: View = self._codec.read_observation(decision.observation)
        options = [self._codec.read_option(option) for option in decision.options]
        self._talk.speak(decision.observation.fidelitas)
        self._outlook.partner = self._talk.partner
        if decision.kind == SCORE_MISSIO:
            return self._dearest(options)
        if self._plan and self._planned_turn == view.turn and self._plan[0] in options:
            option, self._plan = self._plan[0], self._plan[1:]
            return options.index(option)
        worlds = [self._sample(view, f"{decision.decision_id}/{number}") for number in range(_WORLDS)]
        if decision.kind == DRAW_CARD:
            return self._best_draw(worlds, len(options))
        self._plan = self._best_line(worlds)
        self._planned_turn = view.turn
        option, self._plan = self._plan[0], self._plan[1:]
        return options.index(option)

    def _sample(self, view: View, name: str) -> State:
        state = self._tracker.sample(view, seed_from_text(f"{self._name}/{name}"))
        assert isinstance(state, State)
        return state

    def _dearest(self, options: list[Option]) -> int:
        """Score all that can be scored, the dearest first."""
        missio = self._setup.missio
        points = [0 if option == PASS else missio[int(str(option[1]))].points for option in options]
        return points.index(max(points))

    def _best_draw(self, worlds: list[State], options: int) -> int:
        values = [sum(self._outlook.full(_then(world, index)) for world in worlds) for index in range(options)]
        return values.index(max(values))

    def _best_line(self, worlds: list[State]) -> tuple[Option, ...]:
        full = self._outlook.full
        judged: list[tuple[int, list[State], tuple[Option, ...]]] = []
        for line in _shortlist(lines_of(worlds[0], self._outlook.near, _BEAM)):
            ends = [line.state, *(_follow(world, line.options) for world in worlds[1:])]
            judged.append((sum(map(full, ends)) // len(ends), ends, line.options))
        judged.sort(key=lambda one: -one[0])
        finalists = judged[:_FINALISTS]
        if len(finalists) == 1:
            return finalists[0][2]
        values = [value + self._ahead(ends[:_WORLDS_AHEAD]) for value, ends, _ in finalists]
        return finalists[values.index(max(values))][2]

    def _ahead(self, ends: list[State]) -> int:
        """What the next turn could bring if nobody else moved before it."""
        total = 0
        for end in ends:
            start = next_turn_of(end, self.match.seat)
            near = self._outlook.near
            total += near(end) if start is None else lines_of(start, near, _BEAM_AHEAD)[0].near
        return total // len(ends)


def _shortlist(lines: list[Line]) -> list[Line]:
    """The best lines, and the best few of each first choice, in their order."""
    kept: list[Line] = []
    count: dict[Option, int] = {}
    for place, line in enumerate(lines):
        first = line.options[0]
        count[first] = count.get(first, 0) + 1
        if place < _LINES or count[first] <= _LINES_PER_CARD:
            kept.append(line)
    return kept


def _then(world: State, index: int) -> State:
    after = world.clone()
    after.choose(index)
    return after


def _follow(world: State, options: tuple[Option, ...]) -> State:
    """Where the same choices lead in another world; where they stop being possible, that far."""
    state = world.clone()
    for option in options:
        decision = state.decision()
        if decision is None or option not in decision.options:
            break
        state.choose(decision.options.index(option))
    return state


class Quiet(Planner):
    """Sends no signals to its partner; for comparisons."""

    speaks = False


BOT: Final = Planner
QUIET: Final = Quiet
