"""palio stats, and the tables that it writes into the documentation."""

from __future__ import annotations

import json
import re
import shlex
from itertools import pairwise
from pathlib import Path

import pytest

from palio.bots.arena.census import Census, Game, Table, tables
from palio.cli.main import main
from palio.games import rules_of
from palio.games.variants import variants

DOCS = Path(__file__).parents[2] / "docs"
MARKS = "before\n<!-- palio stats {0} -->\nold\n<!-- end of palio stats {0} -->\nafter\n"


def test_tables_for_people_and_for_programs(capsys: pytest.CaptureFixture[str]) -> None:
    arguments = ["stats", "games", "fidelitas", "--bot", "random=2", "--variant", "2 players", "--jobs", "1"]
    assert main(arguments) == 0
    text = capsys.readouterr().out
    assert "options a decision" in text
    assert "at least 4 guilds at the Warehouse, 1 point" in text
    assert main([*arguments, "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert [table["title"] for table in found][:2] == ["Games", "Opponents left behind, by seat"]
    assert found[0]["rows"][0][:3] == ["2 players", "random", "2"]


def test_a_section_is_replaced_and_says_how_it_was_made(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    page = tmp_path / "page.md"
    page.write_text(MARKS.format("games sticks"))
    command = ["palio", "stats", "games", "sticks", "--bot", "random=2", "--label", "x", "--write", str(page)]
    for _ in range(2):
        assert main([*command[1:], "--jobs", "1"]) == 0
        text = page.read_text()
        assert text.startswith("before\n<!-- palio stats games sticks -->\n\n```sh\n" + shlex.join(command))
        assert text.endswith(" |\n\n<!-- end of palio stats games sticks -->\nafter\n")
        assert text.count("| variant | bot | games |") == 2
        assert "old" not in text
    assert "Opponents left behind" in capsys.readouterr().out


def test_strength(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    page = tmp_path / "page.md"
    page.write_text(MARKS.format("strength fidelitas"))
    command = ["stats", "strength", "fidelitas", "--pair", "greedy,random", "--deals", "2"]
    command += ["--variant", "2 players", "--variant", "1 players"]
    assert main([*command, "--jobs", "1", "--write", str(page)]) == 0
    (row,) = [line for line in page.read_text().splitlines() if line.startswith("| 2 players")]
    assert row.startswith("| 2 players | greedy | random | 2 | 4 | ")
    assert "1 players | greedy" not in page.read_text()
    assert "Strength" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        (["games", "chess"], "game: there is no game 'chess'; known games: "),
        (["games", "fidelitas", "--bot", "random"], "--bot: 'random' is not of the form NAME=N"),
        (
            ["games", "fidelitas", "--bot", "random=0"],
            "--bot: 'random=0' is not of the form NAME=N with 1 to 1,000,000",
        ),
        (["games", "fidelitas", "--bot", "kasparov=1"], "bot: 'kasparov' does not play 'fidelitas'; those that do: "),
        (
            ["games", "fidelitas", "--variant", "9 players"],
            "--variant: fidelitas has no variant '9 players'; it has 1 ",
        ),
        (["games", "fidelitas", "--write", "none.md"], "none.md"),
        (["games", "fidelitas", "--write", "bare.md"], "--write: bare.md lacks the lines"),
        (["strength", "fidelitas", "--pair", "greedy"], "--pair: 'greedy' is not of the form A,B"),
        (["strength", "fidelitas", "--pair", "greedy,x", "--jobs", "1"], "bot: there is no bot 'x'"),
    ],
)
def test_mistakes_are_told_before_anything_is_played(
    arguments: list[str], text: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "bare.md").write_text("nothing\n")
    assert main(["stats", *arguments]) in (1, 2)
    printed = capsys.readouterr()
    assert text in printed.err
    assert "internal error" not in printed.err
    assert printed.out == ""


def section(page: str, name: str) -> tuple[list[str], list[list[str]]]:
    """The words of the command of a section of the documentation, and its tables as lines."""
    text = (DOCS / page).read_text()
    found = re.search(f"<!-- palio stats {name} -->(.*)<!-- end of palio stats {name} -->", text, re.DOTALL)
    assert found is not None, f"{page} has no section {name}"
    (command,) = re.findall("```sh\n(.*)\n```", found[1])
    return shlex.split(command), [block.splitlines() for block in re.findall(r"(?:^\|.*\n)+", found[1], re.MULTILINE)]


def headings(table: Table) -> str:
    return "| " + " | ".join(column.removeprefix(">") for column in table.columns) + " |"


def test_the_tables_in_the_documentation_are_what_the_command_writes() -> None:
    words, blocks = section("fidelitas.md", "games fidelitas")
    assert words[:4] == ["palio", "stats", "games", "fidelitas"]
    assert words[-2:] == ["--write", "docs/fidelitas.md"]
    bots = [word.split("=")[0] for option, word in pairwise(words) if option == "--bot"]
    found = [
        Census(bot, variant, (Game(1, 2, 1, "target", (1,) * n, (1.0,) * n if n > 1 else (), frozenset()),))
        for variant in variants(rules_of("fidelitas"))
        for bot in bots
        for n in [variant.players]
    ]
    made = tables("fidelitas", found)
    assert [block[0] for block in blocks] == [headings(table) for table in made]
    for block, table in zip(blocks, made, strict=True):
        assert [line.split(" | ")[:2] for line in block[2:]] == [[f"| {row[0]}", row[1]] for row in table.rows]
