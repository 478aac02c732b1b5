"""Tournaments with real processes and sockets: complete, resumable, fair to those who crash and to those who do not."""

from __future__ import annotations

import asyncio
import json
import os
import random
import socket
import sys
import time
from pathlib import Path

import pytest
import sqlalchemy as sa
from tests.support.tourney import (
    command_line,
    descendants,
    entries,
    kill,
    logs,
    palio,
    results,
    run,
    start,
    write_tournament,
)

from palio.server.match.history import history
from palio.server.match.journal import read
from palio.tournament.ledger import open_ledger
from palio.tournament.processes import find_sandbox

pytestmark = pytest.mark.slow
"""Every test starts a runner, a server and bots: some seconds each."""

THREE = {"a": "good", "b": "good", "c": "good"}


def test_every_game_is_accounted_for_and_its_replay_is_there(tmp_path: Path) -> None:
    file = write_tournament(tmp_path, THREE, deals=3, players=[2, 3])
    code, output = run(file)
    assert code == 0, output
    recorded = entries(file)
    assert len(recorded) == 3 * 3 * 2 + 3 * 6
    assert all(entry.rated and entry.attempt == 1 for entry in recorded)
    for entry in recorded:
        replay = tmp_path / "trial.palio" / "server" / "replays" / f"{entry.match_id}.1.replay"
        course = history(read(replay))
        assert course.chain.hexdigest() == entry.replay_digest
        assert sum(seat.decisions for seat in entry.seats) == entry.choices
    assert "18 of" not in output.splitlines()[-1]
    for word in ("Standings", "Crosstable", "report.html"):
        assert word in output
    assert (tmp_path / "trial.palio" / "report.html").read_text().startswith("<!DOCTYPE html>")


def test_running_it_again_plays_nothing_and_shows_the_same(tmp_path: Path) -> None:
    file = write_tournament(tmp_path, THREE)
    _, first = run(file)
    before = entries(file)
    code, second = run(file)
    assert code == 0
    assert entries(file) == before
    assert "starting the server" not in second
    assert first[first.index("Standings") :] == second[second.index("Standings") :]


def test_the_same_seed_gives_the_same_results_twice_and_another_seed_does_not(tmp_path: Path) -> None:
    found = []
    for name, seed in (("one", "s"), ("two", "s"), ("three", "t")):
        (tmp_path / name).mkdir()
        file = write_tournament(tmp_path / name, THREE, deals=2, seed=seed, concurrency=3)
        assert run(file)[0] == 0
        found.append(results(file))
    assert found[0] == found[1]
    assert found[0] != found[2]


def test_without_a_seed_one_is_drawn_and_kept(tmp_path: Path) -> None:
    file = write_tournament(tmp_path, {"a": "good", "b": "good"}, seed=None)
    file.write_text(file.read_text().replace("seed = null\n", ""))
    assert run(file)[0] == 0
    ledger = open_ledger(f"sqlite:///{tmp_path / 'trial.palio' / 'ledger.sqlite3'}", "trial")
    known = ledger.registered()
    ledger.close()
    assert known is not None
    assert len(known.seed) == 32
    assert run(file)[0] == 0


@pytest.mark.skipif(find_sandbox().program is None, reason="bubblewrap does not work here")
def test_bots_play_from_inside_the_sandbox_and_see_no_journal(tmp_path: Path) -> None:
    """The bots reach the server through its socket although they have no network."""
    file = write_tournament(tmp_path, {"a": "good", "b": "good"}, deals=2, sandbox="require")
    code, output = run(file)
    assert code == 0, output + logs(file)
    assert len(results(file)) == 4
    assert "warning" not in output


def wait_until(condition: object, seconds: float = 60) -> None:
    deadline = time.monotonic() + seconds
    while not condition():  # type: ignore[operator]
        assert time.monotonic() < deadline
        time.sleep(0.02)


def replays(file: Path) -> int:
    return len(list((file.with_suffix(".palio") / "server" / "replays").glob("*.replay")))


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory: pytest.TempPathFactory) -> dict[tuple[int, int], object]:
    """The results of the tournament of the next test when nothing happens."""
    file = write_tournament(tmp_path_factory.mktemp("undisturbed"), THREE, deals=15, players=[2, 3])
    assert run(file)[0] == 0
    return results(file)


