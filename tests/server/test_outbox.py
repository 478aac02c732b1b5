"""What waits to be sent to a bot is joined, but not into more than a gRPC library takes."""

from __future__ import annotations

from palio.server.outbox import LARGEST_JOINED, Outbox

MEBIBYTE = 1 << 20


async def test_small_messages_leave_as_one() -> None:
    outbox = Outbox(10)
    for letter in (b"a", b"b", b"c"):
        outbox.put(letter)
    assert await outbox.take() == b"abc"
    assert outbox.messages == []


async def test_large_messages_leave_one_after_another_and_in_order() -> None:
    outbox = Outbox(100)
    messages = [bytes([number]) * (LARGEST_JOINED // 4) for number in range(20)]
    for message in messages:
        outbox.put(message)
    outbox.close()
    taken: list[bytes] = []
    while (joined := await outbox.take()) is not None:
        assert len(joined) <= LARGEST_JOINED < 4 * MEBIBYTE
        taken.append(joined)
    assert b"".join(taken) == b"".join(messages)
    assert len(taken) == 5


async def test_a_message_that_is_too_large_by_itself_leaves_alone() -> None:
    outbox = Outbox(10)
    outbox.put(b"x" * (LARGEST_JOINED + 1))
    outbox.put(b"y")
    assert len(await outbox.take() or b"") == LARGEST_JOINED + 1
    assert await outbox.take() == b"y"
