"""Positions as messages and back."""

from __future__ import annotations

from palio.codec.feudum.fields import down, goods, read_goods, read_vessels, up, vessels
from palio.codec.feudum.parts import (
    exactly,
    guild_message,
    location_message,
    read_guilds,
    read_locations,
    read_seats,
    seat_bytes,
    seat_key,
)
from palio.engine.errors import InvalidSetup
from palio.feudum.v1 import feudum_pb2 as pb
from palio.games.feudum.data import MAX_PLAYERS, STREAMS, knight_colours
from palio.games.feudum.positions import Position
from palio.games.feudum.state import Table


def position_message(position: Position) -> pb.Position:
    table = position.table
    n = table.n
    message = pb.Position(
        seed=table.seed,
        streams=table.streams,
        advanced=table.advanced,
        round=table.round,
        turn=table.turn_no,
        starting_seat=table.starter,
        active_seat=table.active,
        barn=goods(table.barn),
        chickens=table.chickens,
        purse=table.purse,
        rows=goods(table.rows),
        stores=goods(table.stores),
        sale=vessels(table.sale),
        knight_rows=table.krows,
        scrolls=table.scrolls,
        rosary=table.rosary,
        coffer=table.coffer,
        haversack=goods(table.haversack),
        bank=table.bank,
        reserve=table.reserve,
        discs=table.discs,
        docks=vessels(table.docks),
        feudum_discs=table.feudums,
        deck=up(table.deck),
        discard=up(table.discard),
    )
    for player in range(n):
        seals, hand = table.seals[player], table.hands[player]
        message.seats.append(pb.Seat.FromString(seat_bytes(seat_key(table, player, len(seals), len(hand)))))
        message.hands.add(cards=up(hand))
        message.seals.add(values=seals)
    for at in range(1, 23):
        message.locations.append(
            location_message(
                at,
                table.kind[at],
                table.guild_of[at],
                table.ruler[at],
                table.subject[at],
                table.serf[at],
                table.stock_at(at),
            )
        )
    for g in range(6):
        stars = table.stars[g * n : g * n + n]
        board = guild_message(g, table.tracks[g], table.waiting[g], table.left[g], table.right[g], stars)
        message.guilds.append(board)
    return message


def read_position(message: pb.Position) -> Position:
    """A position as it is written; the rules check it.

    Raises:
        InvalidSetup: a list has a wrong length, or counts contradict the lists that they follow from.
    """
    n = len(message.seats)
    if not 2 <= n <= MAX_PLAYERS:
        raise InvalidSetup("seats", f"must have 2 to {MAX_PLAYERS} entries, has {n}")
    table = Table(message.seed, n, message.advanced, knight_colours(n))
    if message.streams:
        exactly("streams", message.streams, len(STREAMS))
        table.streams = list(message.streams)
    table.round = message.round
    table.epoch = 1 + (message.round - 1) // 2
    table.turn_no = message.turn
    table.starter = message.starting_seat
    table.place = (message.active_seat - message.starting_seat) % n
    if message.active_seat >= n:
        raise InvalidSetup("active_seat", f"must be 0 to {n - 1}, not {message.active_seat}")
    read_seats(message.seats, table)
    exactly("hands", message.hands, n)
    exactly("seals", message.seals, n)
    table.hands = [down(hand.cards) for hand in message.hands]
    table.seals = [tuple(seals.values) for seals in message.seals]
    for at, seat in enumerate(message.seats):
        if seat.seals not in (0, len(table.seals[at])):
            raise InvalidSetup(f"seats[{at}].seals", f"is {seat.seals}, but seals[{at}] has {len(table.seals[at])}")
        if seat.writs not in (0, len(table.hands[at])):
            raise InvalidSetup(f"seats[{at}].writs", f"is {seat.writs}, but hands[{at}] has {len(table.hands[at])}")
        if seat.score not in (0, table.scores[at]):
            raise InvalidSetup(f"seats[{at}].score", f"is {seat.score}, but earned adds up to {table.scores[at]}")
    read_locations(message.locations, table)
    read_guilds(message.guilds, table)
    table.barn = read_goods(message.barn)
    table.chickens = tuple(message.chickens)
    table.purse = message.purse
    table.rows = read_goods(message.rows)
    table.stores = read_goods(message.stores)
    table.sale = read_vessels(message.sale)
    table.krows = list(message.knight_rows)
    table.scrolls = list(message.scrolls)
    table.rosary = tuple(message.rosary)
    table.coffer = message.coffer
    table.haversack = read_goods(message.haversack)
    table.bank = message.bank
    table.reserve = list(message.reserve)
    table.discs = tuple(message.discs)
    table.docks = read_vessels(message.docks)
    table.feudums = list(message.feudum_discs)
    table.deck = down(message.deck)
    table.discard = down(message.discard)
    return Position(table)
