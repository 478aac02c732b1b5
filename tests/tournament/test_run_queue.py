"""Which match starts next: the order of the schedule, and no bot in everybody's way."""

from __future__ import annotations

import pytest

from palio.tournament.pairing import Plan, build
from palio.tournament.runner.queue import Queue, Seating


def everybody(name: str) -> bool:
    return True


def queue_of(bots: str, window: int, seats: int = 2, deals: int = 3) -> Queue:
    queue = Queue(window, len(bots))
    for block in build(Plan("round_robin", tuple(bots), seats, deals, "s")).blocks({}):
        queue.add(block, range(len(block.permutations)))
    return queue


def drain(queue: Queue) -> list[Seating]:
    taken = []
    while (seating := queue.take(everybody)) is not None:
        taken.append(seating)
    return taken


def test_matches_start_in_the_order_of_the_schedule() -> None:
    queue = queue_of("ab", 1, deals=4)
    order = []
    while (seating := queue.take(everybody)) is not None:
        order.append(seating.key)
        queue.done(seating)
    assert order == [(block, seating) for block in range(4) for seating in range(2)]


def test_the_window_bounds_the_matches_in_play() -> None:
    queue = queue_of("abcd", 5)
    assert len(drain(queue)) == 5
    assert queue.running == 5
    assert queue.take(everybody) is None


@pytest.mark.parametrize("window", [2, 3, 5])
@pytest.mark.parametrize("slow", "abcd")
def test_a_bot_whose_matches_never_end_does_not_hold_up_the_others(window: int, slow: str) -> None:
    """One bot hangs in all its matches; the others play everything that they have among themselves."""
    queue = queue_of("abcd", window, deals=20)
    running: list[Seating] = []
    finished = 0
    for _ in range(1000):
        running += drain(queue)
        for seating in running:
            if slow in seating.players:
                queue.put_aside(seating)
        running += drain(queue)
        ended = [seating for seating in running if slow not in seating.players]
        if not ended:
            break
        for seating in ended:
            queue.done(seating)
            running.remove(seating)
            finished += 1
    assert finished == 3 * 2 * 20
    assert len(running) <= 2 * window


def test_only_so_many_matches_may_be_put_aside() -> None:
    queue = queue_of("ab", 1, deals=10)
    (first,) = drain(queue)
    assert queue.put_aside(first)
    assert queue.put_aside(first)
    (second,) = drain(queue)
    assert not queue.put_aside(second)
    assert drain(queue) == []
    queue.done(first)
    assert drain(queue) == []
    assert queue.put_aside(second)
    assert len(drain(queue)) == 1


def test_when_only_one_bots_matches_are_left_they_use_the_whole_window() -> None:
    queue = queue_of("abc", 4, deals=30)
    for seating in queue.drop("c"):
        assert "c" in seating.players
    assert len(drain(queue)) == 4


def test_two_bots_use_the_whole_window() -> None:
    assert len(drain(queue_of("ab", 6, deals=10))) == 6


def test_matches_of_a_bot_that_is_away_wait_and_others_overtake() -> None:
    queue = queue_of("abcd", 8)
    taken = []
    while (seating := queue.take(lambda name: name != "b")) is not None:
        taken.append(seating)
    assert taken
    assert all("b" not in seating.players for seating in taken)


def test_dropping_a_bot_takes_out_what_waits_for_it_but_not_what_runs() -> None:
    queue = queue_of("abc", 1)
    running = queue.take(everybody)
    assert running is not None
    gone = running.players[0]
    dropped = queue.drop(gone)
    assert dropped
    assert running.key not in {seating.key for seating in dropped}
    assert all(gone in seating.players for seating in dropped)
    assert queue.running == 1
