"""Everything that has to be right before the first game: directory, ledger, schedule, tokens, the server's settings."""

from __future__ import annotations

import contextlib
import fcntl
import json
import os
import secrets
import shutil
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Final

from palio.codec.status import AlreadyExists
from palio.engine.errors import GameError
from palio.files.settings import ConfigError, Problem
from palio.files.toml import to_toml
from palio.server.accounts import Accounts
from palio.server.config import ServerConfig, load_config
from palio.server.credentials import Role
from palio.tournament.config import TournamentConfig, differences, load_tournament
from palio.tournament.ledger import Ledger, open_ledger
from palio.tournament.plan import Schedule, make_schedule
from palio.tournament.processes import Sandbox, find_sandbox

ORGANISER: Final = "tournament-runner"
_TOKENS_PER_SLOT: Final = 2
_LONGEST_SOCKET: Final = 100
_UNLIMITED: Final = 1_000_000


class Busy(GameError):
    """Another runner works in this directory."""


class Changed(GameError):
    """The file is not the one that the tournament was started with."""


@dataclass(frozen=True, slots=True)
class Folder:
    """The directory of a tournament and what lies where in it.

    Attributes:
        root: the directory.
    """

    root: Path

    @property
    def server(self) -> Path:
        """Data directory of the server: accounts, journals, ``replays/``."""
        return self.root / "server"

    @property
    def replays(self) -> Path:
        return self.server / "replays"

    @property
    def logs(self) -> Path:
        """What the bots and the server write."""
        return self.root / "logs"

    @property
    def report(self) -> Path:
        return self.root / "report.html"

    @property
    def default_database(self) -> str:
        return f"sqlite:///{self.root / 'ledger.sqlite3'}"


def folder_of(path: Path, directory: Path | None) -> Folder:
    """Where a tournament's files lie: beside its file, unless a directory is given."""
    return Folder((directory or path.with_suffix(".palio")).resolve())


@dataclass(slots=True)
class Prepared:
    """A tournament that can be run.

    Attributes:
        file: the tournament file.
        tokens: for each bot and slot the tokens of that process.
        organiser_token: of the runner itself.
        server_config: the server's ``palio.toml``.
        socket_folder: directory of the server's Unix socket; ``None`` when bots run without a sandbox.
    """

    file: Path
    config: TournamentConfig
    folder: Folder
    ledger: Ledger
    schedule: Schedule
    withdrawn: set[str]
    sandbox: Sandbox
    tokens: Mapping[tuple[str, int], Sequence[str]]
    organiser_token: str
    server_config: Path
    socket_folder: Path | None
    _lock: IO[str]
    _temporary: Path | None = None

    def close(self) -> None:
        """Let go of the ledger, the directory and its lock."""
        self.ledger.close()
        if self._temporary is not None:
            shutil.rmtree(self._temporary, ignore_errors=True)
        self._lock.close()


def prepare(file: Path, directory: Path | None = None, database: str | None = None) -> Prepared:
    """Read a tournament file and make ready to run it, or to go on with it.

    Raises:
        ConfigError: something in the file is wrong.
        InvalidSetup: what it asks for cannot be scheduled or played.
        Changed: it differs from the one that the tournament was started with.
        Busy: it is being run already.
        LedgerError, DatabaseUnusable: the database cannot be used.
        OSError: a file or directory cannot be read or written.
    """
    config = load_tournament(file)
    make_schedule(config, "trial")  # whatever is wrong with it shows before anything is written
    sandbox = _sandbox(config, file)
    folder = folder_of(file, directory)
    for path in (folder.root, folder.server, folder.logs):
        path.mkdir(parents=True, exist_ok=True)
    lock = _lock(folder.root / "runner.lock")
    try:
        ledger = open_ledger(database or folder.default_database, config.id)
        seed, withdrawn = _register(config, ledger, file)
        temporary, socket_folder = _socket_folder(config, folder, sandbox)
        server_config = _write_server_config(config, file, folder, socket_folder)
        organiser_token, tokens = _tokens(config, folder)
    except BaseException:
        lock.close()
        raise
    return Prepared(
        file=file.resolve(),
        config=config,
        folder=folder,
        ledger=ledger,
        schedule=make_schedule(config, seed),
        withdrawn=withdrawn,
        sandbox=sandbox,
        tokens=tokens,
        organiser_token=organiser_token,
        server_config=server_config,
        socket_folder=socket_folder,
        _lock=lock,
        _temporary=temporary,
    )


