"""Replays that verify, and everything that makes one differ."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest
from tests.support.arena import Host
from tests.support.matches import play, played

from palio.cli.main import main
from palio.server.match.journal import frame, read
from palio.server.match.transcript import Audience, Choice, entries
from palio.server.match.verify import verify, verify_file
from palio.v1 import match_pb2, replay_pb2

Record = replay_pb2.ReplayRecord
Start = Callable[..., Awaitable[Host]]
NAMES = ("a", "b", "c", "d")


@pytest.mark.parametrize(
    ("game", "players", "resigning"),
    [("sticks", 2, None), ("sticks", 4, 2), ("fidelitas", 1, None), ("fidelitas", 3, None), ("fidelitas", 4, 1),
     ("fidelitas", 2, 1)],
)  # fmt: skip
async def test_what_a_server_wrote_verifies(
    host: Host, tmp_path: Path, game: str, players: int, resigning: int | None
) -> None:
    verdict = verify_file(await play(host, tmp_path, game, NAMES[:players], resigning=resigning))
    assert verdict.difference == ""
    assert (verdict.match_id, verdict.attempt, verdict.game) == ("m", 1, game)


@pytest.fixture(scope="module")
def records(tmp_path_factory: pytest.TempPathFactory) -> list[Record]:
    """A whole match of three players with a seat that fell out, so that the caretaker chose too."""
    return read(played(tmp_path_factory.mktemp("match"), "fidelitas", NAMES[:3], resigning=1))


def choices(records: list[Record], *, caretaker: bool = False) -> list[replay_pb2.ReplayChoice]:
    found = [r.choice for r in records if r.HasField("choice") and r.choice.caretaker == caretaker]
    assert found
    return found


def header_seed(records: list[Record]) -> None:
    records[0].header.seed = bytes(32)


def commitment(records: list[Record]) -> None:
    records[0].header.seed_commitment = "0" * 64


def another_game(records: list[Record]) -> None:
    records[0].header.game = "chess"


def rules_version(records: list[Record]) -> None:
    records[0].header.rules_version += 1


def fewer_players(records: list[Record]) -> None:
    del records[0].header.players[2]


def option(records: list[Record]) -> None:
    choice = choices(records)[-1]
    choice.option = (choice.option + 1) % choice.offered


def option_too_high(records: list[Record]) -> None:
    choices(records)[3].option = 999


def offered(records: list[Record]) -> None:
    choices(records)[3].offered += 1


def decision_id(records: list[Record]) -> None:
    choices(records)[3].decision_id += 1


def seat(records: list[Record]) -> None:
    choices(records)[3].seat = (choices(records)[3].seat + 1) % 3


def caretakers_option(records: list[Record]) -> None:
    choice = choices(records, caretaker=True)[0]
    choice.option = (choice.option + 1) % choice.offered


def caretaker_for_one_who_plays(records: list[Record]) -> None:
    choices(records)[3].caretaker = True


def player_instead_of_caretaker(records: list[Record]) -> None:
    choices(records, caretaker=True)[0].caretaker = False


def missing_choice(records: list[Record]) -> None:
    del records[[r.HasField("choice") for r in records].index(True) + 2]


def missing_ready(records: list[Record]) -> None:
    del records[[r.HasField("ready") for r in records].index(True)]


def ready_twice(records: list[Record]) -> None:
    records.insert(2, records[1])


def unknown_seat(records: list[Record]) -> None:
    next(r for r in records if r.HasField("ready")).ready.seat = 7


def fault_twice(records: list[Record]) -> None:
    index = [r.HasField("fault") for r in records].index(True)
    records.insert(index + 1, records[index])


def rank(records: list[Record]) -> None:
    records[-1].end.result.seats[0].rank += 1


def points(records: list[Record]) -> None:
    records[-1].end.result.seats[2].points += 1


def termination(records: list[Record]) -> None:
    records[-1].end.result.seats[1].termination = match_pb2.TERMINATION_FINISHED


def ended_by(records: list[Record]) -> None:
    records[-1].end.result.ended_by = "magic"


def result_seed(records: list[Record]) -> None:
    records[-1].end.result.seed = bytes(32)


def digest(records: list[Record]) -> None:
    records[-1].end.result.replay_digest = "0" * 64


def rated(records: list[Record]) -> None:
    records[-1].end.result.rated = False


def fewer_results(records: list[Record]) -> None:
    del records[-1].end.result.seats[2]


def early_end(records: list[Record]) -> None:
    records[6:-1] = []


def no_end(records: list[Record]) -> None:
    del records[-1]


def after_the_end(records: list[Record]) -> None:
    records.append(records[1])


def second_header(records: list[Record]) -> None:
    records.insert(1, records[0])


def no_header(records: list[Record]) -> None:
    del records[0]


def nothing(records: list[Record]) -> None:
    records.clear()


@pytest.mark.parametrize(
    ("change", "text"),
    [
        (header_seed, "the seed is not the one that was committed to"),
        (commitment, "the seed is not the one that was committed to"),
        (another_game, "there is no game 'chess'"),
        (rules_version, "it was played by version"),
        (fewer_players, "there is no seat 2"),
        (option, ""),
        (option_too_high, "option 999 is not between 0 and"),
        (offered, "offered by the rules"),
        (decision_id, "decision_id"),
        (seat, "is asked"),
        (caretakers_option, "the caretaker took option"),
        (caretaker_for_one_who_plays, "only for a seat that fell out the caretaker chooses"),
        (player_instead_of_caretaker, "only for a seat that fell out the caretaker chooses"),
        (missing_choice, "choice 3:"),
        (missing_ready, "the game has not begun"),
        (ready_twice, "was ready before"),
        (unknown_seat, "there is no seat 7"),
        (fault_twice, "fell out before"),
        (rank, "result.seats[0].rank:"),
        (points, "result.seats[2].points:"),
        (termination, "result.seats[1].termination:"),
        (ended_by, "result.ended_by: 'magic' is recorded, 'exhaustion' expected"),
        (result_seed, "result.seed: 0000"),
        (digest, "result.replay_digest: '0000"),
        (rated, "result.rated: False is recorded, True expected"),
        (fewer_results, "result.seats: 2 entries are recorded, 3 expected"),
        (early_end, "though the match is not decided"),
        (no_end, "the match is not over"),
        (after_the_end, "comes after the end"),
        (second_header, "a header has no place here"),
        (no_header, "does not begin with a header"),
        (nothing, "does not begin with a header"),
    ],
)
def test_the_first_difference_is_named(
    records: list[Record], change: Callable[[list[Record]], None], text: str, tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:  # fmt: skip
    copies = [Record.FromString(record.SerializeToString()) for record in records]
    assert verify(copies).difference == ""
    change(copies)
    verdict = verify(copies)
    assert verdict.difference
    assert text in verdict.difference
    path = tmp_path / "changed.replay"
    path.write_bytes(b"".join(frame(record.SerializeToString()) for record in copies))
    assert main(["replay", "verify", str(path)]) == 1
    printed = capsys.readouterr()
    assert printed.out == f"DIFFERS {path}: {verdict.difference}\n"
    assert printed.err == "palio: 1 of 1 replays differ from what the rules say\n"


async def test_a_void_match_verifies(host: Host, tmp_path: Path) -> None:
    bots = await host.connect("a", "b")
    await host.create("a", "b")
    for bot in bots:
        await bot.next("match_started")
    await host.matches.CancelMatch(match_pb2.CancelMatchRequest(match_id="m", reason="rain"))
    await host.result()
    assert verify_file(tmp_path / "replays" / "m.1.replay").difference == ""


async def test_a_seed_to_which_the_players_contributed_verifies(start: Start, tmp_path: Path) -> None:
    path = await play(await start(player_entropy=True), tmp_path, "fidelitas", NAMES[:2], seed=b"")
    assert verify_file(path).difference == ""
    records = read(path)
    assert records[-1].end.result.seed != records[0].header.seed
    next(record for record in records if record.HasField("ready")).ready.entropy = b"another"
    assert verify(records).difference != ""


async def test_bytes_that_are_no_record_are_told(host: Host, tmp_path: Path) -> None:
    path = await play(host, tmp_path, "sticks", NAMES[:2])
    data = path.read_bytes()
    path.write_bytes(data + b"\x01")
    assert verify_file(path).difference == "1 bytes follow that are no record"
    path.write_bytes(data[:60] + b"\xff" + data[61:])
    assert "damaged" in verify_file(path).difference


def test_a_seats_transcript_holds_no_more_than_the_seat_was_told(records: list[Record]) -> None:
    audiences: list[Audience] = [0, 1, 2, "public"]
    for audience in audiences:
        for entry in entries(records, audience):
            if isinstance(entry, Choice):
                assert entry.record.seat == audience
            viewers = getattr(entry, "viewers", None)
            assert viewers is None or audience in viewers
    everything = list(entries(records, "all"))
    assert len([entry for entry in everything if isinstance(entry, Choice)]) == len(
        [record for record in records if record.HasField("choice")]
    )
