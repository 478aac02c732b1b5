"""The tournament file: what can be set, and what is wrong with it before a game is played."""

from __future__ import annotations

import json
import re
import shlex
import shutil
from collections.abc import Iterator, Mapping, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Annotated, Any, Final, Literal, Self

from pydantic import BeforeValidator, Field, Strict, field_validator, model_validator

from palio.bots import all_bots, strategy
from palio.codec.status import InvalidRequest
from palio.engine.errors import InvalidSetup
from palio.files.settings import ConfigError, Problem, Seconds, Settings, check_settings, did_you_mean, load_settings
from palio.games import rules_of
from palio.server.access.credentials import check_name
from palio.server.config import ListenAddress, PositiveDuration, TimeControlSettings, load_config

FormatName = Literal["round_robin", "double_round_robin", "gauntlet", "swiss", "knockout", "sprt"]
RESERVED: Final = ("PALIO_SERVER", "PALIO_TOKEN")
_MAX_ID: Final = 48


def _words(value: object) -> object:
    if not isinstance(value, str):
        return value
    try:
        return shlex.split(value)
    except ValueError as error:
        raise ValueError(f"{value!r} cannot be split like in a shell: {str(error).lower()}") from None


def _several(value: object) -> object:
    if not isinstance(value, list | tuple):
        return (value,)
    if not value:
        raise ValueError("is empty; allowed: a whole number, or several in a list")
    return value


Command = Annotated[tuple[str, ...], BeforeValidator(_words)]
Numbers = Annotated[tuple[Annotated[int, Strict(), Field(ge=1, le=1_000_000)], ...], BeforeValidator(_several)]


class BotSettings(Settings):
    """One competitor; exactly one of ``builtin``, ``command`` and ``remote`` says what it is."""

    name: str
    """Unique: letters, digits, ".", "_" and "-"."""
    builtin: str | None = None
    """Name of a bot that comes with Palio."""
    command: Command | None = None
    """Program and arguments in any language, as a list or as one text that is split like in a shell."""
    remote: bool = False
    """The tournament waits for this player to connect; its token is printed at the start."""
    slots: int = Field(default=1, ge=1, le=256)
    """Processes of this bot, each of which plays several matches at once as far as it says it can."""
    cwd: Path | None = None
    """Working directory of ``command``; unset means that of the tournament file."""
    env: dict[str, str] = Field(default_factory=dict)
    """Environment variables for ``builtin`` and ``command``, in addition to the runner's own."""

    @model_validator(mode="after")
    def _one_kind(self) -> Self:
        try:
            check_name(self.name)
        except InvalidRequest as error:
            raise ValueError(f"name: {error}") from None
        kinds = [self.builtin is not None, self.command is not None, self.remote]
        if sum(kinds) != 1:
            raise ValueError(f"{self.name}: set exactly one of builtin, command and remote")
        if self.command is not None and not self.command:
            raise ValueError(f"{self.name}: command is empty")
        for name in self.env:
            if name in RESERVED:
                raise ValueError(f"{self.name}: env.{name} is set by the tournament itself")
        return self

    @property
    def what(self) -> str:
        """For people: ``builtin greedy``, ``command ./bot --fast``, ``remote``."""
        if self.builtin is not None:
            return f"builtin {self.builtin}"
        return "remote" if self.command is None else f"command {shlex.join(self.command)}"


class LimitSettings(Settings):
    """What one process of a bot may use, its descendants included. 0 means no limit."""

    startup: PositiveDuration = 60.0
    """From the start of its process until a bot is connected."""
    memory_mib: int = Field(default=2048, ge=0, le=1 << 24)
    """Resident memory."""
    processes: int = Field(default=64, ge=0, le=1 << 16)
    """Processes at the same time."""
    cpu_seconds: int = Field(default=0, ge=0)
    """CPU time of the process over the whole tournament."""


