"""``palio new-bot``: the projects that it writes, made and played as its reader would."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import tomllib
from pathlib import Path

import pytest

from palio.cli.main import main
from palio.cli.scaffold import LANGUAGES, create

TOOLS = {
    "cpp": ("cmake", "g++", "pkg-config", "protoc", "grpc_cpp_plugin"),
    "go": ("go",),
    "java": ("javac", "mvn"),
    "python": (),
    "rust": ("cargo",),
    "typescript": ("node", "npm"),
}
LIMIT = 1800.0


def make(directory: Path, *targets: str) -> str:
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("MAKE", "MFLAGS"))}
    result = subprocess.run(
        ["make", *targets], cwd=directory, env=environment, capture_output=True, text=True, timeout=LIMIT, check=False
    )
    assert result.returncode == 0, result.stdout + result.stderr
    return result.stdout


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_project_is_complete(language: str, tmp_path: Path) -> None:
    directory = tmp_path / "first_bot"
    written = create(language, directory, None)
    assert {"Makefile", "README.md", "play.toml", ".gitignore"} <= {path.name for path in written}
    tests = [
        path for path in written if "scores" in (text := (directory / path).read_text()) and "test" in text.lower()
    ]
    assert tests, "no unit test"
    assert Path(LANGUAGES[language].source) in written
    for path in written:
        text = (directory / path).read_text()
        assert not re.search(r"@[A-Z_]+@", text), f"{path} has a word that was not filled in"
    bots = tomllib.loads((directory / "play.toml").read_text())["bots"]
    assert [bot["name"] for bot in bots] == ["first-bot", "greedy"]


@pytest.mark.parametrize("language", LANGUAGES)
def test_what_play_plays_is_a_correct_tournament_file(
    language: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    directory = tmp_path / "first-bot"
    create(language, directory, None)
    program = directory / LANGUAGES[language].command[0]
    if program.is_relative_to(directory) and program.name == "bot":  # what the build would make
        program.parent.mkdir(parents=True, exist_ok=True)
        program.write_text("#!/bin/sh\n")
        program.chmod(0o755)
    elif shutil.which(LANGUAGES[language].command[0]) is None:
        pytest.skip(f"{LANGUAGES[language].command[0]} is not installed")
    assert main(["tournament", "run", "--check", str(directory / "play.toml")]) == 0
    assert "first-bot" in capsys.readouterr().out


@pytest.mark.slow
@pytest.mark.timeout(LIMIT)
@pytest.mark.parametrize("language", LANGUAGES)
def test_a_project_builds_passes_its_test_and_plays(language: str, tmp_path: Path) -> None:
    if language not in ("python", "go") and not os.environ.get("PALIO_TEST_BUILDS"):
        pytest.skip("takes minutes to build: PALIO_TEST_BUILDS=1 does it")
    for tool in TOOLS[language]:
        if shutil.which(tool) is None:
            pytest.skip(f"{tool} is not installed")
    directory = tmp_path / "first-bot"
    create(language, directory, None)
    assert "test" in make(directory, "help")
    make(directory, "test")
    told = make(directory, "play")
    standing = next(line for line in told.splitlines() if re.match(r" *\d +first-bot ", line))
    assert "." in standing.split()[-1], f"points are the last column where nothing was forfeited: {standing}"
    assert re.search(r"8 of 8 games", told)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--lang", "cobol", "new"], ["--lang", "cobol", "typescript"]),
        (["--lang", "go", "9lives"], ["DIR", "9lives"]),
        (["--lang", "go", "full"], ["DIR", "full", "empty"]),
    ],
)
def test_bad_usage_is_named(
    arguments: list[str],
    words: list[str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "something").touch()
    assert main(["new-bot", *arguments]) == 2
    error = capsys.readouterr().err
    for word in words:
        assert word in error


def test_an_sdk_that_is_not_there_is_said(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    missing = tmp_path / "nowhere"
    assert main(["new-bot", "--lang", "go", "--sdk", str(missing), str(tmp_path / "bot")]) == 1
    assert "--sdk" in capsys.readouterr().err
    assert not (tmp_path / "bot").exists()
