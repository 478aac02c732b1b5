"""How many matches run at once where the file does not say: by what the bots' decisions cost."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pytest

from palio.server.config import TimeControlSettings
from palio.tournament.config import load_tournament
from palio.tournament.ledger import Entry, SeatRecord
from palio.tournament.runner.pace import AT_ONCE, QUICK, Pace, seconds_of
from palio.tournament.runner.run import pace_of

CORES = 2
CLOCK = TimeControlSettings(per_decision=10.0)


class Watched:
    """A pace with bots whose decisions cost something, looked at every second."""

    def __init__(self, *names: str, others: bool = False, clock: TimeControlSettings = CLOCK) -> None:
        self.pace = Pace(names, others=others, clock=clock, cores=CORES)
        self.used = dict.fromkeys(names, 1.0)  # what they took to start
        self.said: list[str] = []

    def second(self, withdrawn: tuple[str, ...] = (), **costs: float) -> int:
        """A second in which each of these bots took 300 decisions of so many processor seconds."""
        for name, cost in costs.items():
            self.used[name] += 300 * cost
        self.pace.played(entry_of(dict.fromkeys(costs, 300)))
        return self.look(withdrawn)

    def look(self, withdrawn: tuple[str, ...] = ()) -> int:
        if said := self.pace.look(self.used, withdrawn):
            self.said.append(said)
        return self.pace.window


def entry_of(decisions: dict[str, int]) -> Entry:
    seats = [
        SeatRecord(player=name, side=seat, rank=1, points=0, termination="FINISHED", decisions=count)
        for seat, (name, count) in enumerate(decisions.items())
    ]
    now = datetime.now(UTC)
    return Entry(0, 0, 1, "m", 0, 0, tuple(seats), rated=True, ended=now)


def test_bots_that_hardly_think_play_many_matches_at_once() -> None:
    watched = Watched("a", "b")
    assert watched.look() == CORES
    assert watched.second(a=0.0003, b=0.001) == AT_ONCE
    assert watched.said == ["no bot needs more than 2 ms a decision: 64 matches at once"]


def test_starting_up_does_not_count() -> None:
    watched = Watched("a", "b")
    watched.used = {"a": 500.0, "b": 500.0}
    watched.look()
    assert watched.second(a=0.0003, b=0.0003) == AT_ONCE


def test_nothing_is_concluded_before_every_bot_has_played() -> None:
    watched = Watched("a", "b", "c")
    watched.look()
    for _ in range(10):
        assert watched.second(a=0.0003, b=0.0003) == CORES
    assert watched.second(a=0.0003, c=0.0003) == AT_ONCE


@pytest.mark.parametrize("cost", [1.5 * QUICK, 0.03, 5.0])
def test_one_bot_that_thinks_keeps_it_at_a_match_a_core(cost: float) -> None:
    watched = Watched("a", "b")
    for _ in range(20):
        assert watched.second(a=0.0003, b=cost) == CORES
    assert not watched.said


def test_a_bot_that_begins_to_think_is_noticed_before_its_matches_end() -> None:
    watched = Watched("a", "b")
    watched.look()
    watched.second(a=0.0003, b=0.0003)
    assert watched.pace.window == AT_ONCE
    seconds = 0
    while watched.pace.window == AT_ONCE:
        seconds += 1
        watched.used["b"] += 1.0  # one core, and no match of it ends
        watched.look()
    assert seconds <= 5
    assert watched.said[1:] == ["b needs more than 4 ms a decision: 2 matches at once"]


def test_a_bot_between_quick_and_slow_makes_nothing_go_to_and_fro() -> None:
    watched = Watched("a", "b")
    watched.look()
    watched.second(a=0.0003, b=0.0003)
    for _ in range(50):
        assert watched.second(a=0.0003, b=1.5 * QUICK) == AT_ONCE


def test_after_a_crash_no_more_is_at_stake_than_need_be() -> None:
    watched = Watched("a", "b")
    watched.look()
    watched.second(a=0.0003, b=0.0003)
    watched.pace.crashed()
    for _ in range(10):
        assert watched.second(a=0.0003, b=0.0003) == CORES


def test_a_process_that_was_started_again_is_looked_at_anew() -> None:
    watched = Watched("a", "b")
    watched.look()
    watched.second(a=0.0003, b=0.0003)
    watched.used["b"] = 0.5
    assert watched.second(a=0.0003, b=0.0003) == AT_ONCE


def test_who_is_withdrawn_does_not_count() -> None:
    watched = Watched("a", "b", "c")
    watched.look()
    assert watched.second(("c",), a=0.0003, b=0.0003) == AT_ONCE


def test_where_others_think_nobody_knows() -> None:
    watched = Watched("a", others=True)
    for _ in range(10):
        assert watched.second(a=0.0003) == CORES


def test_where_the_system_does_not_tell_it_stays_at_a_match_a_core() -> None:
    pace = Pace(["a", "b"], others=False, clock=CLOCK, cores=CORES)
    for _ in range(10):
        pace.played(entry_of({"a": 300, "b": 300}))
        assert pace.look({}) == ""
    assert pace.window == CORES


@pytest.mark.parametrize(
    ("clock", "seconds"),
    [
        ({"per_decision": 0.25}, 0.25),
        ({"bank": 60.0}, 0.6),
        ({"bank": 60.0, "increment": 2.0}, 2.6),
        ({"bank": 600.0, "per_decision": 0.5}, 0.5),
        ({}, 600.0),
    ],
)
def test_a_short_clock_would_feel_it(clock: dict[str, float], seconds: float) -> None:
    watched = Watched("a", "b", clock=TimeControlSettings.model_validate(clock))
    assert seconds_of(TimeControlSettings.model_validate(clock)) == pytest.approx(seconds)
    watched.look()
    assert watched.second(a=0.0003, b=0.0003) == (AT_ONCE if seconds >= 1 else CORES)


def test_a_machine_of_many_cores_has_a_match_a_core() -> None:
    pace = Pace(["a"], others=False, clock=CLOCK, cores=64)
    pace.look({"a": 1.0})
    pace.played(entry_of({"a": 300}))
    pace.look({"a": 1.1})
    assert pace.window == 64


def test_of_the_file_only_remote_bots_and_the_clock_matter(tmp_path: Path) -> None:
    file = tmp_path / "cup.toml"
    text = 'name = "Cup"\ngame = "fidelitas"\n[[bots]]\nname = "a"\nbuiltin = "random"\n[[bots]]\nname = "b"\n'
    quick = {"a": 1.0, "b": 1.0}
    for kind, window in (('builtin = "random"', AT_ONCE), ("remote = true", CORES)):
        file.write_text(text + kind + "\n")
        pace = pace_of(load_tournament(file), CORES)
        pace.look(quick)
        pace.played(entry_of({"a": 300, "b": 300}))
        pace.look(quick)
        assert pace.window == window