class PolicySettings(Settings):
    """What happens when a bot errs."""

    illegal_tries: int = Field(default=3, ge=1, le=100)
    """Rejected choices that one decision bears; after that the seat forfeits."""
    disconnection_grace: PositiveDuration = 15.0
    """How long a seat may be without a connection, its clock running, before it forfeits."""
    no_show: PositiveDuration = 120.0
    """How long a match waits for a bot that is not connected."""


class SprtSettings(Settings):
    """The hypotheses of a sequential test between two bots (or pairs): by how much the first is better."""

    elo0: float = 0.0
    """Accepted if the difference is no more than this."""
    elo1: float = 5.0
    """Accepted if the difference is at least this."""
    alpha: float = Field(default=0.05, gt=0, lt=0.5)
    """Probability of wrongly accepting elo1."""
    beta: float = Field(default=0.05, gt=0, lt=0.5)
    """Probability of wrongly accepting elo0."""
    model: Literal["logistic", "normalized"] = "logistic"
    """Unit of elo0 and elo1: Elo, or normalised Elo."""
    ahead: int = Field(default=32, ge=1, le=10_000)
    """Blocks that may be in play beyond those that are counted."""

    @model_validator(mode="after")
    def _in_order(self) -> Self:
        if not self.elo0 < self.elo1:
            raise ValueError(f"elo1: {self.elo1:g} is not greater than elo0 = {self.elo0:g}")
        return self


class RaySettings(Settings):
    """The cluster, for ``engine = "ray"``."""

    address: str = "auto"
    """``auto``: the cluster that this machine belongs to, or that RAY_ADDRESS names; ``local``: this machine alone, for
    this run; or the ``host:port`` of a cluster's head."""
    workers: int | None = Field(default=None, ge=1, le=100_000)
    """Blocks played at the same time; unset means as many as the cluster has room for, also when it grows."""
    cpus: int = Field(default=1, ge=1, le=256)
    """Cores that each worker takes; so many matches of its block it plays at the same time."""
    upload: Path | None = None
    """Directory that is copied to every node, with the bots of ``command`` in it; unset means that they lie there
    already, at the same path as here."""

    @field_validator("address")
    @classmethod
    def _known_address(cls, value: str) -> str:
        if value.startswith("ray://"):
            raise ValueError(
                "results cannot be streamed through Ray's client; run the command on a node, with host:port"
            )
        if value not in ("auto", "local") and not re.fullmatch(r"(\[[0-9a-fA-F:.]+\]|[^\s:/]+):[0-9]{1,5}", value):
            raise ValueError(f"{value!r} is not allowed; allowed: auto, local or host:port, for example 10.0.0.5:6379")
        return value


