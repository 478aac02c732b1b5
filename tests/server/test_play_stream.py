"""The Play stream over a real socket, with hand-driven bots and the plug-in game."""

from __future__ import annotations

import asyncio
import itertools
from pathlib import Path

import grpc
import grpc.aio
import pytest
from tests.server.conftest import Start
from tests.support.arena import Host

from palio.codec import codec_of
from palio.codec.status import from_rpc_error
from palio.engine.chance import commitment, mixed_seed
from palio.games import rules_of
from palio.server.match.history import history, public_steps
from palio.server.match.journal import read
from palio.v1 import game_pb2, match_pb2, play_pb2, replay_pb2

FINISHED = match_pb2.TERMINATION_FINISHED


async def test_a_match_from_hello_to_result(host: Host) -> None:
    a, b = await host.connect("a", "b")
    match = await host.create("a", "b", heap=5)
    assert match.state == match_pb2.MATCH_STATE_RUNNING
    ended, other = await asyncio.gather(a.play_to_the_end(), b.play_to_the_end())
    # 5 sticks, one each: a, b, a, b and then a faces the last one.
    assert [(seat.rank, seat.points, seat.termination) for seat in ended.result.seats] == [
        (2, 0, FINISHED),
        (1, 1, FINISHED),
    ]
    assert other.result == ended.result
    assert ended.result.rated
    assert ended.result.ended_by == "last stick"
    assert commitment(ended.result.seed) == match.seed_commitment
    assert (await host.result()).result == ended.result


async def test_messages_are_numbered_and_events_precede_the_decision_that_depends_on_them(host: Host) -> None:
    a, b = await host.connect("a", "b")
    await host.create("a", "b", heap=7)
    await asyncio.gather(a.play_to_the_end(), b.play_to_the_end())
    for bot in (a, b):
        of_match = [update for update in bot.seen if update.match_id == "m"]
        assert [update.seq for update in of_match] == list(range(1, len(of_match) + 1))
        kinds = [update.WhichOneof("message") for update in of_match]
        assert kinds[0] == "match_started"
        assert kinds[-1] == "match_ended"
        for index, kind in enumerate(kinds):
            if kind == "decision":
                assert kinds[index - 1] == "events"
    asked = [u.decision for u in a.seen if u.HasField("decision")]
    assert [decision.decision_id for decision in asked] == [1, 2, 3]
    assert [len(decision.options) for decision in asked] == [3, 3, 3]
    assert asked[0].kind == "TAKE"
    assert asked[0].options[0].text == "take 1"
    assert asked[0].clock.remaining.seconds == 600


async def test_every_choice_is_answered_and_wrong_ones_change_nothing(host: Host) -> None:
    a, b = await host.connect("a", "b")
    await host.create("a", "b", heap=9)
    for bot in (a, b):
        await bot.ready("m")
    await a.next("decision")
    await a.choose("m", 1, 3)
    rejected = (await a.next("choice_rejected")).choice_rejected
    assert rejected.reason == play_pb2.REJECTION_REASON_ILLEGAL
    assert rejected.text == "option 3 is not between 0 and 2"
    assert rejected.tries_left == 2
    await a.choose("m", 7, 0)
    assert (await a.next("choice_rejected")).choice_rejected.reason == play_pb2.REJECTION_REASON_NOT_YOURS
    await b.choose("m", 1, 0)
    rejected = (await b.next("choice_rejected")).choice_rejected
    assert rejected.reason == play_pb2.REJECTION_REASON_NOT_YOURS
    assert rejected.text == "seat 1 is not asked now"
    await a.choose("elsewhere", 1, 0)
    assert (await a.next("choice_rejected")).choice_rejected.reason == play_pb2.REJECTION_REASON_STALE
    await a.choose("m", 1, 2)
    assert (await a.next("choice_accepted")).choice_accepted.option == 2
    await a.choose("m", 1, 2)
    assert (await a.next("choice_accepted")).choice_accepted.decision_id == 1
    await a.choose("m", 1, 0)
    rejected = (await a.next("choice_rejected")).choice_rejected
    assert rejected.reason == play_pb2.REJECTION_REASON_STALE
    assert rejected.text == "decision 1 is answered already"
    assert len((await b.next("decision")).decision.options) == 3