@pytest.mark.parametrize("victim", ["runner", "server", "bot", "all"])
def test_killed_at_any_time_exactly_the_missing_games_are_played(
    tmp_path: Path, victim: str, undisturbed: dict[tuple[int, int], object]
) -> None:
    """kill -9 of the runner, the server, bots, or everything at once; then the same command."""
    file = write_tournament(tmp_path, THREE, deals=15, players=[2, 3])
    process = start(file)
    for goal in (20, 60, 100):
        wait_until(lambda goal=goal, process=process: replays(file) >= goal or process.poll() is not None)
        below = descendants(process.pid)
        servers = [pid for pid, line in below.items() if "palio.cli serve" in line]
        bots = [pid for pid, line in below.items() if "testbot.py" in line]
        targets = {"runner": [process.pid], "server": servers, "bot": bots[:1], "all": [process.pid, *below]}[victim]
        assert targets, below
        for pid in targets:
            kill(pid)
        if victim in ("runner", "all"):
            process.communicate()
            wait_until(lambda below=below: not any(command_line(pid) for pid in below))
            process = start(file)
    output, _ = process.communicate(timeout=200)
    assert process.returncode == 0, output + logs(file)
    assert results(file) == undisturbed
    rated = [(entry.block, entry.seating) for entry in entries(file) if entry.rated]
    assert len(rated) == len(set(rated)) == 3 * 15 * 2 + 15 * 6


@pytest.mark.postgres
def test_the_ledger_may_be_in_postgresql(tmp_path: Path) -> None:
    address = os.environ.get("PALIO_TEST_POSTGRES")
    if not address:
        pytest.skip("PALIO_TEST_POSTGRES is not set")
    admin = sa.create_engine(address, isolation_level="AUTOCOMMIT")
    name = f"tournament_{os.getpid()}"
    with admin.connect() as connection:
        connection.execute(sa.text(f"CREATE DATABASE {name}"))
    url = sa.make_url(address).set(database=name).render_as_string(hide_password=False)
    try:
        file = write_tournament(tmp_path, THREE, deals=10)
        process = start(file, "--db", url)
        wait_until(lambda: replays(file) >= 20)
        process.kill()
        process.communicate()
        code, output = run(file, "--db", url)
        assert code == 0, output + logs(file)
        assert len(results(file, url)) == 60
        code, output = palio("standings", str(file), "--db", url, "--json")
        assert code == 0
        assert sum(line["games"] for line in json.loads(output)) == 120
    finally:
        with admin.connect() as connection:
            connection.execute(sa.text(f"DROP DATABASE {name} WITH (FORCE)"))
        admin.dispose()


def test_a_bot_that_crashes_forfeits_is_restarted_and_after_three_in_a_row_withdrawn(tmp_path: Path) -> None:
    bots = {"a": "good", "b": "good", "bad": "crash 1"}
    file = write_tournament(tmp_path, bots, deals=6, policies={"disconnection_grace": 0.5})
    code, output = run(file)
    assert code == 0, output + logs(file)
    assert "bad is withdrawn: it crashed 3 times in a row; the last time it ended with exit code 3" in output
    assert "I cannot go on" in output
    recorded = entries(file)
    faults = [seat for entry in recorded for seat in entry.seats if seat.termination == "FORFEIT_DISCONNECTED"]
    assert faults
    assert {seat.player for seat in faults} == {"bad"}
    assert sum("bad" not in {seat.player for seat in entry.seats} for entry in recorded) == 12
    assert 3 <= sum("bad" in {seat.player for seat in entry.seats} for entry in recorded) < 24
    code, again = run(file)
    assert code == 0
    assert entries(file) == recorded
    assert "bad (withdrawn)" in again


def test_a_bot_that_crashes_now_and_then_stays(tmp_path: Path) -> None:
    """Matches that it finishes in between end the row."""
    bots = {"a": "good", "bad": "crash 25"}
    file = write_tournament(tmp_path, bots, deals=15, policies={"disconnection_grace": 0.5})
    code, output = run(file)
    assert code == 0, output + logs(file)
    assert "withdrawn" not in output
    assert len(results(file)) == 30
    assert output.count("ended with exit code 3") >= 2


