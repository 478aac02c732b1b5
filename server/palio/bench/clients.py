"""The random bot of each SDK against one server: decisions a second, beside the echo of the same run.

Two processes of the bot play each other; each declares as many matches at once as it does by default. The bots must
have been built (``make clients``); a language that was not is left out by name.
"""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Final, NamedTuple

from palio.bench.server import cpu_seconds, host, side_of_echo

COMMANDS: Final = {
    "python": ("{python}", "-m", "palio.cli", "bot", "run", "random"),
    "typescript": ("node", "typescript/dist/src/bots/random.js"),
    "go": ("go/bin/random",),
    "java": ("java/bin/random",),
    "rust": ("rust/target/release/examples/random",),
    "cpp": ("cpp/build/random",),
}
"""How the random bot of each language is started, from ``clients/``."""

_START_WITHIN: Final = 60.0
_WARM_UP: Final = 2.0


class Language(NamedTuple):
    """What was measured for one SDK.

    Attributes:
        built: whether its bot is there.
        decisions: a second, both bots together.
        ratio: to the echo's messages a second.
        bot_cpu_us: processor time of the two bots per decision, in microseconds.
    """

    name: str
    built: bool
    decisions: float
    ratio: float
    bot_cpu_us: float


def measure(clients: Path, seconds: float, matches: int = 8) -> list[Language]:
    """Every language, one after the other.

    Args:
        clients: the folder of that name in a checkout.
        matches: at once between the two bots.
    """
    echo = side_of_echo(2, matches, seconds, 16, 565)
    return [_language(clients, name, command, seconds, matches, echo.load.rate) for name, command in COMMANDS.items()]


def _language(
    clients: Path, name: str, command: tuple[str, ...], seconds: float, matches: int, echo: float
) -> Language:
    program = [part.format(python=sys.executable) for part in command]
    if not _built(clients, program):
        return Language(name, False, 0.0, 0.0, 0.0)
    with tempfile.TemporaryDirectory() as folder:
        arguments = ["arena", "fidelitas", "2", "2", str(matches), folder]
        with host(arguments, Path(folder)) as (address, _):
            bots = [_start(clients, program, address, f"p{seat}", Path(folder)) for seat in range(2)]
            try:
                _wait_for_the_first(Path(folder))
                begin, cpu = _choices(Path(folder)), sum(cpu_seconds(bot.pid) for bot in bots)
                time.sleep(seconds)
                end, cpu = _choices(Path(folder)), sum(cpu_seconds(bot.pid) for bot in bots) - cpu
            finally:
                for bot in bots:
                    bot.send_signal(signal.SIGKILL)
                    bot.wait()
    decisions = (end[1] - begin[1]) / (end[0] - begin[0])
    return Language(name, True, decisions, decisions / echo, 1e6 * cpu / max(1.0, end[1] - begin[1]))


def _built(clients: Path, program: list[str]) -> bool:
    first = program[0] if len(program) == 1 else program[1]
    return first == "-m" or ((clients / first).exists() and (len(program) == 1 or shutil.which(program[0]) is not None))


def _start(clients: Path, program: list[str], address: str, name: str, logs: Path) -> subprocess.Popen[bytes]:
    environment = {**os.environ, "PALIO_SERVER": address, "PALIO_TOKEN": "", "PALIO_BOT_NAME": name}
    log = (logs / f"{name}.log").open("wb")
    resolved = [str(clients / part) if "/" in part and not part.startswith("/") else part for part in program]
    return subprocess.Popen(resolved, env=environment, stdout=log, stderr=log)


def _wait_for_the_first(folder: Path) -> None:
    deadline = time.monotonic() + _START_WITHIN
    while _choices(folder)[1] == 0 and time.monotonic() < deadline:
        time.sleep(0.1)
    time.sleep(_WARM_UP)


def _choices(folder: Path) -> tuple[float, float]:
    """The last line that the host wrote: seconds, and choices until then."""
    moment, choices = (folder / "choices").read_text().splitlines()[-1].split()
    return float(moment), float(choices)
