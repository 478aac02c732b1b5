"""Fixed pairs: what competes, and is rated, is the pair."""

from __future__ import annotations

from dataclasses import replace

import pytest
from tests.support.tournaments import game as made
from tests.tournament.test_report import NOW, entry_of, parsed

from palio.files.settings import check_settings
from palio.tournament.config import TournamentConfig
from palio.tournament.export import standings_data, to_trf
from palio.tournament.pairing import Director
from palio.tournament.plan import make_schedule
from palio.tournament.rating.methods import METHODS
from palio.tournament.report import report_html
from palio.tournament.results import Game, between_pairs, by_pair
from palio.tournament.summary import Summary
from palio.tournament.tables_text import crosstable_table, deals_table, standings_table, versus_table

PAIRS = {"Reds": ("a", "b"), "Blues": ("c", "d"), "Greens": ("e", "f")}
PAIR_OF = {member: name for name, members in PAIRS.items() for member in members}


def summary(rating: str = "ml", withdrawn: dict[str, str] | None = None) -> Summary:
    """Three pairs; of two, the one with the earlier letter wins."""
    bots = [{"name": name, "builtin": "random"} for name in PAIR_OF]
    keys = {"players": 4, "options": {"teams": True}, "deals": 4, "pairs": PAIRS}
    data = {"name": "Pairs", "game": "fidelitas", "bots": bots, **keys}
    config = check_settings(TournamentConfig, data, "test")
    fmt = make_schedule(config, "s").format
    director = Director(fmt)
    entries = [
        entry_of(made(block, seating, teams=True))
        for block in director.ready()
        for seating in range(len(block.permutations))
    ]
    return Summary(config, fmt, entries, rating=rating, withdrawn=withdrawn, finished=NOW)


def test_a_game_of_pairs_has_a_seat_for_each_side() -> None:
    played = Game(
        block=3,
        deal=5,
        seating=1,
        players=("c", "a", "d", "b"),
        ranks=(2, 1, 2, 1),
        points=(4.0, 10.0, 1.0, 3.0),
        faults=(None, None, "FORFEIT_TIMEOUT", None),
        sides=(0, 1, 0, 1),
        round=2,
    )
    [found] = between_pairs([played], PAIR_OF)
    assert found.players == ("Blues", "Reds")
    assert found.ranks == (2, 1)
    assert found.points == (5.0, 13.0)
    assert found.faults == ("FORFEIT_TIMEOUT", None)
    assert found.sides == (0, 1)
    assert (found.block, found.deal, found.seating, found.round) == (3, 5, 1, 2)
    [renamed] = by_pair([played], PAIR_OF)
    assert renamed == replace(played, players=("Blues", "Reds", "Blues", "Reds"))


def test_standings_are_those_of_the_pairs() -> None:
    found = summary()
    assert [line.player for line in found.standings] == ["Reds", "Blues", "Greens"]
    assert [line.games for line in found.standings] == [32, 32, 32]
    assert [line.share for line in found.standings] == [1.0, 0.5, 0.0]
    assert set(found.crosstable) == set(PAIRS)
    assert {use.player for use in found.time_use} == set(PAIR_OF)
    assert {line.player for line in found.seats} == {None, *PAIR_OF}


@pytest.mark.parametrize("method", METHODS)
def test_every_method_rates_pairs(method: str) -> None:
    rated = summary(method).rating.rated
    assert [line.player for line in rated] == ["Reds", "Blues", "Greens"]
    assert rated[0].elo > rated[1].elo > rated[2].elo


def test_tables_name_the_pairs_and_their_members() -> None:
    found = summary(withdrawn={"d": "crashed"})
    table = standings_table(found)
    assert table.columns[1] == "pair"
    assert [row[1] for row in table.rows] == ["Reds", "Blues (withdrawn)", "Greens"]
    assert table.notes[0] == "the pairs: Reds (a and b), Blues (c and d), Greens (e and f)"
    assert crosstable_table(found).columns[2:] == [">1 Reds", ">2 Blues", ">3 Greens"]
    assert versus_table(found, "Reds", "Blues").rows[0][2] == "1 1 1 1"
    assert deals_table(found).columns[1:] == [">Reds", ">Blues", ">Greens"]


def test_exports_and_report_name_the_pairs() -> None:
    found = summary(withdrawn={"d": "crashed"})
    assert [(line["player"], line["withdrawn"]) for line in standings_data(found)] == [
        ("Reds", None),
        ("Blues", "crashed"),
        ("Greens", None),
    ]
    assert "Greens" in to_trf(found)
    words = "".join(parsed(report_html(found)).text)
    for phrase in ("Reds (a and b)", "Blues (withdrawn)", "side 0"):
        assert phrase in words
