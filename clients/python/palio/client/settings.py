"""Where the server is and how a bot introduces itself: arguments first, then the environment."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import grpc

SDK: Final = "palio-python/0.1.0"
PROTOCOL_VERSION: Final = 1
DEFAULT_SERVER: Final = "localhost:7654"
_TRUE: Final = ("1", "true", "yes", "on")


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """How to reach the server and what to tell it.

    Attributes:
        server: ``host:port`` or ``unix:/path/of/socket``.
        token: says who the player is; may be empty on a server in open local mode.
        name, version: labels; in open local mode the name is also the player's name.
        ca: PEM file with the certificates to trust; TLS is used when it is set.
        tls: TLS with the system's certificates.
        cert, key: PEM files of the bot's own certificate and its key, for servers that ask for one (mTLS).
        games: ids of the games that the bot plays; empty means all.
        concurrency: how many matches it plays at the same time.
        matches: leave after so many finished matches; ``None`` means never.
        patience: seconds to go on trying to connect without a Welcome before giving up.
        first_delay, longest_delay: bounds of the pause between two tries, in seconds.
    """

    server: str = DEFAULT_SERVER
    token: str = ""
    name: str = "python-bot"
    version: str = ""
    ca: str = ""
    tls: bool = False
    cert: str = ""
    key: str = ""
    games: tuple[str, ...] = ()
    concurrency: int = 8
    matches: int | None = None
    patience: float = 60.0
    first_delay: float = 0.1
    longest_delay: float = 5.0

    def __post_init__(self) -> None:
        """Check what can be checked without a server.

        Raises:
            ValueError: names the setting and what it may be.
        """
        if not self.server.startswith("unix:"):
            host, _, port = self.server.rpartition(":")
            if not host or not port.isdecimal() or not 0 < int(port) < 65536:
                raise ValueError(f"server: {self.server!r} is neither host:port nor unix:/path")
        if self.concurrency < 1:
            raise ValueError(f"concurrency: {self.concurrency} is not at least 1")
        if self.matches is not None and self.matches < 1:
            raise ValueError(f"matches: {self.matches} is not at least 1")
        for name in ("ca", "cert", "key"):
            path = getattr(self, name)
            if path and not Path(path).is_file():
                raise ValueError(f"{name}: there is no file {path!r}")
        if bool(self.cert) != bool(self.key):
            raise ValueError("cert: cert and key belong together")
        if self.cert and not (self.tls or self.ca):
            raise ValueError("cert: it takes TLS: set ca (PALIO_CA), or tls (PALIO_TLS=1)")

    @property
    def metadata(self) -> tuple[tuple[str, str], ...]:
        """Credentials for calls other than Play, which carries them in its Hello."""
        return (("authorization", f"Bearer {self.token}"),) if self.token else ()

    def channel(self, server: str = "") -> grpc.aio.Channel:
        """A new channel; it shares no connection with another one, so that the pauses between tries are ours.

        Args:
            server: where to, if not to :attr:`server`.
        """
        server = server or self.server
        options = (("grpc.use_local_subchannel_pool", 1), ("grpc.max_receive_message_length", -1))
        if not (self.tls or self.ca):
            return grpc.aio.insecure_channel(server, options)
        roots, key, cert = (Path(path).read_bytes() if path else None for path in (self.ca, self.key, self.cert))
        return grpc.aio.secure_channel(server, grpc.ssl_channel_credentials(roots, key, cert), options)


def from_environment(environment: Mapping[str, str] = os.environ, /, **given: object) -> Settings:
    """Settings from ``PALIO_SERVER``, ``PALIO_TOKEN``, ``PALIO_BOT_NAME``, ``PALIO_CA``, ``PALIO_TLS``, ``PALIO_CERT``
    and ``PALIO_KEY``.

    Args:
        given: fields of :class:`Settings` that override the environment; ``None`` means "not given".

    Raises:
        ValueError: a value cannot be used; the text names the setting.
    """
    found: dict[str, object] = {
        "server": environment.get("PALIO_SERVER"),
        "token": environment.get("PALIO_TOKEN"),
        "name": environment.get("PALIO_BOT_NAME"),
        "ca": environment.get("PALIO_CA"),
        "tls": environment.get("PALIO_TLS", "").lower() in _TRUE,
        "cert": environment.get("PALIO_CERT"),
        "key": environment.get("PALIO_KEY"),
    }
    found = {key: value for key, value in found.items() if value}
    found.update({key: value for key, value in given.items() if value is not None})
    return Settings(**found)  # type: ignore[arg-type]
