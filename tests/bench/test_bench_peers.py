"""``palio bench peers``: other libraries' games are measured where they are there, and named where they are not."""

from __future__ import annotations

import json
import random
import sys
from importlib.util import find_spec
from types import ModuleType
from typing import Any

import pytest
from typer.testing import CliRunner

from palio.bench import peers
from palio.bench.peers import Peer, measure
from palio.cli.main import app


class ThreeCoins:
    """A game as OpenSpiel has them: a coin is tossed, two players choose in turn, six decisions in all."""

    def __init__(self) -> None:
        self.at = 0

    def is_terminal(self) -> bool:
        return self.at == 9

    def is_chance_node(self) -> bool:
        return self.at % 3 == 0

    def chance_outcomes(self) -> list[tuple[int, float]]:
        return [(0, 0.5), (1, 0.5)]

    def legal_actions(self) -> list[int]:
        return [4, 7]

    def apply_action(self, action: int) -> None:
        assert action in ((0, 1) if self.is_chance_node() else (4, 7))
        self.at += 1


class FakeSpiel(ModuleType):
    def load_game(self, name: str) -> FakeSpiel:
        assert name == "coins"
        return self

    def new_initial_state(self) -> ThreeCoins:
        return ThreeCoins()


class FakeCards(ModuleType):
    """RLCard's interface: a state is a dictionary, its legal actions are the keys of another one."""

    left = 0

    def make(self, name: str, config: dict[str, Any]) -> FakeCards:
        assert (name, "seed" in config) == ("cards", True)
        return self

    def reset(self) -> tuple[dict[str, Any], int]:
        self.left = 4
        return {"legal_actions": {2: None, 3: None}}, 0

    def is_over(self) -> bool:
        return self.left == 0

    def step(self, action: int) -> tuple[dict[str, Any], int]:
        assert action in (2, 3)
        self.left -= 1
        return {"legal_actions": {2: None, 3: None}}, 1


COINS = Peer("Fake", "no-such-package", "fake_spiel", "coins", peers.open_spiel)
CARDS = Peer("Fake cards", "no-such-package", "fake_cards", "cards", peers.rlcard)
ABSENT = Peer("Absent", "absent-library", "no_such_module_anywhere", "chess", peers.open_spiel)


def test_a_library_that_is_missing_is_named_and_the_others_are_measured(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "fake_spiel", FakeSpiel("fake_spiel"))
    monkeypatch.setitem(sys.modules, "fake_cards", FakeCards("fake_cards"))
    monkeypatch.setattr(peers, "OWN", (("fidelitas", 2),))
    own, absent, coins, cards = measure(0.01, (ABSENT, COINS, CARDS))
    assert own.library.startswith("Palio")
    assert own.decisions_per_second > 0
    assert absent.missing.startswith("absent-library is not installed")
    assert (coins.decisions_per_game, cards.decisions_per_game) == (6, 4)
    assert min(coins.decisions_per_second, cards.decisions_per_second) > 0


def test_a_library_that_fails_keeps_no_other_from_being_measured(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "fake_spiel", FakeSpiel("fake_spiel"))
    monkeypatch.setattr(peers, "OWN", (("fidelitas", 2),))
    _, failed, coins = measure(0.01, (COINS._replace(game="unknown"), COINS))
    assert failed.missing.startswith("failed: AssertionError")
    assert coins.decisions_per_second > 0


def test_the_command_prints_factors_and_what_was_not_measured(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "fake_spiel", FakeSpiel("fake_spiel"))
    monkeypatch.setattr(peers, "OWN", (("fidelitas", 2),))
    monkeypatch.setattr(peers.measure, "__defaults__", ((COINS, ABSENT),))
    shown = CliRunner().invoke(app, ["bench", "peers", "--seconds", "0.01"]).output
    assert "Fidelitas is" in shown
    assert "not measured: Absent chess: absent-library is not installed" in shown
    lines = json.loads(CliRunner().invoke(app, ["bench", "peers", "--seconds", "0.01", "--json"]).output)
    assert [line["game"] for line in lines] == ["Fidelitas, 2 players", "coins", "chess"]


@pytest.mark.parametrize("peer", peers.PEERS, ids=lambda peer: f"{peer.library} {peer.game}")
def test_the_real_games_are_played_to_their_end_where_they_are_installed(peer: Peer) -> None:
    if find_spec(peer.module) is None:
        pytest.skip(f"{peer.package} is not installed (extra palio[peers])")
    play = peer.open(__import__(peer.module), peer.game)
    assert play(random.Random(1)) > 1
