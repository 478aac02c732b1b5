"""How a layer above the server adds services to it: tournaments know the arena, the arena knows no tournaments."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol

import grpc.aio

from palio.server.arena import Arena
from palio.server.credentials import Role


class Extension(Protocol):
    """Something that is served beside the arena's own services."""

    @property
    def services(self) -> tuple[str, ...]:
        """Full names, for health and reflection."""

    @property
    def rights(self) -> Mapping[str, Role]:
        """What each of its methods needs, by path."""

    def register(self, server: grpc.aio.Server, arena: Arena) -> None:
        """Add the servicers; called before the server listens."""

    async def start(self) -> None:
        """The arena has taken up its unfinished matches."""

    async def stop(self) -> None:
        """The server goes down."""
