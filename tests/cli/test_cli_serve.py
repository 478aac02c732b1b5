"""palio serve: what it makes of its options, before anything is served."""

from __future__ import annotations

import os
import tomllib
from pathlib import Path

import pytest

from palio.cli.main import main
from palio.server.front.folders import lock


def test_print_config_is_a_complete_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "palio.toml"
    path.write_text('heartbeat = "2s"\nlimits.max_matches = 7\n')
    arguments = ["serve", "--print-config", "--config", str(path), "--set", "limits.max_matches=9", "--open"]
    assert main([*arguments, "--listen", "unix:/x", "--listen", "[::1]:0", "--log-format", "json"]) == 0
    printed = capsys.readouterr().out
    config = tomllib.loads(printed)
    assert (config["heartbeat"], config["limits"]["max_matches"], config["open"]) == (2.0, 9, True)
    assert (config["listen"], config["log"]["format"]) == (["unix:/x", "[::1]:0"], "json")
    path.write_text(printed)
    assert main(["serve", "--print-config", "--config", str(path)]) == 0
    assert capsys.readouterr().out == printed


@pytest.mark.parametrize(
    ("arguments", "code", "text"),
    [
        (["--set", "limits.max_matchs=9"], 2, "limits.max_matchs: unknown key; did you mean 'max_matches'?"),
        (["--set", "workers"], 2, "'workers' is not of the form KEY=VALUE"),
        (["--listen", "nowhere"], 2, "listen[0]: 'nowhere' is no address"),
        (["--open", "--listen", "0.0.0.0:0"], 2, "listen: open local mode would let anybody"),
        (["--log-level", "loud"], 2, "log.level: 'loud' is not allowed; allowed: 'debug', 'info', 'warning'"),
        (["--tls-cert", "c.pem"], 2, "tls: cert and key belong together"),
        (["--config", "none.toml"], 1, "none.toml: No such file"),
        (["--database"], 2, "No such option"),
    ],
)
def test_mistakes_are_told_by_name(
    arguments: list[str], code: int, text: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "200")
    assert main(["serve", "--print-config", *arguments]) == code
    printed = capsys.readouterr()
    assert text in printed.err
    assert printed.out == ""


def test_a_key_that_has_an_option_of_its_own_can_be_set_too(capsys: pytest.CaptureFixture[str]) -> None:
    keys = ["workers=3", "worker_host=here", "log.format=json", "listen=['[::1]:0']", "data=elsewhere", "open=true"]
    arguments = ["serve", "--print-config", *(part for key in keys for part in ("--set", key))]
    assert main(arguments) == 0
    config = tomllib.loads(capsys.readouterr().out)
    assert (config["workers"], config["log"]["format"], config["listen"]) == (3, "json", ["[::1]:0"])
    assert (config["data"], config["open"]) == ("elsewhere", True)
    assert main([*arguments, "--workers", "2"]) == 0
    assert tomllib.loads(capsys.readouterr().out)["workers"] == 2


def test_two_servers_do_not_share_a_data_directory(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    held = lock(tmp_path / "journal")
    assert held is not None
    for workers in ("1", "2"):
        arguments = ["serve", "--open", "--listen", "127.0.0.1:0", "--data", str(tmp_path), "--workers", workers]
        assert main(arguments) == 1
        assert capsys.readouterr().err == f"palio: another server uses {tmp_path}\n"
    os.close(held)
