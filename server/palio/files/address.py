"""Addresses to listen on: ``host:port``, ``[IPv6]:port`` or ``unix:/path``."""

from __future__ import annotations

import ipaddress
from typing import NamedTuple

_HIGHEST_PORT = 65535


class Address(NamedTuple):
    """Where a server listens.

    Attributes:
        host: name or number without brackets; empty for a Unix socket.
        port: 0 lets the system choose one; 0 too for a Unix socket.
        path: of a Unix socket; empty otherwise.
    """

    host: str
    port: int
    path: str = ""

    @property
    def is_local(self) -> bool:
        """Whether only programs of this machine can reach it."""
        if self.path or self.host == "localhost":
            return True
        try:
            return ipaddress.ip_address(self.host).is_loopback
        except ValueError:
            return False

    @property
    def is_any(self) -> bool:
        """Whether it stands for all addresses of this machine, so that nobody can connect to it by this name."""
        try:
            return not self.path and ipaddress.ip_address(self.host).is_unspecified
        except ValueError:
            return False

    def __str__(self) -> str:
        if self.path:
            return f"unix:{self.path}"
        return f"[{self.host}]:{self.port}" if ":" in self.host else f"{self.host}:{self.port}"


def parse_address(text: str) -> Address:
    """Read an address.

    Raises:
        ValueError: it is none; the message says what is allowed.
    """
    if text.startswith("unix:"):
        if path := text.removeprefix("unix:"):
            return Address("", 0, path)
        raise ValueError("unix: needs a path, for example unix:/run/palio/palio.sock")
    host, colon, port = text.rpartition(":")
    if host.startswith("[") and host.endswith("]"):
        host = host[1:-1]
    elif ":" in host:
        raise ValueError(f"{text!r}: an IPv6 address stands in brackets, for example [::1]:7654")
    if not colon or not host or not (port.isascii() and port.isdecimal()) or int(port) > _HIGHEST_PORT:
        raise ValueError(f"{text!r} is no address; allowed: HOST:PORT (port 0 to {_HIGHEST_PORT}) or unix:/PATH")
    return Address(host, int(port))
