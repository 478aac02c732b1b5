"""The tournament file: what is wrong with it is named before a game is played."""

from __future__ import annotations

import json
import re
import tomllib
from pathlib import Path

import pytest

from palio.engine.errors import InvalidSetup
from palio.files.settings import ConfigError
from palio.tournament.command import describe
from palio.tournament.config import config_of, differences, load_tournament
from palio.tournament.plan import make_schedule, options_message

GOOD = """
name = "Spring Cup 2026"
game = "sticks"
seed = "s"
[[bots]]
name = "a"
builtin = "random"
[[bots]]
name = "b"
command = "sh bot.sh --level 'very hard'"
[[bots]]
name = "c"
remote = true
"""


def written(tmp_path: Path, text: str) -> Path:
    path = tmp_path / "cup.toml"
    path.write_text(text)
    return path


def test_a_good_file_is_read(tmp_path: Path) -> None:
    config = load_tournament(written(tmp_path, GOOD))
    assert config.id == "spring-cup-2026"
    assert config.players == (2,)
    assert config.bots[1].command == ("sh", "bot.sh", "--level", "very hard")
    assert [bot.what for bot in config.bots] == ["builtin random", "command sh bot.sh --level 'very hard'", "remote"]


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ('seed = "s"', "deels = 3", "deels: unknown key; did you mean 'deals'?"),
        ('game = "sticks"', 'game = "stick"', "game: there is no game 'stick'; known games: "),
        ('game = "sticks"', "", "game: is required"),
        ('name = "Spring Cup 2026"', 'name = "!!"', "name: needs a letter or digit"),
        ('seed = "s"', 'format = "round_robbin"', "format: 'round_robbin' is not allowed; did you mean 'round_robin'?"),
        ('seed = "s"', "deals = 0", "deals[0]: input should be greater than or equal to 1 (got 0)"),
        ('seed = "s"', 'deals = "many"', "deals[0]: input should be a valid integer"),
        ('seed = "s"', '[pairs]\nx = ["a", "b", "c"]', "pairs.x: has 3 entries; allowed: at most 2"),
        ('seed = "s"', 'challengers = "a"', "challengers: should be a list"),
        ('seed = "s"', "deals = []", "deals: is empty; allowed: a whole number, or several in a list"),
        ('seed = "s"', 'deals = "3"', "deals[0]: input should be a valid integer"),
        ('seed = "s"', "players = []", "players: is empty"),
        ('seed = "s"', 'duplicate = "no"', "duplicate: 'no' is not allowed; allowed: true or false, without quotes"),
        ('seed = "s"', "shared_deals = 1", "shared_deals: 1 is not allowed; allowed: true or false"),
        ('seed = "s"', "concurrency = true", "concurrency: true is not allowed; allowed: a whole number"),
        ('seed = "s"', 'server_config = "none.toml"', "none.toml: No such file or directory"),
        ('seed = "s"', 'server_config = "cup.toml"', "cup.toml: name: unknown key"),
        ('seed = "s"', "players = 7", "players: sticks is played by 1, 2, 3, 4, not by 7"),
        ('seed = "s"', "players = [2, 2]", "players: a number stands there twice"),
        ('seed = "s"', "players = [2, 3]\ndeals = [1, 2, 3]", "deals: 3 numbers for 2 sizes of match"),
        ('seed = "s"', "concurrency = 0", "concurrency: input should be greater than or equal to 1 (got 0)"),
        ('seed = "s"', 'engine = "cloud"', "engine: 'cloud' is not allowed; allowed: "),
        ('seed = "s"', 'rating = "elo2"', "rating: 'elo2' is not allowed; did you mean 'elo'?"),
        ('seed = "s"', "rounds = 3", "rounds: only a swiss tournament has them"),
        ('seed = "s"', 'challengers = ["a"]', "challengers: only a gauntlet has them"),
        ('seed = "s"', 'format = "swiss"\nplayers = [2, 3]', "players: swiss is played with one size of match"),
        ('seed = "s"', "[sprt]\nelo1 = 3", "sprt: only the format sprt has hypotheses"),
        ('seed = "s"', 'format = "sprt"\n[sprt]\nelo0 = 3\nelo1 = 3', "sprt: elo1: 3 is not greater than elo0 = 3"),
        ('seed = "s"', "[time_control]\nper_decision = 0", "time_control.per_decision: input should be greater than 0"),
        ('seed = "s"', "[limits]\nmemory = 3", "limits.memory: unknown key; did you mean 'memory_mib'?"),
        (
            'seed = "s"',
            "[policies]\nillegal_tries = 0",
            "policies.illegal_tries: input should be greater than or equal",
        ),
        ('seed = "s"', '[pairs]\nx = ["a", "a"]', "pairs.x: one player cannot take two seats; enter a twice"),
        (
            'seed = "s"',
            '[pairs]\nx = ["a", "b"]\ny = ["c", "b"]',
            "pairs.y: b plays in pairs.x too, and could not take both seats",
        ),
        ('name = "b"', 'name = "A"', "bots[1].name: 'A' is taken; names differ by more than capitals"),
        ('name = "b"', 'name = "b/c"', "bots[1]: name: 'b/c' is no player name; allowed: 1 to 40 of"),
        ('builtin = "random"', 'builtin = "randum"', "bots[0].builtin: no bot 'randum' for sticks comes with Palio"),
        ('builtin = "random"', 'builtin = "random:loud"', "bots[0].builtin: 'random' has no variant 'loud'"),
        ('builtin = "random"', "", "bots[0]: a: set exactly one of builtin, command and remote"),
        ('builtin = "random"', 'builtin = "random"\nremote = true', "bots[0]: a: set exactly one of builtin"),
        (
            'builtin = "random"',
            'command = "sh \'x"',
            'bots[0].command: "sh \'x" cannot be split like in a shell: no closing',
        ),
        ('builtin = "random"', "command = []", "bots[0]: a: command is empty"),
        ('builtin = "random"', 'command = "./bot"', "bots[0].command: a: there is no program './bot'"),
        ('builtin = "random"', 'command = "no-such-bot"', "bots[0].command: a: there is no program 'no-such-bot'"),
        ('builtin = "random"', 'command = "sh"\ncwd = "nowhere"', "bots[0].cwd: there is no directory"),
        ('builtin = "random"', 'builtin = "random"\nslots = 0', "bots[0].slots: input should be greater than or equal"),
        (
            'builtin = "random"',
            'builtin = "random"\nenv = {PALIO_TOKEN = "x"}',
            "bots[0]: a: env.PALIO_TOKEN is set by the tournament itself",
        ),
    ],
)
def test_what_is_wrong_is_named(tmp_path: Path, old: str, new: str, expected: str) -> None:
    assert GOOD.count(old) == 1
    with pytest.raises(ConfigError) as caught:
        load_tournament(written(tmp_path, GOOD.replace(old, new)))
    assert expected in str(caught.value)


