"""palio rules options on hand-made positions, one for each character and variant (F-20 to F-36, F-15, F-41, F-43)."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from tests.positions.make_fidelitas import CASES, FOLDER, ask

from palio.games.fidelitas.cards import CHARACTER_NAMES

PAGE = Path(__file__).parents[2] / "docs" / "fidelitas.md"
PATHS = sorted(path for path in FOLDER.glob("*.json") if not path.stem.endswith(".expected"))


def expected_of(path: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(path.with_suffix(".expected.json").read_text())
    return found


@pytest.mark.parametrize("path", PATHS, ids=[path.stem for path in PATHS])
def test_the_answers_are_those_written_down(path: Path) -> None:
    expected = expected_of(path)
    steps = expected["steps"]
    answers = [ask(path, step["choose"]) for step in steps]
    assert [answer["decision"] for answer in answers] == [step["decision"] for step in steps]
    assert answers[-1] == expected["answer"]


@pytest.mark.parametrize("path", PATHS, ids=[path.stem for path in PATHS])
def test_the_choices_written_down_are_those_meant(path: Path) -> None:
    *before, _ = steps = expected_of(path)["steps"]
    taken = [
        step["decision"]["options"][after["choose"][-1]]["text"] for step, after in zip(before, steps[1:], strict=True)
    ]
    assert taken == list(CASES[path.stem].choices)


def test_every_character_has_one() -> None:
    assert [path.stem for path in PATHS] == sorted(CASES)
    assert {name.lower() for name in CHARACTER_NAMES[1:]} <= set(CASES)


def test_the_page_shows_all_of_them() -> None:
    rows = re.findall(r"^\| `(\w+)` \| (.*?) \| (.*?) \|$", PAGE.read_text(), re.MULTILINE)
    assert rows == [(name, case.about, " → ".join(case.choices)) for name, case in CASES.items()]
