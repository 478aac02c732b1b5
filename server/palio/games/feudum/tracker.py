"""What a seat comes to know, and random full states that fit it: which writs can lie where, by bit masks.

Of every place of the deck and of every hidden card in a hand the tracker keeps the set of cards that can be there.
The sets never lose the truth; a seat's own cards, those it put under the deck and those that were played are exact.
Everything else that is hidden (values of seals, fists, chance to come) is drawn anew.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import fields
from functools import reduce
from itertools import pairwise
from operator import or_
from typing import Final, Generic, TypeVar

from palio.engine.chance import Stream
from palio.engine.game import Event
from palio.games.feudum.data import B_BOW, B_BOW_WOOD, B_SWORD, B_SWORD_IRON, BOW, DISC_VALUES, SWORD, knight_colours
from palio.games.feudum.events import named
from palio.games.feudum.machine import preview, run
from palio.games.feudum.state import FIELDS, Table
from palio.games.feudum.view import View

S = TypeVar("S", bound=Table)

_ALL: Final = (1 << 16) - 1
_TRIES: Final = 64
_SHARED: Final = tuple(
    field.name
    for field in fields(View)
    if field.name in FIELDS and field.name not in {"discs", "deck", "hidden", "drawn"}
)
"""What a view shows as the table has it."""
_WEAPONS: Final = {B_BOW: BOW, B_BOW_WOOD: BOW, B_SWORD: SWORD, B_SWORD_IRON: SWORD}


def _union(masks: list[int]) -> int:
    return reduce(or_, masks, 0)


def _one_less(masks: list[int]) -> list[int]:
    """The sets after an unknown one of them was taken out: the i-th that stays was the i-th or the one after it."""
    return [a | b for a, b in pairwise(masks)]


class FeudumTracker(Generic[S]):
    """The memory of one seat; see :class:`palio.engine.game.Tracker`."""

    def __init__(self, make: type[S], seat: int, players: int, advanced: bool) -> None:
        self._make = make
        self._seat = seat
        self._n = players
        self._advanced = advanced
        self._deck = [_ALL] * 16
        self._hands: list[list[int]] = [[] for _ in range(players)]
        self._drawn: list[int] = []
        self._drawer = -1
        self._discard = 0

    def observe(self, events: Sequence[Event]) -> None:
        for fact, _ in events:
            handle = getattr(self, f"_on_{fact[0]}", None)
            if handle is not None:
                handle(**named(fact))

    # Events. --------------------------------------------------------------------------------------------------------

    def _on_writs_reshuffled(self, count: int) -> None:
        self._settle_draw()
        self._drawn, self._deck = self._deck, [self._discard] * count
        self._discard = 0

    def _on_writs_drawn(self, player: int, count: int) -> None:
        if self._drawer >= 0:
            self._settle_draw()
        more = count - len(self._drawn)
        self._drawn += self._deck[:more]
        del self._deck[:more]
        self._drawer = player

    def _on_writs_seen(self, cards: tuple[int, ...], **_: object) -> None:
        self._drawn = [1 << card for card in cards]
        self._known(_union(self._drawn), self._drawn)

    def _on_writ_kept(self, player: int, card: int, **_: object) -> None:
        self._deck += [mask for mask in self._drawn if mask != 1 << card]
        self._drawn = []
        self._drawer = -1
        self._hands[player].append(1 << card)

    def _on_writ_returned(self, player: int, **_: object) -> None:
        self._settle_draw()
        if player != self._seat:
            self._deck.append(_union(self._hands[player]))
            self._hands[player] = _one_less(self._hands[player])

    def _on_writ_bottomed(self, player: int, card: int) -> None:
        self._hands[player] = [mask for mask in self._hands[player] if mask != 1 << card]
        self._deck.append(1 << card)

    def _on_writ_played(self, player: int, card: int, **_: object) -> None:
        self._show(player, card)

    def _on_mandate(self, player: int, card: int, **_: object) -> None:
        self._played(player, card)

    def _on_boost(self, player: int, boost: int, **_: object) -> None:
        if boost in _WEAPONS:
            self._show(player, _WEAPONS[boost])
            self._played(player, _WEAPONS[boost])

    def _settle_draw(self) -> None:
        """An opponent's draw is over: one of the cards drawn is in the hand, the others are under the deck."""
        if self._drawer < 0:
            return
        if self._drawn:
            self._hands[self._drawer].append(_union(self._drawn))
            self._deck += _one_less(self._drawn)
        self._drawn = []
        self._drawer = -1

    def _show(self, player: int, card: int) -> None:
        """That card is known to be in that hand."""
        self._settle_draw()
        bit = 1 << card
        hand = self._hands[player]
        able = [mask for mask in hand if mask & bit]
        if bit in hand:
            pass
        elif len(able) == 1:
            hand[hand.index(able[0])] = bit
        else:
            self._hands[player] = [bit, *_one_less(hand)]
        self._known(bit, self._hands[player])

    def _known(self, cards: int, where: list[int]) -> None:
        """Those cards are exactly where the sets of ``where`` say, so nowhere else."""
        for masks in (self._deck, self._drawn, *self._hands):
            for at, mask in enumerate(masks):
                if not (masks is where and mask & cards == mask):
                    masks[at] = mask & ~cards

    def _played(self, player: int, card: int) -> None:
        bit = 1 << card
        self._hands[player] = [mask for mask in self._hands[player] if mask != bit]
        self._discard |= bit

    # Sampling. ------------------------------------------------------------------------------------------------------

    def sample(self, view: View, seed: bytes) -> S:
        source = Stream(seed, "tracker")
        self._fit(view)
        state = self._public(view, seed)
        for attempt in range(_TRIES):
            self._hide_writs(state, view, source)
            if not state.stack or len(preview(state)) > 1:
                break
            if attempt >= _TRIES // 2:
                self._arm(state, view)
        _hide_seals(state, view, source)
        state.hidden = view.hidden
        if view.fists and view.asked_kind == "FIST" and view.hidden < 0:
            state.hidden = source.uniform(2)
        run(state)
        return state

    def _fit(self, view: View) -> None:
        """Start anew from the view where the memory does not fit it (it began in the middle of a match)."""
        if view.asked_kind != "WRIT_KEEP":
            self._settle_draw()
        counts = [len(hand) for hand in self._hands]
        if len(self._deck) == view.deck and counts == view.writ_counts:
            return
        self._deck = [_ALL] * view.deck
        self._hands = [[_ALL] * count for count in view.writ_counts]
        self._hands[self._seat] = [1 << card for card in view.hand]
        self._drawn = [_ALL] * (view.progress[-1][2] if view.asked_kind == "WRIT_KEEP" else 0)
        self._drawer = view.asked if self._drawn else -1
        self._discard = _union([1 << card for card in view.discard])
        if view.card >= 0:
            self._show(view.active, view.card)

    def _public(self, view: View, seed: bytes) -> S:
        state = self._make(seed, self._n, self._advanced, knight_colours(self._n))
        for name in _SHARED:
            value = getattr(view, name)
            setattr(state, name, value[:] if isinstance(value, list) else value)
        state.stack = view.progress[:]
        return state

    def _hide_writs(self, state: S, view: View, source: Stream) -> None:
        """Put the unknown writs where they can be."""
        own = (*view.hand, *view.drawn)
        seen = _union([1 << card for card in (*own, *view.discard)])
        cards = [card for card in range(16) if not seen >> card & 1]
        rivals = [player for player in range(self._n) if player != self._seat]
        drawn = [] if view.drawn else self._drawn
        slots = [*self._deck, *drawn, *(mask for player in rivals for mask in self._hands[player])]
        placed = _assign(slots, cards, source)
        deck, drew = len(self._deck), len(drawn)
        state.deck = tuple(placed[:deck])
        state.drawn = view.drawn or tuple(placed[deck : deck + drew])
        at = deck + drew
        state.hands = [view.hand] * self._n
        for player in rivals:
            count = view.writ_counts[player]
            state.hands[player] = tuple(sorted(placed[at : at + count]))
            at += count

    def _arm(self, state: S, view: View) -> None:
        """The pending question of an opponent asks for a card that chance did not give him: exchange one."""
        player = view.asked
        if player == self._seat or not state.hands[player]:
            return
        for weapon in (BOW, SWORD):
            if weapon in state.deck:
                given = state.hands[player][0]
                state.hands[player] = tuple(sorted((weapon, *state.hands[player][1:])))
                state.deck = tuple(given if card == weapon else card for card in state.deck)
                return


