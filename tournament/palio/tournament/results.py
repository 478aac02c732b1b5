"""What a finished game was: the one record that schedules, ratings, tables and exports are made of."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache


@dataclass(frozen=True, slots=True)
class Game:
    """One rated match. Void matches (our fault) never become a ``Game``.

    Attributes:
        block: index of the block in the schedule.
        deal: number of the deal; equal deals are the same shuffle, also in different blocks.
        seating: index of the seating within the block.
        players: name of the player in each seat. A name may sit in several seats of one side.
        ranks: per seat, 1 is best; equal ranks share a place.
        points: per seat, as the game counts them.
        faults: per seat the type of fault (``FORFEIT_TIMEOUT``, ``RESIGNED``, ...), or ``None``.
        sides: per seat the side it played for; without teams every seat is its own side.
        round: for display, from 1.
    """

    block: int
    deal: int
    seating: int
    players: tuple[str, ...]
    ranks: tuple[int, ...]
    points: tuple[float, ...]
    faults: tuple[str | None, ...]
    sides: tuple[int, ...]
    round: int = 1

    def __post_init__(self) -> None:
        seats = len(self.players)
        if not seats:
            raise ValueError("players: a game needs at least one seat")
        for name in ("ranks", "points", "faults", "sides"):
            if len(getattr(self, name)) != seats:
                raise ValueError(f"{name}: {len(getattr(self, name))} entries for {seats} seats")

    @property
    def forfeited(self) -> bool:
        """Whether any seat committed a fault."""
        return any(fault is not None for fault in self.faults)

    def side_ranks(self) -> dict[int, int]:
        """The best rank of each side, in ascending order of the side's number."""
        return dict(_side_ranks(self.ranks, self.sides))

    def scores(self) -> tuple[float, ...]:
        """Per seat the share of the other sides that were beaten, ties counting half: 1, 1/2 or 0 with two sides.

        A solo game has no opponents; its score is 1/2.
        """
        return _scores(self.ranks, self.sides)


# Few different rankings occur, each in many games: they are worked out once.
@lru_cache(maxsize=4096)
def _side_ranks(ranks: tuple[int, ...], sides: tuple[int, ...]) -> tuple[tuple[int, int], ...]:
    best: dict[int, int] = {}
    for side, rank in sorted(zip(sides, ranks, strict=True)):
        best.setdefault(side, rank)
    return tuple(best.items())


@lru_cache(maxsize=4096)
def _scores(ranks: tuple[int, ...], sides: tuple[int, ...]) -> tuple[float, ...]:
    by_rank = dict(_side_ranks(ranks, sides))
    if len(by_rank) == 1:
        return (0.5,) * len(sides)
    by_side = {
        side: sum(pair_score(rank, other) for at, other in by_rank.items() if at != side) / (len(by_rank) - 1)
        for side, rank in by_rank.items()
    }
    return tuple(by_side[side] for side in sides)


def pair_score(rank: int, other: int) -> float:
    """1 for the better rank, 1/2 for equal ranks, 0 for the worse."""
    return 1.0 if rank < other else 0.5 if rank == other else 0.0


def in_order(games: Iterable[Game]) -> list[Game]:
    """The games by block and seating: the order of the schedule, whatever the order of finishing was."""
    return sorted(games, key=lambda game: (game.block, game.seating))


def by_block(games: Iterable[Game]) -> dict[int, list[Game]]:
    """Games grouped by their block, blocks and seatings ascending."""
    groups: dict[int, list[Game]] = defaultdict(list)
    for game in in_order(games):
        groups[game.block].append(game)
    return dict(groups)


@dataclass(frozen=True, slots=True)
class Kinds:
    """Games in which the same players had the same ranks in the same seats count as one kind.

    Of many games few kinds are different, and most statistics need each kind once.

    Attributes:
        games: one game of each kind.
        deals: for each kind the deals of all its games.
    """

    games: tuple[Game, ...]
    deals: tuple[tuple[int, ...], ...]

    @property
    def counts(self) -> tuple[int, ...]:
        """For each kind how many games there are."""
        return tuple(map(len, self.deals))


def kinds_of(games: Iterable[Game]) -> Kinds:
    """The kinds by players, ranks and sides, whatever the order of the games."""
    deals: dict[tuple[tuple[str, ...], tuple[int, ...], tuple[int, ...]], list[int]] = {}
    first: dict[tuple[tuple[str, ...], tuple[int, ...], tuple[int, ...]], Game] = {}
    for game in games:
        key = game.players, game.ranks, game.sides
        known = deals.get(key)
        if known is None:
            first[key] = game
            deals[key] = [game.deal]
        else:
            known.append(game.deal)
    order = sorted(first)
    return Kinds(tuple(first[key] for key in order), tuple(tuple(deals[key]) for key in order))


def without_forfeits(games: Iterable[Game]) -> list[Game]:
    """The games of the blocks in which nobody forfeited, in order.

    A forfeit removes its whole block: dropping single games would unbalance the seats.
    """
    return [game for block in by_block(games).values() if not any(g.forfeited for g in block) for game in block]


def by_pair(games: Iterable[Game], pair_of: Mapping[str, str]) -> list[Game]:
    """The games with the names of fixed pairs in the place of their members'; each seat stays."""
    return [replace(game, players=tuple(pair_of[name] for name in game.players)) for game in games]


def between_pairs(games: Iterable[Game], pair_of: Mapping[str, str]) -> list[Game]:
    """Team games of fixed pairs as games of two: a seat for each side, with its rank, its points together and its first
    fault. What the members of a pair are worth singly no result can tell, since they never play apart."""
    found = []
    for game in by_pair(games, pair_of):
        seats = [[seat for seat, side in enumerate(game.sides) if side == own] for own in sorted(set(game.sides))]
        found.append(
            replace(
                game,
                players=tuple(game.players[own[0]] for own in seats),
                ranks=tuple(min(game.ranks[seat] for seat in own) for own in seats),
                points=tuple(sum(game.points[seat] for seat in own) for own in seats),
                faults=tuple(next((game.faults[seat] for seat in own if game.faults[seat]), None) for own in seats),
                sides=tuple(range(len(seats))),
            )
        )
    return found


def player_names(games: Iterable[Game], known: Sequence[str] = ()) -> tuple[str, ...]:
    """The known players in their order, then those of the games who are not among them, by name."""
    seen = {name for game in games for name in game.players}
    return (*known, *sorted(seen.difference(known)))