class TournamentConfig(Settings):
    """All of a tournament file."""

    name: str = Field(min_length=1, max_length=80)
    """For people; its letters and digits also make the tournament's id."""
    game: str
    """Id of the game."""
    players: Numbers = (2,)
    """Seats of a match; a list plays several sizes, for example [2, 3, 4]."""
    options: dict[str, Any] = Field(default_factory=dict)
    """Options of the game; ``palio`` shows them with their bounds in the catalogue."""
    format: FormatName = "round_robin"
    """How opponents are found."""
    deals: Numbers = (1,)
    """Blocks per pairing; a list gives one number for each size in ``players``."""
    duplicate: bool = True
    """Each deal is played in every seating, the block being the unit of statistics."""
    seatings: Literal["auto", "all", "rotations"] = "auto"
    """Which seatings: all k! or the k rotations; ``auto`` takes all for 2 and 3 seats."""
    shared_deals: bool = False
    """All pairings play the same deals."""
    challengers: tuple[str, ...] = ()
    """Bots that challenge the others, for ``gauntlet``."""
    rounds: int = Field(default=0, ge=0, le=1000)
    """Rounds of a ``swiss`` tournament; 0 takes as many as single out a winner."""
    sprt: SprtSettings | None = None
    """Hypotheses, for ``sprt``; ``deals`` is then the most blocks that are played."""
    pairs: dict[str, tuple[str, str]] = Field(default_factory=dict)
    """Fixed partners by the pair's name, in games with teams; none means that partners change."""
    seed: str | None = Field(default=None, min_length=1, max_length=200)
    """Text that schedule and deals come from; unset draws one at the first start and keeps it."""
    time_control: TimeControlSettings = TimeControlSettings(per_decision=10.0)
    """How long bots may think."""
    policies: PolicySettings = PolicySettings()
    """What happens when a bot errs."""
    rating: Literal["ml", "elo", "glicko2", "openskill"] = "ml"
    """How strength is computed from results: ``ml`` (maximum likelihood, with intervals) or an online method."""
    concurrency: int | None = Field(default=None, ge=1, le=4096)
    """Matches at the same time; unset means as many as there are cores, and more while no bot thinks to speak of."""
    engine: Literal["local", "ray"] = "local"
    """Where matches are played: on this machine, or on the nodes of a Ray cluster."""
    ray: RaySettings | None = None
    """The cluster, for ``engine = "ray"``."""
    withdraw_after: int = Field(default=3, ge=1, le=1000)
    """A bot that crashes so often in a row is withdrawn; the tournament goes on."""
    sandbox: Literal["auto", "require", "off"] = "auto"
    """Bots run in bubblewrap where it works (``auto``), always (``require``) or never (``off``)."""
    limits: LimitSettings = LimitSettings()
    """What one process of a bot may use."""
    listen: ListenAddress | None = None
    """Where ``remote`` bots connect to, for example "0.0.0.0:7654"; unset takes a free port of this machine."""
    server_config: Path | None = None
    """A palio.toml whose settings the tournament's server takes over, for example TLS for ``listen``."""
    drain: Seconds = Field(default=5.0, ge=0, le=600)
    """Seconds that bots get to end when the tournament is over."""
    bots: tuple[BotSettings, ...] = Field(min_length=1)
    """The competitors, in the order of their seeding."""

    @field_validator("game")
    @classmethod
    def _known_game(cls, value: str) -> str:
        try:
            rules_of(value)
        except InvalidSetup as error:
            raise ValueError(error.reason) from None
        return value

    @model_validator(mode="after")
    def _fits_together(self) -> Self:
        names = [bot.name for bot in self.bots]
        for at, name in enumerate(names):
            if name.lower() in [other.lower() for other in names[:at]]:
                raise ValueError(f"bots[{at}].name: {name!r} is taken; names differ by more than capitals")
        for at, bot in enumerate(self.bots):
            if bot.builtin is None:
                continue
            base, _, variant = bot.builtin.partition(":")
            if self.game not in all_bots().get(base, ()):
                able = [name for name, games in all_bots().items() if self.game in games]
                raise ValueError(
                    f"bots[{at}].builtin: no bot {bot.builtin!r} for {self.game} comes with Palio; "
                    f"{did_you_mean(base, able)}those that do: {', '.join(able)}"
                )
            if variant:
                try:
                    strategy(bot.builtin, self.game)
                except InvalidSetup as error:
                    raise ValueError(f"bots[{at}].builtin: {error.reason}") from None
        seats = rules_of(self.game).seats
        for count in self.players:
            if count not in seats:
                raise ValueError(f"players: {self.game} is played by {', '.join(map(str, seats))}, not by {count}")
        if len(set(self.players)) < len(self.players):
            raise ValueError("players: a number stands there twice")
        if len(self.deals) not in (1, len(self.players)):
            raise ValueError(f"deals: {len(self.deals)} numbers for {len(self.players)} sizes of match")
        if not re.search("[a-z0-9]", self.name.lower()):
            raise ValueError("name: needs a letter or digit")
        if not self.name.isprintable():
            raise ValueError(f"name: {self.name!r} has characters that cannot be printed on one line")
        paired: dict[str, str] = {}
        for name, members in self.pairs.items():
            if members[0] == members[1]:
                raise ValueError(
                    f"pairs.{name}: one player cannot take two seats; enter {members[0]} twice under different names"
                )
            for member in members:
                if member in paired:
                    raise ValueError(
                        f"pairs.{name}: {member} plays in pairs.{paired[member]} too, and could not take both seats "
                        "when the two pairs meet; enter it twice under different names"
                    )
                paired[member] = name
        if self.challengers and self.format != "gauntlet":
            raise ValueError("challengers: only a gauntlet has them")
        if self.rounds and self.format != "swiss":
            raise ValueError("rounds: only a swiss tournament has them")
        if self.sprt is not None and self.format != "sprt":
            raise ValueError("sprt: only the format sprt has hypotheses")
        if self.ray is not None and self.engine != "ray":
            raise ValueError('ray: only the engine "ray" has a cluster')
        if self.engine == "ray":
            self._fits_cluster()
        if len(self.players) > 1 and self.format not in ("round_robin", "double_round_robin", "gauntlet"):
            raise ValueError(f"players: {self.format} is played with one size of match")
        return self

    def _fits_cluster(self) -> None:
        for at, bot in enumerate(self.bots):
            if bot.remote:
                raise ValueError(
                    f"bots[{at}].remote: {bot.name} could not know to which node to connect; play with the engine local"
                )
        if self.concurrency is not None:
            raise ValueError("concurrency: on a cluster ray.workers says how many blocks are played at the same time")
        for key in ("listen", "server_config"):
            if getattr(self, key) is not None:
                raise ValueError(f"{key}: on a cluster each worker has a server of its own that nobody else can reach")

    @property
    def cluster(self) -> RaySettings:
        """The settings of the engine ``ray``."""
        return self.ray or RaySettings()

    @property
    def id(self) -> str:
        """What the tournament is called in match ids and in the ledger."""
        slug = re.sub("[^a-z0-9]+", "-", self.name.lower()).strip("-")
        return slug[:_MAX_ID].rstrip("-")

    @property
    def pair_of(self) -> dict[str, str]:
        """For each bot the pair that it plays in; empty without fixed pairs."""
        return {member: name for name, members in self.pairs.items() for member in members}

    @property
    def entrants(self) -> tuple[str, ...]:
        """Names of those who compete: the bots, or the fixed pairs, in the order of the file."""
        return tuple(self.pairs) or tuple(bot.name for bot in self.bots)

    def deals_for(self, count: int) -> int:
        """Blocks per pairing in matches of that size."""
        return self.deals[self.players.index(count) if len(self.deals) > 1 else 0]

    def stored(self) -> str:
        """For the ledger: the whole file and the version of the rules, as JSON."""
        return json.dumps({"file": self.model_dump(mode="json"), "rules_version": rules_of(self.game).version})


