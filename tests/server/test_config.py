"""palio.toml: defaults, limits, and the listening addresses that are refused."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest

from palio.files.settings import ConfigError
from palio.files.toml import to_toml
from palio.server.config import ServerConfig, load_config


def test_defaults_are_safe() -> None:
    config = load_config()
    assert all(address.is_local for address in config.listen_addresses)
    assert not config.open
    assert config.limits.max_message_bytes == 64 * 1024
    assert config.database_url == "sqlite:///palio-data/palio.db"


def test_the_printed_file_reads_back_to_the_same() -> None:
    config = load_config(None, {"listen": ["unix:/x", "[::1]:0"], "time_control.bank": "10m", "log.format": "json"})
    assert ServerConfig.model_validate(tomllib.loads(to_toml(config))) == config


def test_the_settings_in_the_documentation_are_those_of_the_program() -> None:
    written = (Path(__file__).parents[2] / "docs" / "operations.md").read_text()
    assert f"```toml\n{to_toml(ServerConfig())}```\n" in written, "paste what palio serve --print-config prints"


def test_the_configuration_in_deploy_is_one() -> None:
    config = load_config(Path(__file__).parents[2] / "deploy" / "palio.toml")
    assert config.tls.cert is not None
    assert config.durability == "power"


def test_every_key_is_explained() -> None:
    lines = to_toml(ServerConfig()).splitlines()
    for before, line in zip(["", *lines], lines, strict=False):
        if (line and not line.startswith("#")) or line.endswith(" ="):
            assert before.startswith("# "), line


@pytest.mark.parametrize("listen", ["0.0.0.0:7654", "[::]:7654", "palio.example:7654"])
def test_open_mode_is_refused_beyond_this_machine(listen: str, tmp_path: Path) -> None:
    cert = {"tls.cert": tmp_path / "c", "tls.key": tmp_path / "k"}
    with pytest.raises(ConfigError, match=r"listen: open local mode would let anybody .* only on localhost"):
        load_config(None, {"open": True, "listen": ["127.0.0.1:0", listen], **cert})
    assert load_config(None, {"listen": [listen], **cert}).tls.cert


@pytest.mark.parametrize("listen", ["127.0.0.1:0", "[::1]:0", "localhost:0", "unix:/run/palio.sock"])
def test_open_mode_is_allowed_on_this_machine(listen: str) -> None:
    assert load_config(None, {"open": True, "listen": [listen]}).open


def test_workers_have_a_name_by_which_bots_reach_them() -> None:
    wide = {"workers": 2, "listen": ["0.0.0.0:7654", "unix:/x"], "allow_plaintext": True}
    with pytest.raises(ConfigError, match=r"worker_host: bots cannot be sent to 0\.0\.0\.0"):
        load_config(None, wide)
    config = load_config(None, {**wide, "worker_host": "palio.example"})
    assert [str(base) for base in config.worker_bases] == ["0.0.0.0:7654", "unix:/x"]
    assert load_config(None, {**wide, "workers": 1}).workers == 1


def test_tokens_never_cross_a_network_in_plain_text_by_accident() -> None:
    with pytest.raises(ConfigError, match=r"plain text; set tls\.cert"):
        load_config(None, {"listen": ["0.0.0.0:7654"]})
    assert load_config(None, {"listen": ["0.0.0.0:7654"], "allow_plaintext": True}).allow_plaintext


@pytest.mark.parametrize(
    ("overrides", "text"),
    [
        ({"tls.cert": "c.pem"}, "tls: cert and key belong together"),
        ({"tls.cert": "c.pem", "tls.client_ca": "ca.pem"}, "tls: cert and key belong together"),
        ({"tls.client_ca": "ca.pem"}, "tls: client_ca needs cert and key"),
        ({"time_control.increment": 1}, "time_control: increment needs a bank"),
        ({"time_control.per_decision": 0}, "time_control.per_decision: input should be greater than 0"),
        ({"time_control.idle_limit": "8d"}, "time_control.idle_limit: input should be less than or equal to 604800"),
        ({"durability": "disk"}, "durability: 'disk' is not allowed; allowed: 'process' or 'power'"),
        ({"limits.max_mesage_bytes": 1}, "did you mean 'max_message_bytes'?"),
        ({"limits.max_message_bytes": 1}, "limits.max_message_bytes: input should be greater than or equal to 1024"),
        ({"listen": []}, "listen: has 0 entries; allowed: at least 1"),
        ({"listen": ["nonsense"]}, "listen[0]: 'nonsense' is no address"),
    ],
)
def test_a_wrong_value_is_told_with_its_key(overrides: dict[str, object], text: str) -> None:
    with pytest.raises(ConfigError) as caught:
        load_config(None, overrides)
    assert text in str(caught.value)


def test_the_databases_password_is_not_shown() -> None:
    config = load_config(None, {"database": "postgresql+psycopg://palio:s3cret@db.example:5432/palio"})
    shown = to_toml(config.printable())
    assert "s3cret" not in shown
    assert "postgresql+psycopg://palio:***@db.example:5432/palio" in shown
    assert config.database_url.count("s3cret") == 1
    assert load_config().printable() == load_config()
