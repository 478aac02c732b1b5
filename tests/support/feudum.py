"""Tables of Feudum put together by hand, and short ways to play them."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterable
from typing import Any

from palio.engine.game import Event
from palio.games.feudum import RULES, machine
from palio.games.feudum.data import (
    CONQUER,
    DISC_VALUES,
    DISCS,
    FEUDUM,
    FEUDUMS_OF_A_GUILD,
    GOODS,
    GOODS_IN_GAME,
    GUILD,
    MARKERS,
    OUTPOST,
    RING_RELATED,
    SHILLINGS,
    SULFUR,
    VESSELS_OF_A_KIND,
    knight_colours,
)
from palio.games.feudum.events import named
from palio.games.feudum.flow import turn_frames
from palio.games.feudum.game import Feudum
from palio.games.feudum.invariants import check, faults
from palio.games.feudum.settle import settle
from palio.games.feudum.state import TURNS, Frame

RED, GREEN, BLUE, YELLOW, PURPLE = range(5)
A, B, C, D = range(4)
SEED = bytes(range(32))


def table(n: int = 3, advanced: bool = True, markers: int = 7, shillings: int = 7) -> Feudum:
    """A table with 22 outposts that nobody rules, empty guilds, and players who own markers and shillings only."""
    state = Feudum(SEED, n, advanced, knight_colours(n))
    state.phase = TURNS
    state.kind = [-1] + [OUTPOST] * 22
    state.markers = [markers] * n
    state.shillings = [shillings] * n
    state.log = []
    return state


def rule(
    state: Feudum, player: int, at: int, kind: int, guild: int = -1, subject: bool = False, serf: int = -1, **goods: int
) -> None:
    """That player rules that location."""
    state.kind[at] = kind
    state.guild_of[at] = guild
    state.ruler[at] = player
    state.subject[at] = int(subject)
    state.serf[at] = serf
    stock(state, at, **goods)


def stock(state: Feudum, at: int, **goods: int) -> None:
    """Goods at a location."""
    for good, count in goods.items():
        state.stock[5 * at + GOODS.index(good.upper())] = count


def pawn(state: Feudum, player: int, character: int, at: int, wine: bool = False) -> int:
    """The player's next pawn stands there; its number."""
    base = 3 * player
    number = state.pawn_at.index(0, base, base + 3) - base
    state.pawn_at[base + number] = at
    state.pawn_char[base + number] = character
    state.pawn_wine[base + number] = int(wine)
    return number


def give(state: Feudum, player: int, **goods: int) -> None:
    """Goods in a player's supply."""
    for good, count in goods.items():
        state.goods[5 * player + GOODS.index(good.upper())] = count


def five(**goods: int) -> list[int]:
    """Counts by good."""
    return [goods.get(good.lower(), 0) for good in GOODS]


def stars(state: Feudum, guild: int, player: int, count: int) -> None:
    """Give a player exactly so many stars in a guild: one pawn and ruled locations of the related type."""
    base = 3 * player
    for at in range(1, 23):
        if state.ruler[at] == player:
            rule(state, -1, at, OUTPOST)
    for i in range(base, base + 3):
        state.pawn_at[i], state.pawn_char[i] = 0, -1
    if count:
        pawn(state, player, guild, 1)
        free = [at for at in range(2, 23) if state.ruler[at] < 0]
        for at in free[: count - 1]:
            rule(state, player, at, RING_RELATED[guild])


def balance(state: Feudum) -> None:
    """Fill the general supplies with all that is not on the table yet, so that everything is conserved."""
    for good in range(5):
        out = sum(place[good] for place in (state.barn, state.rows, state.stores))
        out += sum(state.goods[good::5]) + sum(state.stock[good::5])
        if good == SULFUR:
            out += sum(state.barrel) + sum(state.pawn_wine)
        state.haversack[good] = GOODS_IN_GAME[good] - out
    state.bank = SHILLINGS - state.purse - state.coffer - sum(state.shillings)
    for colour in range(len(state.krows)):
        out = state.krows[colour]
        if colour < state.n:
            out += state.markers[colour] + sum(track.count(colour) for track in state.tracks)
            out += state.serf.count(colour)
            out += sum(1 + state.subject[at] for at, ruler in enumerate(state.ruler) if ruler == colour)
        state.reserve[colour] = MARKERS - out
    for player in range(state.n):
        out = state.left.count(player) + state.right.count(player) + state.military[player]
        state.pool[player] = DISCS - out - (state.voyage[player] > 0)
    shown = [value for value in state.scrolls if value]
    shown += [*state.rosary, *state.chickens, *(v for held in (*state.beads, *state.seals) for v in held)]
    state.discs = tuple((Counter(DISC_VALUES) - Counter(shown)).elements())
    for kind in range(3):
        state.docks[kind] = VESSELS_OF_A_KIND - state.sale[kind] - sum(state.vessels[kind::3])
    for guild in range(6):
        on_map = sum(g == guild and k == FEUDUM for g, k in zip(state.guild_of, state.kind, strict=True))
        state.feudums[guild] = FEUDUMS_OF_A_GUILD - on_map
    held = {card for hand in state.hands for card in hand} | set(state.discard)
    deck = tuple(card for card in state.deck if card not in held)
    state.deck = (*deck, *(card for card in range(16) if card not in held and card not in deck))


