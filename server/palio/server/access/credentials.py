"""Roles, player names and tokens: what they look like and what makes them valid. No database here."""

from __future__ import annotations

import hashlib
import re
import secrets
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Final, NamedTuple

from palio.codec.status import InvalidRequest, Unauthenticated

_NAME: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,39}")
_ID_LETTERS: Final = "abcdefghijklmnopqrstuvwxyz234567"
_ID_LENGTH: Final = 12
_SECRET_BYTES: Final = 32
_TOKEN: Final = re.compile(rf"palio_([{_ID_LETTERS}]{{{_ID_LENGTH}}})_[A-Za-z0-9_-]{{43}}")


class Role(StrEnum):
    """What a token allows; each role may do all that those before it may."""

    SPECTATOR = "spectator"
    """Look: catalogue, public matches, standings."""
    PLAYER = "player"
    """Play under its own name."""
    ORGANISER = "organiser"
    """Create and void matches and tournaments, read replays."""
    ADMIN = "admin"
    """Everything."""

    def allows(self, needed: Role) -> bool:
        """Whether this role may do what needs that one."""
        return _RANK[self] >= _RANK[needed]


_RANK: Final = {role: rank for rank, role in enumerate(Role)}


class UnknownToken(Unauthenticated):
    """No token of this server, or none at all. Says nothing about which part of it is wrong."""


class ExpiredToken(Unauthenticated):
    """The token was right, its time is over. Told only to who holds it."""


class RevokedToken(Unauthenticated):
    """The token was right and was taken back, or its player was disabled. Told only to who holds it."""


class Credential(NamedTuple):
    """Who a caller is.

    Attributes:
        credential_id: of the token; public, fit for logs.
        player: name of the player.
        role: what the caller may do.
    """

    credential_id: str
    player: str
    role: Role


class NewToken(NamedTuple):
    """A token just made.

    Attributes:
        token_id: names it from now on.
        text: the secret itself, to be shown once.
        digest: what is stored of it.
    """

    token_id: str
    text: str
    digest: bytes


@dataclass(frozen=True, slots=True)
class Grant:
    """What is stored about a token that a caller has shown to know.

    Attributes:
        credential: who the caller is.
        expires: when it ends; ``None`` means never.
        revoked: when it, or its player, was taken out of use.
    """

    credential: Credential
    expires: datetime | None
    revoked: datetime | None

    def check(self, now: datetime) -> Credential:
        """The credential.

        Raises:
            RevokedToken, ExpiredToken: it is not valid any more.
        """
        if self.revoked is not None:
            raise RevokedToken(f"this token was revoked on {self.revoked:%Y-%m-%d}", metadata={"cause": "revoked"})
        if self.expires is not None and now >= self.expires:
            raise ExpiredToken(
                f"this token expired on {self.expires:%Y-%m-%d %H:%M} UTC", metadata={"cause": "expired"}
            )
        return self.credential


def check_name(name: str) -> str:
    """A player's name that may be given.

    Raises:
        InvalidRequest: it breaks the rule, which the message states.
    """
    if _NAME.fullmatch(name) is None:
        raise InvalidRequest(
            f"{name!r} is no player name; allowed: 1 to 40 of A-Z a-z 0-9 . _ -, beginning with a letter or digit",
            field="player",
        )
    return name


def new_token() -> NewToken:
    """A token with 256 random bits. A plain hash is enough for these: there is nothing to guess."""
    token_id = "".join(secrets.choice(_ID_LETTERS) for _ in range(_ID_LENGTH))
    text = f"palio_{token_id}_{secrets.token_urlsafe(_SECRET_BYTES)}"
    return NewToken(token_id, text, digest_of(text))


def digest_of(text: str) -> bytes:
    """What is stored of a token: SHA-256."""
    return hashlib.sha256(text.encode()).digest()


def id_of(text: str) -> str:
    """The id inside a token's text.

    Raises:
        UnknownToken: this is no token.
    """
    if (match := _TOKEN.fullmatch(text)) is None:
        raise unknown_token(given=bool(text))
    return match[1]


def unknown_token(*, given: bool = True) -> UnknownToken:
    """The one answer for every token that is wrong."""
    text = "this token is not valid here" if given else "a token is needed; the organiser of this server hands them out"
    return UnknownToken(text, metadata={"cause": "unknown"})
