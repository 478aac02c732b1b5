"""``palio serve`` as a process of its own, which tests may kill."""

from __future__ import annotations

import asyncio
import json
import signal
import subprocess
import sys
import time
from pathlib import Path

START_WITHIN = 120.0


class ServerProcess:
    """A server in open local mode, or with tokens.

    Args:
        data: its data directory; a restart uses it again.
        arguments: further ones of ``palio serve``.
        tokens: whether bots need one.
    """

    def __init__(self, data: Path, *arguments: str, tokens: bool = False) -> None:
        self._data = data
        self._arguments = (*arguments, "--tokens" if tokens else "--open")
        self._process: subprocess.Popen[bytes] | None = None
        self.address = "127.0.0.1:0"

    def start(self) -> str:
        """Start it, on the port that it had before if it was running once. Returns the address."""
        self._data.mkdir(parents=True, exist_ok=True)
        ready = self._data / "ready.json"
        ready.unlink(missing_ok=True)
        log = (self._data / "server.log").open("ab")
        command = [sys.executable, "-m", "palio.cli", "serve", "--listen", self.address]
        command += ["--data", str(self._data), "--ready-file", str(ready), *self._arguments]
        self._process = subprocess.Popen(command, stdout=log, stderr=log)
        deadline = time.monotonic() + START_WITHIN
        while not ready.exists():
            if self._process.poll() is not None or time.monotonic() > deadline:
                raise RuntimeError(f"the server did not start:\n{(self._data / 'server.log').read_text()}")
            time.sleep(0.02)
        self.address = json.loads(ready.read_text())["address"]
        return self.address

    async def start_async(self) -> str:
        return await asyncio.to_thread(self.start)

    @property
    def pid(self) -> int:
        assert self._process is not None
        return self._process.pid

    @property
    def log(self) -> str:
        """What it wrote so far, in all its lives."""
        return (self._data / "server.log").read_text()

    def workers(self) -> list[int]:
        """Process ids of its workers, in no order."""
        tasks = Path(f"/proc/{self.pid}/task").iterdir()
        children = [int(child) for task in tasks for child in (task / "children").read_text().split()]
        return [child for child in children if b"front.worker" in Path(f"/proc/{child}/cmdline").read_bytes()]

    def signal(self, number: signal.Signals) -> None:
        assert self._process is not None
        self._process.send_signal(number)

    def kill(self) -> None:
        """SIGKILL, and wait until it is gone."""
        if self._process is not None:
            self._process.kill()
            self._process.wait()

    def terminate(self) -> int:
        """SIGTERM, and wait until it is gone. Returns its exit code."""
        assert self._process is not None
        self._process.terminate()
        return self._process.wait(timeout=START_WITHIN)
