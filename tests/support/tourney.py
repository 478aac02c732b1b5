"""Tournaments run as a user runs them: ``palio tournament run`` as a process, which tests may kill."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

from palio.tournament.ledger import Entry, open_ledger

BOT = str(Path(__file__).with_name("testbot.py"))
TIMEOUT = 240


def write_tournament(folder: Path, bots: Mapping[str, str], **keys: object) -> Path:
    """A tournament file of the plug-in game.

    Args:
        bots: for each name the arguments of ``testbot.py``.
        keys: further keys of the file; a dictionary becomes a table.
    """
    settings = {"name": "Trial", "game": "sticks", "seed": "test", "sandbox": "off", **keys}
    lines = [f"{key} = {json.dumps(value)}" for key, value in settings.items() if not isinstance(value, dict)]
    for key, value in settings.items():
        if isinstance(value, dict):
            lines += [f"[{key}]", *(f"{name} = {json.dumps(inner)}" for name, inner in value.items())]
    for name, arguments in bots.items():
        command = [sys.executable, BOT, *arguments.split()]
        lines += ["[[bots]]", f"name = {json.dumps(name)}", f"command = {json.dumps(command)}"]
    file = folder / "trial.toml"
    file.write_text("\n".join(lines) + "\n")
    return file


def start(file: Path, *arguments: str) -> subprocess.Popen[str]:
    """Start the runner and leave it running."""
    return subprocess.Popen(
        [sys.executable, "-m", "palio.cli", "tournament", "run", str(file), "--plain", *arguments],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )


def run(file: Path, *arguments: str, timeout: float = TIMEOUT) -> tuple[int, str]:
    """Run to the end: exit code and everything printed."""
    process = start(file, *arguments)
    try:
        output, _ = process.communicate(timeout=timeout)
    except subprocess.TimeoutExpired:
        process.kill()
        output, _ = process.communicate()
        raise AssertionError(f"the runner hangs; it printed:\n{output}\n{logs(file)}") from None
    return process.returncode, output


def palio(*arguments: str) -> tuple[int, str]:
    """Any command of ``palio tournament``."""
    done = subprocess.run(
        [sys.executable, "-m", "palio.cli", "tournament", *arguments],
        capture_output=True,
        text=True,
        timeout=TIMEOUT,
        check=False,
    )
    return done.returncode, done.stdout + done.stderr


def entries(file: Path, database: str | None = None) -> list[Entry]:
    """What the ledger has."""
    folder = file.with_suffix(".palio")
    ledger = open_ledger(database or f"sqlite:///{folder / 'ledger.sqlite3'}", "trial")
    try:
        return ledger.entries()
    finally:
        ledger.close()


def results(file: Path, database: str | None = None) -> dict[tuple[int, int], object]:
    """For each seating with a rated result: ranks, terminations and the digest of the replay."""
    return {
        (entry.block, entry.seating): (
            tuple((seat.player, seat.rank, seat.termination) for seat in entry.seats),
            entry.replay_digest,
        )
        for entry in entries(file, database)
        if entry.rated
    }


def logs(file: Path) -> str:
    """The last of what every process wrote."""
    folder = file.with_suffix(".palio") / "logs"
    return "\n".join(f"== {path.name}\n{path.read_text()[-2000:]}" for path in sorted(folder.glob("*")))


def descendants(pid: int) -> dict[int, str]:
    """All processes below one, with their command lines."""
    parents: dict[int, int] = {}
    for path in Path("/proc").glob("[0-9]*/stat"):
        try:
            line = path.read_text()
        except OSError:
            continue
        parents[int(path.parent.name)] = int(line[line.rindex(")") + 2 :].split()[1])
    found: dict[int, str] = {}
    queue = [pid]
    while queue:
        parent = queue.pop()
        for child, its_parent in parents.items():
            if its_parent == parent and child not in found:
                queue.append(child)
                found[child] = command_line(child)
    return found


def command_line(pid: int) -> str:
    """Empty for a process that is gone."""
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes().replace(b"\0", b" ").decode()
    except OSError:
        return ""


def kill(pid: int) -> None:
    """SIGKILL, if it is still there."""
    try:
        os.kill(pid, signal.SIGKILL)
    except ProcessLookupError:
        return