def test_in_formats_that_wait_for_every_block_the_others_win_against_the_withdrawn(tmp_path: Path) -> None:
    bots = {"a": "good", "b": "good", "c": "good", "bad": "crash 1"}
    policies = {"disconnection_grace": 0.3}
    file = write_tournament(tmp_path, bots, format="knockout", deals=4, withdraw_after=1, policies=policies)
    code, output = run(file)
    assert code == 0, output + logs(file)
    assert any(entry.ended_by == "withdrawal" for entry in entries(file))


def test_a_bot_over_its_memory_limit_is_stopped_and_the_limit_named(tmp_path: Path) -> None:
    file = write_tournament(
        tmp_path,
        {"a": "good", "hog": "hog 300"},
        deals=3,
        withdraw_after=1,
        limits={"memory_mib": 200},
        policies={"disconnection_grace": 0.3},
        time_control={"per_decision": 20},
        options={"heap": 200},
    )
    code, output = run(file)
    assert code == 0, output + logs(file)
    assert "the limit is 200 (limits.memory_mib)" in output


def test_a_slow_bot_delays_nobody_elses_games(tmp_path: Path) -> None:
    """The three quick bots have finished among themselves before the slow one has finished half of its own."""
    bots = {"slow": "slow 0.15", "a": "good", "b": "good", "c": "good"}
    file = write_tournament(tmp_path, bots, deals=3, concurrency=2)
    code, output = run(file)
    assert code == 0, output + logs(file)
    order = sorted(entries(file), key=lambda entry: entry.ended)
    slow = ["slow" in {seat.player for seat in entry.seats} for entry in order]
    last_quick = len(slow) - 1 - slow[::-1].index(False)
    assert sum(slow[:last_quick]) <= sum(slow) / 2


def test_a_bot_that_never_connects_is_named_and_nothing_is_played(tmp_path: Path) -> None:
    file = write_tournament(tmp_path, {"a": "good", "shy": "mute"}, limits={"startup": 3})
    code, output = run(file)
    assert code == 2
    assert "bot shy did not connect within 3 seconds (limits.startup); it wrote last:\n  | I sit here" in output
    assert entries(file) == []


def test_a_bot_that_ends_at_once_is_named_with_its_last_words(tmp_path: Path) -> None:
    file = write_tournament(tmp_path, {"a": "good", "sick": "broken"})
    code, output = run(file)
    assert code == 2
    assert "bot sick ended with exit code 1 before it was connected; it wrote last:" in output
    assert "  | no such model: weights.bin" in output
    assert "Traceback" not in output


