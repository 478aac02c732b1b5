"""What observations and positions share: seats, locations, guilds."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final, Protocol

from palio.codec.feudum.fields import bits, down, goods, mask, read_goods, read_vessels, seat_or_none, up
from palio.codec.wire import Kept, nested, number, packed, tag, zigzag
from palio.engine.errors import InvalidSetup
from palio.feudum.v1 import feudum_pb2 as pb
from palio.games.feudum.data import LOCATIONS, PAWNS, REGION_OF

_PAWN: Final = tag(pb.Seat.PAWNS_FIELD_NUMBER)


class Board(Protocol):
    """What views and tables have in common."""

    scores: list[int]
    earned: list[int]
    goods: list[int]
    barrel: list[int]
    shillings: list[int]
    markers: list[int]
    pool: list[int]
    beads: list[tuple[int, ...]]
    vessels: list[int]
    used: list[int]
    engaged: list[int]
    moves: list[int]
    successes: list[int]
    military: list[int]
    voyage: list[int]
    pawn_char: list[int]
    pawn_at: list[int]
    pawn_wine: list[int]
    unfed: int
    kind: list[int]
    guild_of: list[int]
    ruler: list[int]
    subject: list[int]
    serf: list[int]
    stock: list[int]
    tracks: list[tuple[int, ...]]
    waiting: list[tuple[int, ...]]
    left: list[int]
    right: list[int]
    stars: list[int]


def seat_key(board: Board, player: int, seals: int, writs: int) -> tuple[Any, ...]:
    """All that :func:`seat_bytes` depends on."""
    five, sixteen, three = 5 * player, 16 * player, 3 * player
    return (
        tuple(board.earned[sixteen : sixteen + 16]),
        tuple(board.goods[five : five + 5]),
        board.barrel[player],
        board.shillings[player],
        board.markers[player],
        board.pool[player],
        seals,
        board.beads[player],
        tuple(board.vessels[three : three + 3]),
        writs,
        board.used[player],
        board.engaged[player],
        board.moves[player],
        board.successes[player],
        board.military[player],
        board.voyage[player],
        tuple(board.pawn_char[three : three + 3]),
        tuple(board.pawn_at[three : three + 3]),
        tuple(board.pawn_wine[three : three + 3]),
        board.unfed >> three & 7,
    )


def seat_bytes(key: tuple[Any, ...]) -> bytes:
    """A serialised ``Seat``, joined by hand: it changes with nearly every decision."""
    (
        earned,
        stock,
        barrel,
        shillings,
        markers,
        pool,
        seals,
        beads,
        ships,
        writs,
        used,
        engaged,
        moves,
        successes,
        military,
        voyage,
        characters,
        places,
        wine,
        unfed,
    ) = key
    return b"".join(
        (
            number(1, zigzag(sum(earned))),
            packed(2, [zigzag(points) for points in earned]),
            COUNTS[3, stock],
            number(4, barrel),
            number(5, shillings),
            number(6, markers),
            number(7, pool),
            number(8, seals),
            packed(9, beads),
            COUNTS[10, ships],
            number(11, writs),
            _BITS[12, used],
            _BITS[13, engaged],
            number(14, moves),
            number(15, successes),
            number(16, military),
            number(17, voyage),
            *[_PAWNS[characters[i], places[i], wine[i], unfed >> i & 1] for i in range(PAWNS)],
        )
    )


def _counts(key: tuple[int, tuple[int, ...]]) -> bytes:
    field, counts = key
    return nested(tag(field), b"".join(map(number, range(1, 1 + len(counts)), counts)))


def _bits(key: tuple[int, int]) -> bytes:
    field, numbers = key
    return packed(field, up(bits(numbers)))


def _pawn(key: tuple[int, int, int, int]) -> bytes:
    character, place, wine, unfed = key
    return nested(_PAWN, number(1, character + 1) + number(2, place) + number(3, wine) + number(4, unfed))


COUNTS: Final = Kept(_counts)
"""By field and counts: a field of type ``Goods`` (five counts) or ``Vessels`` (three)."""
_BITS: Final = Kept(_bits)
_PAWNS: Final = Kept(_pawn)


def read_seats(seats: Sequence[pb.Seat], board: Board) -> None:
    """Fill the players' lists of a board.

    Raises:
        InvalidSetup: a list has a wrong length.
    """
    for at, seat in enumerate(seats):
        exactly(f"seats[{at}].earned", seat.earned, 16)
        exactly(f"seats[{at}].pawns", seat.pawns, PAWNS)
    board.scores = [sum(seat.earned) for seat in seats]
    board.earned = [points for seat in seats for points in seat.earned]
    board.goods = [n for seat in seats for n in read_goods(seat.goods)]
    board.barrel = [seat.barrel for seat in seats]
    board.shillings = [seat.shillings for seat in seats]
    board.markers = [seat.markers for seat in seats]
    board.pool = [seat.pool for seat in seats]
    board.beads = [tuple(seat.beads) for seat in seats]
    board.vessels = [n for seat in seats for n in read_vessels(seat.vessels)]
    board.used = [mask(down(seat.used)) for seat in seats]
    board.engaged = [mask(down(seat.engaged)) for seat in seats]
    board.moves = [seat.moves for seat in seats]
    board.successes = [seat.successes for seat in seats]
    board.military = [seat.military for seat in seats]
    board.voyage = [seat.voyage for seat in seats]
    pawns = [pawn for seat in seats for pawn in seat.pawns]
    board.pawn_char = [pawn.character - 1 for pawn in pawns]
    board.pawn_at = [pawn.location for pawn in pawns]
    board.pawn_wine = [int(pawn.carries_sulfur) for pawn in pawns]
    board.unfed = mask(i for i, pawn in enumerate(pawns) if pawn.unfed)


def location_message(
    at: int, kind: int, guild: int, ruler: int, subject: int, serf: int, stock: Sequence[int]
) -> pb.Location:
    return pb.Location(
        type=kind + 1,  # type: ignore[arg-type]  # numbers of the wire's enumerations are plain integers
        region=REGION_OF[at] + 1,  # type: ignore[arg-type]
        guild=guild + 1,  # type: ignore[arg-type]
        ruler=ruler if ruler >= 0 else None,
        subject=bool(subject),
        serf=serf if serf >= 0 else None,
        goods=goods(stock),
    )


def read_locations(locations: Sequence[pb.Location], board: Board) -> None:
    """Fill the locations' lists of a board.

    Raises:
        InvalidSetup: there are not 22 of them, or a region is not the location's.
    """
    exactly("locations", locations, LOCATIONS)
    for at, location in enumerate(locations, 1):
        if location.region not in (pb.REGION_UNSPECIFIED, REGION_OF[at] + 1):
            raise InvalidSetup(f"locations[{at - 1}].region", "is not the region of that location; leave it out")
    board.kind = [-1, *(location.type - 1 for location in locations)]
    board.guild_of = [-1, *(location.guild - 1 for location in locations)]
    board.ruler = [-1, *(seat_or_none(location, "ruler") for location in locations)]
    board.subject = [0, *(int(location.subject) for location in locations)]
    board.serf = [-1, *(seat_or_none(location, "serf") for location in locations)]
    board.stock = [0] * 5 + [n for location in locations for n in read_goods(location.goods)]


def guild_message(
    guild: int, track: Sequence[int], waiting: Sequence[int], left: int, right: int, stars: Sequence[int]
) -> pb.GuildBoard:
    return pb.GuildBoard(
        guild=guild + 1,  # type: ignore[arg-type]
        track=track,
        waiting=waiting,
        left_reeve=left if left >= 0 else None,
        right_reeve=right if right >= 0 else None,
        stars=stars,
    )


def read_guilds(guilds: Sequence[pb.GuildBoard], board: Board) -> None:
    """Fill the guilds' lists of a board, stars excepted.

    Raises:
        InvalidSetup: there are not six of them in ring order.
    """
    exactly("guilds", guilds, 6)
    for at, guild in enumerate(guilds):
        if guild.guild not in (pb.GUILD_UNSPECIFIED, at + 1):
            raise InvalidSetup(f"guilds[{at}].guild", "the guilds must be in ring order")
    board.tracks = [tuple(guild.track) for guild in guilds]
    board.waiting = [tuple(guild.waiting) for guild in guilds]
    board.left = [seat_or_none(guild, "left_reeve") for guild in guilds]
    board.right = [seat_or_none(guild, "right_reeve") for guild in guilds]


def exactly(path: str, values: Sequence[Any], length: int) -> None:
    """Raise InvalidSetup unless the list has that length."""
    if len(values) != length:
        raise InvalidSetup(path, f"must have {length} entries, has {len(values)}")
