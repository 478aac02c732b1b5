"""Who is speaking: from the token of a bot's Hello, or of a call's ``authorization`` metadata."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final, Protocol

from palio.codec.status import InvalidRequest, PermissionDenied, Unauthenticated
from palio.server.access.credentials import Credential, Role, check_name

PLAYER_KEY: Final = "palio-player"
"""Metadata of a call in open local mode: the player whose bot calls."""


class Authenticator(Protocol):
    """Knows the tokens; :class:`palio.server.access.accounts.Accounts` is one."""

    def authenticate(self, token: str) -> Credential:
        """Whose token that is.

        Raises:
            Unauthenticated: unknown, expired or revoked.
        """


class Gate:
    """Lets callers in.

    Args:
        authenticator: knows the tokens.
        open_local: callers without a token are let in too: a bot as the player that its ``bot_name`` says, anybody
            else as an organiser, who may name a player in the metadata ``palio-player``. Only for servers that
            listen on this machine alone.
    """

    def __init__(self, authenticator: Authenticator | None, *, open_local: bool) -> None:
        self._authenticator = authenticator
        self.open_local = open_local

    def bot(self, token: str, bot_name: str) -> Credential:
        """Who a bot is.

        Raises:
            Unauthenticated: no token where one is needed, or a wrong one.
            PermissionDenied: a token whose role does not play.
        """
        if token:
            credential = self._known(token)
            if credential.role is Role.SPECTATOR:
                raise PermissionDenied(f"a token of role {credential.role} does not play")
            return credential
        if not self.open_local:
            raise Unauthenticated("a token is needed: put it into Hello.token (PALIO_TOKEN)", field="hello.token")
        try:
            check_name(bot_name)
        except InvalidRequest as error:
            raise Unauthenticated(
                f"without a token, bot_name names the player: {error}", field="hello.bot_name"
            ) from None
        return Credential(f"open:{bot_name}", bot_name, Role.PLAYER)

    def caller(self, metadata: Iterable[tuple[str, str | bytes]]) -> Credential:
        """Who calls a service.

        Raises:
            Unauthenticated: no token where one is needed, or a wrong one.
        """
        name = ""
        for key, value in metadata:
            if key == PLAYER_KEY and isinstance(value, str):
                name = value
            if key == "authorization" and isinstance(value, str):
                scheme, _, token = value.partition(" ")
                if scheme.lower() != "bearer" or not token:
                    raise Unauthenticated('the metadata "authorization" reads "Bearer TOKEN"')
                return self._known(token.strip())
        if self.open_local:
            return Credential(f"open:{name}", name, Role.ORGANISER)
        raise Unauthenticated('a token is needed: metadata "authorization" with "Bearer TOKEN"')

    def _known(self, token: str) -> Credential:
        if self._authenticator is None:
            raise Unauthenticated("this server knows no tokens; leave the token empty")
        return self._authenticator.authenticate(token)