async def test_too_many_illegal_choices_forfeit(host: Host) -> None:
    a, b = await host.connect("a", "b")
    await host.create("a", "b", policies=match_pb2.Policies(illegal_tries=2))
    for bot in (a, b):
        await bot.ready("m")
    await a.next("decision")
    for left in (1, 0, 0):
        await a.choose("m", 1, -1)
        assert (await a.next("choice_rejected")).choice_rejected.tries_left == left
    for bot in (a, b):
        seats = (await bot.next("match_ended")).match_ended.result.seats
        assert [seat.termination for seat in seats] == [match_pb2.TERMINATION_FORFEIT_ILLEGAL, FINISHED]
        assert [seat.rank for seat in seats] == [2, 1]


async def test_time_out_forfeits_a_silent_bot(host: Host) -> None:
    a, b = await host.connect("a", "b")
    await host.create("a", "b", per_decision=0.2)
    for bot in (a, b):
        await bot.ready("m")
    match = await host.result()
    assert match.result.seats[0].termination == match_pb2.TERMINATION_FORFEIT_TIMEOUT
    assert match.result.rated


async def test_with_three_seats_the_caretaker_plays_on(host: Host) -> None:
    bots = await host.connect("a", "b", "c")
    await host.create("a", "b", "c", heap=30)
    for bot in bots:
        await bot.ready("m")
    a, b, c = bots
    await a.next("decision")
    await a.say(play_pb2.PlayRequest(resign=play_pb2.Resign(match_id="m")))
    status = (await b.next("seat_status")).seat_status
    assert (status.seat, status.termination) == (0, match_pb2.TERMINATION_RESIGNED)
    await asyncio.gather(b.play_to_the_end(), c.play_to_the_end())
    result = (await a.next("match_ended")).match_ended.result
    assert [seat.termination for seat in result.seats] == [match_pb2.TERMINATION_RESIGNED, FINISHED, FINISHED]
    assert result.seats[0].rank == 3
    assert {seat.rank for seat in result.seats[1:]} <= {1, 2}


async def test_no_show_forfeits_and_nobody_at_all_is_void(host: Host) -> None:
    policies = match_pb2.Policies()
    policies.no_show.FromMilliseconds(100)
    (a,) = await host.connect("a")
    await host.create("a", "ghost", policies=policies)
    ended = await a.play_to_the_end()
    assert ended.result.seats[1].termination == match_pb2.TERMINATION_FORFEIT_NO_SHOW
    assert ended.result.seats[0].rank == 1
    await host.create("ghost", "phantom", match_id="n", policies=policies)
    match = await host.result("n")
    assert match.state == match_pb2.MATCH_STATE_VOID
    assert match.void_reason == "none of its players connected"
    assert not match.result.rated


async def test_a_bot_that_never_says_ready_is_a_no_show(host: Host) -> None:
    _, b = await host.connect("a", "b")
    control = match_pb2.TimeControl()
    control.init_budget.FromMilliseconds(150)
    await host.create("a", "b", time_control=control)
    await b.ready("m")
    match = await host.result()
    assert [seat.rank for seat in match.result.seats] == [2, 1]
    assert match.result.seats[0].termination == match_pb2.TERMINATION_FORFEIT_NO_SHOW


async def test_reconnection_gives_exactly_what_was_missed(host: Host) -> None:
    a, b = await host.connect("a", "b")
    await host.create("a", "b", heap=12)
    for bot in (a, b):
        await bot.ready("m")
    await a.next("decision")
    await a.choose("m", 1, 0)
    await a.next("choice_accepted")
    await a.cut()
    status = (await b.next("seat_status")).seat_status
    assert (status.seat, status.connected, status.grace_left.seconds) == (0, False, 30)
    seen = a.last_seq["m"]
    await b.choose("m", 1, 0)
    await b.next("choice_accepted")
    again = await host.bot("a").hello(resume={"m": seen})
    await again.next("welcome")
    missed = [await again.next(), await again.next()]
    assert [update.seq for update in missed] == [seen + 1, seen + 2]
    assert [update.WhichOneof("message") for update in missed] == ["events", "decision"]
    assert (await b.next("seat_status")).seat_status.connected
    ended, _ = await asyncio.gather(again_plays(again, missed[-1]), b.play_to_the_end())
    assert ended.result.seats[0].termination == FINISHED


async def again_plays(bot: object, update: play_pb2.Update) -> play_pb2.MatchEnded:
    """Answer a decision that was read already, and go on."""
    from tests.support.wire import WireBot

    assert isinstance(bot, WireBot)
    await bot.choose(update.match_id, update.decision.decision_id, 0)
    return await bot.play_to_the_end()


