"""The one table between errors of the domain and errors on the wire, used in both directions.

The server turns an exception into a gRPC status with :func:`to_status` (or into the ``Refused`` and
``ChoiceRejected`` messages of a play stream with :func:`row_of`); the client turns the status back with
:func:`from_rpc_error`. Every status carries a ``google.rpc.ErrorInfo`` (reason, domain ``palio``, metadata) and, where
a field of the request is at fault, a ``google.rpc.BadRequest`` with the field's path.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Final, NamedTuple

import grpc
from google.protobuf.message import DecodeError
from google.rpc import error_details_pb2, status_pb2
from grpc_status import rpc_status

from palio.engine.errors import (
    GameError,
    IllegalAction,
    InvalidAction,
    InvalidSetup,
    MatchOver,
    NotYourTurn,
    QuotaExceeded,
    StaleDecision,
)
from palio.v1 import play_pb2

DOMAIN: Final = "palio"
"""``ErrorInfo.domain`` of every error that Palio itself raises."""

_DETAILS_KEY: Final = "grpc-status-details-bin"


class ServiceError(Exception):
    """Anything that a service refuses apart from the rules. The message is fit to be shown to the caller.

    Attributes:
        field: path of the request's field that is at fault, or empty.
        metadata: further facts for programs (``ErrorInfo.metadata``), e.g. the allowed values.
    """

    def __init__(self, message: str, *, field: str = "", metadata: Mapping[str, str] | None = None) -> None:
        super().__init__(message)
        self.field = field
        self.metadata = dict(metadata or {})


class InvalidRequest(ServiceError):
    """A field is missing, unreadable or out of bounds."""


class NotFound(ServiceError):
    """There is no such match, game, tournament, player ..."""


class AlreadyExists(ServiceError):
    """The name or id is taken."""


class PermissionDenied(ServiceError):
    """The caller is known but may not do this."""


class Unauthenticated(ServiceError):
    """No token, or one that is not valid (any more)."""


class NotNow(ServiceError):
    """Readable and allowed, but not in the present state."""


class UnsupportedVersion(ServiceError):
    """The bot speaks a version of the protocol that the server does not."""


class TooLarge(ServiceError):
    """The request is larger than what the server bears."""


class LimitReached(ServiceError):
    """More of something than the server allows at a time; later it may work."""


class Draining(ServiceError):
    """The server is going down and takes nothing new."""


class Unavailable(ServiceError):
    """Something that the server needs, such as its database, is out of reach for now."""


class Row(NamedTuple):
    """One line of the table.

    Attributes:
        error: class of the domain's error.
        code: gRPC status code.
        reason: ``ErrorInfo.reason``, also ``Refused.reason``.
        rejection: ``ChoiceRejected.reason`` where the error concerns a choice.
    """

    error: type[Exception]
    code: grpc.StatusCode
    reason: str
    rejection: play_pb2.RejectionReason.ValueType = play_pb2.REJECTION_REASON_UNSPECIFIED


_Code = grpc.StatusCode

TABLE: Final = (
    Row(InvalidAction, _Code.INVALID_ARGUMENT, "INVALID_ACTION", play_pb2.REJECTION_REASON_UNREADABLE),
    Row(InvalidSetup, _Code.INVALID_ARGUMENT, "INVALID_SETUP"),
    Row(IllegalAction, _Code.FAILED_PRECONDITION, "ILLEGAL_ACTION", play_pb2.REJECTION_REASON_ILLEGAL),
    Row(StaleDecision, _Code.FAILED_PRECONDITION, "STALE_DECISION", play_pb2.REJECTION_REASON_STALE),
    Row(NotYourTurn, _Code.FAILED_PRECONDITION, "NOT_YOUR_TURN", play_pb2.REJECTION_REASON_NOT_YOURS),
    Row(MatchOver, _Code.FAILED_PRECONDITION, "MATCH_OVER", play_pb2.REJECTION_REASON_STALE),
    Row(QuotaExceeded, _Code.RESOURCE_EXHAUSTED, "QUOTA_EXCEEDED"),
    Row(InvalidRequest, _Code.INVALID_ARGUMENT, "INVALID_REQUEST"),
    Row(NotFound, _Code.NOT_FOUND, "NOT_FOUND"),
    Row(AlreadyExists, _Code.ALREADY_EXISTS, "ALREADY_EXISTS"),
    Row(PermissionDenied, _Code.PERMISSION_DENIED, "PERMISSION_DENIED"),
    Row(Unauthenticated, _Code.UNAUTHENTICATED, "UNAUTHENTICATED"),
    Row(NotNow, _Code.FAILED_PRECONDITION, "NOT_NOW"),
    Row(UnsupportedVersion, _Code.FAILED_PRECONDITION, "UNSUPPORTED_VERSION"),
    Row(TooLarge, _Code.RESOURCE_EXHAUSTED, "TOO_LARGE"),
    Row(LimitReached, _Code.RESOURCE_EXHAUSTED, "LIMIT_REACHED"),
    Row(Draining, _Code.UNAVAILABLE, "DRAINING"),
    Row(Unavailable, _Code.UNAVAILABLE, "UNAVAILABLE"),
)
"""Every error that may cross the wire. Most derived class first where one derives from another."""

LONGEST_TEXT: Final = 500
"""Characters of an error's text."""

