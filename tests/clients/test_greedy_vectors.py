"""The decisions by which the greedy bots of all languages are compared are still what rules and bot make of them."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.vectors.make_greedy import files

VECTORS = Path(__file__).parent.parent / "vectors"


@pytest.mark.slow
def test_the_greedy_vectors_are_up_to_date() -> None:
    for name, content in files().items():
        assert (VECTORS / name).read_bytes() == content, f"{name}: run python -m tests.vectors.make_greedy"
