"""From ``CreateTournamentRequest`` to the same settings that a tournament file has."""

from __future__ import annotations

import re
from typing import Any, Final

from google.protobuf import json_format

from palio.codec import codec_of
from palio.codec.status import InvalidRequest
from palio.files.settings import ConfigError, check_settings
from palio.games import rules_of
from palio.server.match.clock import TIME_FIELDS, checked_seconds
from palio.tournament.config import TournamentConfig
from palio.v1 import tournament_pb2

_FIELDS = {"bots": "players", "players": "seats", "duplicate": "single_seating"}
"""What a key of the file is called in the request."""


MOST_BLOCKS: Final = 100_000
"""Deals times pairs of players: a schedule is kept in the server's memory, about a kilobyte for each."""
EVERYBODY: Final = ("round_robin", "double_round_robin", "gauntlet")
"""Formats in which everybody may meet everybody."""
LONGEST_CUP: Final = 16
"""Opponents of a player in the others, more or less."""


def config_of_request(request: tournament_pb2.CreateTournamentRequest) -> TournamentConfig:
    """The settings that a request asks for; all its players connect by themselves.

    Raises:
        InvalidRequest, InvalidSetup: a field is wrong; the error names it.
    """
    given: dict[str, Any] = {
        "name": request.name,
        "game": request.game,
        "format": request.format or "round_robin",
        "players": [request.seats or 2],
        "deals": [request.deals or 1],
        "duplicate": not request.single_seating,
        "options": _options(request),
        "bots": [{"name": name, "remote": True} for name in request.players],
    }
    if request.seed:
        given["seed"] = request.seed
    if request.HasField("time_control"):
        given["time_control"] = {
            name: checked_seconds(getattr(request.time_control, name), f"time_control.{name}")
            for name in TIME_FIELDS
            if request.time_control.HasField(name)  # type: ignore[arg-type] # one of TIME_FIELDS
        }
    try:
        config = check_settings(TournamentConfig, given, "the request")
    except ConfigError as error:
        raise _refusal(*error.problems[0]) from None
    players, deals = len(config.bots), config.deals[0]
    meetings = players * (players - 1) // 2 if config.format in EVERYBODY else players * LONGEST_CUP
    if meetings * deals > MOST_BLOCKS:
        most = MOST_BLOCKS // meetings
        text = f"{deals} deals for {players} players are too many for a hosted tournament: at most {most}"
        raise InvalidRequest(text, field="deals" if most else "players")
    return config


def _refusal(path: str, message: str) -> InvalidRequest:
    """What is wrong, in the request's own words; checks of several fields name theirs at the start of the message."""
    if not path and (named := re.match(r"([a-z_]+(?:\[\d+\])?(?:\.[a-z_]+)?): (.*)", message)):
        path, message = named.groups()
    name, rest = re.fullmatch(r"(\w*)(.*)", path).groups()  # type: ignore[union-attr] # it always matches
    return InvalidRequest(message, field=_FIELDS.get(name, name) + rest)


def _options(request: tournament_pb2.CreateTournamentRequest) -> dict[str, Any]:
    """The game's options as a file would have them."""
    if not request.HasField("options"):
        return {}
    codec = codec_of(rules_of(request.game).game_id)
    codec.read_game_options(request.options)
    given: dict[str, Any] = json_format.MessageToDict(request.options, preserving_proto_field_name=True)
    return dict(given.get(request.game, {}))