INTERNAL: Final = Row(Exception, _Code.INTERNAL, "INTERNAL")
"""Anything that is not in the table: a fault of the server, whose text stays in its log."""

_BY_REASON: Final = {row.reason: row for row in TABLE}
_CODES: Final = {code.value[0]: code for code in grpc.StatusCode}

# Codes by which a transport reports a broken connection, when no Palio server had a say in them.
_TRANSPORT: Final = frozenset({_Code.INTERNAL, _Code.UNKNOWN, _Code.CANCELLED, _Code.DEADLINE_EXCEEDED, _Code.ABORTED})


class PalioError(Exception):
    """What a client gets for a failed call: one typed error for every cause.

    Attributes:
        code: gRPC status code.
        reason: reason of the table, e.g. ``UNAUTHENTICATED``; empty where no Palio server spoke (broken connection).
        field: path of the request's field at fault, or empty.
        message: for people.
        metadata: further facts for programs.
    """

    def __init__(
        self,
        code: grpc.StatusCode,
        message: str,
        *,
        reason: str = "",
        field: str = "",
        metadata: Mapping[str, str] | None = None,
    ) -> None:
        super().__init__(f"{reason or code.name}: {message}")
        self.code = code
        self.reason = reason
        self.field = field
        self.message = message
        self.metadata = dict(metadata or {})

    @property
    def error_class(self) -> type[Exception] | None:
        """The domain's error class that stands behind the reason, by the table."""
        row = _BY_REASON.get(self.reason)
        return row.error if row else None

    @property
    def transient(self) -> bool:
        """Whether trying again later may help: the server drains or is full, or the connection broke."""
        if self.code in (_Code.UNAVAILABLE, _Code.RESOURCE_EXHAUSTED):
            return True
        return not self.reason and self.code in _TRANSPORT


def row_of(error: BaseException) -> Row:
    """The table's line for an error; :data:`INTERNAL` for one that is not in it."""
    for row in TABLE:
        if isinstance(error, row.error):
            return row
    return INTERNAL


def field_of(error: BaseException) -> str:
    """Path of the field that is at fault, or empty."""
    return error.field if isinstance(error, (InvalidSetup, ServiceError)) else ""


def text_of(error: BaseException) -> str:
    """What the caller is told: the error's message, but nothing of an internal one."""
    if isinstance(error, (GameError, ServiceError)):
        return shortened(str(error))
    return "internal error; the server's log has the details"


def shortened(text: str) -> str:
    """A text that may quote what somebody sent: statuses travel in metadata, of which clients take 8 KiB."""
    return text if len(text) <= LONGEST_TEXT else f"{text[:LONGEST_TEXT]}... ({len(text)} characters)"


def to_proto(error: BaseException) -> status_pb2.Status:
    """An error as ``google.rpc.Status`` with its details."""
    row = row_of(error)
    status = status_pb2.Status(code=row.code.value[0], message=text_of(error))
    metadata = error.metadata if isinstance(error, ServiceError) else {}
    status.details.add().Pack(error_details_pb2.ErrorInfo(reason=row.reason, domain=DOMAIN, metadata=metadata))
    if field := shortened(field_of(error)):
        description = error.reason if isinstance(error, InvalidSetup) else str(error)
        violation = error_details_pb2.BadRequest.FieldViolation(field=field, description=shortened(description))
        status.details.add().Pack(error_details_pb2.BadRequest(field_violations=[violation]))
    return status


def to_status(error: BaseException) -> grpc.Status:
    """An error as a gRPC status: ``await context.abort(s.code, s.details, s.trailing_metadata)``."""
    return rpc_status.to_status(to_proto(error))


def from_rpc_error(error: grpc.RpcError) -> PalioError:
    """What a failed call (of ``grpc`` or ``grpc.aio``) means. Details that cannot be read are left out."""
    metadata: Iterable[tuple[str, str | bytes]] = error.trailing_metadata() or ()  # type: ignore[assignment]
    for key, value in metadata:
        if key == _DETAILS_KEY:
            try:
                return from_proto(status_pb2.Status.FromString(value))
            except DecodeError:
                break
    return PalioError(error.code(), error.details() or "no reason given")


def from_proto(status: status_pb2.Status) -> PalioError:
    """The client's error for a ``google.rpc.Status``; unknown details are ignored."""
    info, bad = error_details_pb2.ErrorInfo(), error_details_pb2.BadRequest()
    for detail in status.details:
        for message in (info, bad):
            if detail.Is(message.DESCRIPTOR):
                detail.Unpack(message)
    return PalioError(
        _CODES.get(status.code, _Code.UNKNOWN),
        status.message,
        reason=info.reason if info.domain == DOMAIN else "",
        field=bad.field_violations[0].field if bad.field_violations else "",
        metadata=info.metadata,
    )
