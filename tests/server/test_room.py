"""Clocks, faults, connections and restarts of one match, with time moved by hand."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from google.protobuf import duration_pb2
from tests.support.rooms import HandBot, Table

from palio.server.match.clock import seconds_of
from palio.v1 import game_pb2, match_pb2, play_pb2

VOID = match_pb2.MATCH_STATE_VOID


def choices(table: Table) -> list[tuple[int, float, float, float]]:
    """Seat, bot's, network's and server's seconds of every recorded choice."""

    def seconds(span: duration_pb2.Duration) -> float:
        return round(seconds_of(span), 3)

    found = [record.choice for record in table.records() if record.HasField("choice")]
    return [(choice.seat, seconds(choice.charged), seconds(choice.network), seconds(choice.server)) for choice in found]


# --- clocks ---


def test_each_decision_has_its_limit(tmp_path: Path) -> None:
    table = Table(tmp_path, "a", "b", per_decision=5.0, lag_allowance=0.0).start()
    for seat in (0, 1, 0, 1):
        table.choose(seat, after=4.9)
    table.timers.advance(4.99)
    assert not table.ended
    table.timers.advance(0.02)
    assert table.terminations() == ["FORFEIT_TIMEOUT", "FINISHED"]
    assert [seat.rank for seat in table.ended[0].result.seats] == [2, 1]
    assert table.timers.waiting == 0


def test_a_choice_that_arrives_too_late_is_one_even_if_no_timer_rang(tmp_path: Path) -> None:
    table = Table(tmp_path, "a", "b", per_decision=5.0, lag_allowance=0.0).start()
    table.timers.now += 5.5
    table.choose(0)
    assert table.terminations() == ["FORFEIT_TIMEOUT", "FINISHED"]


def test_a_bank_is_used_up_and_grows_by_the_increment(tmp_path: Path) -> None:
    table = Table(tmp_path, "a", "b", bank=10.0, increment=2.0, lag_allowance=0.0).start()
    shown = []
    for _ in range(2):
        shown.append(seconds_of(table.bots[0].last("decision").clock.remaining))
        table.choose(0, after=5.0)
        table.choose(1, after=1.0)
    shown.append(seconds_of(table.bots[0].last("decision").clock.remaining))
    assert shown == [10.0, 7.0, 4.0]
    table.timers.advance(4.1)
    assert table.terminations() == ["FORFEIT_TIMEOUT", "FINISHED"]


def test_the_smaller_of_limit_and_bank_holds(tmp_path: Path) -> None:
    table = Table(tmp_path, "a", "b", bank=10.0, per_decision=3.0, lag_allowance=0.0).start()
    assert seconds_of(table.bots[0].last("decision").clock.remaining) == 3.0
    table.timers.advance(3.1)
    assert table.terminations()[0] == "FORFEIT_TIMEOUT"


def test_without_clocks_the_idle_limit_holds(tmp_path: Path) -> None:
    table = Table(tmp_path, "a", "b", idle_limit=60.0, lag_allowance=0.0).start()
    table.choose(0, after=59.0)
    table.timers.advance(59.0)
    assert not table.ended
    table.timers.advance(2.0)
    assert table.terminations() == ["FINISHED", "FORFEIT_TIMEOUT"]


def test_the_network_is_not_charged_up_to_the_allowance(tmp_path: Path) -> None:
    table = Table(tmp_path, "a", "b", per_decision=5.0, lag_allowance=0.25).start()
    table.choose(0, after=1.0, network=0.2)
    table.choose(1, after=5.2, network=9.0)
    table.choose(0, after=0.1, network=0.2)
    assert choices(table) == [(0, 0.8, 0.2, 0.0), (1, 4.95, 0.25, 0.0), (0, 0.0, 0.1, 0.0)]
    assert seconds_of(table.bots[1].last("choice_accepted").charged) == 4.95


def test_the_servers_own_time_is_recorded_and_not_charged(tmp_path: Path) -> None:
    table = Table(tmp_path, "a", "b", per_decision=5.0, lag_allowance=0.0).start()
    table.timers.advance(0.5)
    table.bots[0].outbox.take()
    table.choose(0, after=4.8)
    assert choices(table) == [(0, 4.8, 0.0, 0.5)]
    table.timers.advance(3.0)
    table.bots[1].outbox.take()
    table.timers.advance(4.9)
    assert not table.ended
    table.timers.advance(0.2)
    assert table.terminations() == ["FINISHED", "FORFEIT_TIMEOUT"]