def _assign(slots: list[int], cards: list[int], source: Stream) -> list[int]:
    """A random card for every slot out of the slot's set, each card once.

    Cards are placed in random order along augmenting paths, then exchanged at random where both sets allow it.
    Where the sets allow no complete assignment (they cannot, unless the memory began late) they are ignored.
    """
    order = list(range(len(slots)))
    source.shuffle(order)
    source.shuffle(cards)
    owner: dict[int, int] = {}

    def place(slot: int, tried: set[int]) -> bool:
        for card in cards:
            if slots[slot] >> card & 1 and card not in tried:
                tried.add(card)
                if card not in owner or place(owner[card], tried):
                    owner[card] = slot
                    return True
        return False

    if not all(place(slot, set()) for slot in order):
        return cards
    placed = [0] * len(slots)
    for card, slot in owner.items():
        placed[slot] = card
    if any(mask != _ALL for mask in slots) and len(slots) > 1:
        for _ in range(4 * len(slots)):
            a, b = source.uniform(len(slots)), source.uniform(len(slots))
            if slots[a] >> placed[b] & 1 and slots[b] >> placed[a] & 1:
                placed[a], placed[b] = placed[b], placed[a]
    return placed


def _hide_seals(state: Table, view: View, source: Stream) -> None:
    """Deal the values that nobody knows: every disc that does not show its bead."""
    values = list(DISC_VALUES)
    shown = [*view.rosary, *view.chickens, *view.fists, *(value for beads in view.beads for value in beads)]
    for value in shown:
        values.remove(value)
    source.shuffle(values)
    take = iter(values)
    state.scrolls = [next(take) if sealed else 0 for sealed in view.sealed]
    state.seals = [tuple(next(take) for _ in range(count)) for count in view.seal_counts]
    state.discs = tuple(take)
