"""The demo's tournament: as many deals as there is time for, whatever the game."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from palio.engine.errors import InvalidSetup
from palio.games import all_rules
from palio.tournament import demo
from palio.tournament.config import load_tournament
from palio.tournament.plan import make_schedule


def pace(*thinking: float, **lengths: int) -> demo.Pace:
    return demo.Pace(thinking, {int(size.removeprefix("of")): length for size, length in lengths.items()})


def test_quick_bots_play_the_most_deals() -> None:
    quick = pace(0, 0, 0, 0, of2=10, of3=10, of4=10)
    assert demo.plan(quick) == (dict.fromkeys((2, 3, 4), demo.MOST_DEALS), True)


def test_a_slow_bot_means_few_deals_and_never_more_than_there_is_time_for() -> None:
    slow = pace(0.02, 0.001, 0, 0, of2=150, of3=240, of4=300)
    assert demo.plan(slow, 30) == ({2: 1, 3: 1, 4: 1}, True)
    assert demo.plan(slow, 5) == ({2: 1}, False)
    for budget in (5, 12, 30, 60, 100):
        assert demo.seconds(slow, demo.plan(slow, budget)) <= budget


def test_without_time_for_duplicates_all_sizes_are_played_still() -> None:
    deals, duplicate = demo.plan(pace(0.02, 0.001, 0, 0, of2=150, of3=240, of4=300), 12)
    assert not duplicate
    assert sorted(deals) == [2, 3, 4]


def test_one_deal_of_the_smallest_size_is_always_played() -> None:
    assert demo.plan(pace(9, 9, 9, 9, of2=500, of3=500)) == ({2: 1}, False)


def test_time_is_that_of_the_busiest_process() -> None:
    one = demo.Plan({2: 1}, True)
    alone = demo.seconds(pace(1, 0, 0, of2=100), one)
    assert alone == 2 * 2 * 50  # two opponents, two seatings, half of the decisions
    assert demo.seconds(pace(1, 0, 0, of2=100), demo.Plan({2: 1}, False)) == alone / 2
    assert demo.seconds(pace(1, 1, 1, of2=100), one) == pytest.approx(3 * alone / demo.CORES, rel=0.01)


def test_a_match_of_every_size_is_measured() -> None:
    before = time.perf_counter()
    found = demo.measure("fidelitas", ["greedy", "random", "random"], [2, 3], "s")
    assert len(found.thinking) == 3
    assert 0 < found.thinking[1] < found.thinking[0] < time.perf_counter() - before
    assert found.lengths[2] > 20
    assert found.lengths[3] > 20


def test_bots_that_do_not_fit_one_match_are_all_measured() -> None:
    assert len(demo.measure("sticks", ["random"] * 5, [2], "s").thinking) == 5


@pytest.mark.parametrize("game", sorted(all_rules()))
def test_the_file_is_a_tournament_of_four_bots_for_every_game(
    game: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        demo, "measure", lambda _game, bots, sizes, _seed: demo.Pace([0] * len(bots), dict.fromkeys(sizes, 9))
    )
    config = load_tournament(demo.write_demo(game, tmp_path / "demo", "s"))
    assert config.game == game
    assert len(config.bots) == 4
    assert make_schedule(config, "s") is not None


def test_an_unknown_game_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InvalidSetup, match="chess"):
        demo.write_demo("chess", tmp_path, "s")