async def test_a_bot_that_lost_its_memory_gets_everything_again(host: Host) -> None:
    a, b = await host.connect("a", "b")
    await host.create("a", "b", heap=12)
    for bot in (a, b):
        await bot.ready("m")
    for decision_id in (1, 2):
        for bot in (a, b):
            await bot.next("decision")
            await bot.choose("m", decision_id, 0)
            await bot.next("choice_accepted")
    await a.next("decision")
    first = [update for update in a.seen if update.match_id == "m"]
    await a.cut()
    again = await host.bot("a").hello()
    await again.next("welcome")
    second = [await again.next() for _ in first]
    assert [update.seq for update in second] == [update.seq for update in first]
    for before, after in zip(first, second, strict=True):
        assert before.WhichOneof("message") == after.WhichOneof("message")
        if before.HasField("decision"):
            assert after.decision.observation == before.decision.observation
            assert after.decision.HasField("answered") == (before.decision.decision_id < 3)
        elif not before.HasField("match_started"):
            assert after == before


async def test_a_match_is_played_through_only_once_for_a_bot_that_comes_back_to_its_beginning(
    host: Host, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It then keeps all that the seat is told, answers included."""
    a, b = await host.connect("a", "b")
    await host.create("a", "b", heap=20)
    for bot in (a, b):
        await bot.ready("m")
    journals_read: list[Path] = []

    def counted(path: Path) -> list[replay_pb2.ReplayRecord]:
        journals_read.append(path)
        return read(path)

    monkeypatch.setattr("palio.server.match.history.read", counted)
    told: list[list[play_pb2.Update]] = []
    await a.next("decision")
    for decision_id in (1, 2, 3):
        await a.choose("m", decision_id, 0)
        await a.next("choice_accepted")
        await b.next("decision")
        await b.choose("m", decision_id, 0)
        await a.next("decision")
        await a.cut()
        last = a.last_seq["m"]
        a = await host.bot("a").hello()
        await a.next("welcome")
        told.append([await a.next() for _ in range(last)])
    assert len(journals_read) == 1
    for earlier, later in itertools.pairwise(told):
        assert [update.seq for update in later] == list(range(1, len(later) + 1))
        answered = [update.decision.answered for update in later if update.decision.HasField("answered")]
        assert len(answered) == len([update for update in earlier if update.HasField("decision")])
        for before, after in zip(earlier[:-1], later, strict=False):
            assert after == before


async def test_the_bot_that_was_away_learns_the_result(host: Host) -> None:
    a, b = await host.connect("a", "b")
    await host.create("a", "b")
    for bot in (a, b):
        await bot.ready("m")
    await a.next("decision")
    await a.cut()
    await b.say(play_pb2.PlayRequest(resign=play_pb2.Resign(match_id="m")))
    await b.next("match_ended")
    again = await host.bot("a").hello(resume={"m": a.last_seq["m"]})
    ended = await again.next("match_ended")
    assert ended.seq == a.last_seq["m"] + 1
    assert ended.match_ended.result.seats[0].rank == 1


async def test_a_second_session_of_the_same_player_fences_the_first(host: Host) -> None:
    (first,) = await host.connect("a")
    (second,) = await host.connect("a")
    goodbye = (await first.next("goodbye")).goodbye
    assert goodbye.reason == play_pb2.GOODBYE_REASON_REPLACED
    await first.end()
    assert first.error is None
    await host.create("a", "b")
    (b,) = await host.connect("b")
    await asyncio.gather(second.play_to_the_end(), b.play_to_the_end())


async def test_leave_ends_the_session_after_its_matches(host: Host) -> None:
    a, b = await host.connect("a", "b")
    await host.create("a", "b", heap=5)
    await a.say(play_pb2.PlayRequest(leave=play_pb2.Leave()))
    await asyncio.gather(a.play_to_the_end(), b.play_to_the_end())
    assert (await a.next("goodbye")).goodbye.reason == play_pb2.GOODBYE_REASON_LEFT
    await host.create("a", "b", match_id="later")
    assert (await host.matches.GetMatch(match_pb2.GetMatchRequest(match_id="later"))).match.state == (
        match_pb2.MATCH_STATE_WAITING
    )


async def test_matches_wait_for_room_on_the_stream(host: Host) -> None:
    a, b = await host.connect("a", "b", matches=2)
    for index in range(5):
        await host.create("a", "b", heap=5, match_id=f"m{index}")
    running = [room for room in host.server.arena.rooms.values() if room.state == match_pb2.MATCH_STATE_RUNNING]
    assert len(running) == 2
    tasks = [asyncio.create_task(consume(bot)) for bot in (a, b)]
    for index in range(5):
        assert (await host.result(f"m{index}")).state == match_pb2.MATCH_STATE_FINISHED
    for task in tasks:
        task.cancel()


async def consume(bot: object) -> None:
    from tests.support.wire import WireBot

    assert isinstance(bot, WireBot)
    async for _ in bot.play():
        pass


async def test_rubbish_is_refused_and_then_sent_away(host: Host) -> None:
    channel = grpc.aio.insecure_channel(host.address)
    play: grpc.aio.StreamStreamMultiCallable[bytes, bytes] = channel.stream_stream("/palio.v1.PlayService/Play")
    call = play()
    hello = play_pb2.PlayRequest(hello=play_pb2.Hello(bot_name="a", protocol_version=1))
    await call.write(hello.SerializeToString())
    for _ in range(11):
        await call.write(b"\xff\xff\xff")
    updates: list[play_pb2.Update] = []
    async for data in call:
        updates += play_pb2.PlayResponse.FromString(data).updates
    kinds = [update.WhichOneof("message") for update in updates if not update.HasField("ping")]
    assert kinds == ["welcome", *["refused"] * 10, "goodbye"]
    assert updates[-1].goodbye.reason == play_pb2.GOODBYE_REASON_PROTOCOL
    await channel.close()


@pytest.mark.parametrize(
    ("hello", "code", "field"),
    [
        (play_pb2.Hello(bot_name="a"), grpc.StatusCode.FAILED_PRECONDITION, "hello.protocol_version"),
        (play_pb2.Hello(bot_name="", protocol_version=1), grpc.StatusCode.UNAUTHENTICATED, "hello.bot_name"),
        (
            play_pb2.Hello(bot_name="a", protocol_version=1, games=["chess"]),
            grpc.StatusCode.INVALID_ARGUMENT,
            "hello.games[0]",
        ),
        (None, grpc.StatusCode.INVALID_ARGUMENT, "hello"),
    ],
)
async def test_a_wrong_hello_is_refused_by_name(
    host: Host, hello: play_pb2.Hello | None, code: grpc.StatusCode, field: str
) -> None:
    bot = host.bot("a")
    await bot.say(play_pb2.PlayRequest(hello=hello) if hello else play_pb2.PlayRequest(leave=play_pb2.Leave()))
    bot.read()
    await bot.end()
    assert bot.error is not None
    error = from_rpc_error(bot.error)
    assert (error.code, error.field) == (code, field)


async def test_a_token_is_needed_where_the_server_is_not_open(start: Start) -> None:
    host = await start(open=False)
    bot = await host.bot("a").hello()
    await bot.end()
    assert bot.error is not None
    assert from_rpc_error(bot.error).reason == "UNAUTHENTICATED"
    with pytest.raises(grpc.aio.AioRpcError) as caught:
        await host.create("a", "b")
    assert caught.value.code() == grpc.StatusCode.UNAUTHENTICATED


async def test_a_reader_that_never_reads_is_disconnected_and_disturbs_nobody(start: Start) -> None:
    host = await start(limits={"max_queued_messages": 4}, heartbeat=0.02)
    deaf = host.bot("deaf")
    await deaf.say(play_pb2.PlayRequest(hello=play_pb2.Hello(bot_name="deaf", protocol_version=1)))
    a, b = await host.connect("a", "b")
    await host.create("a", "b", heap=9)
    await asyncio.gather(a.play_to_the_end(), b.play_to_the_end())
    async with asyncio.timeout(20):
        while "open:deaf" in host.server.arena.sessions:  # noqa: ASYNC110 (nothing tells of it)
            await asyncio.sleep(0.02)


async def test_draining_says_goodbye_and_the_next_server_goes_on(start: Start, tmp_path: Path) -> None:
    host = await start()
    a, b = await host.connect("a", "b")
    await host.create("a", "b", heap=12)
    for bot in (a, b):
        await bot.ready("m")
    await a.next("decision")
    await a.choose("m", 1, 0)
    await a.next("choice_accepted")
    await b.next("decision")
    await host.server.stop(grace=0)
    for bot in (a, b):
        assert (await bot.next("goodbye")).goodbye.reason == play_pb2.GOODBYE_REASON_DRAINING
    later = await start()
    a2 = await later.bot("a").hello(resume={"m": a.last_seq["m"]})
    b2 = await later.bot("b").hello(resume={"m": b.last_seq["m"]})
    # b saw its decision before the server went down; it answers now.
    await b2.next("welcome")
    await b2.choose("m", 1, 0)
    ended, _ = await asyncio.gather(a2.play_to_the_end(), b2.play_to_the_end())
    assert [seat.termination for seat in ended.result.seats] == [FINISHED, FINISHED]
    assert ended.result.replay_digest == (await later.result()).result.replay_digest


async def test_players_mix_their_randomness_into_the_seed(start: Start) -> None:
    host = await start(player_entropy=True)
    a, b = await host.connect("a", "b")
    created = await host.matches.CreateMatch(
        match_pb2.CreateMatchRequest(match_id="m", game="sticks", players=["a", "b"])
    )
    for bot, entropy in ((a, b"heads"), (b, b"")):
        assert (await bot.next("match_started")).match_started.player_entropy
        await bot.say(play_pb2.PlayRequest(ready=play_pb2.Ready(match_id="m", entropy=entropy)))
    ended, _ = await asyncio.gather(a.play_to_the_end(), b.play_to_the_end())
    result = ended.result
    assert commitment(result.secret) == created.match.seed_commitment
    assert list(result.entropy) == [b"heads", b""]
    assert mixed_seed(result.secret, [b"heads", b""]) == result.seed
    dealt = next(update.events.events[0] for update in a.seen if update.HasField("events"))
    assert dealt == game_pb2.Event.FromString(
        codec_of("sticks").event(
            ("dealt", rules_of("sticks").start(result.seed, 2, rules_of("sticks").options()).view(0).secret)
        )
    )


async def test_spectators_are_shown_no_deal_before_all_have_contributed(start: Start) -> None:
    """The deal of the server's secret alone is one that nobody plays."""
    host = await start(player_entropy=True)
    a, b = await host.connect("a", "b")
    await host.matches.CreateMatch(match_pb2.CreateMatchRequest(match_id="m", game="fidelitas", players=["a", "b"]))
    for bot in (a, b):
        await bot.next("match_started")
    watching = aiter(host.matches.WatchMatch(match_pb2.WatchMatchRequest(match_id="m")))
    assert (await anext(watching)).HasField("match")
    for bot in (a, b):
        await bot.say(play_pb2.PlayRequest(ready=play_pb2.Ready(match_id="m", entropy=bot.name.encode())))
    ended, _ = await asyncio.gather(a.play_to_the_end(), b.play_to_the_end())
    shown = (await anext(watching)).observation
    records = read(host.server.config.data / "replays" / "m.1.replay")
    course = history(records[: public_steps(records).told[0].records])
    assert course.seed == ended.result.seed
    assert shown.fidelitas.turn == 2
    assert shown == game_pb2.Observation.FromString(course.codec.observation(course.state.view(None)))


async def test_too_much_entropy_is_refused_and_a_given_seed_stays_as_it_is(start: Start) -> None:
    host = await start(player_entropy=True)
    a, b = await host.connect("a", "b")
    match = await host.create("a", "b", heap=5)
    assert commitment(bytes(32)) == match.seed_commitment
    await a.say(play_pb2.PlayRequest(ready=play_pb2.Ready(match_id="m", entropy=bytes(65))))
    refused = (await a.next("refused")).refused
    assert refused.text == "entropy has 65 bytes; at most 64 are allowed"
    await a.ready("m")
    ended, _ = await asyncio.gather(a.play_to_the_end(), b.play_to_the_end())
    assert ended.result.seed == bytes(32)
    assert not ended.result.secret


async def test_several_messages_at_once_count_in_their_order(host: Host) -> None:
    a, b = await host.connect("a", "b", matches=2)
    for match_id in ("m", "n"):
        await host.create("a", "b", heap=5, match_id=match_id)
    for bot in (a, b):
        both = [play_pb2.PlayRequest(ready=play_pb2.Ready(match_id=match_id)) for match_id in ("m", "n")]
        both[0].more.append(both[1])
        await bot.say(both[0])
    await a.next("decision")
    await a.next("decision")
    first = play_pb2.PlayRequest(choose=play_pb2.Choose(match_id="m", decision_id=1, option=9))
    for match_id in ("m", "n"):
        choose = play_pb2.Choose(match_id=match_id, decision_id=1, option=0)
        first.more.append(play_pb2.PlayRequest(choose=choose))
    await a.say(first)
    assert (await a.next("choice_rejected")).match_id == "m"
    assert [(await a.next("choice_accepted")).match_id for _ in range(2)] == ["m", "n"]
