"""Tournaments on a Ray cluster: the same ledger as on one machine, whatever is lost in between."""

from __future__ import annotations

import shutil
import socket
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path

import pytest
from tests.support import tourney
from tests.support.ray_cluster import TwoNodes, two_nodes
from tests.support.tourney import BOT, entries, kill, logs, palio, results, start, write_tournament

from palio.files.settings import ConfigError
from palio.tournament.cluster.messages import Job, NoStart, Order, Played, job_of
from palio.tournament.cluster.worker import BlockWorker, survey
from palio.tournament.config import load_tournament
from palio.tournament.plan import make_schedule

THREE = {"a": "good", "b": "good", "c": "good"}
pytestmark = pytest.mark.timeout(1800)
"""Starting a cluster, its workers and their bots takes seconds on a quiet machine and minutes on a busy one."""

DEALS = 6
GAMES = 3 * DEALS * 2 + DEALS * 6
needs_ray = pytest.mark.skipif(
    find_spec("ray") is None, reason="Ray is not installed; pip install 'palio[ray]' brings it"
)


def run(file: Path) -> tuple[int, str]:
    return tourney.run(file, timeout=900)


def wait_until(condition: Callable[[], bool], seconds: float = 900) -> None:
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.02)


def replays(file: Path) -> int:
    return len(list((file.with_suffix(".palio") / "server" / "replays").glob("*.replay")))


@pytest.fixture(scope="module")
def cluster() -> Iterator[TwoNodes]:
    with two_nodes() as nodes:
        yield nodes


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory: pytest.TempPathFactory) -> dict[tuple[int, int], object]:
    """The results of the same tournament played by the local engine."""
    file = write_tournament(tmp_path_factory.mktemp("undisturbed"), THREE, deals=DEALS, players=[2, 3])
    assert run(file)[0] == 0
    return results(file)


def complete(file: Path) -> bool:
    rated = [(entry.block, entry.seating) for entry in entries(file) if entry.rated]
    return len(rated) == len(set(rated)) == GAMES == replays(file)


@pytest.mark.slow
@needs_ray
def test_killed_and_started_again_the_runner_plays_exactly_the_missing_games(
    tmp_path: Path, cluster: TwoNodes, undisturbed: dict[tuple[int, int], object]
) -> None:
    file = write_tournament(
        tmp_path, THREE, deals=DEALS, players=[2, 3], engine="ray", ray={"address": cluster.address}
    )
    for goal in (10, 40):
        process = start(file)
        wait_until(lambda goal=goal, process=process: replays(file) >= goal or process.poll() is not None)  # type: ignore[misc]
        assert process.poll() is None, process.communicate()[0]
        kill(process.pid)
        process.communicate()
        recorded = entries(file)
        assert recorded
    code, output = run(file)
    assert code == 0, output + logs(file)
    assert results(file) == undisturbed
    assert complete(file)
    assert {entry.match_id: entry for entry in recorded}.items() <= {e.match_id: e for e in entries(file)}.items()
    code, again = run(file)
    assert code == 0
    assert "the cluster has room" not in again


@pytest.mark.slow
@needs_ray
def test_when_a_node_is_lost_its_blocks_are_played_by_the_others(
    tmp_path: Path, cluster: TwoNodes, undisturbed: dict[tuple[int, int], object]
) -> None:
    bots = dict.fromkeys(THREE, "slow 0.03")  # so that the second worker comes in time
    file = write_tournament(tmp_path, bots, deals=DEALS, players=[2, 3], engine="ray", ray={"address": cluster.address})
    process = start(file)
    assert process.stdout is not None
    output = ""
    while "2 workers can play" not in output:
        line = process.stdout.readline()
        assert line, output
        output += line
    before = replays(file)
    wait_until(lambda: replays(file) >= before + 4 or process.poll() is not None)
    assert process.poll() is None, process.communicate()[0]
    cluster.kill_one()
    output += process.communicate(timeout=900)[0]
    cluster.add_one()
    assert process.returncode == 0, output + logs(file)
    assert "is lost; what it had not finished is played by another one" in output
    assert "Raylet" not in output
    assert results(file) == undisturbed
    assert complete(file)


