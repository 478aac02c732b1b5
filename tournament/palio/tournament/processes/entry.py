"""What a started program is for an instant before it becomes itself: ties its life to its parent's and sets limits.

Run as a script with ``python -I -S``, so that it starts in milliseconds; the runner never forks after gRPC was loaded.
Arguments: the parent's process id, the limits as JSON ``{"RLIMIT_CORE": 0, ...}``, then the command.
"""

from __future__ import annotations

import ctypes
import json
import os
import resource
import signal
import sys

PR_SET_PDEATHSIG = 1
CANNOT_START = 127


def main(argv: list[str]) -> int:
    parent, limits, command = int(argv[1]), json.loads(argv[2]), argv[3:]
    if sys.platform == "linux":
        ctypes.CDLL(None, use_errno=True).prctl(PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
    if os.getppid() != parent:
        return 1  # it died before the tie was made
    for name, value in limits.items():
        which = getattr(resource, name, None)
        if which is None:
            continue
        hard = resource.getrlimit(which)[1]
        bound = value if hard == resource.RLIM_INFINITY else min(value, hard)
        resource.setrlimit(which, (bound, bound))
    try:
        os.execvp(command[0], command)  # noqa: S606 - becoming the user's program is the point
    except OSError as error:
        sys.stderr.write(f"cannot start {command[0]}: {error.strerror}\n")
        return CANNOT_START


if __name__ == "__main__":
    sys.exit(main(sys.argv))
