"""The small form of ``make soak``."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.soak import GROWTH_KIB, soak


@pytest.mark.slow
async def test_memory_is_constant_over_many_matches(tmp_path: Path) -> None:
    report = await soak(tmp_path, 1500)
    assert report.faults == 0
    assert report.growth < GROWTH_KIB
    assert report.files <= 8
