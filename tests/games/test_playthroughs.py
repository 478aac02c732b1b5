"""Golden playthroughs: games that must go on being played exactly so."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest
from tests.playthroughs import GOLDEN, again

from palio.games import rules_of
from palio.games.variants import variants

FILES = sorted(GOLDEN.glob("*/*.txt"))


@pytest.mark.parametrize("path", FILES, ids=[f"{path.parent.name}/{path.stem}" for path in FILES])
def test_golden_playthrough(path: Path) -> None:
    text = path.read_text()
    assert again(text).splitlines() == text.splitlines(), (
        f"if meant: python -m tests.playthroughs --game {path.parent.name}"
    )


@pytest.mark.parametrize("game", sorted({path.parent.name for path in FILES}))
def test_every_variant_of_a_game_has_two(game: str) -> None:
    counts = Counter(path.stem.rpartition("-")[0] for path in FILES if path.parent.name == game)
    wanted = [name.replace(" ", "-") for name, _, _ in variants(rules_of(game))]
    assert {name: counts[name] for name in wanted if counts[name] < 2} == {}


def test_fidelitas_has_twenty() -> None:
    assert sum(path.parent.name == "fidelitas" for path in FILES) == 20
