"""palio replay show, and verify from the shell's side."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.support.matches import played

from palio.cli.main import main
from palio.server.match.journal import frame, read

Show = Callable[..., str]


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The replay of a match of Fidelitas between alice and bob."""
    return played(tmp_path_factory.mktemp("match"), "fidelitas", ("alice", "bob"))


@pytest.fixture
def show(path: Path, capsys: pytest.CaptureFixture[str]) -> Show:
    def run(*arguments: str) -> str:
        assert main(["replay", "show", str(path), *arguments]) == 0
        return capsys.readouterr().out

    return run


def test_everything(show: Show) -> None:
    text = show()
    assert text == show("--all")
    assert "seat 0: alice" in text
    assert "seat 0 PLAY_CARD: " in text
    assert "seat 1 PLAY_CARD: " in text
    assert "(seen by seat 0)" in text
    assert "digest" in text


def test_the_public_sees_no_choice_and_nothing_private(show: Show) -> None:
    text = show("--public")
    assert "PLAY_CARD" not in text
    assert "seen by" not in text
    assert "seat 0 plays" in text


def test_a_seat_sees_its_own(show: Show) -> None:
    text = show("--seat", "1")
    assert "seat 1 PLAY_CARD" in text
    assert "seat 0 PLAY_CARD" not in text
    assert "seen by seat 1" in text
    assert "seen by seat 0" not in text
    numbers = [int(line.split(".")[0]) for line in text.splitlines() if " seat 1 " in line and line[4] == "."]
    assert numbers == list(range(1, len(numbers) + 1))
    assert len(numbers) > 5


def test_json(show: Show, path: Path) -> None:
    found = json.loads(show("--json"))
    assert found["header"]["players"] == ["alice", "bob"]
    choices = [entry["choice"] for entry in found["entries"] if "choice" in entry]
    assert len(choices) == sum(record.HasField("choice") for record in read(path))
    assert [choice["number"] for choice in choices] == list(range(1, len(choices) + 1))
    assert choices[0]["kind"] == "PLAY_CARD"
    assert "play" in choices[0]["taken"]["fidelitas"]
    assert found["end"]["result"]["rated"] is True


def test_json_of_the_public_lacks_the_servers_secrets(show: Show) -> None:
    found = json.loads(show("--json", "--public"))
    assert found["header"]["seed"] == ""
    assert all(entry.get("viewers") is None for entry in found["entries"])
    assert not any("choice" in entry for entry in found["entries"])


def test_verify_tells_programs(path: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    bad = tmp_path / "bad.replay"
    bad.write_bytes(path.read_bytes()[:-9])
    assert main(["replay", "verify", "--json", str(path), str(bad)]) == 1
    good, worse = json.loads(capsys.readouterr().out)
    assert (good["ok"], good["difference"], good["game"]) == (True, None, "fidelitas")
    assert (worse["ok"], worse["choices"]) == (False, good["choices"])
    assert main(["replay", "verify", str(path)]) == 0
    assert capsys.readouterr().out.startswith(f"ok      {path}: fidelitas, ")


@pytest.mark.parametrize(
    ("arguments", "code", "text"),
    [
        (["show", "{path}", "--seat", "2"], 2, "--seat: 2 is not between 0 and 1"),
        (["show", "{path}", "--seat", "0", "--public"], 2, "exclude each other"),
        (["show", "/none"], 1, "/none: No such file"),
        (["verify", "/none"], 1, "/none: No such file"),
        (["show", __file__], 2, "this is no replay"),
        (["verify", __file__], 1, "1 of 1 replays differ"),
        (["verify"], 2, "Missing argument"),
    ],
)
def test_mistakes_are_told(
    arguments: list[str], code: int, text: str, path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["replay", *[argument.replace("{path}", str(path)) for argument in arguments]]) == code
    printed = capsys.readouterr()
    assert text in printed.err
    assert "Traceback" not in printed.err


def test_what_a_replay_says_cannot_steer_a_terminal(
    path: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A replay may come from anybody."""
    records = read(path)
    records[0].header.players[0] = "al\x1b[31mice\nmatch forged, attempt 1"
    records[-1].end.void_reason = "\x1b]0;title\x07\nforged"
    strange = tmp_path / "strange.replay"
    strange.write_bytes(b"".join(frame(record.SerializeToString()) for record in records))
    assert main(["replay", "show", str(strange)]) == 0
    shown = capsys.readouterr().out
    assert "seat 0: al\\x1b[31mice\\nmatch forged" in shown
    assert "\\x1b]0;title\\x07\\nforged" in shown
    assert all(character.isprintable() or character == "\n" for character in shown)
    assert not any(line.startswith(("match forged", "forged")) for line in shown.splitlines())
