"""Who is speaking: from the token of a bot's Hello, or of a call's ``authorization`` metadata."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final, NamedTuple, Protocol

from palio.codec.status import PermissionDenied, Unauthenticated

PLAYER_NAME: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,39}")
NAME_RULE: Final = "1 to 40 letters, digits, '.', '_' and '-', the first a letter or digit"


class Identity(NamedTuple):
    """A caller.

    Attributes:
        credential_id: names the token without being it; one credential has one play session.
        player: the registered name.
        role: player, organiser, admin or spectator.
    """

    credential_id: str
    player: str
    role: str


class Authenticator(Protocol):
    """Knows the tokens."""

    def identify(self, token: str) -> Identity:
        """Whose token that is.

        Raises:
            Unauthenticated: unknown, expired or revoked.
        """


class Gate:
    """Lets callers in.

    Args:
        authenticator: knows the tokens.
        open_local: callers without a token are let in too: a bot as the player that its ``bot_name`` says, anybody
            else as an organiser. Only for servers that listen on this machine alone.
    """

    def __init__(self, authenticator: Authenticator | None, *, open_local: bool) -> None:
        self._authenticator = authenticator
        self.open_local = open_local

    def bot(self, token: str, bot_name: str) -> Identity:
        """Who a bot is.

        Raises:
            Unauthenticated: no token where one is needed, or a wrong one.
            PermissionDenied: a token whose role does not play.
        """
        if token:
            identity = self._known(token)
            if identity.role not in ("player", "organiser", "admin"):
                raise PermissionDenied(f"a token of role {identity.role} does not play")
            return identity
        if not self.open_local:
            raise Unauthenticated("a token is needed: put it into Hello.token (PALIO_TOKEN)", field="hello.token")
        if not PLAYER_NAME.fullmatch(bot_name):
            raise Unauthenticated(
                f"without a token, bot_name is the player's name: {NAME_RULE}", field="hello.bot_name"
            )
        return Identity(f"open:{bot_name}", bot_name, "player")

    def caller(self, metadata: Iterable[tuple[str, str | bytes]]) -> Identity:
        """Who calls a service.

        Raises:
            Unauthenticated: no token where one is needed, or a wrong one.
        """
        for key, value in metadata:
            if key == "authorization" and isinstance(value, str):
                scheme, _, token = value.partition(" ")
                if scheme.lower() != "bearer" or not token:
                    raise Unauthenticated('the metadata "authorization" reads "Bearer TOKEN"')
                return self._known(token.strip())
        if self.open_local:
            return Identity("open:", "", "organiser")
        raise Unauthenticated('a token is needed: metadata "authorization" with "Bearer TOKEN"')

    def _known(self, token: str) -> Identity:
        if self._authenticator is None:
            raise Unauthenticated("this server knows no tokens; leave the token empty")
        return self._authenticator.identify(token)
