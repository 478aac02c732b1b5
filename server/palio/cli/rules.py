"""``palio rules``: the rules engine on the command line."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Annotated, Any

import typer

from palio.cli.errors import BadUsage
from palio.cli.output import JsonFlag, assignment, print_json, print_table

app = typer.Typer(no_args_is_help=True)


@app.callback()
def rules() -> None:
    """Ask the rules: which games there are, and what can be done in a position."""


@app.command()
def games(as_json: JsonFlag = False) -> None:
    """List the games and what an organiser can set in them."""
    from palio.codec.jsons import to_json
    from palio.games import all_rules
    from palio.server.services.catalog import game_message

    found = [game_message(rules) for _, rules in sorted(all_rules().items())]
    if as_json:
        print_json([to_json(game) for game in found])
        return
    for game in found:
        seats = ", ".join(map(str, game.seats))
        print(f"{game.title} (--game {game.id}), rules version {game.rules_version}, for {seats} players")
        print_table(
            ["option", "type", "default", "allowed", "what it does"],
            [
                (
                    field.name,
                    field.type,
                    field.default_value,
                    f"{field.minimum} to {field.maximum}" if field.HasField("minimum") else "",
                    field.help,
                )
                for field in game.options
            ],
            empty="  no options",
        )


@app.command()
def options(
    game: Annotated[str, typer.Option(metavar="GAME", help="Id of the game; palio rules games lists them.")],
    position: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Start here: proto3 JSON of the game's Position message; - is stdin."),
    ] = None,
    seed: Annotated[
        str | None, typer.Option(metavar="TEXT", help="Or start with the deal of this seed text ...")
    ] = None,
    players: Annotated[int | None, typer.Option(metavar="N", help="... for so many players.")] = None,
    teams: Annotated[bool, typer.Option("--teams", help="The same as --option teams=true.")] = False,
    option: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME=VALUE", help="An option of the game, its value as JSON; may be repeated."),
    ] = None,
    choose: Annotated[
        list[int] | None, typer.Option(metavar="I", help="Index of the option taken next; may be repeated.")
    ] = None,
) -> None:
    """Say what happened, what is asked now and what can be answered, as one JSON object.

    It has "events" (each with its viewers, null for everybody), "decision" (seat, kind, options) or null, "outcome"
    (one per seat, once the game is over) or null, "position" (where a turn starts, fit for --position) or null.
    """
    from palio.codec.jsons import payload_of, read_game_options, read_position, to_json
    from palio.codec.simulate import simulate
    from palio.v1 import simulation_pb2

    request = simulation_pb2.ApplyRequest(game=game, choices=_checked(choose or []))
    given = dict(assignment("--option", text) for text in option or []) | ({"teams": True} if teams else {})
    if position is not None:
        if seed is not None or players is not None or given:
            raise BadUsage("--position brings its own seed, players and options: leave --seed, --players, --teams and "
                           "--option out")  # fmt: skip
        request.position.CopyFrom(read_position(game, _json_of(position)))
    else:
        if seed is None or players is None:
            raise BadUsage("where to start: give --position FILE, or --seed TEXT and --players N")
        request.seed_text, request.players = seed, _checked([players])[0]
        request.options.CopyFrom(read_game_options(game, given))
    response = simulate(request)
    decision: dict[str, Any] | None = None
    if response.HasField("decision"):
        decision = {
            "seat": response.decision.seat,
            "kind": response.decision.kind,
            "options": [to_json(one) for one in response.decision.options],
        }
    print_json(
        {
            "events": [
                {"event": to_json(seen.event), "viewers": None if seen.public else list(seen.viewers)}
                for seen in response.events
            ],
            "decision": decision,
            "outcome": [to_json(seat) for seat in response.outcome] or None,
            "position": to_json(payload_of(response.position)) if response.HasField("position") else None,
        }
    )


_LARGEST = 2**31 - 1


def _checked(numbers: list[int]) -> list[int]:
    for number in numbers:
        if not -_LARGEST <= number <= _LARGEST:
            raise BadUsage(f"{number} is out of range")
    return numbers


def _json_of(path: Path) -> object:
    try:
        text = sys.stdin.read() if str(path) == "-" else path.read_text(encoding="utf-8")
        return json.loads(text)
    except OSError as error:
        raise BadUsage(f"--position: {path} cannot be read: {error.strerror}") from None
    except ValueError as error:  # not UTF-8, or not JSON
        raise BadUsage(f"--position: {path} is no JSON: {error}") from None
