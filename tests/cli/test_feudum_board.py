"""The drawing of Feudum: what a seat sees in a hundred columns, its options in words, the help."""

from __future__ import annotations

import random
from collections.abc import Iterator

import pytest
from rich.console import Console, RenderableType

from palio.cli.boards import Board, board_of
from palio.client import Match
from palio.codec import codec_of
from palio.engine.chance import seed_from_text
from palio.feudum.v1 import feudum_pb2 as pb
from palio.games import rules_of
from palio.v1 import catalog_pb2, game_pb2, play_pb2

NAMES = ("ada", "a-name-that-is-rather-long", "cyd", "dora", "eve")
WIDTH = 100


def board_for(players: int) -> Board:
    info = catalog_pb2.GetGameResponse(catalogue=codec_of("feudum").catalogue())
    started = play_pb2.MatchStarted(game="feudum", players=NAMES[:players])
    return board_of(Match("m", started, lambda _: None, info))


def shown(what: RenderableType | None) -> str:
    assert what is not None
    console = Console(width=WIDTH, no_color=True)
    with console.capture() as capture:
        console.print(what)
    return capture.get()


def drawn(board: Board, observation: pb.Observation, *, whole: bool = True) -> str:
    return shown(board.draw(game_pb2.Observation(feudum=observation), NAMES, whole=whole))


def decisions(players: int, seed: str) -> Iterator[tuple[str, game_pb2.Observation, list[game_pb2.Option]]]:
    """Every decision of a random game as the seat that is asked gets it."""
    rules, codec, chance = rules_of("feudum"), codec_of("feudum"), random.Random(seed)
    state = rules.start(seed_from_text(seed), players, rules.options())
    while decision := state.decision():
        observation = game_pb2.Observation.FromString(codec.observation(state.view(decision.seat)))
        yield decision.kind, observation, [game_pb2.Option.FromString(codec.option(o)) for o in decision.options]
        state.choose(chance.randrange(len(decision.options)))


def test_every_kind_of_decision_is_drawn_within_the_width_and_its_options_differ() -> None:
    board = board_for(5)
    seen: set[str] = set()
    for kind, observation, options in decisions(5, "drawn"):
        if kind in seen:
            continue
        seen.add(kind)
        for whole in (True, False):
            text = shown(board.draw(observation, NAMES, whole=whole))
            assert all(len(line.rstrip()) <= WIDTH for line in text.splitlines())
            assert "Merchant" in text or "outpost" in text
        texts = [board.option_text(option) for option in options]
        assert len(set(texts)) == len(texts)
    assert len(seen) > 25


@pytest.fixture
def start() -> pb.Observation:
    """The first decision of a game of three."""
    _, observation, _ = next(decisions(3, "start"))
    return observation.feudum


def line_of(text: str, words: str) -> str:
    return next(line for line in text.splitlines() if words in line)


def test_the_boards_show_tracks_rows_scrolls_beads_and_money(start: pb.Observation) -> None:
    board = board_for(3)
    knights = start.guilds[pb.GUILD_KNIGHT - 1]
    knights.track.extend([2, 0])
    knights.waiting.append(1)
    knights.stars[:] = [1, 1, 4]
    knights.right_reeve = 2
    start.rows.iron = 0
    start.rows.wood = 3
    start.knight_rows[0] = 3
    start.rosary[:] = [2, 5]
    start.purse = 6
    text = drawn(board, start)
    assert "master     cyd          4★ ⚑" in text
    assert "journeyman ada          1★  " in text
    assert "waiting    a-name-that… 1★" in text
    assert "iron       ○○○○ 3 2 1 1 none" in text
    assert "wood       ●●●○ 2 2 1 1 for 1" in text
    assert "ada           ●│●●│○○○" in text
    assert "1●  2○  3●" in text
    assert "rosary     2 5 (7)" in text
    assert "purse      6 shillings" in text


