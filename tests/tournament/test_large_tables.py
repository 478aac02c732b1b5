"""Tournaments of a game for two to five players: every size, rotations of the seats, and sizes mixed in one."""

from __future__ import annotations

from collections import Counter
from math import comb
from pathlib import Path

import pytest
from tests.support.tourney import entries, run

from palio.server.match.verify import verify_file

pytestmark = pytest.mark.slow


def write(folder: Path, bots: int, **keys: object) -> Path:
    lines = ['name = "Trial"', 'game = "feudum"', 'seed = "s"', 'sandbox = "off"', "deals = 1"]
    lines += [f"{key} = {value}" for key, value in keys.items()]
    for number in range(bots):
        lines += ["[[bots]]", f'name = "r{number}"', 'builtin = "random"']
    file = folder / "trial.toml"
    file.write_text("\n".join(lines) + "\n")
    return file


def played(file: Path) -> list[tuple[str, ...]]:
    """The players by seat of every rated game, once all replays have been played again."""
    code, output = run(file)
    assert code == 0, output
    found = entries(file)
    assert all(entry.rated for entry in found)
    replays = list((file.with_suffix(".palio") / "server" / "replays").glob("*.replay"))
    assert len(replays) == len(found)
    verdicts = [verify_file(replay) for replay in replays]
    assert [verdict.difference for verdict in verdicts] == [""] * len(found)
    return [tuple(seat.player for seat in entry.seats) for entry in found]


@pytest.mark.parametrize(("players", "seatings"), [(2, 2), (3, 6), (4, 4), (5, 5)])
def test_every_bot_has_every_seat_equally_often(players: int, seatings: int, tmp_path: Path) -> None:
    tables = played(write(tmp_path, players, players=players))
    assert len(set(tables)) == len(tables) == seatings
    times = Counter((seat, bot) for table in tables for seat, bot in enumerate(table))
    assert set(times.values()) == {seatings // players}
    assert len(times) == players**2


def test_sizes_can_be_mixed(tmp_path: Path) -> None:
    tables = played(write(tmp_path, 5, players=[2, 3, 4, 5], duplicate="false"))
    assert Counter(map(len, tables)) == {size: comb(5, size) for size in (2, 3, 4, 5)}
    for size in (2, 3, 4, 5):
        assert len({frozenset(table) for table in tables if len(table) == size}) == comb(5, size)
