"""The program itself: exit codes, messages without tracebacks, commands imported only when they are run."""

from __future__ import annotations

import subprocess
import sys
import types
from importlib.metadata import entry_points

import pytest
import typer

from palio.cli import main as program
from palio.cli.errors import BadUsage, CommandFailed
from palio.engine.errors import IllegalAction, InvalidSetup


@pytest.fixture
def broken_command(monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest) -> str:
    """A command that raises what the test's parameter says."""
    module = types.ModuleType("palio.cli.broken")
    app = typer.Typer()

    @app.command()
    def broken() -> None:
        raise request.param

    module.app = app  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "palio.cli.broken", module)
    monkeypatch.setitem(program.COMMANDS, "broken", ("broken", "Breaks."))
    monkeypatch.delenv("PALIO_DEBUG", raising=False)
    return "broken"


@pytest.mark.parametrize(
    ("broken_command", "code", "text"),
    [
        (InvalidSetup("seats[1].hand", "holds 9 cards"), 2, "seats[1].hand: holds 9 cards"),
        (IllegalAction("option 9 is not one of 3"), 2, "option 9 is not one of 3"),
        (BadUsage("--players: 2 to 4"), 2, "--players: 2 to 4"),
        (CommandFailed("2 of 3 obligations hold"), 1, "2 of 3 obligations hold"),
        (FileNotFoundError(2, "No such file or directory", "x.toml"), 1, "x.toml: No such file or directory"),
        (RuntimeError("boom"), 1, "internal error, please report it (RuntimeError: boom); PALIO_DEBUG=1 shows where"),
    ],
    indirect=["broken_command"],
)
def test_errors_become_one_line_and_an_exit_code(
    broken_command: str, code: int, text: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert program.main([broken_command]) == code
    printed = capsys.readouterr()
    assert printed.err == f"palio: {text}\n"
    assert printed.out == ""


@pytest.mark.parametrize("broken_command", [RuntimeError("boom")], indirect=True)
def test_the_traceback_is_there_for_those_who_ask(
    broken_command: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("PALIO_DEBUG", "1")
    assert program.main([broken_command]) == 1
    assert "Traceback (most recent call last)" in capsys.readouterr().err


def test_bad_usage_is_exit_code_2(capsys: pytest.CaptureFixture[str]) -> None:
    assert program.main(["no-such-command"]) == 2
    assert "No such command" in capsys.readouterr().err


def test_version(capsys: pytest.CaptureFixture[str]) -> None:
    assert program.main(["--version"]) == 0
    assert capsys.readouterr().out.startswith("palio ")


@pytest.mark.parametrize("name", sorted(program.COMMANDS))
def test_every_command_has_help(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert program.main([name, "--help"]) == 0
    assert "Usage: palio " + name in capsys.readouterr().out


def test_help_lists_every_command_and_imports_none() -> None:
    code = """
import sys
from palio.cli.main import COMMANDS, main
assert main(["--help"]) == 0
heavy = {"grpc", "google.protobuf", "sqlalchemy", "alembic", "scipy", "numpy"} | {f"palio.cli.{module}" for module, _ in COMMANDS.values()}
print("imported:", sorted(heavy & set(sys.modules)))
"""  # noqa: E501
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=True)
    assert "imported: []" in done.stdout
    for name in program.COMMANDS:
        assert f" {name} " in done.stdout


def test_the_console_script_is_this_program() -> None:
    (script,) = entry_points(group="console_scripts", name="palio")
    assert script.load() is program.run
