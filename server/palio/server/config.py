"""``palio.toml``: everything that an operator can set, with the defaults that a small server wants."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Literal, Self

from pydantic import AfterValidator, Field, model_validator

from palio.files.address import Address, parse_address
from palio.files.settings import Seconds, Settings, load_settings

ONE_WEEK = 7 * 24 * 3600.0

Duration = Annotated[Seconds, Field(ge=0, le=ONE_WEEK)]
PositiveDuration = Annotated[Seconds, Field(gt=0, le=ONE_WEEK)]
Count = Annotated[int, Field(ge=1, le=1_000_000)]


def _checked_address(text: str) -> str:
    parse_address(text)
    return text


ListenAddress = Annotated[str, AfterValidator(_checked_address)]


class Tls(Settings):
    """Files in PEM form; read when the server starts and again on SIGHUP."""

    cert: Path | None = None
    """Certificate chain of the server. With key, TLS is on."""
    key: Path | None = None
    """Private key of the server."""
    client_ca: Path | None = None
    """Certificates that clients' certificates are checked against. With it, every client has to show one (mTLS)."""

    @model_validator(mode="after")
    def _complete(self) -> Self:
        if (self.cert is None) != (self.key is None):
            raise ValueError("cert and key belong together: set both or none")
        if self.client_ca is not None and self.cert is None:
            raise ValueError("client_ca needs cert and key")
        return self


class Limits(Settings):
    """What the server bears. Beyond it, callers get RESOURCE_EXHAUSTED and the others notice nothing."""

    max_message_bytes: int = Field(default=64 * 1024, ge=1024, le=64 * 1024 * 1024)
    """Largest message from a client."""
    max_metadata_bytes: int = Field(default=8 * 1024, ge=1024, le=1024 * 1024)
    """Largest metadata of a call from a client."""
    max_matches: Count = 2000
    """Matches that wait or run at the same time, all players together."""
    matches_per_player: Count = 1000
    """Matches that one player has waiting or running at the same time."""
    matches_per_stream: Count = 256
    """Matches that one Play stream carries at the same time; a bot may declare less."""
    max_streams: Count = 4000
    """Streams open at the same time (Play and Watch), all players together."""
    streams_per_player: Count = 16
    """Streams (Play and Watch) that one player has open at the same time."""
    max_silent_streams: Count = 256
    """Play streams that have not said Hello yet; one more drives out the oldest. Also the streams of services that
    anybody may call (health)."""
    hello_within: PositiveDuration = 10.0
    """How long a Play stream may say nothing before Hello, and a connection before it speaks gRPC or TLS."""
    requests_per_second: float = Field(default=50.0, gt=0, le=1e6)
    """Calls and new Play streams that one player may make a second, in the long run; not those of organisers."""
    request_burst: Count = 100
    """Calls and new Play streams that one player may make at once before requests_per_second holds."""
    max_queued_messages: Count = 1024
    """Messages that may wait for a bot or a spectator who does not read, before it is disconnected."""
    samples_per_match: int = Field(default=10_000, ge=0)
    """SimulationService.SampleState: samples that one seat may take in one match."""
    apply_choices: Count = 10_000
    """SimulationService.Apply: choices that one request may carry."""
    max_page_size: Count = 1000
    """Entries on one page of a list."""


class TimeControlSettings(Settings):
    """Time control of a match for which the organiser sets none."""

    per_decision: PositiveDuration | None = None
    """Limit of each single decision."""
    bank: PositiveDuration | None = None
    """Time for all decisions of a match together."""
    increment: Duration = 0.0
    """Added to the bank after each decision."""
    lag_allowance: Duration = 0.1
    """Measured network time per decision that is not charged, at most."""
    init_budget: PositiveDuration = 30.0
    """For preparing a match, between MatchStarted and Ready."""
    idle_limit: PositiveDuration = 600.0
    """Longest silence at a decision when neither per_decision nor bank is set."""

    @model_validator(mode="after")
    def _increment_needs_bank(self) -> Self:
        if self.increment and self.bank is None:
            raise ValueError("increment needs a bank")
        return self


class PolicySettings(Settings):
    """What happens when a player errs, in a match for which the organiser does not say."""

    illegal_tries: int = Field(default=3, ge=0, le=1000)
    """Rejected choices that a seat may make at one decision before it forfeits."""
    disconnection_grace: Duration = 30.0
    """How long a seat may be without a connection before it forfeits, while its clock runs on."""
    no_show: PositiveDuration = 60.0
    """How long a match waits for a player who has not connected."""
    restart_grace: PositiveDuration = 120.0
    """How long bots have to come back after a restart of the server; a match that lacks one then is void."""


class Log(Settings):
    """What the server writes to stderr."""

    format: Literal["console", "json"] = "console"
    """Lines for people, or one JSON object a line."""
    level: Literal["debug", "info", "warning", "error"] = "info"
    """Anything less important is left out."""


