"""Makes ``greedy.binpb``: decisions of Fidelitas with what ``docs/greedy.md`` prescribes for each.

    python -m tests.vectors.make_greedy

The file is a ``palio.v1.PlayResponse``, so that every SDK reads it with what it has: for each deal a ``MatchStarted``,
then ``Decision`` updates whose ``answered`` is the right answer. ``catalogue.binpb`` is a ``palio.v1.GetGameResponse``.
The answers are those of the Python bot; the tests of all SDKs compare theirs.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from palio.bots.fidelitas.greedy import Greedy
from palio.client import Decision, Match
from palio.codec import codec_of
from palio.engine.chance import seed_from_text
from palio.fidelitas.v1 import fidelitas_pb2
from palio.games import rules_of
from palio.v1 import catalog_pb2, game_pb2, play_pb2

HERE: Final = Path(__file__).parent
DEALS: Final = 6
"""Per variant."""
PER_SHAPE: Final = 2
"""Decisions kept per deal and shape: kind, acting character and step."""

VARIANTS: Final = ((1, False), (2, False), (3, False), (4, False), (4, True))


def catalogue() -> catalog_pb2.GetGameResponse:
    """What ``GetGame`` tells about the cards."""
    return catalog_pb2.GetGameResponse(
        game=catalog_pb2.Game(id="fidelitas"), catalogue=codec_of("fidelitas").catalogue()
    )


def options(teams: bool, custom: bool) -> game_pb2.GameOptions:
    """Options, with a deck of its own for some deals: the house's Missio cards in another order, worth other points."""
    chosen = fidelitas_pb2.GameOptions(teams=teams)
    if custom:
        for card in reversed(catalogue().catalogue.fidelitas.missio):
            own = chosen.deck.missio.add()
            own.CopyFrom(card)
            own.id = 0
            own.points = 10 - card.points
    return game_pb2.GameOptions(fidelitas=chosen)


def deal(number: int, players: int, teams: bool) -> Iterator[play_pb2.Update]:
    """A game in which greedy and random choices alternate by chance, so that it comes to many kinds of decisions."""
    rules, codec = rules_of("fidelitas"), codec_of("fidelitas")
    name = f"{players}{'t' if teams else ''}-{number}"
    given = options(teams, custom=number % 3 == 2)
    start = play_pb2.MatchStarted(game="fidelitas", options=given, players=[f"p{seat}" for seat in range(players)])
    yield play_pb2.Update(match_id=name, match_started=start)
    chooser = random.Random(name)
    bot = Greedy(Match(name, start, lambda _: None, catalogue()))
    state = rules.start(seed_from_text(name), players, codec.read_game_options(given))
    kept: Counter[tuple[object, ...]] = Counter()
    while (decision := state.decision()) is not None:
        message = play_pb2.Decision(decision_id=kept.total() + 1, kind=decision.kind)
        message.observation.ParseFromString(codec.observation(state.view(decision.seat)))
        for option in decision.options:
            message.options.add().ParseFromString(codec.option(option))
            message.options[-1].text = ""
        message.answered = bot.choose(Decision(bot.match, message))
        asking = message.observation.fidelitas.asking
        shape = (decision.kind, asking.character, asking.step)
        kept[shape] += 1
        if kept[shape] <= PER_SHAPE:
            yield play_pb2.Update(match_id=name, decision=message)
        state.choose(message.answered if chooser.random() < 0.5 else chooser.randrange(len(decision.options)))


def files() -> dict[str, bytes]:
    """Both files by name."""
    deals = ((number, *variant) for variant in VARIANTS for number in range(DEALS))
    response = play_pb2.PlayResponse(updates=[update for chosen in deals for update in deal(*chosen)])
    return {
        "greedy.binpb": response.SerializeToString(deterministic=True),
        "catalogue.binpb": catalogue().SerializeToString(deterministic=True),
    }


if __name__ == "__main__":
    for name, content in files().items():
        (HERE / name).write_bytes(content)
