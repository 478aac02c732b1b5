"""What every tournament format offers, and the bookkeeping that drives it.

A runner is a loop: take :meth:`Director.ready`, play the games, :meth:`Director.record` each, until
:attr:`Director.finished`. Formats are pure: the same seed and the same results give the same blocks, in whatever order
the results came in, so a resumed tournament has the schedule of an uninterrupted one.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from palio.tournament.pairing.block import Block
from palio.tournament.results import Game


@dataclass(frozen=True, slots=True)
class BlockResult:
    """A block of which every seating was played.

    Attributes:
        block: the block.
        games: by seating.
        scores: per entry of the block, its mean score over the games, 0 to 1 (:meth:`Game.scores`).
        points: per entry, its mean points over the games.
    """

    block: Block
    games: tuple[Game, ...]
    scores: tuple[float, ...]
    points: tuple[float, ...]

    def score_of(self, entry: str) -> float:
        """Mean score of the entry of that name."""
        return self.scores[self.block.entries.index(entry)]


Results = Mapping[int, BlockResult]
"""Complete blocks by index."""


class Format(Protocol):
    """A way to run a tournament."""

    @property
    def name(self) -> str:
        """As in the tournament file."""

    @property
    def notes(self) -> tuple[str, ...]:
        """Sentences for the organiser: what design was chosen, how (un)balanced it is."""

    @property
    def expected_blocks(self) -> int:
        """How many blocks there will be; an upper bound where results decide."""

    @property
    def static(self) -> bool:
        """Whether all blocks are known from the start."""

    def blocks(self, results: Results) -> Sequence[Block]:
        """Every block that is known to be part of the tournament given the complete ones, index ascending.

        Complete blocks are among them. More results never take a block away that could be started before.
        """

    def finished(self, results: Results) -> bool:
        """Whether nothing remains to be played or decided."""

    def counted(self, results: Results) -> int | None:
        """Only blocks with an index below this count; ``None`` when all do (always, but after a sequential test)."""


def block_result(block: Block, games: Iterable[Game]) -> BlockResult:
    """Put a block's games together.

    Raises:
        ValueError: a seating is missing, played twice or sat down differently.
    """
    by_seating = sorted(games, key=lambda game: game.seating)
    expected = block.seatings
    if [game.seating for game in by_seating] != list(range(len(expected))):
        raise ValueError(f"block {block.index}: seatings {[g.seating for g in by_seating]} of {len(expected)}")
    entries = len(block.entries)
    size = len(block.players) // entries
    scores, points = [0.0] * entries, [0.0] * entries
    for game, order in zip(by_seating, block.permutations, strict=True):
        if game.players != expected[game.seating]:
            raise ValueError(f"block {block.index} seating {game.seating}: {game.players} sat at the table")
        for seat, score in enumerate(game.scores()):
            entry = block.entry_of[order[seat]]
            scores[entry] += score
            points[entry] += game.points[seat]
    games_each = len(expected) * size
    return BlockResult(
        block, tuple(by_seating), tuple(s / games_each for s in scores), tuple(p / games_each for p in points)
    )


class Director:
    """Hands out blocks and takes in games. Not thread-safe.

    Args:
        games: what was played already (a resumed tournament), in any order.

    Raises:
        ValueError: a game that does not belong to the schedule, which means the tournament's settings were changed.
    """

    def __init__(self, fmt: Format, games: Iterable[Game] = ()) -> None:
        self.format = fmt
        self.results: dict[int, BlockResult] = {}
        self._known: dict[int, Block] = {}
        self._handed_out: set[int] = set()
        self._waiting: list[Block] = []
        self._games: dict[int, dict[int, Game]] = {}
        self._refresh()
        self._resume(games)

    @property
    def finished(self) -> bool:
        """Whether the tournament is over."""
        return self.format.finished(self.results)

    @property
    def games(self) -> list[Game]:
        """The games that count: those of complete blocks, without what a sequential test played past its decision."""
        limit = self.format.counted(self.results)
        return [
            game
            for index, result in sorted(self.results.items())
            if limit is None or index < limit
            for game in result.games
        ]

    @property
    def known(self) -> Mapping[int, Block]:
        """All blocks seen so far, by index."""
        return self._known

    def ready(self) -> list[Block]:
        """Blocks that can be started now and were not handed out before, index ascending."""
        taken, self._waiting = self._waiting, []
        return taken

    def missing(self, block: Block) -> list[int]:
        """The seatings of a block that have no game yet (a resumed tournament may have half a block)."""
        played = self._games.get(block.index, {})
        return [seating for seating in range(len(block.permutations)) if seating not in played]

    def record(self, game: Game) -> BlockResult | None:
        """Take in a game; the block's result if this game completes it.

        Raises:
            ValueError: unknown block or seating, other players, or a seating that has a game already.
        """
        result = self._take(game)
        if result is not None and not self.format.static:
            self._refresh()
        return result

    def _take(self, game: Game) -> BlockResult | None:
        block = self._known.get(game.block)
        if block is None:
            raise ValueError(f"block {game.block} is not part of this tournament")
        seatings = block.seatings
        if not 0 <= game.seating < len(seatings) or game.players != seatings[game.seating]:
            raise ValueError(f"block {game.block} has no seating {game.seating} of {', '.join(game.players)}")
        if game.deal != block.deal:
            raise ValueError(f"block {game.block} is deal {block.deal}, not {game.deal}")
        played = self._games.setdefault(game.block, {})
        if game.seating in played:
            raise ValueError(f"block {game.block} seating {game.seating} was played already")
        played[game.seating] = game
        if len(played) < len(seatings):
            return None
        self.results[game.block] = result = block_result(block, played.values())
        return result

    def _resume(self, games: Iterable[Game]) -> None:
        waiting = list(games)
        while waiting:
            later = [game for game in waiting if game.block not in self._known]
            for game in waiting:
                if game.block in self._known:
                    self._take(game)
            if len(later) == len(waiting):
                raise ValueError(f"block {later[0].block} is not part of this tournament: were its settings changed?")
            waiting = later
            self._refresh()
        self._waiting = [block for block in self._waiting if block.index not in self.results]

    def _refresh(self) -> None:
        for block in self.format.blocks(self.results):
            self._known[block.index] = block
            if block.index not in self._handed_out:
                self._handed_out.add(block.index)
                self._waiting.append(block)
