"""Playing choices from a position or a fresh deal: what ``SimulationService.Apply`` and ``palio rules options`` do."""

from __future__ import annotations

from palio.codec import codec_of
from palio.codec.base import GameCodec
from palio.engine.chance import seed_from_text
from palio.engine.errors import IllegalAction, InvalidSetup, MatchOver
from palio.engine.game import Rules, State
from palio.games import rules_of
from palio.v1 import game_pb2, simulation_pb2


def simulate(request: simulation_pb2.ApplyRequest) -> simulation_pb2.ApplyResponse:
    """Start where the request says, play its choices, and tell all that happened and what is asked next.

    Raises:
        InvalidSetup: no such game, a position or deal that the rules refuse, or fields that exclude each other.
        IllegalAction, MatchOver: a choice cannot be made; the message says which.
    """
    rules, codec = rules_of(request.game), codec_of(request.game)
    state = _start(request, rules, codec)
    response = simulation_pb2.ApplyResponse()
    _tell_events(state, codec, response)
    for number, option in enumerate(request.choices):
        _choose(state, number, option)
        _tell_events(state, codec, response)
    decision = state.decision()
    if decision is not None:
        response.decision.seat = decision.seat
        response.decision.kind = decision.kind
        response.decision.options.extend(game_pb2.Option.FromString(codec.option(o)) for o in decision.options)
    outcome = state.outcome()
    if outcome is not None:
        response.ended_by = outcome.ended_by
        for seat, (rank, points) in enumerate(zip(outcome.ranks, outcome.points, strict=True)):
            response.outcome.add(seat=seat, rank=rank, points=points)
    position = rules.position(state) if decision is not None else None
    if position is not None:
        response.position.CopyFrom(codec.position(position))
    return response


def _start(request: simulation_pb2.ApplyRequest, rules: Rules, codec: GameCodec) -> State:
    if request.HasField("position"):
        for field in ("seed_text", "players", "options"):
            if getattr(request, field) != getattr(simulation_pb2.ApplyRequest(), field):
                raise InvalidSetup(field, "a position has its own: leave this out")
        return rules.from_position(codec.read_position(request.position))
    if request.players not in rules.seats:
        allowed = ", ".join(map(str, rules.seats))
        raise InvalidSetup("players", f"{rules.title} is for {allowed} players, not {request.players}")
    return rules.start(seed_from_text(request.seed_text), request.players, codec.read_game_options(request.options))


def _choose(state: State, number: int, option: int) -> None:
    field = f"choices[{number}]"
    decision = state.decision()
    if decision is None:
        raise MatchOver(f"{field}: the game is over after {number} choices")
    if not 0 <= option < len(decision.options):
        last = len(decision.options) - 1
        raise IllegalAction(f"{field}: {option} is not one of the options 0 to {last} of this {decision.kind}")
    state.choose(option)


def _tell_events(state: State, codec: GameCodec, response: simulation_pb2.ApplyResponse) -> None:
    for event in state.take_events():
        seen = response.events.add(public=event.viewers is None, viewers=event.viewers or ())
        seen.event.MergeFromString(codec.event(event.fact))
