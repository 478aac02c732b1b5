"""The sandbox: bubblewrap where it works, and plain words about what is missing where it does not.

Inside: no network but the directory with the server's socket, a read-only file system with an empty ``/tmp`` and
``/run``, the tournament's directory hidden (its journals hold the seeds of running matches), and a process namespace
of its own, so that nothing a bot starts outlives it.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

_ISOLATION: Final = ("--unshare-all", "--die-with-parent", "--new-session")
_BASE: Final = ("--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc", "--tmpfs", "/tmp", "--tmpfs", "/run")  # noqa: S108
_EMPTIED: Final = ("/tmp/", "/run/")  # noqa: S108
MISSING: Final = (
    "bots run unconfined: they can use the network, read and write this user's files (the journals with the seeds of "
    "running matches too) and leave processes behind"
)


@dataclass(frozen=True, slots=True)
class Sandbox:
    """How to start a program in isolation.

    Attributes:
        program: path of ``bwrap``; ``None`` means without.
        missing: what is not enforced then, for people; empty with a sandbox.
    """

    program: str | None
    missing: str = ""

    def wrap(
        self, command: Sequence[str], *, cwd: Path, hidden: Sequence[Path] = (), visible: Sequence[Path] = ()
    ) -> list[str]:
        """The command line that runs ``command`` isolated; the command itself where there is no sandbox.

        Args:
            cwd: working directory, readable inside.
            hidden: directories that are empty inside.
            visible: directories that are readable inside although they lie in a hidden one.
        """
        if self.program is None:
            return list(command)
        arguments = [self.program, *_ISOLATION, *_BASE, "--ro-bind", str(cwd), str(cwd)]
        for folder in _shadowed(command):
            arguments += ["--ro-bind", folder, folder]
        for path in hidden:
            arguments += ["--tmpfs", str(path)]
        for path in visible:
            arguments += ["--ro-bind", str(path), str(path)]
        return [*arguments, "--chdir", str(cwd), "--", *command]


def _shadowed(command: Sequence[str]) -> list[str]:
    """Directories that the empty ``/tmp`` and ``/run`` would hide although the program needs them.

    Those of the command's files, the whole tree if that has a ``bin``; and this Python's own, for a clone in ``/tmp``.
    """
    needed = [Path(sys.prefix), *map(Path, sys.path)]
    for word in command:
        path = Path(word)
        if path.is_absolute() and path.exists():
            folder = path.parent if path.is_file() else path
            needed.append(folder.parent if folder.name == "bin" else folder)
    found: list[str] = []
    for path in needed:
        folder_text = str(path)
        if folder_text.startswith(_EMPTIED) and path.is_dir() and folder_text not in found:
            found.append(folder_text)
    return found


def find_sandbox() -> Sandbox:
    """The sandbox of this machine, tried out once."""
    program = shutil.which("bwrap")
    if program is None:
        return Sandbox(None, f"bubblewrap (bwrap) is not installed, so {MISSING}")
    trial = [program, *_ISOLATION, *_BASE, "--", "true"]
    try:
        result = subprocess.run(trial, capture_output=True, text=True, timeout=10, check=False)
    except (OSError, subprocess.TimeoutExpired) as error:
        return Sandbox(None, f"bubblewrap does not work here ({error}), so {MISSING}")
    if result.returncode:
        reason = result.stderr.strip().splitlines()[-1:] or [f"exit {result.returncode}"]
        return Sandbox(None, f"bubblewrap does not work here ({reason[0]}), so {MISSING}")
    return Sandbox(program)
