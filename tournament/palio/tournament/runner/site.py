"""What a server for a tournament needs on the machine where it runs: directory, settings, accounts, tokens."""

from __future__ import annotations

import contextlib
import json
import shutil
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from palio.codec.status import AlreadyExists
from palio.files.toml import to_toml
from palio.server.access.accounts import Accounts
from palio.server.access.credentials import Role
from palio.server.config import ServerConfig, load_config
from palio.tournament.config import TournamentConfig
from palio.tournament.processes import Sandbox

ORGANISER: Final = "tournament-runner"
_TOKENS_PER_SLOT: Final = 2
_LONGEST_SOCKET: Final = 100
_UNLIMITED: Final = 1_000_000


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

    def make(self) -> None:
        """Make what of it is not there.

        Raises:
            OSError: it cannot be made.
        """
        for path in (self.root, self.server, self.logs):
            path.mkdir(parents=True, exist_ok=True)


@dataclass(frozen=True, slots=True)
class Site:
    """A place where matches can be played.

    Attributes:
        tokens: for each bot and slot the tokens of that process.
        organiser_token: of the runner itself.
        server_config: the server's ``palio.toml``.
        socket_folder: directory of the server's Unix socket; ``None`` when bots run without a sandbox.
    """

    folder: Folder
    tokens: Mapping[tuple[str, int], Sequence[str]]
    organiser_token: str
    server_config: Path
    socket_folder: Path | None
    _temporary: Path | None = None

    def close(self) -> None:
        """Remove what lies outside the folder."""
        if self._temporary is not None:
            shutil.rmtree(self._temporary, ignore_errors=True)


def equip(config: TournamentConfig, file: Path, folder: Folder, sandbox: Sandbox) -> Site:
    """Make ready for a server of this tournament.

    Args:
        file: the tournament file, to which ``server_config`` is relative.

    Raises:
        ConfigError: ``server_config`` cannot be used.
        OSError: the folder cannot be written.
    """
    temporary, socket_folder = _socket_folder(config, folder, sandbox)
    server_config = _write_server_config(config, file, folder, socket_folder)
    organiser_token, tokens = _tokens(config, folder)
    return Site(folder, tokens, organiser_token, server_config, socket_folder, temporary)


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
