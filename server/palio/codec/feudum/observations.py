"""Views as observations, and back.

Most of a table is the same from one decision to the next, so the parts of an observation are kept serialised by
what they depend on and joined.
"""

from __future__ import annotations

from typing import Any, Final

from palio.codec.feudum.fields import down, read_goods, read_vessels, seat_or_none, up
from palio.codec.feudum.parts import (
    COUNTS,
    guild_message,
    location_message,
    read_guilds,
    read_locations,
    read_seats,
    seat_bytes,
    seat_key,
)
from palio.codec.wire import Kept, nested, number, packed, tag, varint, zigzag
from palio.feudum.v1 import feudum_pb2 as pb
from palio.games.feudum.options import KINDS
from palio.games.feudum.state import TURNS, Frame
from palio.games.feudum.view import View
from palio.v1 import game_pb2

_GAME: Final = tag(game_pb2.Observation.FEUDUM_FIELD_NUMBER)
_SEATS: Final = tag(pb.Observation.SEATS_FIELD_NUMBER)
_LOCATIONS: Final = tag(pb.Observation.LOCATIONS_FIELD_NUMBER)
_GUILDS: Final = tag(pb.Observation.GUILDS_FIELD_NUMBER)
_ENGAGEMENT: Final = tag(pb.Observation.ENGAGEMENT_FIELD_NUMBER)
_FISTS: Final = tag(pb.Observation.FISTS_FIELD_NUMBER)
_PROGRESS: Final = tag(pb.Observation.PROGRESS_FIELD_NUMBER)
_STEP_NAME: Final = tag(pb.Step.NAME_FIELD_NUMBER)
_OWN: Final = tag(pb.Observation.OWN_FIELD_NUMBER)
_ASKED_SEAT: Final = pb.Observation.ASKED_SEAT_FIELD_NUMBER
_KIND_NUMBERS: Final = {"": 0, **{kind: number for number, kind in enumerate(KINDS, 1)}}


def _seat(key: tuple[Any, ...]) -> bytes:
    return nested(_SEATS, seat_bytes(key))


def _location(key: tuple[Any, ...]) -> bytes:
    return nested(_LOCATIONS, location_message(*key).SerializeToString())


def _locations(key: tuple[tuple[int, ...], ...]) -> bytes:
    kinds, guilds, rulers, subjects, serfs, stock = key
    return b"".join(
        _LOCATION[at, kinds[at], guilds[at], rulers[at], subjects[at], serfs[at], stock[5 * at : 5 * at + 5]]
        for at in range(1, 23)
    )


def _guild(key: tuple[Any, ...]) -> bytes:
    return nested(_GUILDS, guild_message(*key).SerializeToString())


def _guilds(key: tuple[tuple[Any, ...], ...]) -> bytes:
    tracks, waiting, left, right, stars = key
    n = len(stars) // 6
    return b"".join(_GUILD[g, tracks[g], waiting[g], left[g], right[g], stars[g * n : g * n + n]] for g in range(6))


def _boards(key: tuple[Any, ...]) -> bytes:
    """The guilds' boards and the supplies."""
    (barn, chickens, purse, rows, stores, sale, krows, sealed, rosary, coffer) = key[:10]
    (haversack, bank, reserve, discs, docks, feudums, deck, discard) = key[10:]
    return b"".join(
        (
            COUNTS[19, barn],
            packed(20, chickens),
            number(21, purse),
            COUNTS[22, rows],
            COUNTS[23, stores],
            COUNTS[24, sale],
            packed(25, krows),
            packed(26, [cell for cell, held in enumerate(sealed, 1) if held]),
            packed(27, rosary),
            number(28, coffer),
            COUNTS[29, haversack],
            number(30, bank),
            packed(31, reserve),
            number(32, discs),
            COUNTS[33, docks],
            packed(34, feudums),
            number(35, deck),
            packed(36, up(discard)),
        )
    )


def _course(view: View) -> bytes:
    """Where the game is, what is under way, and the seat's own knowledge."""
    parts = [
        _WHERE[
            view.players,
            view.advanced,
            view.phase + 1,
            view.round,
            view.turn_no,
            view.epoch,
            view.starter,
            view.active,
            view.turns,
            _KIND_NUMBERS[view.asked_kind],
        ]
    ]
    if view.asked >= 0:
        parts.append(_present(_ASKED_SEAT, view.asked))
    if view.doing:
        parts.append(_ENGAGEMENTS[view.doing])
    parts.append(number(13, view.card + 1))
    if view.fists:
        low, high = view.fists
        parts.append(nested(_FISTS, number(1, low) + number(2, high)))
    parts += map(_STEPS.__getitem__, view.progress)
    if view.seat >= 0:
        own = number(1, view.seat) + packed(2, up(view.hand)) + packed(3, up(view.drawn)) + number(4, view.hidden + 1)
        parts.append(nested(_OWN, own))
    return b"".join(parts)


