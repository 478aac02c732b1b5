"""Every id of the rules is named by a test."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

FILES = [path for path in Path(__file__).parent.glob("test_feudum_*.py") if path.name != Path(__file__).name]
TEXT = "\n".join(path.read_text() for path in FILES)
NAMED = set(re.findall(r"def test_([girvx]\d+)_", TEXT))


@pytest.mark.parametrize(("letter", "last"), [("g", 144), ("r", 37), ("v", 7), ("x", 15)])
def test_every_rule_has_a_test_with_its_number(letter: str, last: int) -> None:
    wanted = {f"{letter}{number:02}" for number in range(1, last + 1)}
    assert sorted(wanted - NAMED) == []
