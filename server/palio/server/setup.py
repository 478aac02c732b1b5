"""From the request for a match to the first record of it."""

from __future__ import annotations

import secrets
import time
from dataclasses import dataclass, field

from palio.codec import codec_of
from palio.codec.status import InvalidRequest
from palio.engine.chance import SEED_BYTES, commitment
from palio.games import rules_of
from palio.server.access.credentials import check_name
from palio.server.archive import MATCH_ID
from palio.server.match.clock import LONGEST, TimeControl, checked_seconds, duration, timestamp
from palio.v1 import match_pb2, replay_pb2


@dataclass(frozen=True, slots=True)
class Defaults:
    """What holds where the organiser of a match says nothing, and what holds for all matches.

    Attributes:
        illegal_tries: rejected choices that a decision bears.
        disconnection_grace, no_show: seconds.
        restart_grace: seconds that bots have to come back after a restart of the server; then the match is void.
        max_matches: waiting and running at the same time.
        matches_per_player: of those, with one player in it.
        spectator_delay: turns by which spectators are behind.
        player_entropy: mix randomness of the players into each seed that no organiser gives.
    """

    time_control: TimeControl = field(default_factory=lambda: TimeControl(per_decision=60.0))
    illegal_tries: int = 3
    disconnection_grace: float = 60.0
    no_show: float = 120.0
    restart_grace: float = 120.0
    max_matches: int = 10_000
    matches_per_player: int = 10_000
    spectator_delay: int = 0
    player_entropy: bool = False


def header_of(request: match_pb2.CreateMatchRequest, defaults: Defaults) -> replay_pb2.ReplayHeader:
    """The header of the match that is asked for.

    Raises:
        InvalidRequest, InvalidSetup: a field is wrong; the error names it.
    """
    rules = rules_of(request.game)
    codec = codec_of(request.game)
    match_id = request.match_id or secrets.token_hex(10)
    if not MATCH_ID.fullmatch(match_id):
        raise InvalidRequest(
            f"{match_id!r} is no match id: 1 to 80 lower-case letters, digits, '.', '_' and '-', "
            "the first a letter or digit",
            field="match_id",
        )
    players = _players(request, rules.game_id, rules.seats)
    if request.seed and len(request.seed) != SEED_BYTES:
        raise InvalidRequest(f"a seed has {SEED_BYTES} bytes, not {len(request.seed)}", field="seed")
    if request.attempt < 0:
        raise InvalidRequest("attempts are numbered from 1", field="attempt")
    options = codec.read_game_options(request.options)
    seed = request.seed or secrets.token_bytes(SEED_BYTES)
    mixing = request.player_entropy if request.HasField("player_entropy") else defaults.player_entropy
    fixed = "seed" if request.seed else "position" if request.HasField("position") else ""
    if fixed and request.player_entropy:
        raise InvalidRequest(
            f"a match with a given {fixed} cannot mix in randomness of the players", field="player_entropy"
        )
    if request.HasField("position"):
        if request.HasField("options"):
            raise InvalidRequest("a position has its own options: leave this out", field="options")
        position = codec.read_position(request.position)
        state = rules.from_position(position)
        if state.players != len(players):
            raise InvalidRequest(f"the position is one of {state.players} players", field="players")
        seed, options = state.seed, rules.options_of(position)
    else:
        rules.start(seed, len(players), options)
    header = replay_pb2.ReplayHeader(
        match_id=match_id,
        attempt=request.attempt or 1,
        game=rules.game_id,
        rules_version=rules.version,
        options=codec.game_options(options),
        players=players,
        seed_commitment=commitment(seed),
        created=timestamp(time.time()),
        time_control=TimeControl.read(request.time_control, defaults.time_control).message(),
        policies=_policies(request.policies, defaults),
        seed=seed,
        player_entropy=mixing and not fixed,
        withhold_seed=request.withhold_seed,
    )
    if request.HasField("position"):
        header.position.CopyFrom(request.position)
    return header


def _players(request: match_pb2.CreateMatchRequest, game: str, seats: tuple[int, ...]) -> list[str]:
    players = list(request.players)
    if len(players) not in seats:
        counts = ", ".join(map(str, seats))
        raise InvalidRequest(f"{game} is played by {counts}, not {len(players)}", field="players")
    for index, player in enumerate(players):
        try:
            check_name(player)
        except InvalidRequest as error:
            raise InvalidRequest(str(error), field=f"players[{index}]") from None
        if player in players[:index]:
            raise InvalidRequest(f"{player!r} cannot take two seats", field=f"players[{index}]")
    return players


def _policies(given: match_pb2.Policies, defaults: Defaults) -> match_pb2.Policies:
    if not 0 <= given.illegal_tries <= 100:
        raise InvalidRequest("must be between 0 and 100", field="policies.illegal_tries")
    policies = match_pb2.Policies(illegal_tries=given.illegal_tries or defaults.illegal_tries)
    for name in ("disconnection_grace", "no_show"):
        seconds = getattr(defaults, name)
        if given.HasField(name):
            seconds = checked_seconds(getattr(given, name), f"policies.{name}")
        getattr(policies, name).CopyFrom(duration(min(seconds, LONGEST)))
    return policies
