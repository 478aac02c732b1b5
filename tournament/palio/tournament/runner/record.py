"""From a match that is over to its entry in the ledger."""

from __future__ import annotations

from collections.abc import Container, Sequence
from datetime import UTC, datetime
from pathlib import Path

from palio.engine.chance import commitment
from palio.server.match.journal import unframe
from palio.tournament.ledger import Entry, SeatRecord
from palio.tournament.ledger.store import FINISHED
from palio.tournament.plan import Terms
from palio.tournament.runner.messages import match_request
from palio.tournament.runner.organiser import Organiser
from palio.tournament.runner.queue import Seating
from palio.v1 import match_pb2

_PREFIX = "TERMINATION_"
NO_SHOW = "FORFEIT_NO_SHOW"


class RunFailed(Exception):
    """The tournament cannot go on. What was played is in the ledger."""


async def play_attempt(organiser: Organiser, terms: Terms, seating: Seating, attempt: int) -> match_pb2.Match:
    """Have the server play one attempt at a seating; the match when it is over.

    Raises:
        RunFailed: the server has another match of that id.
    """
    request = match_request(terms, seating, attempt)
    await organiser.create(request)
    # If it was there before, a call was answered into a dead connection; what counts is how it ends.
    match = await organiser.end_of(request.match_id)
    if tuple(match.players) != seating.players or match.seed_commitment != commitment(request.seed):
        raise RunFailed(f"the server has another match of the id {request.match_id}; use another directory")
    if match.attempt < attempt:
        raise RunFailed(f"the server did not play attempt {attempt} of match {request.match_id}")
    return match


async def replay_of(organiser: Organiser, replays: Path, match: match_pb2.Match) -> bytes:
    """The replay file of a match that is over.

    Args:
        replays: where a server on this machine puts them; what is not there yet is asked for.
    """
    try:
        return (replays / f"{match.match_id}.{match.attempt}.replay").read_bytes()
    except OSError:
        return await organiser.replay(match.match_id, match.attempt)


def entry_of(seating: Seating, match: match_pb2.Match, replay: bytes, sides: Sequence[int]) -> Entry:
    """The entry for a match.

    Args:
        match: as the server tells it, over.
        replay: the bytes of its replay file.
        sides: per seat the side it played for.

    Raises:
        BrokenReplay: the replay is damaged.
    """
    seated = range(len(match.players))
    decisions, charged, slowest, network = [0 for _ in seated], *([0.0 for _ in seated] for _ in range(3))
    for record in unframe(replay)[0]:
        if not record.HasField("choice") or (choice := record.choice).caretaker:
            continue
        seat, time, apart = choice.seat, choice.charged, choice.network
        seconds = time.seconds + time.nanos * 1e-9
        decisions[seat] += 1
        charged[seat] += seconds
        network[seat] += apart.seconds + apart.nanos * 1e-9
        if seconds > slowest[seat]:
            slowest[seat] = seconds
    by_seat = {seat.seat: seat for seat in match.result.seats}
    seats = []
    for number, player in enumerate(match.players):
        result = by_seat.get(number, match_pb2.SeatResult(termination=match_pb2.TERMINATION_VOID))
        seats.append(
            SeatRecord(
                player=player,
                side=sides[number],
                rank=result.rank,
                points=result.points,
                termination=match_pb2.Termination.Name(result.termination).removeprefix(_PREFIX),
                decisions=decisions[number],
                charged=round(charged[number], 9),
                slowest=round(slowest[number], 9),
                network=round(network[number], 9),
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
