"""Views as observations, and back.

Most of a table is the same from one decision to the next, so the parts of an observation are kept serialised by
what they depend on and joined.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any, Final

from palio.codec.feudum.fields import down, goods, read_goods, read_vessels, seat_or_none, up, vessels
from palio.codec.feudum.parts import (
    guild_message,
    location_message,
    read_guilds,
    read_locations,
    read_seats,
    seat_key,
    seat_message,
)
from palio.codec.wire import nested, tag
from palio.feudum.v1 import feudum_pb2 as pb
from palio.games.feudum.options import KINDS
from palio.games.feudum.state import TURNS
from palio.games.feudum.view import View
from palio.v1 import game_pb2

_GAME: Final = tag(game_pb2.Observation.FEUDUM_FIELD_NUMBER)
_SEATS: Final = tag(pb.Observation.SEATS_FIELD_NUMBER)
_LOCATIONS: Final = tag(pb.Observation.LOCATIONS_FIELD_NUMBER)
_GUILDS: Final = tag(pb.Observation.GUILDS_FIELD_NUMBER)
_KIND_NUMBERS: Final = {"": 0, **{kind: number for number, kind in enumerate(KINDS, 1)}}


@lru_cache(maxsize=1 << 13)
def _seat(key: tuple[Any, ...]) -> bytes:
    return nested(_SEATS, seat_message(key).SerializeToString())


@lru_cache(maxsize=1 << 13)
def _location(*key: Any) -> bytes:
    return nested(_LOCATIONS, location_message(*key).SerializeToString())


@lru_cache(maxsize=1 << 9)
def _locations(
    kinds: tuple[int, ...],
    guilds: tuple[int, ...],
    rulers: tuple[int, ...],
    subjects: tuple[int, ...],
    serfs: tuple[int, ...],
    stock: tuple[int, ...],
) -> bytes:
    return b"".join(
        _location(at, kinds[at], guilds[at], rulers[at], subjects[at], serfs[at], stock[5 * at : 5 * at + 5])
        for at in range(1, 23)
    )


@lru_cache(maxsize=1 << 12)
def _guild(*key: Any) -> bytes:
    return nested(_GUILDS, guild_message(*key).SerializeToString())


@lru_cache(maxsize=1 << 11)
def _boards(key: tuple[Any, ...]) -> bytes:
    """The guilds' boards and the supplies."""
    (barn, chickens, purse, rows, stores, sale, krows, sealed, rosary, coffer) = key[:10]
    (haversack, bank, reserve, discs, docks, feudums, deck, discard) = key[10:]
    return pb.Observation(
        barn=goods(barn),
        chickens=chickens,
        purse=purse,
        rows=goods(rows),
        stores=goods(stores),
        sale=vessels(sale),
        knight_rows=krows,
        sealed_cells=[cell for cell, held in enumerate(sealed, 1) if held],
        rosary=rosary,
        coffer=coffer,
        haversack=goods(haversack),
        bank=bank,
        reserve=reserve,
        discs=discs,
        docks=vessels(docks),
        feudum_discs=feudums,
        deck_size=deck,
        discard=up(discard),
    ).SerializeToString()


def _course(view: View) -> bytes:
    """Where the game is, what is under way, and the seat's own knowledge."""
    message = pb.Observation(
        players=view.players,
        advanced=view.advanced,
        phase=view.phase + 1,  # type: ignore[arg-type]
        round=view.round,
        turn=view.turn_no,
        epoch=view.epoch,
        starting_seat=view.starter,
        active_seat=view.active,
        turns_over=view.turns,
        asked_kind=_KIND_NUMBERS[view.asked_kind],  # type: ignore[arg-type]
        mandate=view.card + 1,  # type: ignore[arg-type]
    )
    if view.asked >= 0:
        message.asked_seat = view.asked
    if view.doing:
        guild, function, host = view.doing
        message.engagement.guild = guild + 1  # type: ignore[assignment]
        message.engagement.function = function + 1  # type: ignore[assignment]
        if host >= 0:
            message.engagement.feast = host
    if view.fists:
        message.fists.low, message.fists.high = view.fists
    for name, *values in view.progress:
        message.progress.add(name=name, values=values)
    if view.seat >= 0:
        message.own.seat = view.seat
        message.own.hand.extend(up(view.hand))
        message.own.drawn.extend(up(view.drawn))
        message.own.hiding = view.hidden + 1  # type: ignore[assignment]
    return message.SerializeToString()


def observation_bytes(view: View) -> bytes:
    """A serialised ``palio.v1.Observation``."""
    n = view.players
    parts = [_course(view)]
    parts += [_seat(seat_key(view, p, view.seal_counts[p], view.writ_counts[p])) for p in range(n)]
    parts.append(
        _locations(
            tuple(view.kind),
            tuple(view.guild_of),
            tuple(view.ruler),
            tuple(view.subject),
            tuple(view.serf),
            tuple(view.stock),
        )
    )
    parts += [
        _guild(g, view.tracks[g], view.waiting[g], view.left[g], view.right[g], tuple(view.stars[g * n : g * n + n]))
        for g in range(6)
    ]
    parts.append(
        _boards(
            (
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
            )
        )
    )
    return nested(_GAME, b"".join(parts))


def read_observation(message: pb.Observation) -> View:
    """The inverse of :func:`observation_bytes`."""
    view: View = object.__new__(View)
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