@pytest.mark.slow
@needs_ray
def test_bots_that_are_uploaded_play_and_files_that_are_not_are_named(tmp_path: Path, cluster: TwoNodes) -> None:
    """Ray leaves out of an upload what .gitignore names, which nobody expects."""
    bots = tmp_path / "bots"
    bots.mkdir()
    shutil.copy(BOT, bots / "mine.py")
    (bots / ".gitignore").write_text("mine.py\n")
    file = write_tournament(tmp_path, {}, engine="ray", ray={"address": cluster.address, "upload": "bots"})
    lines = [f'[[bots]]\nname = "{name}"\ncwd = "bots"\ncommand = "{sys.executable} mine.py good"' for name in "ab"]
    file.write_text("\n".join([file.read_text(), *lines]))
    code, output = run(file)
    assert code == 2
    assert "bots[0].command: on node" in output
    assert "a: there is no file" in output
    assert entries(file) == []
    (bots / ".gitignore").unlink()
    code, output = run(file)
    assert code == 0, output + logs(file)
    assert len(results(file)) == 2


@pytest.mark.slow
@needs_ray
def test_a_bot_that_does_not_come_up_is_named_and_nothing_is_played(tmp_path: Path, cluster: TwoNodes) -> None:
    bots = {"a": "good", "sick": "broken"}
    file = write_tournament(tmp_path, bots, engine="ray", ray={"address": cluster.address})
    code, output = run(file)
    assert code == 2
    assert "bot sick ended with exit code 1 before it was connected; it wrote last:" in output
    assert "  | no such model: weights.bin" in output
    assert "Traceback" not in output
    assert entries(file) == []


@pytest.mark.slow
@needs_ray
def test_a_bot_that_crashes_is_withdrawn_on_a_cluster_too(tmp_path: Path, cluster: TwoNodes) -> None:
    bots = {"a": "good", "b": "good", "bad": "crash 1"}
    file = write_tournament(
        tmp_path,
        bots,
        deals=6,
        engine="ray",
        ray={"address": cluster.address, "workers": 1},
        policies={"disconnection_grace": 0.5},
    )
    code, output = run(file)
    assert code == 0, output + logs(file)
    assert "bad is withdrawn: it crashed 3 times in a row; the last time it ended with exit code 3" in output
    recorded = entries(file)
    assert sum("bad" not in {seat.player for seat in entry.seats} for entry in recorded) == 12
    assert (tmp_path / "trial.palio" / "logs" / "worker-1" / "bad.1.log").read_text().count("I cannot go on") >= 3