def _sandbox(config: TournamentConfig, file: Path) -> Sandbox:
    if config.sandbox == "off":
        return Sandbox(None)
    sandbox = find_sandbox()
    if config.sandbox == "require" and sandbox.program is None:
        raise ConfigError(str(file), [Problem("sandbox", f'"require" cannot be met: {sandbox.missing}')])
    return sandbox


def _lock(path: Path) -> IO[str]:
    file = path.open("a+")
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        file.seek(0)
        owner = file.read().strip() or "unknown"
        file.close()
        raise Busy(f"this tournament is being run already, by process {owner} ({path})") from None
    file.seek(0)
    file.truncate()
    file.write(f"{os.getpid()}\n")
    file.flush()
    return file


def _register(config: TournamentConfig, ledger: Ledger, file: Path) -> tuple[str, set[str]]:
    """The seed and the withdrawn bots of a tournament that is new or goes on."""
    stored = config.stored()
    known = ledger.registered()
    if known is None:
        seed = config.seed or secrets.token_hex(16)
        ledger.register(config.name, stored, seed, [bot.name for bot in config.bots])
        return seed, set()
    changes = differences(known.config, stored)
    if changes:
        raise Changed(
            "\n  ".join(
                [
                    (
                        f"{file}: tournament {config.id!r} was started with other settings; "
                        "change them back, or give the new tournament another name or directory:"
                    ),
                    *changes,
                ]
            )
        )
    return known.seed, set(known.withdrawn)


def _socket_folder(config: TournamentConfig, folder: Folder, sandbox: Sandbox) -> tuple[Path | None, Path | None]:
    """(temporary directory, directory of the socket). Paths of Unix sockets are short, so it may have to be in /tmp."""
    if sandbox.program is None or all(bot.remote for bot in config.bots):
        return None, None
    wanted = folder.root / "socket"
    if len(str(wanted)) <= _LONGEST_SOCKET - len("/palio.sock"):
        wanted.mkdir(exist_ok=True)
        return None, wanted
    temporary = Path(tempfile.mkdtemp(prefix="palio-"))
    return temporary, temporary


def _write_server_config(config: TournamentConfig, file: Path, folder: Folder, socket_folder: Path | None) -> Path:
    local = "127.0.0.1:0" if socket_folder is None else f"unix:{socket_folder / 'palio.sock'}"
    listen = [local]
    if any(bot.remote for bot in config.bots):
        listen.append(config.listen or "127.0.0.1:0")
    base = load_config(file.parent / config.server_config) if config.server_config else ServerConfig()
    limits = base.limits.model_copy(
        update={
            "requests_per_second": float(_UNLIMITED),
            "request_burst": _UNLIMITED,
            "streams_per_player": _UNLIMITED,
            "matches_per_player": _UNLIMITED,
        }
    )
    changes = {"listen": listen, "data": folder.server, "database": None, "open": False, "limits": limits}
    settings = ServerConfig.model_validate({**dict(base), **changes})
    path = folder.root / "server.toml"
    path.write_text(to_toml(settings))
    return path


def _tokens(config: TournamentConfig, folder: Folder) -> tuple[str, dict[tuple[str, int], list[str]]]:
    """Tokens for the runner and all bots, the same in every run, so that remote players can stay."""
    path = folder.root / "tokens.json"
    kept: dict[str, list[str]] = json.loads(path.read_text()) if path.exists() else {}
    wanted = {ORGANISER: 1}
    wanted |= {f"{bot.name}#{slot}": _TOKENS_PER_SLOT for bot in config.bots for slot in range(1, bot.slots + 1)}
    missing = {label: count for label, count in wanted.items() if label not in kept}
    if missing:
        with Accounts.open(ServerConfig(data=folder.server).database_url) as accounts:
            # First the first token of every slot, then the second ones: a server with several workers goes by the
            # order of a player's tokens, and so the slots of each bot are spread over all of them.
            for which in range(max(missing.values())):
                for label in (label for label, count in missing.items() if which < count):
                    player = label.partition("#")[0]
                    role = Role.ORGANISER if label == ORGANISER else Role.PLAYER
                    with contextlib.suppress(AlreadyExists):
                        accounts.create_player(player, role)
                    kept.setdefault(label, []).append(accounts.create_token(player, label="tournament")[0])
        temporary = path.with_suffix(".new")
        temporary.touch(mode=0o600)
        temporary.write_text(json.dumps(kept, indent=1))
        temporary.replace(path)
    tokens = {(bot.name, slot): kept[f"{bot.name}#{slot}"] for bot in config.bots for slot in range(1, bot.slots + 1)}
    return kept[ORGANISER][0], tokens
