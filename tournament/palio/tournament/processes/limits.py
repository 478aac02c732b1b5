"""What a bot's processes may use, and the watch that enforces it for the whole tree of them."""

from __future__ import annotations

import os
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

MIB: Final = 1 << 20
_PROC: Final = "/proc"
_STAT_BYTES: Final = 4096
_TICKS: Final = os.sysconf("SC_CLK_TCK")
_PAGE: Final = os.sysconf("SC_PAGE_SIZE")


@dataclass(frozen=True, slots=True)
class Limits:
    """Bounds of one bot process together with all its descendants; ``None`` means none.

    Attributes:
        memory_mib: resident memory.
        processes: processes at the same time.
        cpu_seconds: CPU time since the start.
    """

    memory_mib: int | None = None
    processes: int | None = None
    cpu_seconds: int | None = None

    def rlimits(self) -> dict[str, int]:
        """What the kernel enforces on each single process, as a backstop: the watch looks only now and then."""
        bounds = {"RLIMIT_CORE": 0}
        if self.memory_mib is not None:
            # Private writable memory includes the stacks of all threads, of which little is ever resident.
            bounds["RLIMIT_DATA"] = (2 * self.memory_mib + 512) * MIB
        if self.cpu_seconds is not None:
            bounds["RLIMIT_CPU"] = self.cpu_seconds + 2
        return bounds


@dataclass(frozen=True, slots=True)
class Usage:
    """What a tree of processes uses.

    Attributes:
        processes: how many there are.
        memory: resident bytes.
        cpu: seconds, those of reaped children included.
    """

    processes: int
    memory: int
    cpu: float

    def excess(self, limits: Limits) -> str | None:
        """The first limit that is broken, as a sentence; ``None`` if all hold."""
        if limits.memory_mib is not None and self.memory > limits.memory_mib * MIB:
            return f"used {self.memory // MIB} MiB of memory; the limit is {limits.memory_mib} (limits.memory_mib)"
        if limits.processes is not None and self.processes > limits.processes:
            return f"had {self.processes} processes; the limit is {limits.processes} (limits.processes)"
        if limits.cpu_seconds is not None and self.cpu > limits.cpu_seconds:
            return f"used {self.cpu:.0f} s of CPU time; the limit is {limits.cpu_seconds} (limits.cpu_seconds)"
        return None


def usage_of(roots: Iterable[int]) -> dict[int, Usage]:
    """What each of these processes uses together with its descendants. Processes that are gone are left out.

    Only Linux's ``/proc`` is read; elsewhere the answer is empty and the limits of single processes have to do.
    """
    table = _process_table()
    children: dict[int, list[int]] = {}
    for pid, (parent, _, _) in table.items():
        children.setdefault(parent, []).append(pid)
    found: dict[int, Usage] = {}
    for root in roots:
        if root not in table:
            continue
        count, memory, cpu, queue = 0, 0, 0.0, [root]
        while queue:
            pid = queue.pop()
            _, own_memory, own_cpu = table[pid]
            count, memory, cpu = count + 1, memory + own_memory, cpu + own_cpu
            queue += children.get(pid, ())
        found[root] = Usage(count, memory, cpu)
    return found


def _process_table() -> dict[int, tuple[int, int, float]]:
    """Per process: parent, resident bytes, CPU seconds. Read every second, so as plainly as can be."""
    table: dict[int, tuple[int, int, float]] = {}
    try:
        pids = [int(name) for name in os.listdir(_PROC) if name.isdigit()]  # noqa: PTH208
    except OSError:
        return table
    for pid in pids:
        try:
            file = os.open(f"{_PROC}/{pid}/stat", os.O_RDONLY)
        except OSError:
            continue  # gone meanwhile
        try:
            line = os.read(file, _STAT_BYTES)
        except OSError:
            continue
        finally:
            os.close(file)
        fields = line[line.rindex(b")") + 2 :].split()
        ticks = sum(map(int, fields[11:15]))  # own and reaped children's, user and system
        table[pid] = (int(fields[1]), int(fields[21]) * _PAGE, ticks / _TICKS)
    return table