@pytest.mark.parametrize(
    ("keys", "expected"),
    [
        ("options = {heap = 1}", "heap"),
        ('options = {heap = "high"}', "heap"),
        ("options = {height = 1}", "options.height: unknown option; sticks has heap"),
        ('format = "gauntlet"', "challengers: name at least one"),
        ('format = "gauntlet"\nchallengers = ["z"]', "challengers: unknown name 'z'; the bots are a, b, c"),
        ('format = "gauntlet"\nchallengers = ["a", "b", "c"]', "challengers: leave 0 others to be met; at least 1"),
        ('format = "sprt"', "bots: sprt is between 2 entries, not 3"),
        ("players = 4", "bots: 3 are too few"),
    ],
)
def test_what_cannot_be_scheduled_or_played_is_named(tmp_path: Path, keys: str, expected: str) -> None:
    config = load_tournament(written(tmp_path, GOOD.replace('seed = "s"', keys)))
    with pytest.raises(InvalidSetup) as caught:
        make_schedule(config, "s")
    assert expected in str(caught.value)


def test_options_of_a_built_in_game_are_checked_by_name(tmp_path: Path) -> None:
    text = GOOD.replace("sticks", "fidelitas").replace('seed = "s"', "options = {max_turn = 30}")
    with pytest.raises(InvalidSetup, match=r"options.max_turn: .*did you mean 'max_turns'\?"):
        make_schedule(load_tournament(written(tmp_path, text)), "s")