_OPERATIONAL: Final = {
    "rating",
    "concurrency",
    "engine",
    "ray",
    "withdraw_after",
    "sandbox",
    "limits",
    "listen",
    "server_config",
    "drain",
    "bots",
}


def load_tournament(path: Path) -> TournamentConfig:
    """Read a tournament file.

    Raises:
        ConfigError: everything that is wrong with it.
        OSError: it cannot be read.
    """
    config = load_settings(TournamentConfig, path)
    problems = list(programs_missing(config.bots, path.parent))
    if config.rating == "openskill" and find_spec("openskill") is None:
        problems.append(
            Problem("rating", "\"openskill\" needs more than is installed; pip install 'palio[ratings]' brings it")
        )
    if config.server_config is not None:
        problems += _server_config_problems(path.parent / config.server_config)
    if config.engine == "ray" and find_spec("ray") is None:
        problems.append(Problem("engine", "\"ray\" needs more than is installed; pip install 'palio[ray]' brings it"))
    elif config.engine == "ray":
        problems += _outside_upload(config, path.parent)
    if problems:
        raise ConfigError(str(path), problems)
    return config


def _server_config_problems(path: Path) -> Iterator[Problem]:
    try:
        load_config(path)
    except OSError as error:
        yield Problem("server_config", f"{path}: {error.strerror}")
    except ConfigError as error:
        for field, message in error.problems:
            yield Problem("server_config", f"{path}: {field}: {message}" if field else f"{path}: {message}")


