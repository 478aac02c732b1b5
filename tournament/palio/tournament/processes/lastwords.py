"""What a program wrote, kept within bounds: two files of bounded size, and the last lines in memory."""

from __future__ import annotations

from collections import deque
from pathlib import Path
from typing import Final

MAX_BYTES: Final = 1 << 20
TAIL_LINES: Final = 20
MAX_LINE: Final = 400


class LastWords:
    """Takes in output as it comes.

    Args:
        path: the file to append to. When it reaches ``max_bytes`` it becomes ``<path>.old`` and a new one begins, so
            that a program that never stops talking fills no disk and its last words are always there.
    """

    def __init__(self, path: Path, max_bytes: int = MAX_BYTES) -> None:
        self._path = path
        self._max_bytes = max_bytes
        path.parent.mkdir(parents=True, exist_ok=True)
        self._file = path.open("ab", buffering=0)
        self._size = self._file.tell()
        self._lines: deque[str] = deque(maxlen=TAIL_LINES)
        self._partial = b""

    def write(self, data: bytes) -> None:
        """Append output."""
        if self._size + len(data) > self._max_bytes and self._size:
            self._file.close()
            self._path.replace(self._path.with_name(self._path.name + ".old"))
            self._file = self._path.open("ab", buffering=0)
            self._size = 0
        kept = data[-self._max_bytes :]
        self._file.write(kept)
        self._size += len(kept)
        *lines, self._partial = (self._partial + data).split(b"\n")
        self._lines.extend(_readable(line) for line in lines[-TAIL_LINES:])
        self._partial = self._partial[-MAX_LINE * 4 :]

    def note(self, text: str) -> None:
        """Append a line of the runner's own, marked as such."""
        self.write(f"-- {text}\n".encode())

    def tail(self, lines: int = TAIL_LINES) -> list[str]:
        """The last lines, an unfinished one included."""
        everything = [*self._lines, *([_readable(self._partial)] if self._partial else [])]
        return everything[-lines:]

    def close(self) -> None:
        self._file.close()


def _readable(line: bytes) -> str:
    """A line as text: control characters shown, so that a bot's output cannot play with the terminal, and shortened."""
    text = line.decode("utf-8", "replace").rstrip("\r").replace("\t", "    ")
    if not text.isprintable():
        text = "".join(c if c.isprintable() else f"\\x{ord(c):02x}" for c in text)
    return text if len(text) <= MAX_LINE else text[: MAX_LINE - 1] + "…"