def test_a_port_in_use_is_named_and_nothing_is_played(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        address = f"127.0.0.1:{taken.getsockname()[1]}"
        file = write_tournament(tmp_path, {"a": "good"}, listen=address)
        file.write_text(file.read_text() + '[[bots]]\nname = "far"\nremote = true\n')
        code, output = run(file)
    assert code == 2
    assert f"cannot listen on {address}" in output
    assert "Traceback" not in output
    assert entries(file) == []


def test_a_sandbox_that_is_required_and_not_there_is_an_error(tmp_path: Path) -> None:
    file = write_tournament(tmp_path, {"a": "good", "b": "good"}, sandbox="require")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PATH", str(tmp_path))
        code, output = run(file)
    assert code == 2
    assert 'sandbox: "require" cannot be met: bubblewrap (bwrap) is not installed' in output
    assert not file.with_suffix(".palio").exists()


def test_a_changed_file_is_refused_and_what_differs_is_named(tmp_path: Path) -> None:
    file = write_tournament(tmp_path, {"a": "good", "b": "good"})
    assert run(file)[0] == 0
    file.write_text(file.read_text().replace('seed = "test"', 'seed = "other"'))
    code, output = run(file)
    assert code == 2
    assert 'seed: was "test", is "other"' in output


def test_two_runners_do_not_run_one_tournament(tmp_path: Path) -> None:
    file = write_tournament(tmp_path, {"a": "slow 1", "b": "good"}, deals=20)
    process = start(file)
    wait_until(lambda: (tmp_path / "trial.palio" / "runner.lock").exists())
    time.sleep(0.2)
    code, output = run(file)
    assert code == 2
    assert f"this tournament is being run already, by process {process.pid}" in output
    process.terminate()
    output, _ = process.communicate(timeout=60)
    assert process.returncode == 130
    assert "the same command goes on from here" in output


@pytest.mark.parametrize(
    ("arguments", "code", "text"),
    [
        (["show", "nowhere.toml"], 2, "nowhere.toml: No such file or directory"),
        (["standings", "trial.toml"], 2, "the tournament was not started yet"),
        (["run", "trial.toml", "--db", "mysql://x"], 2, "mysql is not supported"),
        (["run", "trial.toml", "--db", "postgresql://u:pw@127.0.0.1:1/x"], 2, "127.0.0.1"),
        (["run", "trial.toml", "--db", "sqlite:////proc/nowhere/x"], 2, "/proc/nowhere"),
        (["run", "trial.toml", "--dir", "/proc/nowhere"], 2, "/proc/nowhere"),
        (["export", "trial.toml", "--format", "xls"], 2, "--format: 'xls' is not known; allowed are csv, json, trf"),
    ],
)
def test_wrong_commands_are_told_so(
    tmp_path: Path, arguments: list[str], code: int, text: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_tournament(tmp_path, {"a": "good", "b": "good"})
    monkeypatch.chdir(tmp_path)
    got, output = palio(*arguments)
    assert got == code, output
    assert text in output
    assert "Traceback" not in output


def test_results_are_shown_and_exported(tmp_path: Path) -> None:
    file = write_tournament(tmp_path, THREE, deals=2)
    assert run(file)[0] == 0
    shown = palio("show", str(file))[1]
    for title in ("Standings", "Crosstable", "Seats", "Time use"):
        assert title in shown
    assert palio("show", str(file.with_suffix(".palio")))[1] == shown
    versus = palio("show", str(file), "--versus", "a", "b")[1]
    assert "a against b" in versus
    assert "there is no bot 'z'" in palio("show", str(file), "--versus", "a", "z")[1]
    table = palio("export", str(file))[1].splitlines()
    assert len(table) == 1 + 12 * 2
    data = json.loads(palio("export", str(file), "--format", "json")[1])
    assert len(data["attempts"]) == 12
    assert {line["player"] for line in data["standings"]} == {"a", "b", "c"}
    assert palio("export", str(file), "--format", "trf")[1].startswith("012 Trial")
    assert "Elo" in palio("standings", str(file), "--rating", "elo", "--no-forfeits")[1]
    checked = palio("run", str(file), "--check")[1]
    assert "6 blocks, 12 games" in checked


def test_chaos(tmp_path: Path) -> None:
    """For a while something is killed about every second; then the ledger is that of an undisturbed run.

    PALIO_CHAOS_SECONDS makes it longer.
    """
    seconds = float(os.environ.get("PALIO_CHAOS_SECONDS", "20"))
    (tmp_path / "undisturbed").mkdir()
    undisturbed = write_tournament(tmp_path / "undisturbed", THREE, deals=60)
    assert run(undisturbed)[0] == 0
    file = write_tournament(tmp_path, THREE, deals=60)
    rng = random.Random(5)
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        process = start(file)
        while time.monotonic() < end and process.poll() is None:
            time.sleep(rng.uniform(0.3, 1.5))
            below = list(descendants(process.pid))
            target = rng.choice([process.pid, *below])
            kill(target)
        kill(process.pid)
        process.communicate()
    code, output = run(file)
    assert code == 0, output + logs(file)
    assert results(file) == results(undisturbed)


def test_a_remote_bot_is_invited_and_plays(tmp_path: Path) -> None:
    file = write_tournament(tmp_path, {"a": "good"})
    file.write_text(file.read_text() + '[[bots]]\nname = "far"\nremote = true\n')

    async def play() -> tuple[int, str]:
        process = start(file)
        assert process.stdout is not None
        lines = []
        while True:
            line = await asyncio.to_thread(process.stdout.readline)
            lines.append(line)
            if line.startswith("waiting for far: "):
                break
            assert line
        _, server, token = line.strip().rsplit(" ", 2)
        environment = {**os.environ, "PALIO_SERVER": server.split("=")[1], "PALIO_TOKEN": token.split("=")[1]}
        bot = await asyncio.create_subprocess_exec(
            *(sys.executable, "-m", "palio.cli", "bot", "run", "random"), env=environment
        )
        output, _ = await asyncio.to_thread(process.communicate, timeout=60)
        bot.kill()
        await bot.wait()
        return process.returncode, "".join(lines) + output

    code, output = asyncio.run(play())
    assert code == 0, output
    assert len(results(file)) == 2
