"""A tournament while it runs: a live picture on a terminal, plain lines elsewhere."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterable, Sequence
from typing import Final, TypeVar

from rich.box import SIMPLE_HEAD
from rich.console import Console, Group, RenderableType
from rich.live import Live
from rich.progress_bar import ProgressBar
from rich.table import Table
from rich.text import Text

from palio.tournament.config import TournamentConfig
from palio.tournament.ledger import Entry
from palio.tournament.rating.methods import method
from palio.tournament.rating.solo import SoloLine, solo_table
from palio.tournament.rating.standings import Standing, standings
from palio.tournament.rating.table import RatingTable
from palio.tournament.results import Game, between_pairs
from palio.tournament.runner.view import View, result_text

T = TypeVar("T")

_REFRESH_SECONDS: Final = 0.25
_RATE_AT_MOST: Final = 2.0
_RATING_SHARE: Final = 20.0
_PLAIN_SECONDS: Final = 10.0
_SHOWN_BOTS: Final = 30
_HEAD_LINES: Final = 2
_TABLE_LINES: Final = 4  # its own head, and the empty lines around it
_WIDEST: Final = 999


class PlainView(View):
    """Lines on stdout: remarks as they come, and every ten seconds how it goes."""

    def __init__(self, console: Console) -> None:
        super().__init__()
        self._console = console
        self._next = 0.0

    def say(self, text: str) -> None:
        super().say(text)
        self._console.print(text, markup=False, highlight=False, soft_wrap=True)

    def do(self, text: str) -> None:
        super().do(text)
        self._console.print(text, markup=False, highlight=False, soft_wrap=True)

    def entered(self, entry: Entry, *, block_complete: bool) -> None:
        super().entered(entry, block_complete=block_complete)
        if time.monotonic() >= self._next:
            self._next = time.monotonic() + _PLAIN_SECONDS
            self._console.print(progress_line(self), markup=False, highlight=False, soft_wrap=True)

    def __enter__(self) -> PlainView:
        return self

    def __exit__(self, *_: object) -> None:
        if self.new_games:
            self._console.print(progress_line(self), markup=False, highlight=False, soft_wrap=True)


class LiveView(View):
    """A picture of the tournament that is drawn anew four times a second.

    Ratings are computed in a thread of their own, and take a twentieth of one core at most.
    """

    def __init__(self, console: Console, config: TournamentConfig) -> None:
        super().__init__()
        self._console = console
        self._config = config
        self._names = config.entrants
        self._pair_of = config.pair_of
        self._table: tuple[list[Standing], RatingTable | None] = [], None
        self._solo: list[SoloLine] = []
        self._stop = threading.Event()
        self._rater = threading.Thread(target=self._keep_rating, name="ratings", daemon=True)
        self._live = Live(get_renderable=self.picture, console=console, refresh_per_second=1 / _REFRESH_SECONDS)

    def __enter__(self) -> LiveView:
        self._rater.start()
        self._live.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._stop.set()
        self._rater.join(1.0)
        self._live.stop()

    def invite(self, text: str) -> None:
        # Above the picture, where nothing is cut off.
        self._console.print(text, markup=False, highlight=False, soft_wrap=True)

    def _keep_rating(self) -> None:
        seen, pause = -1, _REFRESH_SECONDS
        while not self._stop.wait(pause):
            if self.director is None or self.blocks == seen:
                continue
            seen = self.blocks
            started = time.monotonic()
            self.compute()
            pause = max(_RATE_AT_MOST, _RATING_SHARE * (time.monotonic() - started))

    def compute(self) -> None:
        """Standings and ratings as they are now."""
        if self.director is None:
            return
        games: Sequence[Game] = self.director.games
        if self._pair_of:
            games = between_pairs(games, self._pair_of)
        if max(self._config.players) == 1:
            self._solo, _ = solo_table(games, self._names)
        else:
            placed = standings(games, self._names)
            self._table = placed, _rated(self._config.rating, games, self._names)

    def picture(self) -> RenderableType:
        """The tournament as it stands, as high as the terminal or as its table."""
        lines, rating = self._table
        gone = {self._pair_of.get(name, name) for name in self.withdrawn_bots}
        table = live_points(self._solo) if self._solo else live_standings(lines, rating, gone)
        parts: list[RenderableType] = [self._head(), table]
        left = self._console.height - _HEAD_LINES - _TABLE_LINES - table.row_count
        if results := _newest(self.recent, left - 1):
            parts += [Text("last results", style="dim italic"), last_results(results)]
            left -= len(results) + 1
        if remarks := _newest(self.remarks, left - 1):
            parts += [
                Text(),
                *(Text(f"· {text}", style="yellow", overflow="ellipsis", no_wrap=True) for text in remarks),
            ]
        return Group(*parts)

    def _head(self) -> RenderableType:
        grid = Table.grid(padding=(0, 1), expand=False)
        bar = ProgressBar(total=max(self.expected_games, 1), completed=self.games, width=40)
        grid.add_row(Text(self._config.name, style="bold"), bar)
        return Group(grid, Text(self.doing or progress_line(self), style="dim"))


def _rated(name: str, games: Sequence[Game], players: Sequence[str]) -> RatingTable | None:
    """The ratings; nothing if they cannot be computed from so few games."""
    try:
        return method(name).rate(games, players)
    except Exception:
        return None


def _newest(items: Iterable[T], most: int) -> list[T]:
    """The last ones, as many as there is room for."""
    return list(items)[-most:] if most > 0 else []


def last_results(entries: Sequence[Entry]) -> Table:
    """The last results, each with the number of its block."""
    grid = Table.grid(padding=(0, 2))
    grid.add_column(justify="right", style="dim")
    grid.add_column(no_wrap=True, overflow="ellipsis")
    for entry in entries:
        grid.add_row(str(entry.block), Text(result_text(entry), style="dim"))
    return grid


def progress_line(view: View) -> str:
    """ "120 of 400 games (60 blocks), 12.3 games/s, 4 running, done in 23 s"."""
    upto = "" if view.director is None or view.director.format.static else "at most "
    parts = [f"{view.games} of {upto}{view.expected_games} games ({view.blocks} blocks)"]
    if view.rate:
        parts.append(f"{view.rate:.1f} games/s")
    if view.running and view.games < view.expected_games:
        parts.append(f"{view.running} running")
    if view.running and view.eta:
        parts.append(f"done in {duration_text(view.eta)}")
    return ", ".join(parts)


def duration_text(seconds: float) -> str:
    """``45 s``, ``12 min 5 s``, ``3 h 20 min``, ``2 d 4 h``."""
    whole = max(0, round(seconds))
    for unit, size, smaller, part in (("d", 86400, "h", 3600), ("h", 3600, "min", 60), ("min", 60, "s", 1)):
        if whole >= size:
            rest = whole % size // part
            return f"{whole // size} {unit}" + (f" {rest} {smaller}" if rest else "")
    return f"{whole} s"


def live_points(lines: Sequence[SoloLine]) -> Table:
    """The standings where everybody plays alone, as far as they go."""
    table = Table(box=SIMPLE_HEAD)
    for name in ("", "bot", "points", "95 %", "deals"):
        table.add_column(name, justify="left" if name == "bot" else "right")
    for line in lines[:_SHOWN_BOTS]:
        half = "" if line.low is None or line.high is None else f"± {(line.high - line.low) / 2:.2f}"
        points = f"{line.points:.2f}" if line.deals else ""
        table.add_row(str(line.place), Text(line.player, style="bold"), points, half, str(line.deals))
    return table


def live_standings(lines: Sequence[Standing], rating: RatingTable | None, withdrawn: set[str]) -> Table:
    """The standings as far as they go."""
    table = Table(box=SIMPLE_HEAD)
    for name in ("", "bot", "Elo", "95 %", "games", "score", "forfeits"):
        table.add_column(name, justify="left" if name == "bot" else "right")
    elo = {line.player: line for line in rating.rated} if rating is not None else {}
    for line in lines[:_SHOWN_BOTS]:
        rated = elo.get(line.player)
        known = rated is not None and rated.games > 0
        table.add_row(
            str(line.place) if line.games else "",
            Text(line.player, style="strike dim" if line.player in withdrawn else "bold"),
            f"{rated.elo:.0f}" if rated is not None and known else "",
            _half(rated.low, rated.high) if rated is not None and known else "",
            str(line.games),
            f"{100 * line.share:.1f} %" if line.games else "",
            str(sum(line.forfeits.values()) or ""),
        )
    return table


def _half(low: float | None, high: float | None) -> str:
    """Half of an interval; after the first few games it is as good as none."""
    if low is None or high is None:
        return ""
    half = (high - low) / 2
    return f"± {half:.0f}" if half <= _WIDEST else f"> ± {_WIDEST}"