def test_a_decision_that_is_handed_over_after_its_end_changes_nothing(tmp_path: Path) -> None:
    table = Table(tmp_path, "a", "b", per_decision=5.0, lag_allowance=0.0).start()
    late = table.bots[0].outbox.calls[:]
    table.timers.advance(6.0)
    assert table.terminations() == ["FORFEIT_TIMEOUT", "FINISHED"]
    for call in late:
        call()
    assert table.timers.waiting == 0


def test_the_init_budget_ends_with_a_no_show(tmp_path: Path) -> None:
    table = Table(tmp_path, "a", "b", init_budget=10.0)
    table.room.start({seat: bot.session for seat, bot in enumerate(table.bots)})
    table.room.ready(1)
    table.timers.advance(9.9)
    assert not table.ended
    table.timers.advance(0.2)
    assert table.terminations() == ["FORFEIT_NO_SHOW", "FINISHED"]


# --- connections ---


def test_a_lost_connection_has_a_grace_and_then_forfeits(tmp_path: Path) -> None:
    table = Table(tmp_path, "a", "b").start()
    table.room.detach(0, table.bots[0].session)
    status = table.bots[1].last("seat_status")
    assert (status.seat, status.connected, status.grace_left.seconds) == (0, False, 30)
    table.timers.advance(29.9)
    assert not table.ended
    table.timers.advance(0.2)
    assert table.terminations() == ["FORFEIT_DISCONNECTED", "FINISHED"]


def test_the_clock_runs_on_while_a_bot_is_away(tmp_path: Path) -> None:
    table = Table(tmp_path, "a", "b", per_decision=5.0, lag_allowance=0.0).start()
    table.room.detach(0, table.bots[0].session)
    table.timers.advance(5.1)
    assert table.terminations() == ["FORFEIT_TIMEOUT", "FINISHED"]


def test_a_decision_that_comes_again_shows_what_is_left_now(tmp_path: Path) -> None:
    table = Table(tmp_path, "a", "b", per_decision=5.0, lag_allowance=0.0).start()
    before = table.bots[0].last("decision")
    table.room.detach(0, table.bots[0].session)
    table.timers.advance(2.0)
    again = HandBot("a")
    table.room.attach(0, again.session, 2)
    after = again.last("decision")
    assert (after.decision_id, after.observation, list(after.options)) == (1, before.observation, list(before.options))
    assert seconds_of(after.clock.remaining) == 3.0
    assert after.clock.deadline == before.clock.deadline
    assert [update.seq for update in again.seen] == [3]


def test_a_session_that_was_replaced_takes_nothing_away(tmp_path: Path) -> None:
    table = Table(tmp_path, "a", "b").start()
    again = HandBot("a")
    table.room.attach(0, again.session, 0)
    table.room.detach(0, table.bots[0].session)
    assert table.room.seats[0].session is again.session
    assert table.bots[1].last("seat_status").connected


def test_a_bot_that_claims_to_know_too_much_is_told_so(tmp_path: Path) -> None:
    table = Table(tmp_path, "a", "b").start()
    again = HandBot("a")
    table.room.attach(0, again.session, 99)
    assert "99 messages were not sent yet, only 3" in again.last("refused").text
    assert not table.ended


# --- faults ---


def test_with_three_seats_a_caretaker_plays_on_after_a_time_out(tmp_path: Path) -> None:
    table = Table(tmp_path, "a", "b", "c", heap=30, per_decision=5.0, lag_allowance=0.0).start()
    table.timers.advance(5.1)
    assert not table.ended
    status = table.bots[1].last("seat_status")
    assert (status.seat, status.termination) == (0, match_pb2.TERMINATION_FORFEIT_TIMEOUT)
    while not table.ended:
        decision = table.room.course.decision
        assert decision is not None
        table.choose(decision.seat)
    assert table.terminations() == ["FORFEIT_TIMEOUT", "FINISHED", "FINISHED"]
    assert table.ended[0].result.seats[0].rank == 3
    assert any(record.choice.caretaker for record in table.records())
    assert table.bots[0].kinds()[-1] == "match_ended"