@pytest.mark.parametrize(
    ("keys", "expected"),
    [
        ("options = {max_turns = 5}", "options.max_turns: 5; allowed are whole numbers from 20 to 10000"),
        (
            'options = {max_turns = "x"}',
            "options.max_turns: 'x' is not allowed; allowed: whole numbers from 20 to 10000",
        ),
        ("options = {teams = 1}", "options.teams: 1 is not allowed; allowed: true or false"),
        ("options = {teams = true}", "options.teams: a team match has 4 players, not 2"),
        ('[pairs]\nx = ["a", "b"]', "pairs: pairs need a game played in teams"),
        (
            'players = 4\noptions = {teams = true}\n[pairs]\nx = ["a", "z"]',
            "pairs.x: unknown bot 'z'; the bots are a, b, c",
        ),
        (
            'players = 4\noptions = {teams = true}\n[pairs]\nx = ["a", "b"]',
            "pairs: c would not play, being in none; put every bot in a pair",
        ),
    ],
)
def test_what_the_game_does_not_allow_is_named_with_the_file(tmp_path: Path, keys: str, expected: str) -> None:
    file = written(tmp_path, GOOD.replace("sticks", "fidelitas").replace('seed = "s"', keys))
    with pytest.raises(ConfigError) as caught:
        describe(file)
    assert str(caught.value) == f"{file}: {expected}"


def test_bots_that_are_no_list_are_told_how_to_be_one(tmp_path: Path) -> None:
    text = 'name = "Cup"\ngame = "sticks"\n[bots]\nname = "a"\nbuiltin = "random"\n'
    with pytest.raises(ConfigError, match=r"bots: should be tables, each headed \[\[bots\]\]$"):
        load_tournament(written(tmp_path, text))


def test_an_extra_that_is_not_installed_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("palio.tournament.config.find_spec", lambda _: None)
    with pytest.raises(ConfigError, match=r"rating: \"openskill\" needs more than is installed; pip install"):
        load_tournament(written(tmp_path, GOOD.replace('seed = "s"', 'rating = "openskill"')))


def test_variants_of_built_in_bots_can_be_entered(tmp_path: Path) -> None:
    text = GOOD.replace("sticks", "fidelitas").replace('builtin = "random"', 'builtin = "greedy:quiet"')
    assert load_tournament(written(tmp_path, text)).bots[0].builtin == "greedy:quiet"


def test_several_sizes_of_match_are_mixed_evenly(tmp_path: Path) -> None:
    text = GOOD.replace('seed = "s"', "players = [2, 3]\ndeals = [6, 3]")
    schedule = make_schedule(load_tournament(written(tmp_path, text)), "s")
    blocks = schedule.format.blocks({})
    assert [block.index for block in blocks] == list(range(3 * 6 + 3))
    assert len({block.deal for block in blocks}) == len(blocks)
    sizes = [len(block.players) for block in blocks]
    assert [at for at, size in enumerate(sizes) if size == 3] == [3, 10, 17]
    assert {len(block.permutations) for block in blocks} == {2, 6}


def test_shared_deals_are_shared_among_matches_of_one_size_only(tmp_path: Path) -> None:
    text = GOOD.replace('seed = "s"', "players = [2, 3]\ndeals = 2\nshared_deals = true")
    blocks = make_schedule(load_tournament(written(tmp_path, text)), "s").format.blocks({})
    by_size = {size: {block.deal for block in blocks if len(block.players) == size} for size in (2, 3)}
    assert by_size == {2: {0, 2}, 3: {1, 3}}


