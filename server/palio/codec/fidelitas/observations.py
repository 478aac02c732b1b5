"""What a seat sees, as bytes joined from parts that are kept serialised, and back.

Building an ``Observation`` anew with protobuf's Python API for every decision is what would bound the server's speed;
most stacks and seats are the same as a decision ago, so their bytes are looked up.
"""

from __future__ import annotations

from typing import Final

from palio.codec.fidelitas.options import inner_bytes, read_inner
from palio.codec.wire import Kept, nested, number, packed, tag
from palio.fidelitas.v1 import fidelitas_pb2 as pb
from palio.games.fidelitas.choices import KINDS
from palio.games.fidelitas.view import Asking, Own, View
from palio.v1 import game_pb2

_GAME: Final = tag(game_pb2.Observation.FIDELITAS_FIELD_NUMBER)
_PLAYED: Final = tag(pb.Observation.PLAYED_FIELD_NUMBER)
_STACK: Final = tag(pb.Observation.STACKS_FIELD_NUMBER)
_SEAT: Final = tag(pb.Observation.SEATS_FIELD_NUMBER)
_OWN: Final = tag(pb.Observation.OWN_FIELD_NUMBER)
_ASKING: Final = tag(pb.Observation.ASKING_FIELD_NUMBER)
_PICK: Final = tag(pb.Asking.PICKS_FIELD_NUMBER)
_TURN_FIELDS: Final = (
    pb.Observation.PLAYERS_FIELD_NUMBER,
    pb.Observation.TEAMS_FIELD_NUMBER,
    pb.Observation.TURN_FIELD_NUMBER,
    pb.Observation.ROUND_FIELD_NUMBER,
    pb.Observation.ACTIVE_SEAT_FIELD_NUMBER,
    pb.Observation.PHASE_FIELD_NUMBER,
    pb.Observation.FINAL_ROUND_FIELD_NUMBER,
)
_KIND_NUMBERS: Final = {kind: n for n, kind in enumerate(KINDS)}


def observation_bytes(view: View) -> bytes:
    """The serialised ``palio.v1.Observation``."""
    parts = [_TURNS[view[:7]], _PLAYS[view[7:11]]]
    parts += map(_STACKS.__getitem__, zip(view.stacks, view.locked, strict=True))
    parts.append(number(pb.Observation.VIRTUS_DECK_SIZE_FIELD_NUMBER, view.virtus_deck_size))
    parts.append(_DISCARDS[view.reshuffled, view.discard])
    parts.append(number(pb.Observation.MISSIO_DECK_SIZE_FIELD_NUMBER, view.missio_deck_size))
    seats = zip(view.hand_sizes, view.missio_counts, view.scored, view.points, view.scored_now, strict=True)
    parts += map(_SEATS.__getitem__, seats)
    if view.own is not None:
        parts.append(_own(view.own))
    if view.asking is not None:
        parts.append(_ASKINGS[view.asking])
    return nested(_GAME, b"".join(parts))


def _turn(values: tuple[int, ...]) -> bytes:
    return b"".join(map(number, _TURN_FIELDS, values))


def _play(values: tuple[int, int, int, tuple[int, ...]]) -> bytes:
    character, location, draws_left, barred = values
    played = nested(_PLAYED, number(1, location) + number(2, character)) if character else b""
    draws = number(pb.Observation.DRAWS_LEFT_FIELD_NUMBER, draws_left)
    return played + draws + packed(pb.Observation.BARRED_FIELD_NUMBER, barred)


def _stack(values: tuple[tuple[int, ...], int]) -> bytes:
    cards, locked = values
    return nested(_STACK, packed(1, cards) + number(2, locked))


def _discard(values: tuple[bool, tuple[int, ...]]) -> bytes:
    reshuffled, cards = values
    shuffled = number(pb.Observation.RESHUFFLED_FIELD_NUMBER, reshuffled)
    return shuffled + packed(pb.Observation.DISCARD_FIELD_NUMBER, cards)


def _seat(values: tuple[int, int, tuple[int, ...], int, int]) -> bytes:
    hand_size, missio_count, scored, points, scored_now = values
    sizes = number(1, hand_size) + number(2, missio_count)
    return nested(_SEAT, sizes + packed(3, scored) + number(4, points) + number(5, scored_now))


def _own(own: Own) -> bytes:
    return nested(_OWN, number(1, own.seat) + packed(2, own.hand) + packed(3, own.missio) + packed(4, own.student))


def _asking(asking: Asking) -> bytes:
    head = number(1, _KIND_NUMBERS[asking.kind]) + number(2, asking.character) + number(3, asking.step)
    return nested(_ASKING, head + b"".join(nested(_PICK, inner_bytes(pick)) for pick in asking.picks))


_TURNS: Final = Kept(_turn)
_PLAYS: Final = Kept(_play)
_STACKS: Final = Kept(_stack)
_DISCARDS: Final = Kept(_discard)
_SEATS: Final = Kept(_seat)
_ASKINGS: Final = Kept(_asking)


def read_observation(message: pb.Observation) -> View:
    """The view that the message was made from."""
    own = asking = None
    if message.HasField("own"):
        mine = message.own
        own = Own(mine.seat, tuple(mine.hand), tuple(mine.missio), tuple(mine.student))
    if message.HasField("asking"):
        question = message.asking
        picks = tuple(read_inner(pick) for pick in question.picks)
        asking = Asking(KINDS[question.kind], question.character, question.step, picks)
    return View(
        players=message.players,
        teams=message.teams,
        turn=message.turn,
        round=message.round,
        active=message.active_seat,
        phase=message.phase,
        final_round=message.final_round,
        played=message.played.character,
        played_on=message.played.location,
        draws_left=message.draws_left,
        barred=tuple(message.barred),
        stacks=tuple(tuple(stack.cards) for stack in message.stacks),
        locked=tuple(stack.locked for stack in message.stacks),
        virtus_deck_size=message.virtus_deck_size,
        reshuffled=message.reshuffled,
        discard=tuple(message.discard),
        missio_deck_size=message.missio_deck_size,
        hand_sizes=tuple(seat.hand_size for seat in message.seats),
        missio_counts=tuple(seat.missio_count for seat in message.seats),
        scored=tuple(tuple(seat.scored) for seat in message.seats),
        points=tuple(seat.points for seat in message.seats),
        scored_now=tuple(seat.scored_this_turn for seat in message.seats),
        own=own,
        asking=asking,
    )
