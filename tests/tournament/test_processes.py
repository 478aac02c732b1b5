"""Started programs: their output, limits, sandbox, and that nothing of them is left."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from palio.tournament.processes import Child, ExitReport, Launch, Limits, find_sandbox
from palio.tournament.processes.lastwords import LastWords
from palio.tournament.processes.limits import MIB, Usage, usage_of

SANDBOX = find_sandbox()
needs_bubblewrap = pytest.mark.skipif(SANDBOX.program is None, reason="bubblewrap does not work here")


def launch(tmp_path: Path, *command: str, **fields: object) -> Launch:
    return Launch("bot", command, tmp_path, tmp_path / "bot.log", **fields)  # type: ignore[arg-type]


def python(code: str) -> tuple[str, str, str]:
    return sys.executable, "-c", code


async def ended(child: Child) -> ExitReport:
    return await asyncio.wait_for(child.wait(), 30)


async def says(child: Child, word: str) -> None:
    """Wait until it has written that, and nothing else."""
    async with asyncio.timeout(30):
        while child.tail() != [word]:  # noqa: ASYNC110 - a program tells nobody when it writes
            await asyncio.sleep(0.02)


def alive(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


@pytest.fixture
def listening_port() -> Iterator[int]:
    """A port of the host on which somebody listens."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        yield server.getsockname()[1]


def eventually(condition: Callable[[], bool]) -> bool:
    deadline = time.monotonic() + 20
    while not condition():
        if time.monotonic() > deadline:
            return False
        time.sleep(0.02)
    return True


async def test_its_output_and_exit_code_are_kept(tmp_path: Path) -> None:
    code = "import sys; print('out'); print('err', file=sys.stderr); sys.exit(7)"
    report = await ended(await Child.start(launch(tmp_path, *python(code))))
    assert (report.code, str(report)) == (7, "ended with exit code 7")
    assert sorted(report.tail) == ["err", "out"]
    assert (tmp_path / "bot.log").read_text().endswith("-- ended with exit code 7\n")


async def test_its_environment_is_added_to_the_runners(tmp_path: Path) -> None:
    code = "import os; print(os.environ['PALIO_TOKEN'], 'PATH' in os.environ)"
    child = await Child.start(launch(tmp_path, *python(code), environment={"PALIO_TOKEN": "t0"}))
    assert (await ended(child)).tail == ("t0 True",)


async def test_a_program_that_is_not_there_is_told_by_its_report(tmp_path: Path) -> None:
    report = await ended(await Child.start(launch(tmp_path, "/no/such/program")))
    assert str(report) == "could not be started"
    assert report.tail == ("cannot start /no/such/program: No such file or directory",)


async def test_a_signal_is_named(tmp_path: Path) -> None:
    child = await Child.start(launch(tmp_path, "sleep", "600"))
    os.kill(child.pid, signal.SIGKILL)
    assert str(await ended(child)) == "was killed by SIGKILL"


async def test_the_reason_for_which_it_was_killed_is_told(tmp_path: Path) -> None:
    child = await Child.start(launch(tmp_path, "sleep", "600"))
    child.kill("used 700 MiB of memory; the limit is 512 (limits.memory_mib)")
    child.kill("something later")
    report = await ended(child)
    assert str(report) == "used 700 MiB of memory; the limit is 512 (limits.memory_mib)"


async def test_stop_gives_it_time_and_then_kills(tmp_path: Path) -> None:
    deaf = (
        "import signal, time; signal.signal(signal.SIGTERM, signal.SIG_IGN); print('deaf', flush=True); time.sleep(600)"
    )
    child = await Child.start(launch(tmp_path, *python(deaf)))
    await says(child, "deaf")
    assert (await child.stop(0.2)).code == -signal.SIGKILL
    polite = await Child.start(launch(tmp_path, "sleep", "600"))
    assert (await polite.stop(30)).code == -signal.SIGTERM


