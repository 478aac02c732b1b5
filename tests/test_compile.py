"""Compiling: optional, and what is missing for it is said in a sentence."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from hatch_build import PLAIN, WAY, CannotCompile, PalioBuildHook, compile_hot, main

ROOT = Path(__file__).resolve().parent.parent


def test_what_is_named_is_there() -> None:
    assert [name for name in sorted(PLAIN | WAY) if not (ROOT / "server" / "palio" / name).exists()] == []


def test_a_missing_compiler_is_said_in_a_sentence(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CC", "no-such-compiler -O2")
    with pytest.raises(CannotCompile, match=r"C compiler, no-such-compiler: .*do without") as caught:
        compile_hot(ROOT, tmp_path)
    assert "\n" not in str(caught.value)


def test_a_missing_mypyc_is_said_in_a_sentence(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CC", sys.executable)  # any program that is there
    monkeypatch.setattr("hatch_build.find_spec", lambda _name: None)
    with pytest.raises(CannotCompile, match="mypyc and setuptools: pip install mypy setuptools"):
        compile_hot(ROOT, tmp_path)


def test_unknown_words_are_refused() -> None:
    with pytest.raises(CannotCompile, match="usage"):
        main(["complie"])


def test_the_command_ends_with_the_sentence_alone() -> None:
    """As ``make compile`` shows it."""
    command = [sys.executable, str(ROOT / "hatch_build.py"), "nonsense"]
    result = subprocess.run(command, capture_output=True, text=True, check=False, timeout=120)
    assert (result.returncode, result.stderr) == (1, "usage: python hatch_build.py [compile | uncompile]\n")


@pytest.mark.parametrize(("value", "wanted"), [("", False), ("0", False), ("1", True)])
def test_a_wheel_is_compiled_only_where_that_is_asked_for(
    value: str, wanted: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PALIO_COMPILE", value)
    hook = PalioBuildHook.__new__(PalioBuildHook)
    assert bool(hook.dependencies()) is wanted
