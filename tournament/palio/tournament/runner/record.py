"""From a match that is over to its entry in the ledger."""

from __future__ import annotations

from collections.abc import Container, Sequence
from datetime import UTC, datetime

from palio.server.journal import unframe
from palio.tournament.ledger import Entry, SeatRecord
from palio.tournament.ledger.store import FINISHED
from palio.tournament.runner.queue import Seating
from palio.v1 import match_pb2, replay_pb2

_PREFIX = "TERMINATION_"
NO_SHOW = "FORFEIT_NO_SHOW"


class _Time:
    """Time use of one seat."""

    def __init__(self) -> None:
        self.decisions = 0
        self.charged = self.slowest = self.network = 0.0

    def add(self, choice: replay_pb2.ReplayChoice) -> None:
        charged = choice.charged.seconds + choice.charged.nanos / 1e9
        self.decisions += 1
        self.charged += charged
        self.slowest = max(self.slowest, charged)
        self.network += choice.network.seconds + choice.network.nanos / 1e9


def entry_of(seating: Seating, match: match_pb2.Match, replay: bytes, sides: Sequence[int]) -> Entry:
    """The entry for a match.

    Args:
        match: as the server tells it, over.
        replay: the bytes of its replay file.
        sides: per seat the side it played for.

    Raises:
        BrokenReplay: the replay is damaged.
    """
    records, _ = unframe(replay)
    times = [_Time() for _ in match.players]
    for record in records:
        if record.HasField("choice") and not record.choice.caretaker:
            times[record.choice.seat].add(record.choice)
    by_seat = {seat.seat: seat for seat in match.result.seats}
    seats = []
    for number, (player, time) in enumerate(zip(match.players, times, strict=True)):
        result = by_seat.get(number, match_pb2.SeatResult(termination=match_pb2.TERMINATION_VOID))
        seats.append(
            SeatRecord(
                player=player,
                side=sides[number],
                rank=result.rank,
                points=result.points,
                termination=match_pb2.Termination.Name(result.termination).removeprefix(_PREFIX),
                decisions=time.decisions,
                charged=time.charged,
                slowest=time.slowest,
                network=time.network,
            )
        )
    return Entry(
        block=seating.block.index,
        seating=seating.number,
        attempt=match.attempt,
        match_id=match.match_id,
        deal=seating.block.deal,
        round=seating.block.round,
        seats=tuple(seats),
        rated=match.state == match_pb2.MATCH_STATE_FINISHED,
        ended=match.ended.ToDatetime(UTC),
        ended_by=match.result.ended_by,
        void_reason=match.void_reason,
        replay_digest=match.result.replay_digest,
        choices=match.choices,
        started=match.created.ToDatetime(UTC),
    )


def walkover(
    seating: Seating, attempt: int, match_id: str, sides: Sequence[int], withdrawn: Container[str], now: datetime
) -> Entry:
    """The entry for a match that is not played because somebody in it is withdrawn: their side comes last."""
    lost = {side for side, player in zip(sides, seating.players, strict=True) if player in withdrawn}
    winners = sum(side not in lost for side in sides)
    seats = tuple(
        SeatRecord(
            player=player,
            side=side,
            rank=winners + 1 if side in lost else 1,
            points=0,
            termination=NO_SHOW if player in withdrawn else FINISHED,
        )
        for side, player in zip(sides, seating.players, strict=True)
    )
    return Entry(
        block=seating.block.index,
        seating=seating.number,
        attempt=attempt,
        match_id=match_id,
        deal=seating.block.deal,
        round=seating.block.round,
        seats=seats,
        rated=True,
        ended=now,
        ended_by="withdrawal",
    )
