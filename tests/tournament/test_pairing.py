"""Schedules, driven by tables of cases."""

from __future__ import annotations

import random
from collections import Counter
from dataclasses import replace
from itertools import combinations, pairwise
from math import factorial

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.support.tournaments import (
    NAMES,
    Judge,
    by_chance,
    earlier_letter_wins,
    everything_is_drawn,
    game,
    play,
    vectors,
)

from palio.engine.chance import seed_from_text
from palio.engine.errors import InvalidSetup
from palio.tournament.pairing import Director, Plan, Table, build, deal_seed, entries_of
from palio.tournament.pairing.berger import berger_table
from palio.tournament.pairing.design import choose_design, meetings
from palio.tournament.pairing.knockout import Knockout, bracket_order
from palio.tournament.pairing.matching import maximum_matching
from palio.tournament.pairing.swiss import Swiss, pair_round

VECTORS = vectors("ratings")
# --- blocks ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("seats", "mode", "count"),
    [
        (1, "auto", 1),
        (2, "auto", 2),
        (3, "auto", 6),
        (3, "rotations", 3),
        (4, "auto", 4),
        (4, "all", 24),
        (5, "auto", 5),
        (4, "single", 1),
    ],
)
def test_a_block_has_its_seatings(seats: int, mode: str, count: int) -> None:
    block = Table(seats, mode).block(0, 0, entries_of(NAMES[:seats]))  # type: ignore[arg-type]
    assert len(set(block.seatings)) == len(block.seatings) == count == len(block.permutations)
    if mode != "single":
        for seat in range(seats):
            assert set(Counter(seating[seat] for seating in block.seatings).values()) == {count // seats}
    if count == factorial(seats):
        assert len({frozenset(enumerate(s)) for s in block.seatings}) == factorial(seats)


def test_without_duplicates_the_seating_turns_with_the_deals() -> None:
    blocks = build(Plan("round_robin", NAMES[:4], 4, 8, "s", duplicate=False)).blocks({})
    assert all(len(block.seatings) == 1 for block in blocks)
    assert Counter(block.seatings[0].index("a") for block in blocks) == {0: 2, 1: 2, 2: 2, 3: 2}


def test_the_deal_seed_is_the_documented_hash() -> None:
    assert deal_seed("spring", 7) == seed_from_text("spring/deal/7")
    assert len({deal_seed("spring", n) for n in range(100)} | {deal_seed("autumn", n) for n in range(100)}) == 200


@pytest.mark.parametrize(
    ("table", "field"),
    [
        ({"seats": 0}, "players"),
        ({"seats": 6}, "players"),
        ({"seats": 5, "mode": "all"}, "seatings"),
        ({"seats": 2, "mode": "random"}, "seatings"),
        ({"seats": 3, "teams": True}, "teams"),
    ],
)
def test_impossible_tables_are_refused_by_field(table: dict[str, object], field: str) -> None:
    with pytest.raises(InvalidSetup) as error:
        Table(**table)  # type: ignore[arg-type]
    assert error.value.field == field


# --- round robin ----------------------------------------------------------------------------------------------------


def test_vector_berger_6() -> None:
    rounds = [" ".join(f"{a + 1}-{b + 1}" for a, b in pairs) for pairs in berger_table(6)]
    assert rounds == VECTORS["berger_6"]


@pytest.mark.parametrize("n", range(2, 15))
def test_berger_tables_pair_everybody_once_and_balance_the_first_seat(n: int) -> None:
    rounds = berger_table(n)
    pairs = [pair for pairs in rounds for pair in pairs]
    assert Counter(frozenset(pair) for pair in pairs) == Counter(frozenset(p) for p in combinations(range(n), 2))
    assert all(len({x for pair in pairs for x in pair}) == 2 * len(pairs) for pairs in rounds)
    firsts = Counter(first for first, _ in pairs)
    assert max(firsts[x] for x in range(n)) - min(firsts[x] for x in range(n)) <= 1


@pytest.mark.parametrize(
    ("n", "k", "affordable", "kind", "groups", "imbalance"),
    [
        (4, 3, 100, "every subset", 4, 0),
        (6, 4, 100, "every subset", 15, 0),
        (7, 3, 10, "cyclic", 7, 0),
        (13, 4, 100, "cyclic", 13, 0),
        (21, 5, 100, "cyclic", 21, 0),
        (20, 4, 100, "balanced", 35, 2),
        (12, 3, 100, "balanced", 24, 2),
    ],
)
def test_designs(n: int, k: int, affordable: int, kind: str, groups: int, imbalance: int) -> None:
    design = choose_design(n, k, affordable, "seed")
    assert (design.kind, len(design.groups)) == (kind, groups)
    assert design.imbalance <= imbalance
    counts = meetings(n, design.groups).values()
    assert design.imbalance == max(counts) - min(counts)
    assert f"imbalance {design.imbalance}" in design.sentence or design.imbalance == 0
    appearances = Counter(x for group in design.groups for x in group)
    assert len(set(appearances.values())) == 1
    assert design == choose_design(n, k, affordable, "seed")


@pytest.mark.parametrize(
    ("plan", "blocks", "games_each"),
    [
        (Plan("round_robin", NAMES[:4], 2, 5, "s"), 30, 30),
        (Plan("double_round_robin", NAMES[:4], 2, 5, "s"), 60, 60),
        (Plan("round_robin", NAMES[:4], 3, 2, "s"), 8, 36),
        (Plan("round_robin", NAMES[:5], 5, 3, "s"), 3, 15),
        (Plan("round_robin", NAMES[:3], 1, 7, "s"), 21, 7),
        (Plan("gauntlet", NAMES[:5], 2, 2, "s", challengers=("c",)), 8, None),
        (Plan("gauntlet", NAMES[:5], 3, 2, "s", challengers=("c", "e")), 12, None),
        (
            Plan("round_robin", NAMES[:4], 4, 2, "s", teams=True, pairs=(("x", ("a", "b")), ("y", ("c", "d")))),
            2,
            8,
        ),
        (Plan("round_robin", NAMES[:4], 4, 2, "s", teams=True), 6, 24),
    ],
)
def test_fixed_schedules(plan: Plan, blocks: int, games_each: int | None) -> None:
    fmt = build(plan)
    director = Director(fmt)
    assert len(director.known) == blocks == fmt.expected_blocks
    games = play(director, shuffle=1, teams=plan.teams)
    appearances = Counter(name for played in games for name in played.players)
    if games_each is not None:
        assert set(appearances.values()) == {games_each}
    seats = Counter((name, seat) for played in games for seat, name in enumerate(played.players))
    for name in plan.bots:
        assert len({seats[name, seat] for seat in range(plan.seats)}) == 1
    # A fresh deal for each block, except alone, where all play the same.
    assert len({block.deal for block in director.known.values()}) == (blocks if plan.seats > 1 else plan.deals)


def test_shared_deals_are_the_same_for_all_pairings() -> None:
    blocks = build(Plan("round_robin", NAMES[:4], 2, 3, "s", shared_deals=True)).blocks({})
    assert Counter(block.deal for block in blocks) == {0: 6, 1: 6, 2: 6}


def test_gauntlet_challengers_do_not_meet() -> None:
    fmt = build(Plan("gauntlet", NAMES[:6], 3, 1, "s", challengers=("a", "b")))
    assert all(len({"a", "b"} & set(block.players)) == 1 for block in fmt.blocks({}))


@pytest.mark.parametrize("n", [4, 5, 8, 12, 13, 16])
def test_changing_partners_is_a_whist_tournament(n: int) -> None:
    fmt = build(Plan("round_robin", NAMES[:n], 4, 1, "s", teams=True))
    partners: Counter[frozenset[str]] = Counter()
    opponents: Counter[frozenset[str]] = Counter()
    for block in fmt.blocks({}):
        a, b, c, d = block.players
        partners.update((frozenset((a, c)), frozenset((b, d))))
        opponents.update(frozenset(pair) for pair in ((a, b), (b, c), (c, d), (d, a)))
    pairs = [frozenset(pair) for pair in combinations(NAMES[:n], 2)]
    assert {partners[pair] for pair in pairs} == {1}
    assert {opponents[pair] for pair in pairs} == {2}


@pytest.mark.parametrize("n", [6, 7, 9, 10])
def test_changing_partners_elsewhere_is_fair_in_games_and_says_how_uneven_it_is(n: int) -> None:
    fmt = build(Plan("round_robin", NAMES[:n], 4, 1, "s", teams=True))
    appearances = Counter(name for block in fmt.blocks({}) for name in block.players)
    assert max(appearances.values()) - min(appearances.values()) <= 1
    assert "imbalance" in fmt.notes[0]


def test_fixed_pairs_sit_opposite_each_other_in_every_seating() -> None:
    pairs = (("x", ("a", "b")), ("y", ("c", "c")))
    for seatings, count in (("auto", 4), ("all", 8)):
        fmt = build(Plan("round_robin", NAMES[:3], 4, 1, "s", seatings=seatings, teams=True, pairs=pairs))  # type: ignore[arg-type]
        (block,) = fmt.blocks({})
        assert block.entries == ("x", "y")
        assert len(block.seatings) == count
        for s in block.seatings:
            assert {frozenset((s[0], s[2])), frozenset((s[1], s[3]))} == {frozenset("ab"), frozenset("c")}


# --- swiss ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("n", "seats", "rounds"), [(8, 2, 4), (9, 2, 5), (16, 2, 5), (5, 2, 5), (9, 3, 3), (10, 4, 3)])
@pytest.mark.parametrize("judge", [earlier_letter_wins, by_chance, everything_is_drawn])
def test_swiss(n: int, seats: int, rounds: int, judge: Judge) -> None:
    plan = Plan("swiss", NAMES[:n], seats, 2, "s", rounds=rounds)
    fmt = build(plan)
    assert isinstance(fmt, Swiss)
    director = Director(fmt)
    play(director, judge, shuffle=3)
    assert len(director.known) == fmt.expected_blocks
    byes = fmt.byes()
    assert sum(byes.values()) == n % seats * rounds
    assert max(byes.values(), default=0) - min((byes[x] for x in NAMES[:n]), default=0) <= 1
    met = Counter(frozenset(pair) for block in director.known.values() for pair in combinations(block.players, 2))
    if seats == 2:
        assert max(met.values()) == 2, "both deals of one meeting, no rematch"
    # The schedule depends on the results, not on who finished first.
    again = Director(build(plan))
    play(again, judge, shuffle=11)
    assert again.known == director.known
    worth = sum(sum(result.scores) for result in director.results.values()) / 2  # two blocks a meeting
    assert sum(fmt.scores(director.results).values()) == pytest.approx(worth + sum(byes.values()))


def test_swiss_pairs_score_groups_and_the_winner_takes_the_first_place() -> None:
    fmt = Swiss(entries_of(NAMES[:8]), Table(2), 3, 1)
    director = Director(fmt)
    first = [block.entries for block in director.ready()]
    assert first == [("a", "e"), ("b", "f"), ("c", "g"), ("d", "h")]
    director = Director(Swiss(entries_of(NAMES[:8]), Table(2), 3, 1))
    play(director)
    second = [block.entries for block in director.known.values() if block.round == 2]
    assert second == [("a", "c"), ("b", "d"), ("e", "g"), ("f", "h")]
    scores = director.format.scores(director.results)  # type: ignore[attr-defined]
    assert max(scores, key=scores.get) == "a"
    assert scores["a"] == 3


def test_swiss_rematches_only_when_no_other_round_exists() -> None:
    met = Counter({(0, 1): 1, (2, 3): 1, (0, 2): 1, (1, 3): 1})
    assert sorted(pair_round([0, 1, 2, 3], [1, 1, 0, 0], met)) == [(0, 3), (1, 2)]
    met.update({(0, 3): 1, (1, 2): 1})
    assert len(pair_round([0, 1, 2, 3], [1, 1, 0, 0], met)) == 2
    director = Director(Swiss(entries_of(NAMES[:4]), Table(2), 6, 1))
    play(director, by_chance)
    meetings_ = Counter(frozenset(block.entries) for block in director.known.values())
    assert set(meetings_.values()) == {2}


@given(st.integers(2, 9), st.integers(0, 2**36 - 1))
@settings(max_examples=150, deadline=None)
def test_the_matching_is_as_large_as_can_be(n: int, bits: int) -> None:
    edges = [pair for number, pair in enumerate(combinations(range(n), 2)) if bits >> number & 1]

    def best(edges: list[tuple[int, int]]) -> int:
        if not edges:
            return 0
        (a, b), rest = edges[0], edges[1:]
        return max(best(rest), 1 + best([edge for edge in rest if not {a, b} & set(edge)]))

    match = maximum_matching([[b for a, b in edges + [(b, a) for a, b in edges] if a == x] for x in range(n)])
    assert all(
        match[match[x]] == x and (min(x, match[x]), max(x, match[x])) in edges for x in range(n) if match[x] >= 0
    )
    assert sum(partner >= 0 for partner in match) == 2 * best(edges[:14]) or len(edges) > 14


# --- knockout -------------------------------------------------------------------------------------------------------


def test_the_bracket_keeps_the_first_seeds_apart() -> None:
    assert bracket_order(8) == [0, 7, 3, 4, 1, 6, 2, 5]


@pytest.mark.parametrize("n", [2, 3, 5, 6, 7, 8, 11])
@pytest.mark.parametrize("judge", [earlier_letter_wins, by_chance, everything_is_drawn])
def test_knockout(n: int, judge: Judge) -> None:
    fmt = Knockout(entries_of(NAMES[:n]), Table(2), 3, extra=2)
    director = Director(fmt)
    play(director, judge, shuffle=5)
    bracket = fmt.bracket(director.results)
    assert sum(tie.decided_by != "bye" for ties in bracket for tie in ties) == n - 1
    byes = [tie.entries[0] for tie in bracket[0] if tie.decided_by == "bye"]
    assert sorted(byes) == list(NAMES[: len(byes)])
    if judge is earlier_letter_wins:
        assert fmt.champion(director.results) == "a"
        assert {tie.decided_by for ties in bracket for tie in ties} <= {"score", "bye"}
    if judge is everything_is_drawn:
        assert fmt.champion(director.results) == "a"
        assert all(len(tie.blocks) == 5 for ties in bracket for tie in ties if tie.decided_by == "seed")
    for ties, following in pairwise(bracket):
        assert {tie.winner for tie in ties} == {name for tie in following for name in tie.entries if name}


def test_a_tied_knockout_match_gets_one_more_block_at_a_time() -> None:
    fmt = Knockout(entries_of("ab"), Table(2), 2)
    director = Director(fmt)

    def drawn_at_first(players: tuple[str, ...], deal: int) -> tuple[int, ...]:
        return (1, 1) if deal < 3 else tuple(2 - (name == "b") for name in players)

    play(director, drawn_at_first)
    ((tie,),) = fmt.bracket(director.results)
    assert (tie.winner, tie.decided_by, len(tie.blocks)) == ("b", "score", 4)


# --- the director ---------------------------------------------------------------------------------------------------

PLANS = [
    Plan("round_robin", NAMES[:5], 3, 1, "s"),
    Plan("swiss", NAMES[:7], 2, 2, "s", rounds=4),
    Plan("knockout", NAMES[:6], 2, 2, "s"),
]


@pytest.mark.parametrize("plan", PLANS, ids=lambda plan: plan.format)
@pytest.mark.parametrize("share", [0.0, 0.3, 0.8, 1.0])
def test_a_resumed_tournament_plays_exactly_what_is_missing(plan: Plan, share: float) -> None:
    whole = play(Director(build(plan)), by_chance)
    kept = whole[: int(len(whole) * share)]
    random.Random(2).shuffle(kept)
    director = Director(build(plan), kept)
    rest = play(director, by_chance)
    key = lambda g: (g.block, g.seating)  # noqa: E731
    assert sorted(kept + rest, key=key) == sorted(whole, key=key)


def test_the_director_refuses_games_that_do_not_belong() -> None:
    fmt = build(Plan("round_robin", NAMES[:3], 2, 2, "s"))
    director = Director(fmt)
    block = director.ready()[0]
    good = game(block, 0)
    director.record(good)
    for bad, message in (
        (good, "played already"),
        (replace(good, block=99), "not part of this tournament"),
        (replace(good, seating=2), "no seating 2"),
        (replace(good, players=("x", "y")), "no seating 0 of x, y"),
        (replace(good, seating=1, players=block.seatings[1], deal=77), "not 77"),
    ):
        with pytest.raises(ValueError, match=message):
            director.record(bad)
    with pytest.raises(ValueError, match="settings changed"):
        Director(fmt, [replace(good, block=99)])


@pytest.mark.parametrize(
    ("plan", "field"),
    [
        (Plan("roundrobin", NAMES[:3], 2, 1, "s"), "format"),
        (Plan("round_robin", ("a", "b", "a"), 2, 1, "s"), "bots"),
        (Plan("round_robin", ("a",), 2, 1, "s"), "bots"),
        (Plan("round_robin", NAMES[:3], 2, 0, "s"), "deals"),
        (Plan("gauntlet", NAMES[:3], 2, 1, "s", challengers=("q",)), "challengers"),
        (Plan("gauntlet", NAMES[:3], 2, 1, "s"), "challengers"),
        (Plan("knockout", NAMES[:4], 3, 1, "s"), "players"),
        (Plan("swiss", NAMES[:4], 1, 1, "s"), "format"),
        (Plan("swiss", NAMES[:4], 2, 1, "s", rounds=-1), "rounds"),
        (Plan("swiss", NAMES[:4], 4, 1, "s", teams=True), "pairs"),
        (Plan("round_robin", NAMES[:4], 4, 1, "s", teams=True, pairs=(("x", ("a", "z")),)), "pairs.x"),
        (Plan("round_robin", NAMES[:4], 2, 1, "s", pairs=(("x", ("a", "b")),)), "pairs"),
    ],
)
def test_plans_that_cannot_be_are_refused_by_field(plan: Plan, field: str) -> None:
    with pytest.raises(InvalidSetup) as error:
        build(plan)
    assert error.value.field == field