@needs_ray
def test_an_address_where_no_cluster_answers_is_named(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
    file = write_tournament(tmp_path, THREE, engine="ray", ray={"address": f"127.0.0.1:{port}"})
    code, output = palio("run", str(file))
    assert code == 2
    assert f"ray.address: no cluster answers at 127.0.0.1:{port}: Connection refused" in output


def test_without_ray_the_extra_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("palio.tournament.config.find_spec", lambda _: None)
    file = write_tournament(tmp_path, THREE, engine="ray")
    with pytest.raises(ConfigError, match=r"engine: \"ray\" needs more than is installed; pip install 'palio\[ray\]'"):
        load_tournament(file)


@pytest.mark.parametrize(
    ("keys", "text"),
    [
        ({"engine": "local", "ray": {"cpus": 2}}, 'ray: only the engine "ray" has a cluster'),
        ({"ray": {"address": "ray://head:10001"}}, "ray.address: results cannot be streamed through Ray's client"),
        (
            {"ray": {"address": "somewhere"}},
            "ray.address: 'somewhere' is not allowed; allowed: auto, local or host",
        ),
        ({"ray": {"workers": 0}}, "ray.workers: input should be greater than or equal to 1"),
        ({"ray": {"nodes": 3}}, "ray.nodes: unknown key"),
        ({"ray": {"upload": "nowhere"}}, "ray.upload: there is no directory"),
        ({"concurrency": 3}, "concurrency: on a cluster ray.workers says how many blocks"),
        ({"listen": "127.0.0.1:7000"}, "listen: on a cluster each worker has a server of its own"),
    ],
)
def test_what_does_not_go_with_a_cluster_is_named(
    tmp_path: Path, keys: dict[str, object], text: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("palio.tournament.config.find_spec", lambda _: object())
    file = write_tournament(tmp_path, THREE, **({"engine": "ray"} | keys))
    with pytest.raises(ConfigError) as caught:
        load_tournament(file)
    assert text in str(caught.value)


def test_remote_bots_do_not_go_with_a_cluster(tmp_path: Path) -> None:
    file = write_tournament(tmp_path, {"a": "good"}, engine="ray")
    file.write_text(file.read_text() + '[[bots]]\nname = "far"\nremote = true\n')
    with pytest.raises(ConfigError, match=r"bots\[1\].remote: far could not know to which node to connect"):
        load_tournament(file)


# --- the worker, without Ray ---


def job(file: Path) -> Job:
    config = load_tournament(file)
    return job_of(make_schedule(config, "test").terms, file)


def test_a_machine_without_the_bots_says_what_is_missing(tmp_path: Path) -> None:
    file = write_tournament(tmp_path, {"a": "good"})
    file.write_text(file.read_text() + '[[bots]]\nname = "b"\ncommand = "sh bot.sh"\n')
    (tmp_path / "bot.sh").write_text("exit")
    whole = job(file)
    assert survey(whole).problems == []
    (tmp_path / "bot.sh").unlink()
    assert [problem.message for problem in survey(whole).problems] == [f"b: there is no file {tmp_path / 'bot.sh'}"]
    found = survey(replace(whole, folder=Path("/nowhere"), versions=("0", 0))).problems
    assert [problem.field for problem in found] == ["engine", "engine", "bots[0].cwd", "bots[1].cwd", "bots[1].command"]


@pytest.mark.slow
def test_a_worker_plays_what_of_a_block_is_missing(tmp_path: Path) -> None:
    file = write_tournament(tmp_path, THREE, players=3, deals=2)
    assert run(file)[0] == 0
    expected = results(file)
    schedule = make_schedule(load_tournament(file), "test")
    worker = BlockWorker(job_of(schedule.terms, file))
    try:
        assert worker.open(rehearse=True) is None
        found = {}
        for block, seatings in zip(schedule.format.blocks({}), ((0, 1, 2, 3, 4, 5), (2, 5)), strict=True):
            order = Order(block, tuple((number, 4) for number in seatings), frozenset())
            for news in worker.play(order):
                assert isinstance(news, Played)
                assert news.entry.attempt == 4
                found[news.entry.block, news.entry.seating] = news.entry.replay_digest
    finally:
        written = worker.close()
    assert found.keys() == {(0, number) for number in range(6)} | {(1, 2), (1, 5)}
    assert {"server.log", "a.1.log", "b.1.log", "c.1.log"} <= written.keys()
    assert expected.keys() >= found.keys()


@pytest.mark.slow
def test_a_worker_says_which_bot_does_not_come_up(tmp_path: Path) -> None:
    file = write_tournament(tmp_path, {"a": "good", "sick": "broken"})
    worker = BlockWorker(job(file))
    try:
        absent = worker.open(rehearse=True)
        assert isinstance(absent, NoStart)
        assert absent.bot == "sick"
        assert "no such model: weights.bin" in absent.text
        block = make_schedule(load_tournament(file), "test").format.blocks({})[0]
        news = list(worker.play(Order(block, ((0, 1),), frozenset())))
        assert [type(one) for one in news] == [NoStart]
        assert list(worker.play(Order(block, ((0, 1),), frozenset({"sick"})))) == []
    finally:
        worker.close()
