"""``palio check`` with real programs."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from palio.cli.main import main
from palio.conformance import kit, report

ROOT = Path(__file__).parents[2]
CHECK = (sys.executable, "-m", "palio.cli", "check")
FAULTY = (sys.executable, "-m", "tests.support.faulty_bot")
LIMIT = 240.0


def palio_check(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([*CHECK, *arguments], capture_output=True, text=True, cwd=ROOT, timeout=LIMIT, check=False)


def test_one_line_each() -> None:
    result = palio_check("--only", "O-01", "--only", "O-02", "--", *FAULTY)
    assert result.returncode == 0, result.stderr
    lines = result.stdout.splitlines()
    assert lines[0].startswith("ok         O-01  says Hello first: ")
    assert lines[1].startswith("ok         O-02  carries the token: ")
    assert lines[2:] == ["2 of 2 obligations hold"]


def test_what_is_broken_is_explained() -> None:
    result = palio_check("--only", "O-03", "--", *FAULTY, "--fault", "speaks-version-2")
    assert result.returncode == 1, result.stderr
    lines = result.stdout.splitlines()
    assert lines[0].startswith("BROKEN     O-03  speaks protocol version 1: Hello.protocol_version was 2")
    assert [line.split()[0] for line in lines[1:4]] == ["tried:", "expected:", "to"]
    assert "0 of 1 obligations hold" in lines


def test_a_real_signal_and_a_real_exit_code() -> None:
    only = [word for number in (46, 50, 51, 52) for word in ("--only", f"O-{number}")]
    result = palio_check(*only, "--", *FAULTY)
    assert result.returncode == 0, result.stdout + result.stderr


def test_json_for_programs() -> None:
    result = palio_check("--json", "--only", "O-03", "--", *FAULTY, "--fault", "speaks-version-2")
    assert result.returncode == 1, result.stderr
    told = json.loads(result.stdout)
    assert (told["held"], told["of"], told["passed"]) == (0, 1, False)
    (one,) = told["obligations"]
    assert one["id"] == "O-03"
    assert one["status"] == "broken"
    assert told["badge"] is None, "a part of the obligations earns none"
    assert {"title", "tried", "expected", "mend", "seen"} < set(one)


def test_a_program_that_ends_at_once_is_told_with_its_last_words() -> None:
    result = palio_check("--only", "O-01", "--", "sh", "-c", "echo I cannot go on; exit 7")
    assert result.returncode == 1
    assert "exit code 7" in result.stdout
    assert "I cannot go on" in result.stdout


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ([], "which bot"),
        (["--only", "O-99", "--", "true"], "O-99"),
        (["--only", "O-01"], "which bot"),
        (["--", "no-such-program-anywhere"], "no-such-program-anywhere"),
        (["--jobs", "0", "--", "true"], "--jobs"),
    ],
)
def test_bad_usage_is_named(arguments: list[str], words: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", *arguments]) == 2
    out, err = capsys.readouterr()
    assert words in out + err
    assert "Traceback" not in err


def test_the_documentation_lists_the_obligations_of_the_code() -> None:
    text = (ROOT / "docs" / "conformance.md").read_text()
    assert text.endswith(report.catalogue()), "bring it up to date: make conformance-doc"


@pytest.mark.slow
def test_the_random_bot_of_the_python_sdk_holds_all() -> None:
    result = palio_check("--", sys.executable, "-m", "palio.cli", "bot", "run", "random")
    assert result.returncode == 0, result.stdout + result.stderr
    total = len(kit.obligations())
    assert result.stdout.splitlines()[-1] == f"badge: palio v1: {total} of {total} obligations"
