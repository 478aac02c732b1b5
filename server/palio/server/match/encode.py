"""The messages of every single choice, serialised by hand: together they cost a quarter of what building them as
protobuf objects does (``palio bench server`` has the whole). Tests hold each to the generated class.
"""

from __future__ import annotations

from typing import Final

from google.protobuf import duration_pb2

from palio.codec.wire import Kept, nested, number, tag, varint
from palio.server.match.clock import seconds_of
from palio.v1 import play_pb2, replay_pb2

_MICROS: Final = 1_000_000
_NANOS: Final = varint(duration_pb2.Duration.NANOS_FIELD_NUMBER << 3)

_CHOICE: Final = tag(replay_pb2.ReplayRecord.CHOICE_FIELD_NUMBER)
_CHARGED: Final = tag(replay_pb2.ReplayChoice.CHARGED_FIELD_NUMBER)
_NETWORK: Final = tag(replay_pb2.ReplayChoice.NETWORK_FIELD_NUMBER)
_TIME: Final = tag(replay_pb2.ReplayChoice.TIME_FIELD_NUMBER)
_SERVER: Final = tag(replay_pb2.ReplayChoice.SERVER_FIELD_NUMBER)
_REMAINING: Final = tag(play_pb2.Clock.REMAINING_FIELD_NUMBER)
_INCREMENT: Final = tag(play_pb2.Clock.INCREMENT_FIELD_NUMBER)
_DEADLINE: Final = tag(play_pb2.Clock.DEADLINE_FIELD_NUMBER)
_SERVER_TIME: Final = tag(play_pb2.Clock.SERVER_TIME_FIELD_NUMBER)
_NO_NETWORK: Final = nested(_NETWORK, b"")
_ACCEPTED_CHARGED: Final = tag(play_pb2.ChoiceAccepted.CHARGED_FIELD_NUMBER)


_WHOLE: Final = Kept[int](lambda seconds: number(1, seconds), 4)
"""The field ``seconds``: the same for a second at a time."""
_FIXED: Final = Kept[tuple[bytes, float]](lambda field: nested(field[0], span(field[1])), 64)
"""A ``Duration``, with its tag, that is the same at most decisions: a limit, an increment."""


def span(seconds: float) -> bytes:
    """Seconds, not negative, as a serialised ``Duration`` or (since 1970) ``Timestamp``; to the microsecond."""
    # Rounded, not cut: what is read back from it and written again has to be the same.
    micros = int(seconds * _MICROS + 0.5)
    if micros < _MICROS:
        return _NANOS + varint(micros * 1000) if micros else b""
    whole = micros // _MICROS
    return _WHOLE[whole] + number(2, (micros - whole * _MICROS) * 1000)


def span_of(message: duration_pb2.Duration) -> bytes:
    """A duration that was recorded, as :func:`span` wrote it."""
    return span(seconds_of(message))


def clock(remaining: float, increment: float, now: float) -> bytes:
    """A serialised ``Clock``.

    Args:
        remaining, increment: seconds.
        now: seconds since 1970.
    """
    face = _FIXED[_REMAINING, remaining] + nested(_DEADLINE, span(now + remaining)) + nested(_SERVER_TIME, span(now))
    return face + _FIXED[_INCREMENT, increment] if increment else face


def accepted(decision_id: int, option: int, charged: bytes) -> bytes:
    """A serialised ``ChoiceAccepted``; ``charged`` by :func:`span`."""
    return number(1, decision_id) + number(2, option) + nested(_ACCEPTED_CHARGED, charged)


def choice_record(
    seat: int, decision_id: int, option: int, offered: int, charged: bytes, network: float, server: float, now: float
) -> bytes:
    """A serialised ``ReplayRecord`` of a choice that a player made.

    Args:
        charged: by :func:`span`.
        network, server: seconds.
        now: seconds since 1970.
    """
    choice = b"".join(
        (
            number(1, seat),
            number(2, decision_id),
            number(3, option),
            number(4, offered),
            nested(_CHARGED, charged),
            nested(_NETWORK, span(network)) if network else _NO_NETWORK,
            nested(_TIME, span(now)),
            nested(_SERVER, span(server)),
        )
    )
    return nested(_CHOICE, choice)


def answered(option: int) -> bytes:
    """The field ``Decision.answered``, which is there even for option 0."""
    return varint(play_pb2.Decision.ANSWERED_FIELD_NUMBER << 3) + varint(option)
