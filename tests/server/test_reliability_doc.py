"""docs/reliability.md promises a test for every fault."""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).parents[2]
DOC = ROOT / "docs" / "reliability.md"


def rows() -> list[list[str]]:
    """The cells of every row of its tables, heads left out."""
    lines = [line for line in DOC.read_text().splitlines() if line.startswith("| ")]
    cells = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]
    return [row for row in cells if row[0] != "fault"]


def test_every_fault_has_a_test_that_exists() -> None:
    written = {
        name
        for path in (ROOT / "tests").rglob("test_*.py")
        for name in re.findall(r"^(?:async )?def (test_\w+)\(", path.read_text(), re.MULTILINE)
    }
    named = [re.findall(r"`(test_\w+)`", row[-1]) for row in rows()]
    assert len(named) > 50
    assert all(len(names) == 1 for names in named)
    assert {name for names in named for name in names} <= written
