"""Shared by all tests: the plug-in game is importable, here and in the processes that tests start."""

from __future__ import annotations

import os
import sys
from pathlib import Path

PLUGIN = str(Path(__file__).parent / "plugin")
if PLUGIN not in sys.path:
    sys.path.insert(0, PLUGIN)
os.environ["PYTHONPATH"] = os.pathsep.join(filter(None, [PLUGIN, os.environ.get("PYTHONPATH", "")]))
