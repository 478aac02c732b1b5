"""Settings files: what is read, and what a wrong file is told."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

import pytest
from pydantic import Field

from palio.files.settings import ConfigError, Problem, Seconds, Settings, load_settings, parse_override
from palio.files.toml import to_toml


class Bot(Settings):
    name: str
    """How it is called."""
    command: tuple[str, ...] = ()


class Clock(Settings):
    bank: Seconds | None = None
    increment: Seconds = 0.0


class Cup(Settings):
    name: str = "cup"
    format: Literal["swiss", "knockout"] = "swiss"
    deals: int = Field(default=2, ge=1)
    seed: str = 'a "quoted" \\ \x7f text\n'
    files: tuple[Path, ...] = (Path("a"), Path("b"))
    clock: Clock = Clock()
    """How long bots may think."""
    bots: tuple[Bot, ...] = ()


def write(folder: Path, text: str) -> Path:
    path = folder / "cup.toml"
    path.write_text(text, encoding="utf-8")
    return path


def test_a_file_fills_the_model(tmp_path: Path) -> None:
    cup = load_settings(
        Cup, write(tmp_path, 'deals = 5\nclock.bank = "2m"\nclock.increment = 0.5\n[[bots]]\nname = "x"')
    )
    assert (cup.deals, cup.clock.bank, cup.clock.increment, cup.bots) == (5, 120.0, 0.5, (Bot(name="x"),))


def test_the_command_line_wins_over_the_file(tmp_path: Path) -> None:
    path = write(tmp_path, 'name = "file"\n[clock]\nbank = 1\nincrement = 1')
    cup = load_settings(Cup, path, {"name": "line", "deals": None, "clock.bank": 9})
    assert (cup.name, cup.deals, cup.clock.bank, cup.clock.increment) == ("line", 2, 9.0, 1.0)


@pytest.mark.parametrize(
    ("text", "field", "parts"),
    [
        ("deal = 3", "deal", ["unknown key", "did you mean 'deals'?", "known keys here: name, format, deals"]),
        ("bots = [1]", "bots[0]", ["should be a table"]),
        ("zzz = 3", "zzz", ["unknown key; known keys here:"]),
        ("[clock]\nbnak = 3", "clock.bnak", ["did you mean 'bank'?", "known keys here: bank, increment"]),
        ("[[bots]]\nname='a'\n[[bots]]\nname='b'\ncomand=[]", "bots[1].comand", ["did you mean 'command'?"]),
        ("[[bots]]", "bots[0].name", ["is required"]),
        ("format = 'swis'", "format", ["'swis' is not allowed", "did you mean 'swiss'?", "'swiss' or 'knockout'"]),
        ("format = 1", "format", ["1 is not allowed; allowed: 'swiss' or 'knockout'"]),
        ("deals = 0", "deals", ["greater than or equal to 1 (got 0)"]),
        ("clock.bank = '5 parsecs'", "clock.bank", ["'5 parsecs' is no duration", "'250ms'"]),
        ("clock.bank = true", "clock.bank", ["no durations"]),
        ("clock.bank = nan", "clock.bank", ["finite"]),
        ("clock = 5", "clock", ["should be a table"]),
        ("name = 1 2", "", ["this is no TOML", "line 1"]),
    ],
)
def test_a_wrong_file_is_told_which_key_and_what_is_allowed(
    tmp_path: Path, text: str, field: str, parts: list[str]
) -> None:
    path = write(tmp_path, text)
    with pytest.raises(ConfigError) as caught:
        load_settings(Cup, path)
    (problem,) = caught.value.problems
    assert problem.field == field
    for part in parts:
        assert part in problem.message
    assert str(caught.value).startswith(f"{path}: {field}")


def test_all_problems_are_told_at_once(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="2 problems") as caught:
        load_settings(Cup, write(tmp_path, "deals = 0\nfoo = 1"))
    assert [problem.field for problem in caught.value.problems] == ["deals", "foo"]


def test_a_file_that_is_no_text(tmp_path: Path) -> None:
    path = tmp_path / "x.toml"
    path.write_bytes(b"\xff\xfe")
    with pytest.raises(ConfigError, match="no text in UTF-8"):
        load_settings(Cup, path)


def test_a_missing_file_is_an_os_error(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        load_settings(Cup, tmp_path / "none.toml")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("deals=3", ("deals", 3)),
        ("clock.bank = 1.5", ("clock.bank", 1.5)),
        ("files=['a']", ("files", ["a"])),
        ("name=plain words", ("name", "plain words")),
        ("name=", ("name", "")),
        ("name='a=b'", ("name", "a=b")),
    ],
)
def test_overrides_of_the_command_line(text: str, expected: tuple[str, object]) -> None:
    assert parse_override(text) == expected


@pytest.mark.parametrize("text", ["deals", "=3", " = 3"])
def test_an_override_without_key_or_value(text: str) -> None:
    with pytest.raises(ConfigError, match="KEY=VALUE"):
        parse_override(text)


def test_an_override_inside_something_that_is_no_table(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"deals\.x: deals is no table"):
        load_settings(Cup, write(tmp_path, "deals = 3"), {"deals.x": 1})


def test_toml_that_was_written_reads_back(tmp_path: Path) -> None:
    cup = Cup(clock=Clock(bank=3))
    text = to_toml(cup)
    assert load_settings(Cup, write(tmp_path, text)) == cup
    assert "# How long bots may think.\n[clock]\nbank = 3.0\n" in text
    assert "# bank =" in to_toml(Clock())


def test_problems_can_be_told_for_other_sources() -> None:
    error = ConfigError("here", [Problem("", "all wrong")])
    assert str(error) == "here: all wrong"