class ServerConfig(Settings):
    """All of ``palio.toml``."""

    listen: list[ListenAddress] = Field(default=["127.0.0.1:7654"], min_length=1)
    """Addresses for gRPC: HOST:PORT or unix:/PATH."""
    metrics: ListenAddress | None = None
    """Address of the Prometheus metrics; unset means none."""
    traces: bool = False
    """Export OpenTelemetry traces over OTLP, to where the OTEL_* environment variables say."""
    data: Path = Path("palio-data")
    """Directory of the journals, the replays and, by default, the database."""
    database: str | None = None
    """Database of accounts as an SQLAlchemy URL, for example postgresql+psycopg://host/palio; unset means SQLite in
    data."""
    open: bool = False
    """Open local mode: no tokens, every bot is who it says it is. Only where nothing but this machine can connect."""
    allow_plaintext: bool = False
    """Listen beyond this machine without TLS, because a proxy in front of the server speaks it."""
    heartbeat: PositiveDuration = 10.0
    """The server pings so often; who answers nothing for three times as long is taken for disconnected."""
    drain_limit: Duration = 30.0
    """After SIGTERM, how long running matches may go on before they are left to the journal."""
    durability: Literal["process", "power"] = "process"
    """What a finished write survives: the death of the process, or the loss of power as well (slower)."""
    spectator_delay: int = Field(default=0, ge=0, le=100_000)
    """How many turns later spectators see a match."""
    player_entropy: bool = False
    """Mix randomness of the players into the seed of each match, so that nobody alone can choose the deal."""
    workers: int = Field(default=1, ge=1, le=256)
    """Processes that host matches. With more than one, what listens is a front, which tells bots to which of them they
    have to connect."""
    worker_ports: int = Field(default=0, ge=0, le=65_000)
    """Port of the first worker, where there are several; each further one has the next. 0 means any free ones."""
    worker_host: str | None = None
    """Host by which bots reach the workers; unset means that of listen."""
    tls: Tls = Tls()
    """TLS."""
    limits: Limits = Limits()
    """What the server bears."""
    time_control: TimeControlSettings = TimeControlSettings()
    """Time control of a match for which the organiser sets none. Durations: seconds, or text such as "250ms", "10m"."""
    policies: PolicySettings = PolicySettings()
    """What happens when a player errs, in a match for which the organiser does not say."""
    log: Log = Log()
    """What the server writes to stderr."""

    @model_validator(mode="after")
    def _reachable_safely(self) -> Self:
        beyond = [str(address) for address in self.listen_addresses if not address.is_local]
        if beyond and self.open:
            raise ValueError(
                f"listen: open local mode would let anybody who reaches {', '.join(beyond)} play under any name; "
                "with open = true listen only on localhost, 127.0.0.1, [::1] or unix:/PATH"
            )
        if beyond and self.tls.cert is None and not self.allow_plaintext:
            raise ValueError(
                f"listen: on {', '.join(beyond)} tokens would cross the network in plain text; set tls.cert and "
                "tls.key, or allow_plaintext = true where a proxy in front speaks TLS"
            )
        return self

    @model_validator(mode="after")
    def _workers_can_be_named(self) -> Self:
        for base in self.worker_bases if self.workers > 1 and self.worker_host is None else ():
            if base.is_any:
                raise ValueError(
                    f"worker_host: bots cannot be sent to {base.host}; set the name or number by which they reach this "
                    "machine"
                )
        return self

    @property
    def worker_bases(self) -> list[Address]:
        """Where workers listen, apart from the port or the end of the path: the first address of TCP, the first Unix
        socket."""
        found = {bool(address.path): address for address in reversed(self.listen_addresses)}
        return [found[unix] for unix in (False, True) if unix in found]

    @property
    def listen_addresses(self) -> list[Address]:
        """``listen``, parsed."""
        return [parse_address(text) for text in self.listen]

    @property
    def database_url(self) -> str:
        """Where accounts are kept, as an SQLAlchemy URL."""
        return self.database or default_database(self.data)

    def printable(self) -> ServerConfig:
        """A copy that may be shown: the database's password is masked."""
        if self.database is None:
            return self
        masked = re.sub(r"(?<=://)([^:/@]*):[^@]*@", r"\1:***@", self.database)
        return self.model_copy(update={"database": masked})


def default_database(data: Path) -> str:
    """URL of the SQLite database in a data directory."""
    return f"sqlite:///{data / 'palio.db'}"


def load_config(path: Path | None = None, overrides: Mapping[str, object] | None = None) -> ServerConfig:
    """The configuration of a file with what the command line adds to it.

    Args:
        path: ``palio.toml``; ``None`` means the defaults.
        overrides: by dotted key; ``None`` values are left out.

    Raises:
        ConfigError: a key is unknown or a value is not allowed.
        OSError: the file cannot be read.
    """
    return load_settings(ServerConfig, path, overrides)