def _where(numbers: tuple[int, ...]) -> bytes:
    """The fields of an observation from 1 on."""
    return b"".join(map(number, range(1, 1 + len(numbers)), numbers))


def _present(field: int, value: int) -> bytes:
    """An ``optional`` number, which is there even if it is 0."""
    return varint(field << 3) + varint(value)


def _engagement(doing: tuple[int, ...]) -> bytes:
    guild, function, host = doing
    feast = _present(pb.Engagement.FEAST_FIELD_NUMBER, host) if host >= 0 else b""
    return nested(_ENGAGEMENT, number(1, guild + 1) + number(2, function + 1) + feast)


def _step(step: Frame) -> bytes:
    name, *values = step
    return nested(_PROGRESS, nested(_STEP_NAME, name.encode()) + packed(2, [zigzag(value) for value in values]))


_SEAT: Final = Kept(_seat)
_LOCATION: Final = Kept(_location)
_BOARD: Final = Kept(_locations, 1 << 10)
_GUILD: Final = Kept(_guild)
_RING: Final = Kept(_guilds, 1 << 10)
_SUPPLIES: Final = Kept(_boards, 1 << 10)
_WHERE: Final = Kept(_where)
_ENGAGEMENTS: Final = Kept(_engagement)
_STEPS: Final = Kept(_step)


def observation_bytes(view: View) -> bytes:
    """A serialised ``palio.v1.Observation``."""
    parts = [_course(view)]
    parts += [_SEAT[seat_key(view, p, view.seal_counts[p], view.writ_counts[p])] for p in range(view.players)]
    parts.append(
        _BOARD[
            tuple(view.kind),
            tuple(view.guild_of),
            tuple(view.ruler),
            tuple(view.subject),
            tuple(view.serf),
            tuple(view.stock),
        ]
    )
    parts.append(_RING[tuple(view.tracks), tuple(view.waiting), tuple(view.left), tuple(view.right), tuple(view.stars)])
    parts.append(
        _SUPPLIES[
            tuple(view.barn),
            view.chickens,
            view.purse,
            tuple(view.rows),
            tuple(view.stores),
            tuple(view.sale),
            tuple(view.krows),
            tuple(view.sealed),
            view.rosary,
            view.coffer,
            tuple(view.haversack),
            view.bank,
            tuple(view.reserve),
            view.discs,
            tuple(view.docks),
            tuple(view.feudums),
            view.deck,
            view.discard,
        ]
    )
    return nested(_GAME, b"".join(parts))


def read_observation(message: pb.Observation) -> View:
    """The inverse of :func:`observation_bytes`."""
    view = View.__new__(View)
    view.seat = message.own.seat if message.HasField("own") else -1
    view.players = n = message.players
    view.advanced = message.advanced
    view.phase = message.phase - 1
    view.round = message.round
    view.turn_no = message.turn
    view.epoch = message.epoch
    view.starter = message.starting_seat
    view.active = message.active_seat
    view.place = (view.active - view.starter) % n if view.phase == TURNS else 0
    view.turns = message.turns_over
    view.asked = seat_or_none(message, "asked_seat")
    view.asked_kind = KINDS[message.asked_kind - 1] if message.asked_kind else ""
    view.doing = ()
    if message.HasField("engagement"):
        doing = message.engagement
        view.doing = (doing.guild - 1, doing.function - 1, seat_or_none(doing, "feast"))
    view.card = message.mandate - 1
    view.fists = (message.fists.low, message.fists.high) if message.HasField("fists") else ()
    view.progress = [(step.name, *step.values) for step in message.progress]
    read_seats(message.seats, view)
    view.seal_counts = [seat.seals for seat in message.seats]
    view.writ_counts = [seat.writs for seat in message.seats]
    read_locations(message.locations, view)
    read_guilds(message.guilds, view)
    view.stars = [stars for guild in message.guilds for stars in guild.stars]
    view.barn = read_goods(message.barn)
    view.chickens = tuple(message.chickens)
    view.purse = message.purse
    view.rows = read_goods(message.rows)
    view.stores = read_goods(message.stores)
    view.sale = read_vessels(message.sale)
    view.krows = list(message.knight_rows)
    view.sealed = [int(cell in message.sealed_cells) for cell in range(1, 7)]
    view.rosary = tuple(message.rosary)
    view.coffer = message.coffer
    view.haversack = read_goods(message.haversack)
    view.bank = message.bank
    view.reserve = list(message.reserve)
    view.discs = message.discs
    view.docks = read_vessels(message.docks)
    view.feudums = list(message.feudum_discs)
    view.deck = message.deck_size
    view.discard = down(message.discard)
    view.hand = down(message.own.hand)
    view.drawn = down(message.own.drawn)
    view.hidden = message.own.hiding - 1
    return view