def test_refusals_without_end_are_not_kept(tmp_path: Path) -> None:
    table = Table(tmp_path, "a", "b").start()
    table.choose(0)
    for _ in range(300):
        table.room.choose(0, 1, 1, 0.0)
    rejected = [update for update in table.bots[0].seen if update.HasField("choice_rejected")]
    assert len(rejected) == table.bots[0].nonsenses == 300
    assert {update.choice_rejected.reason for update in rejected} == {play_pb2.REJECTION_REASON_STALE}
    assert [bool(update.seq) for update in rejected] == [True] * 100 + [False] * 200
    assert sum(record.HasField("notice") for record in table.records()) == 100
    table.choose(1)
    assert not table.ended


def test_a_refused_signal_changes_nothing(tmp_path: Path) -> None:
    table = Table(tmp_path, "a", "b").start()
    table.room.signal(0, game_pb2.Words())
    assert table.bots[0].last("refused").reason
    table.choose(0)
    assert table.bots[1].last("decision").decision_id == 1


# --- faults of the server ---


def test_a_full_disk_voids_the_match_and_tells_its_keeper(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    table = Table(tmp_path, "a", "b").start()

    def full(fd: int, data: bytes) -> int:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "write", full)
    table.choose(0)
    monkeypatch.undo()
    assert [error.strerror for error in table.errors] == ["No space left on device"]
    assert (table.ended[0].state, table.ended[0].result.rated) == (VOID, False)
    assert table.ended[0].void_reason == "the server cannot write its journal: No space left on device"
    assert not table.room.recorded
    assert table.bots[0].kinds()[-1] == "match_ended"
    assert "choice_accepted" not in table.bots[0].kinds()
    assert table.timers.waiting == 0


# --- restart ---


def test_after_a_restart_the_clock_waits_for_the_bot(tmp_path: Path) -> None:
    table = Table(tmp_path, "a", "b", per_decision=5.0, lag_allowance=0.0).start()
    table.choose(0, after=1.0)
    table.timers.advance(3.0)
    table.restart()
    table.timers.advance(60.0)
    assert not table.ended
    back = HandBot("b")
    table.room.attach(1, back.session, 0)
    assert seconds_of(back.last("decision").clock.remaining) == 5.0
    table.room.attach(0, HandBot("a").session, 0)
    table.timers.advance(4.9)
    assert not table.ended
    table.timers.advance(0.2)
    assert table.terminations() == ["FINISHED", "FORFEIT_TIMEOUT"]


def test_who_does_not_come_back_after_a_restart_has_not_lost(tmp_path: Path) -> None:
    table = Table(tmp_path, "a", "b").start()
    table.restart(grace=40.0)
    table.room.attach(0, HandBot("a").session, 0)
    table.timers.advance(39.0)
    assert not table.ended
    table.timers.advance(2.0)
    assert table.ended[0].state == VOID
    assert table.ended[0].void_reason == "b did not come back after the server was restarted"


def test_who_comes_back_and_leaves_again_forfeits_as_ever(tmp_path: Path) -> None:
    table = Table(tmp_path, "a", "b").start()
    table.restart()
    for seat, name in enumerate("ab"):
        bot = HandBot(name)
        table.room.attach(seat, bot.session, 0)
    table.room.detach(1, bot.session)
    table.timers.advance(30.1)
    assert table.terminations() == ["FINISHED", "FORFEIT_DISCONNECTED"]


def test_banks_tries_and_answers_survive_a_restart(tmp_path: Path) -> None:
    table = Table(tmp_path, "a", "b", bank=10.0, lag_allowance=0.0).start()
    table.choose(0, after=4.0)
    table.room.choose(1, 1, 9, 0.0)
    room = table.restart()
    assert (room.seats[0].clock.bank, room.seats[0].answered, room.seats[1].tries) == (6.0, (1, 0, 4.0), 1)
    back = HandBot("a")
    room.attach(0, back.session, 4)
    room.choose(0, 1, 0, 0.0)
    assert seconds_of(back.last("choice_accepted").charged) == 4.0


def test_a_part_of_the_journal_that_is_lost_voids_the_match(tmp_path: Path) -> None:
    table = Table(tmp_path, "a", "b").start()
    table.choose(0)
    table.choose(1)
    table.restart()
    table.room.attach(0, HandBot("a").session, 50)
    assert table.ended[0].state == VOID
    assert table.ended[0].void_reason == "the server lost a part of the match's journal"