def test_the_map_shows_who_rules_what_who_stands_there_and_what_lies_there(start: pb.Observation) -> None:
    board = board_for(3)
    place = start.locations[11]
    place.type, place.guild = pb.LOCATION_TYPE_FEUDUM, pb.GUILD_NOBLE
    place.ruler, place.subject, place.serf = 0, True, 2
    place.goods.CopyFrom(pb.Goods(food=2))
    start.seats[1].pawns[2].character, start.seats[1].pawns[2].location = pb.GUILD_MONK, 12
    start.seats[1].pawns[2].carries_sulfur = True
    row = line_of(drawn(board, start), "12 NOBLE")
    assert "RRb" in row
    assert "G2 monk~" in row
    assert "2 food" in row
    assert board.option_text(game_pb2.Option(feudum=pb.Option(location=12))).startswith("12 NOBLE, Desert (RRb; ")


def test_what_the_seat_has_is_shown_and_what_it_has_not_is_left_out(start: pb.Observation) -> None:
    board = board_for(3)
    start.own.seat = 1
    start.own.hand.append(pb.WRIT_STALL)
    start.seats[1].beads.extend([2, 5])
    text = drawn(board, start)
    assert "Your writ STALL: 1: a food for 3 shillings." in text
    assert "2 5 (7)" in line_of(text, "beads  ")
    assert "successes" not in text
    spectator = pb.Observation.FromString(start.SerializeToString())
    spectator.ClearField("own")
    assert "Your writ" not in drawn(board, spectator)


def test_in_the_middle_of_an_action_only_what_it_needs_is_drawn(start: pb.Observation) -> None:
    board = board_for(3)
    start.phase, start.asked_kind = pb.PHASE_TURNS, pb.DECISION_KIND_MARKET_BUY
    start.engagement.guild, start.engagement.function = pb.GUILD_MERCHANT, pb.GUILD_FUNCTION_TRADE
    text = drawn(board, start, whole=False)
    assert "At work: Merchant TRADE" in text
    assert "saltpeter  ●●●○" in text
    assert "Badlands" not in text
    assert "Badlands" in drawn(board, start)


def test_options_say_what_they_cost_and_bring(start: pb.Observation) -> None:
    board = board_for(3)
    start.asked_seat, start.asked_kind, start.mandate = 0, pb.DECISION_KIND_MARKET_BUY, pb.WRIT_FAIR
    start.rows.saltpeter = 2
    drawn(board, start)

    def text(**record: object) -> str:
        return board.option_text(game_pb2.Option(feudum=pb.Option(**record), text="plain"))  # type: ignore[arg-type]

    assert text(good=pb.GOOD_SALTPETER) == "saltpeter for 3"
    assert text(choice=2) == "a sulfur, an iron, a wood and a food for 13"
    assert text(action=pb.ACTION_GUILD) == "GUILD ×2"
    assert text(opponent=2) == "cyd hides the beads"
    assert text(card=pb.WRIT_BOW) == "BOW: In CONQUER: 1 more, or 2 more for a wood."
    feast = pb.Option.Feast(guild=pb.GUILD_MONK, function=pb.GUILD_FUNCTION_PUSH, feast=2)
    assert text(feast=feast).startswith("Monk PUSH, feasting with cyd: A bead to a chicken")
    assert text(barrel=1) == "plain"


@pytest.mark.parametrize(
    ("topic", "said"),
    [
        ("", "REPEAT"),
        ("merchant", "PULL (journeyman, from the Farmers)"),
        ("Monk", "one to the farmer's purse"),
        ("migrate", "MIGRATE: A food brings a pawn into play"),
        ("guild", "the journeyman PULL, the master PUSH"),
        ("sole", "SOLE RULER: 5, 11 or 17 points"),
        ("realm_", "REALM DESERT"),
        ("dawn", "masters score 5, journeymen 3, apprentices 1"),
    ],
)
def test_help_knows_guilds_actions_and_writs(topic: str, said: str) -> None:
    assert said in " ".join(shown(board_for(2).help(topic)).split())


def test_help_says_who_gets_the_coins_where_there_are_any() -> None:
    assert "coins" not in shown(board_for(2).help("farmer"))


def test_help_knows_no_other_words() -> None:
    assert board_for(2).help("weather") is None