def programs_missing(bots: Sequence[BotSettings], folder: Path) -> Iterator[Problem]:
    """Working directories and programs of bots that are not on this machine.

    Args:
        folder: of the tournament file.
    """
    for at, bot in enumerate(bots):
        if bot.command is None:
            continue
        cwd = working_directory(bot, folder)
        if not cwd.is_dir():
            yield Problem(f"bots[{at}].cwd", f"there is no directory {cwd}")
        elif program_of(bot.command, cwd) is None:
            yield Problem(
                f"bots[{at}].command",
                f"{bot.name}: there is no program {bot.command[0]!r}, neither on the PATH nor (with a slash) as a file "
                f"that can be executed, seen from {cwd}",
            )


def _outside_upload(config: TournamentConfig, folder: Path) -> Iterator[Problem]:
    if config.cluster.upload is None:
        return
    upload = (folder / config.cluster.upload).resolve()
    if not upload.is_dir():
        yield Problem("ray.upload", f"there is no directory {upload}")
        return
    for at, bot in enumerate(config.bots):
        cwd = working_directory(bot, folder)
        if bot.command is not None and not cwd.is_relative_to(upload):
            yield Problem(f"bots[{at}].cwd", f"{bot.name} runs in {cwd}, which is not in ray.upload = {upload}")


def working_directory(bot: BotSettings, folder: Path) -> Path:
    """Where a bot runs.

    Args:
        folder: of the tournament file.
    """
    return (folder / bot.cwd if bot.cwd is not None else folder).resolve()


def program_of(command: tuple[str, ...], cwd: Path) -> str | None:
    """The program's file as an absolute path, ``None`` if there is none that can be executed."""
    name = command[0]
    return shutil.which(str(cwd / name) if "/" in name else name)


def config_of(stored: str) -> TournamentConfig:
    """The tournament file that the ledger keeps.

    Raises:
        ConfigError: this version of Palio does not understand it (any more).
    """
    return check_settings(TournamentConfig, json.loads(stored)["file"], "the settings in the ledger")


def differences(before: str, after: str) -> list[str]:
    """What differs between two stored files, one line each: only that on which schedule and results depend."""
    old, new = dict(_flat(_essentials(before))), dict(_flat(_essentials(after)))
    keys = [*old, *(key for key in new if key not in old)]
    return [
        f"{key}: was {_shown(old, key)}, is {_shown(new, key)}"
        for key in keys
        if key not in old or key not in new or old[key] != new[key]
    ]


def _essentials(stored: str) -> dict[str, Any]:
    data = json.loads(stored)
    file = {key: value for key, value in data["file"].items() if key not in _OPERATIONAL}
    bots = [{key: bot[key] for key in ("name", "builtin", "command", "remote")} for bot in data["file"]["bots"]]
    return {**file, "bots": bots, "rules_version": data["rules_version"]}


def _shown(values: Mapping[str, object], key: str) -> str:
    return json.dumps(values[key], ensure_ascii=False) if key in values else "not there"


def _flat(value: object, key: str = "") -> Iterator[tuple[str, object]]:
    if isinstance(value, Mapping) and value:
        for name, inner in value.items():
            yield from _flat(inner, f"{key}.{name}" if key else str(name))
    elif isinstance(value, list | tuple) and value and isinstance(value[0], Mapping | list | tuple):
        for at, inner in enumerate(value):
            yield from _flat(inner, f"{key}[{at}]")
    else:
        yield key, list(value) if isinstance(value, tuple) else value
