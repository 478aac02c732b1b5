"""palio player and palio token, as their users call them."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from palio.cli.main import main
from palio.server.access.accounts import Accounts
from palio.server.access.credentials import RevokedToken, Role

Palio = Callable[..., tuple[int, str, str]]


@pytest.fixture
def palio(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Palio:
    """Runs a command on a data directory of the test's own: exit code, stdout, stderr."""
    monkeypatch.setenv("PALIO_DATA", str(tmp_path))
    monkeypatch.delenv("PALIO_DATABASE", raising=False)

    def run(*arguments: str) -> tuple[int, str, str]:
        code = main(arguments)
        printed = capsys.readouterr()
        assert "Traceback" not in printed.err
        return code, printed.out, printed.err

    return run


def accounts(folder: Path) -> Accounts:
    return Accounts.open(f"sqlite:///{folder / 'palio.db'}")


def test_a_token_from_making_to_revoking(palio: Palio, tmp_path: Path) -> None:
    assert palio("player", "create", "alice")[:2] == (0, "alice registered\n")
    code, token, note = palio("token", "create", "alice", "--label", "laptop", "--expires", "30d")
    assert code == 0
    assert "it is not shown again" in note
    with accounts(tmp_path) as opened:
        credential = opened.authenticate(token.strip())
        assert (credential.player, credential.role) == ("alice", Role.PLAYER)
        (listed,) = json.loads(palio("token", "list", "--json")[1])
        assert (listed["token_id"], listed["label"], listed["status"]) == (credential[0], "laptop", "active")
        assert token.strip() not in palio("token", "list")[1]
        assert palio("token", "revoke", credential.credential_id)[0] == 0
    with accounts(tmp_path) as opened, pytest.raises(RevokedToken):
        opened.authenticate(token.strip())


def test_a_token_can_be_revoked_by_the_token_itself(palio: Palio) -> None:
    _, token, _ = palio("token", "create", "alice", "--register")
    assert palio("token", "revoke", token.strip())[0] == 0
    assert json.loads(palio("token", "list", "alice", "--json")[1])[0]["status"] == "revoked"


def test_json_of_a_new_token_holds_the_token(palio: Palio, tmp_path: Path) -> None:
    code, out, err = palio("token", "create", "kate", "--register", "--role", "organiser", "--json")
    assert (code, err) == (0, "")
    with accounts(tmp_path) as opened:
        assert opened.authenticate(json.loads(out)["token"]).role is Role.ORGANISER


def test_players_change(palio: Palio) -> None:
    palio("player", "create", "kate", "--role", "organiser")
    assert palio("player", "role", "kate", "admin")[:2] == (0, "kate is admin now\n")
    assert palio("player", "disable", "kate")[0] == 0
    (listed,) = json.loads(palio("player", "list", "--json")[1])
    assert (listed["role"], listed["disabled"] is None) == ("admin", False)
    assert palio("player", "enable", "kate")[0] == 0
    assert json.loads(palio("player", "list", "--json")[1])[0]["disabled"] is None
    assert "kate" in palio("player", "list")[1]


def test_empty_lists_say_what_to_do(palio: Palio) -> None:
    assert "palio player create" in palio("player", "list")[1]
    assert "palio token create" in palio("token", "list")[1]


@pytest.mark.parametrize(
    ("arguments", "code", "text"),
    [
        (["player", "create", "no spaces"], 2, "player: 'no spaces' is no player name; allowed: 1 to 40"),
        (["player", "create", "ALICE"], 1, "player: there is a player alice already"),
        (["player", "create"], 2, "Missing argument 'NAME'"),
        (["player", "create", "bob", "--role", "king"], 2, "king"),
        (["token", "create", "alcie"], 2, "player: there is no player 'alcie'; did you mean 'alice'?"),
        (["token", "create", "alice", "--role", "admin"], 2, "role: player alice is player"),
        (["token", "create", "alice", "--expires", "soon"], 2, "--expires: 'soon' is no time; allowed:"),
        (["token", "create", "alice", "--expires", "2020-01-01"], 2, "expires: this time is past already"),
        (["token", "revoke", "zzz"], 2, "token_id: there is no token with the id 'zzz'"),
        (["token", "list", "--database", "mysql://x"], 2, "database: mysql is not supported; allowed: sqlite"),
        (["token", "list", "--config", "/none.toml"], 1, "/none.toml: No such file"),
    ],
)
def test_mistakes_are_told_by_name(palio: Palio, arguments: list[str], code: int, text: str) -> None:
    palio("player", "create", "alice")
    result = palio(*arguments)
    assert (result[0], result[1]) == (code, "")
    assert text in result[2]


def test_the_config_file_says_where_the_database_is(
    palio: Palio, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("PALIO_DATA")
    config = tmp_path / "palio.toml"
    config.write_text(f'data = "{tmp_path / "elsewhere"}"\n')
    assert palio("player", "create", "alice", "--config", str(config))[0] == 0
    assert (tmp_path / "elsewhere" / "palio.db").exists()