async def test_what_it_started_in_its_process_group_dies_with_it(tmp_path: Path) -> None:
    code = "import subprocess; print(subprocess.Popen(['sleep', '600']).pid)"
    report = await ended(await Child.start(launch(tmp_path, *python(code))))
    assert eventually(lambda: not alive(int(report.tail[0])))


def test_it_dies_with_a_runner_that_is_killed(tmp_path: Path) -> None:
    runner = f"""
import asyncio
from pathlib import Path
from palio.tournament.processes import Child, Launch
async def main():
    child = await Child.start(Launch("bot", ["sleep", "600"], Path("."), Path({str(tmp_path / "log")!r})))
    print(child.pid, flush=True)
    await child.wait()
asyncio.run(main())
"""
    process = subprocess.Popen([sys.executable, "-c", runner], stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    pid = int(process.stdout.readline())
    assert alive(pid)
    process.kill()
    process.wait()
    process.stdout.close()
    assert eventually(lambda: not alive(pid))


async def test_limits_of_the_kernel_are_set(tmp_path: Path) -> None:
    code = "import resource as r; print(r.getrlimit(r.RLIMIT_CORE)[1], r.getrlimit(r.RLIMIT_CPU)[1])"
    limits = Limits(memory_mib=64, cpu_seconds=5)
    child = await Child.start(launch(tmp_path, *python(code), rlimits=limits.rlimits()))
    assert (await ended(child)).tail == ("0 7",)


async def test_the_use_of_a_whole_tree_of_processes_is_measured(tmp_path: Path) -> None:
    code = """
import subprocess, sys, time
if len(sys.argv) == 1:
    hoard = bytearray(60 << 20)
    inner = "import time; x = bytearray(50 << 20); print('ready', flush=True); time.sleep(600)"
    subprocess.Popen([sys.executable, "-c", inner])
    time.sleep(600)
"""
    child = await Child.start(launch(tmp_path, *python(code)))
    await says(child, "ready")
    usage = usage_of([child.pid, 2**22 + 1])
    assert list(usage) == [child.pid]
    assert usage[child.pid].processes == 2
    assert usage[child.pid].memory > 110 * MIB
    assert usage[child.pid].cpu > 0
    child.kill("enough")
    await child.wait()


@pytest.mark.parametrize(
    ("usage", "text"),
    [
        (Usage(1, 101 * MIB, 0), "used 101 MiB of memory; the limit is 100 (limits.memory_mib)"),
        (Usage(4, 0, 0), "had 4 processes; the limit is 3 (limits.processes)"),
        (Usage(1, 0, 11.2), "used 11 s of CPU time; the limit is 10 (limits.cpu_seconds)"),
        (Usage(3, 100 * MIB, 10), None),
    ],
)
def test_what_exceeds_a_limit_is_named(usage: Usage, text: str | None) -> None:
    assert usage.excess(Limits(memory_mib=100, processes=3, cpu_seconds=10)) == text
    assert usage.excess(Limits()) is None


def test_output_is_kept_within_bounds(tmp_path: Path) -> None:
    path = tmp_path / "log"
    words = LastWords(path, max_bytes=1000)
    for number in range(500):
        words.write(f"line {number}\n".encode())
    words.write(b"unfinished")
    assert path.stat().st_size <= 1000
    assert path.with_name("log.old").stat().st_size <= 1000
    assert words.tail(2) == ["line 499", "unfinished"]
    assert len(words.tail()) == 20
    words.close()


def test_output_cannot_play_with_the_terminal(tmp_path: Path) -> None:
    words = LastWords(tmp_path / "log")
    words.write(b"\x1b[31mred\x07 \xff\n" + b"x" * 5000 + b"\n")
    red, long = words.tail()
    assert red == "\\x1b[31mred\\x07 �"
    assert len(long) == 400
    words.close()


@needs_bubblewrap
async def test_in_the_sandbox_there_is_no_network_and_nothing_can_be_written(
    tmp_path: Path, listening_port: int
) -> None:
    secret, work = tmp_path / "run", tmp_path / "work"
    (secret / "socket").mkdir(parents=True)
    (secret / "journal").write_text("seeds")
    (secret / "socket" / "here").touch()
    work.mkdir()
    (work / "model.txt").write_text("weights")
    code = f"""
import json, os, socket
def refused(act):
    try:
        act()
    except OSError:
        return True
    return False
print(json.dumps({{
    "interfaces": [name for _, name in socket.if_nameindex()],
    "no_connection": refused(lambda: socket.create_connection(("127.0.0.1", {listening_port}), 1)),
    "no_write": refused(lambda: open({str(work / "new")!r}, "w")) and refused(lambda: open("/etc/x", "w")),
    "model": open("model.txt").read(),
    "hidden": os.listdir({str(secret)!r}),
    "socket": os.listdir({str(secret / "socket")!r}),
    "processes": len([name for name in os.listdir("/proc") if name.isdigit()]),
    "tmp": refused(lambda: open("/tmp/x", "w")),
}}))
"""
    wrapped = SANDBOX.wrap(python(code), cwd=work, hidden=[secret], visible=[secret / "socket"])
    report = await ended(await Child.start(launch(tmp_path, *wrapped)))
    assert report.code == 0, report.tail
    assert json.loads(report.tail[-1]) == {
        "interfaces": ["lo"],
        "no_connection": True,
        "no_write": True,
        "model": "weights",
        "hidden": ["socket"],
        "socket": ["here"],
        "processes": 2,
        "tmp": False,
    }


@needs_bubblewrap
async def test_nothing_that_a_sandboxed_program_starts_outlives_it(tmp_path: Path) -> None:
    marker = f"6{os.getpid()}"
    code = f"""
import subprocess, time
subprocess.Popen(["sleep", "{marker}"], start_new_session=True)
print("started", flush=True)
time.sleep(600)
"""
    child = await Child.start(launch(tmp_path, *SANDBOX.wrap(python(code), cwd=tmp_path)))
    await says(child, "started")
    assert _running(marker) == 1
    child.kill("enough")
    await ended(child)
    assert eventually(lambda: _running(marker) == 0)


def _running(argument: str) -> int:
    count = 0
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            count += path.read_bytes().split(b"\0")[:2] == [b"sleep", argument.encode()]
        except OSError:
            continue
    return count


def test_without_bubblewrap_the_command_stays_as_it_is_and_what_is_missing_is_said(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    found = find_sandbox()
    assert found.program is None
    assert found.missing.startswith("bubblewrap (bwrap) is not installed, so bots run unconfined: they can use the net")
    assert found.wrap(["./bot"], cwd=tmp_path, hidden=[tmp_path]) == ["./bot"]


def test_a_bubblewrap_that_does_not_work_is_told_with_its_reason(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    fake = tmp_path / "bwrap"
    fake.write_text("#!/bin/sh\necho 'No permissions to create a new namespace' >&2\nexit 1\n")
    fake.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:/bin:/usr/bin")
    assert "No permissions to create a new namespace" in find_sandbox().missing


@needs_bubblewrap
async def test_a_clone_in_tmp_is_visible_although_tmp_is_empty_inside(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """An editable installation below /tmp: its interpreter, its source roots, and nothing else there."""
    clone, work, other = tmp_path / "clone", tmp_path / "work", tmp_path / "other"
    for folder in (clone / "bin", clone / "server", work, other):
        folder.mkdir(parents=True)
    (clone / "server" / "palio_trial.py").write_text("print('found')")
    program = clone / "bin" / "program"
    program.write_text(f"#!/bin/sh\nls {tmp_path}\nexec {sys.executable} -c 'import palio_trial'\n")
    program.chmod(0o755)
    monkeypatch.syspath_prepend(str(clone / "server"))
    monkeypatch.setenv("PYTHONPATH", str(clone / "server"))
    child = await Child.start(launch(tmp_path, *SANDBOX.wrap([str(program)], cwd=work)))
    assert (await ended(child)).tail == ("clone", "work", "found")