def resting(state: Feudum) -> Frame:
    """What comes after the turn or function at hand, so that nothing more happens by itself: a question to the next
    player that is never answered."""
    return ("PAWN_CHARACTER", (state.active + 1) % state.n, 0)


def over(state: Feudum) -> bool:
    """The turn or function at hand is over."""
    return len(state.stack) == 1 and state.stack[0] == resting(state)


def ready(state: Feudum, active: int = RED, turn_no: int = 1, round_no: int = 1, go_on: bool = False) -> Feudum:
    """Balance and settle the table and start that player's turn; he starts the round. He is asked even if he can only
    pass. With ``go_on`` the next player's turn follows, else nothing does."""
    state.starter = state.active = active
    state.turn_no = turn_no
    state.round = round_no
    state.epoch = 1 + (round_no - 1) // 2
    balance(state)
    settle(state)
    state.stack[:] = turn_frames(active) if go_on else [resting(state), turn_frames(active)[-1]]
    state.offered = machine.preview(state)
    state.log = []
    assert not list(faults(state))
    return state


def asked(state: Feudum, player: int, *frames: Frame) -> Feudum:
    """As :func:`ready`, but with these frames under way instead of the turn's ACTION decision."""
    ready(state, player)
    state.stack[:] = [resting(state), *frames]
    state.log = []
    machine.run(state)
    check(state)
    return state


def perform(state: Feudum, player: int, guild: int, function: int, host: int = -1, reeves: bool = False) -> Feudum:
    """That player performs that function, whether or not it is his by right; without the question for a reeve
    unless ``reeves``."""
    ready(state, player)
    frames: list[Frame] = [resting(state), ("function_over",), ("function", player)]
    if reeves:
        frames.append(("reeve_bonus", player))
        if player not in (state.left[guild], state.right[guild]):
            frames.append(("REEVE", player))
    state.stack[:] = frames
    state.doing = (guild, function, host)
    state.log = []
    machine.run(state)
    check(state)
    return state


def act(state: Feudum, *options: Any) -> list[Event]:
    """Choose these options, each a tuple or a bare name, one after the other; the events they cause."""
    for given in options:
        option = (given,) if isinstance(given, str) else given
        assert option in state.offered, f"{option} is not among {state.offered} of {state.stack[-1]}"
        state.choose(state.offered.index(option))
        check(state)
    return state.take_events()


def force(state: Feudum, *options: tuple[object, ...]) -> None:
    """As :func:`act`, for tables where not everything is conserved: nothing is checked but that it is offered."""
    for option in options:
        state.choose(state.offered.index(option))


def engage(state: Feudum, *option: Any) -> list[Event]:
    """The action GUILD with that option of GUILD_FUNCTION, which may be the only one; the events it causes."""
    events = act(state, ("action", GUILD))
    if kind(state) == "GUILD_FUNCTION":
        return [*events, *act(state, option)]
    (begun,) = facts(events, "guild")
    host = option[3] if option[0] == "feast" else -1
    assert (begun["guild"], begun["function"], begun["feast"]) == (option[1], option[2], host)
    return events


def offered(state: Feudum) -> list[Frame]:
    return list(state.offered)


def kind(state: Feudum) -> str:
    """The pending decision's kind."""
    return str(state.stack[-1][0]) if state.stack else ""


def facts(events: Iterable[Event], name: str) -> list[dict[str, Any]]:
    """The fields of all events of that name."""
    return [named(event.fact) for event in events if event.fact[0] == name]


def vp(events: Iterable[Event], player: int) -> int:
    """Points that the player won in these events."""
    return sum(e["amount"] for e in facts(events, "vp") if e["player"] == player)


def fresh(n: int = 3, advanced: bool = True, seed: bytes = SEED) -> Feudum:
    """A game from its beginning."""
    return RULES.start(seed, n, RULES.options(advanced=advanced))


def step(state: Feudum, name: str, *values: int) -> list[Event]:
    """Run one of the engine's steps by itself; the events it causes."""
    state.take_events()
    machine.STEPS[name](state, (name, *values))
    return state.take_events()


def eager(state: Feudum, chooser: random.Random) -> int:
    """A random option, but crowding together, conquering wherever it is possible and passing seldom, so that rare
    questions come up."""
    options = state.offered
    if state.stack[-1][0] == "MOVE_TO" and chooser.random() < 0.5:
        return max(range(len(options)), key=lambda index: state.pawn_at.count(options[index][1]))
    if ("action", CONQUER) in options:
        return options.index(("action", CONQUER))
    writs = [index for index, option in enumerate(options) if option[0] == "writ"]
    if writs:
        return writs[0]
    return chooser.randrange(len(options) - (options[-1] == ("pass",) and chooser.random() < 0.9))
