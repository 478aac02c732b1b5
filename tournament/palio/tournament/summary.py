"""Everything that tables, exports and the report show, computed from the ledger."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property

from palio.tournament.config import TournamentConfig, config_of
from palio.tournament.ledger import Entry, Ledger, LedgerError
from palio.tournament.ledger.store import FINISHED
from palio.tournament.pairing import Director, Format
from palio.tournament.plan import make_schedule
from palio.tournament.rating.luck import Baseline, LuckTable, luck_table
from palio.tournament.rating.methods import method
from palio.tournament.rating.solo import SoloGap, SoloLine, solo_table
from palio.tournament.rating.standings import Order, Standing, standings
from palio.tournament.rating.table import RatingTable
from palio.tournament.rating.tables import Cell, SeatLine, crosstable, per_seat
from palio.tournament.results import Game, between_pairs, by_pair, without_forfeits


@dataclass(frozen=True, slots=True)
class TimeUse:
    """How a bot used its time, over all attempts that count.

    Attributes:
        decisions: how many it made.
        total: seconds charged.
        mean, slowest: seconds per decision.
        network: mean seconds per decision of network time that was not charged.
    """

    player: str
    decisions: int
    total: float
    mean: float
    slowest: float
    network: float


@dataclass(frozen=True, slots=True)
class Length:
    """How long games of one size were.

    Attributes:
        seats: players.
        games: how many.
        choices: per game, ascending.
        endings: how often each way of ending occurred.
    """

    seats: int
    games: int
    choices: tuple[int, ...]
    endings: Mapping[str, int]


class Summary:
    """A tournament's results. Tables are made when they are first asked for.

    Where fixed pairs compete, standings, ratings, crosstable and luck are theirs; seats, time and forfeits by type are
    told of each bot.

    Args:
        config: the tournament file.
        fmt: the schedule, which says which games count.
        entries: the whole ledger.
        rating: name of the rating method.
        forfeits: whether blocks in which somebody forfeited count.
        luck: by policy what its rollouts foretell for (deal, seat).
    """

    def __init__(
        self,
        config: TournamentConfig,
        fmt: Format,
        entries: Sequence[Entry],
        *,
        rating: str,
        forfeits: bool = True,
        withdrawn: Mapping[str, str] | None = None,
        luck: Mapping[str, Baseline] | None = None,
        incidents: Sequence[tuple[str, datetime, str, str]] = (),
        finished: datetime | None = None,
    ) -> None:
        self.config = config
        self.entries = tuple(entries)
        self.rating_name = rating
        self.withdrawn = dict(withdrawn or {})
        self.baselines = dict(luck or {})
        self.incidents = tuple(incidents)
        self.finished = finished
        self.director = Director(fmt, [entry.game() for entry in entries if entry.rated])
        self.counts_forfeits = forfeits
        games = self.director.games
        self.games: list[Game] = games if forfeits else without_forfeits(games)

    @property
    def players(self) -> tuple[str, ...]:
        """Names, in the order of the file."""
        return tuple(bot.name for bot in self.config.bots)

    @property
    def entrants(self) -> tuple[str, ...]:
        """Names of those who compete: bots, or fixed pairs."""
        return self.config.entrants

    @cached_property
    def contest(self) -> list[Game]:
        """The games as those between the entrants."""
        pair_of = self.config.pair_of
        return between_pairs(self.games, pair_of) if pair_of else self.games

    @property
    def gone(self) -> set[str]:
        """The entrants who are withdrawn, wholly or in part."""
        pair_of = self.config.pair_of
        return {pair_of.get(name, name) for name in self.withdrawn}

    @property
    def programs(self) -> dict[str, str]:
        """What each bot is: ``builtin greedy``, ``command ./bot``."""
        return {bot.name: bot.what for bot in self.config.bots}

    @cached_property
    def counted(self) -> list[Entry]:
        """The entries of the games that count, in the order of the schedule."""
        keys = {(game.block, game.seating) for game in self.games}
        return [entry for entry in self.entries if entry.rated and (entry.block, entry.seating) in keys]

    @property
    def alone(self) -> bool:
        """Whether everybody plays by himself, so that points are all there is to compare."""
        return max(self.config.players) == 1

    @cached_property
    def solo(self) -> tuple[list[SoloLine], dict[str, dict[str, SoloGap]]]:
        """The ranking by mean points of matches with one seat, and how far players are apart."""
        return solo_table(self.games, self.players)

    @property
    def order(self) -> Order:
        """What the standings are ordered by."""
        if self.alone:
            return "points"
        return "score" if self.config.format == "swiss" else "share"

    @cached_property
    def standings(self) -> list[Standing]:
        return standings(self.contest, self.entrants, order=self.order)

    @cached_property
    def rating(self) -> RatingTable:
        return method(self.rating_name).rate(self.contest, self.entrants)

    @cached_property
    def luck(self) -> LuckTable | None:
        """Results without the luck of the deals, where ``palio tournament luck`` has played rollouts."""
        pair_of = self.config.pair_of
        games = by_pair(self.games, pair_of) if pair_of else self.games
        return luck_table(games, self.baselines, self.entrants)

    @cached_property
    def crosstable(self) -> dict[str, dict[str, Cell]]:
        return crosstable(self.contest, self.entrants)

    @cached_property
    def seats(self) -> list[SeatLine]:
        return per_seat(self.games, self.players)

    @cached_property
    def forfeits(self) -> dict[str, Counter[str]]:
        """For each bot with any, its faults by type."""
        found: dict[str, Counter[str]] = {}
        for entry in self.counted:
            for seat in entry.seats:
                if seat.termination != FINISHED:
                    found.setdefault(seat.player, Counter())[seat.termination] += 1
        return found

    @cached_property
    def time_use(self) -> list[TimeUse]:
        uses = []
        for name in self.players:
            seats = [seat for entry in self.counted for seat in entry.seats if seat.player == name]
            decisions = sum(seat.decisions for seat in seats)
            total = sum(seat.charged for seat in seats)
            network = sum(seat.network for seat in seats)
            uses.append(
                TimeUse(
                    player=name,
                    decisions=decisions,
                    total=total,
                    mean=total / decisions if decisions else 0.0,
                    slowest=max((seat.slowest for seat in seats), default=0.0),
                    network=network / decisions if decisions else 0.0,
                )
            )
        return uses

    @cached_property
    def lengths(self) -> list[Length]:
        found = []
        for seats in sorted({len(entry.seats) for entry in self.counted}):
            entries = [entry for entry in self.counted if len(entry.seats) == seats]
            endings = Counter(entry.ended_by or "forfeit" for entry in entries)
            found.append(Length(seats, len(entries), tuple(sorted(entry.choices for entry in entries)), endings))
        return found

    @property
    def voids(self) -> int:
        """Attempts that do not count."""
        return sum(not entry.rated for entry in self.entries)

    @property
    def half_blocks(self) -> int:
        """Games of blocks that are not complete (yet): they do not count."""
        return sum(entry.rated for entry in self.entries) - len(self.director.games)


def summarise(
    ledger: Ledger, *, rating: str | None = None, forfeits: bool = True, policy: str | None = None
) -> Summary:
    """The results in a ledger.

    Args:
        rating: method; by default the one of the tournament file.
        policy: whose rollouts tell luck; by default, of those that cover most deals, the one with most rollouts.

    Raises:
        LedgerError: there is no such tournament in it.
        InvalidSetup: the rating method is unknown.
    """
    known = ledger.registered()
    if known is None:
        raise LedgerError(f"the ledger has no tournament {ledger.tournament!r}: it was not started yet")
    config = config_of(known.config)
    return Summary(
        config,
        make_schedule(config, known.seed).format,
        ledger.entries(),
        rating=rating or config.rating,
        forfeits=forfeits,
        withdrawn=known.withdrawn,
        luck={name: found for name, found in ledger.luck().items() if policy in (None, name)},
        incidents=ledger.incidents(),
        finished=known.finished,
    )


def largest_first(counts: Mapping[str, int]) -> Iterable[tuple[str, int]]:
    """Counts, the largest first."""
    return sorted(counts.items(), key=lambda item: (-item[1], item[0]))
