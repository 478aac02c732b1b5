"""``palio tournament run`` on a server of several processes: its slots are spread over all of them."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.support.tourney import run, write_tournament

from palio.server.match.verify import verify_file


@pytest.mark.slow
def test_a_tournament_fills_every_worker(tmp_path: Path) -> None:
    (tmp_path / "palio.toml").write_text("workers = 2\n")
    bots = {"ada": "good", "ben": "good", "cal": "good"}
    file = write_tournament(tmp_path, bots, deals=3, concurrency=4, server_config="palio.toml")
    file.write_text(file.read_text().replace("\ncommand =", "\nslots = 2\ncommand ="))
    code, printed = run(file)
    assert code == 0, printed
    folder = file.with_suffix(".palio")
    replays = list((folder / "server" / "replays").glob("*.replay"))
    assert len(replays) == 18
    assert not any(verify_file(path).difference for path in replays)
    lines = (folder / "logs" / "server.log").read_text().splitlines()
    started = [line for line in lines if "match.started" in line]
    assert {line.split("worker=")[1].split()[0] for line in started} == {"0", "1"}
