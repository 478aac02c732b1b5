"""The fuzzer itself: it runs every variant, counts what it meets, and notices a broken invariant."""

from __future__ import annotations

from typing import Any

import pytest
from tests import fuzz

from palio.games import rules_of


def test_every_variant_of_fidelitas_is_played(capsys: pytest.CaptureFixture[str]) -> None:
    assert fuzz.main(["--game", "fidelitas", "--decisions", "500"]) == 0
    out = capsys.readouterr().out
    for name in ("1 players", "2 players", "3 players", "4 players", "4 players teams"):
        assert f"fidelitas, {name}: " in out
    assert "PLACE_THIEF" in out
    assert "exhaustion" in out


def test_a_broken_invariant_is_shown_with_the_way_there(capsys: pytest.CaptureFixture[str], monkeypatch: Any) -> None:
    def check(state: Any) -> None:
        assert state.turn < 5, "five turns are too many"

    monkeypatch.setattr(fuzz, "checker_of", lambda _game: check)
    assert fuzz.main(["--game", "fidelitas", "--decisions", "500"]) == 1
    error = capsys.readouterr().err
    assert "five turns are too many" in error
    assert "fuzz-1-0" in error
    assert "choices [" in error


def test_the_same_seed_plays_the_same_games() -> None:
    rules, check = rules_of("fidelitas"), fuzz.checker_of("fidelitas")
    assert check is not None
    first, again, other = (fuzz.fuzz(rules, check, 3, {}, 300, seed) for seed in (1, 1, 2))
    assert first == again
    assert first != other
