"""A Ray cluster of two nodes on this machine, in a process of its own: ``python ray_cluster.py``.

It prints the cluster's address. Each line that it reads is a command: ``kill`` ends the second node as a power cut
would, ``add`` adds one, anything else ends the cluster. Every command is answered with a line.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

MEMORY = 80 << 20


class TwoNodes:
    """The cluster as tests see it."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self._process = process
        self.address = self._answer()

    def kill_one(self) -> None:
        """The second node is gone."""
        self._tell("kill")

    def add_one(self) -> None:
        """There is a second node again."""
        self._tell("add")

    def end(self) -> None:
        """Both are gone."""
        self._process.communicate("end\n", timeout=60)

    def _tell(self, command: str) -> None:
        assert self._process.stdin is not None
        self._process.stdin.write(command + "\n")
        self._process.stdin.flush()
        assert self._answer() == "done"

    def _answer(self) -> str:
        assert self._process.stdout is not None
        for line in self._process.stdout:
            if line.startswith("> "):
                return line.removeprefix("> ").strip()
        raise AssertionError("the cluster ended")


@contextmanager
def two_nodes() -> Iterator[TwoNodes]:
    """A cluster whose nodes have one core each."""
    process = subprocess.Popen(
        [sys.executable, __file__], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    )
    cluster = TwoNodes(process)
    try:
        yield cluster
    finally:
        cluster.end()


def main() -> None:
    from ray.cluster_utils import Cluster

    cluster: Any = Cluster(
        initialize_head=True,
        head_node_args={"num_cpus": 1, "object_store_memory": MEMORY, "include_dashboard": False},
    )
    second = cluster.add_node(num_cpus=1, object_store_memory=MEMORY)
    cluster.wait_for_nodes()
    print(f"> {cluster.address}", flush=True)
    for line in sys.stdin:
        if line == "kill\n":
            cluster.remove_node(second, allow_graceful=False)
        elif line == "add\n":
            second = cluster.add_node(num_cpus=1, object_store_memory=MEMORY)
            cluster.wait_for_nodes()
        else:
            break
        print("> done", flush=True)
    cluster.shutdown()


if __name__ == "__main__":
    main()