def test_the_same_seed_gives_the_same_schedule_deals_and_match_ids(tmp_path: Path) -> None:
    config = load_tournament(written(tmp_path, GOOD.replace('seed = "s"', "deals = 4")))
    one, two, other = (make_schedule(config, seed) for seed in ("s", "s", "t"))
    assert one.format.blocks({}) == two.format.blocks({})
    block = one.format.blocks({})[3]
    assert one.match_seed(block) == two.match_seed(block) != other.match_seed(block)
    assert one.match_id(3, 1) == "spring-cup-2026.3.1"


def test_the_longest_name_makes_a_valid_match_id(tmp_path: Path) -> None:
    config = load_tournament(written(tmp_path, GOOD.replace("Spring Cup 2026", "Ab" * 40)))
    assert len(make_schedule(config, "s").match_id(999_999, 999)) <= 80


def test_the_stored_file_is_read_back(tmp_path: Path) -> None:
    config = load_tournament(written(tmp_path, GOOD))
    assert config_of(config.stored()) == config


def test_what_results_depend_on_may_not_change_and_the_rest_may(tmp_path: Path) -> None:
    before = load_tournament(written(tmp_path, GOOD)).stored()
    changed = GOOD.replace('seed = "s"', 'seed = "s"\ndeals = 5\nconcurrency = 3\nrating = "elo"\nsandbox = "off"')
    changed = (
        changed.replace('builtin = "random"', 'command = "sh"') + "\n[policies]\nno_show = 7\n[limits]\nprocesses = 9"
    )
    after = load_tournament(written(tmp_path, changed)).stored()
    assert differences(before, after) == [
        "deals: was [1], is [5]",
        "policies.no_show: was 120.0, is 7.0",
        'bots[0].builtin: was "random", is null',
        'bots[0].command: was null, is ["sh"]',
    ]
    assert differences(before, before) == []


def test_a_new_version_of_the_rules_is_a_difference(tmp_path: Path) -> None:
    stored = json.loads(load_tournament(written(tmp_path, GOOD)).stored())
    newer = {**stored, "rules_version": stored["rules_version"] + 1}
    assert differences(json.dumps(stored), json.dumps(newer)) == ["rules_version: was 1, is 2"]


PAGE = Path(__file__).parents[2] / "docs" / "fidelitas.md"
SHOWN = re.findall(r"```toml\n(.*?)```", PAGE.read_text(), re.DOTALL)


@pytest.mark.parametrize("text", [text for text in SHOWN if "[[bots]]" in text])
def test_the_tournaments_of_fidelitas_that_the_page_shows_can_be_played(tmp_path: Path, text: str) -> None:
    config = load_tournament(written(tmp_path, text))
    schedule = make_schedule(config, "s")
    assert list(schedule.format.blocks({}))
    assert schedule.sides[config.players[0]] in ((0,), (0, 1, 0, 1))


def test_the_deck_that_the_page_shows_can_be_played() -> None:
    (text,) = [text for text in SHOWN if "options.deck" in text]
    options = tomllib.loads(text)["options"]
    options["deck"]["missio"] *= 8
    deck = options_message("fidelitas", options).fidelitas.deck
    assert sum(entry.copies for entry in deck.virtus) == 40
    assert list(deck.missio[0].distinct_guilds.locations) == [2, 7]


@pytest.mark.parametrize(
    ("deck", "expected"),
    [
        ({"virtus": [{"character": "SOLDIR", "copies": 30}]}, "options.deck.virtus[0].character: 'SOLDIR' is unknown"),
        ({"virtus": [{"character": "SOLDIER", "copies": 3}]}, "options.deck.virtus: 3 cards; allowed are 30 to 200"),
        ({"cards": []}, "options.deck.cards: there is no such field; allowed: virtus, missio"),
    ],
)
def test_a_wrong_deck_is_named_by_its_path(deck: dict[str, object], expected: str) -> None:
    with pytest.raises(InvalidSetup) as caught:
        options_message("fidelitas", {"deck": deck})
    assert expected in str(caught.value)
