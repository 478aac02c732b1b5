"""What a position of Fidelitas is worth to a seat at the end of its action, in thousandths of a point.

The chances below are shares seen in games of ``planner`` against itself (two players, house deck): how often a Missio
card at that distance from being met was scored in the seat's next turn. Distances are those of ``docs/greedy.md``.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final, TypeAlias

from palio.games.fidelitas.cards import PLAYED_ON, SOLDIER, SWINDLER, TAVERN_SIDES
from palio.games.fidelitas.choices import SCORE_MISSIO
from palio.games.fidelitas.conditions import (
    ActiveSwindlers,
    CharacterAtEach,
    CharacterCount,
    CharacterSpread,
    Condition,
    CrowdedLocation,
    DistinctGuilds,
    EmptyLocations,
    GuildAtEach,
    GuildPairs,
)
from palio.games.fidelitas.piles import Pile, pile_of
from palio.games.fidelitas.setup import Setup
from palio.games.fidelitas.state import State

Piles: TypeAlias = Sequence[Pile]
Distance: TypeAlias = Callable[[Piles], int]

POINT: Final = 1000
_KEPT: Final[dict[type, tuple[int, ...]]] = {
    DistinctGuilds: (800, 570, 150, 30, 8, 2),
    CharacterCount: (950, 200, 40, 10, 3, 1),
    EmptyLocations: (650, 380, 170, 30, 10, 5, 2),
    CharacterAtEach: (950, 250, 30),
    GuildAtEach: (950, 480, 50),
    CharacterSpread: (950, 170, 20, 5),
    ActiveSwindlers: (950, 180, 15, 3),
    GuildPairs: (800, 700, 300, 110, 30),
    CrowdedLocation: (950, 810, 170, 30, 8, 2),
}
"""By distance at the end of the owner's turn: scored in its next one, after everybody else has had a turn."""
_NEXT: Final[dict[type, tuple[int, ...]]] = {
    DistinctGuilds: (1000, 670, 120, 20, 2),
    CharacterCount: (1000, 180, 20, 2),
    EmptyLocations: (1000, 440, 200, 20, 5, 1),
    CharacterAtEach: (1000, 290, 20),
    GuildAtEach: (1000, 530, 30),
    CharacterSpread: (1000, 160, 10),
    ActiveSwindlers: (1000, 140, 5),
    GuildPairs: (900, 830, 330, 60, 10),
    CrowdedLocation: (1000, 890, 140, 10, 1),
}
"""By distance at the start of the owner's turn: scored in it."""
_CARD_IN_HAND: Final = 40
_OPPONENTS: Final = 1.0
_HAND: Final = 0.3
_LEAD_AT_THE_END: Final = 2000
_HAND_OF_MISSIO: Final = 2
_FAR: Final = 200


def distance_of(condition: Condition, locations: Sequence[int]) -> Distance:
    """How far stacks are from meeting a condition, as a fast function of the engine's stacks."""
    match condition:
        case DistinctGuilds(locations=(only,), count=count):
            return lambda piles: max(0, count - piles[only].guilds.bit_count())
        case DistinctGuilds(locations=named, count=count):

            def guilds(piles: Piles) -> int:
                found = 0
                for n in named:
                    found |= piles[n].guilds
                return max(0, count - found.bit_count())

            return guilds
        case CharacterCount(character=character, count=count):
            return lambda piles: max(0, count - sum([piles[n].cards.count(character) for n in locations]))
        case EmptyLocations(count=count):
            return lambda piles: sum(sorted([len(piles[n].cards) for n in locations])[:count])
        case CharacterAtEach(character=character, locations=named):
            return lambda piles: sum([1 - (piles[n].present >> character & 1) for n in named])
        case GuildAtEach(guild=guild, locations=named):
            return lambda piles: sum([1 - (piles[n].guilds >> guild & 1) for n in named])
        case CharacterSpread(character=character, count=count):
            return lambda piles: max(0, count - sum([piles[n].present >> character & 1 for n in locations]))
        case ActiveSwindlers(count=count):
            return lambda piles: max(
                0, count - sum([piles[n].cards[1:].count(SWINDLER) for n in locations if piles[n].locked])
            )
        case GuildPairs(count=count):
            return lambda piles: max(0, count - sum([piles[n].pair for n in locations]))
        case CrowdedLocation(count=count):
            return lambda piles: max(0, count - max([len(piles[n].cards) for n in locations]))


class Outlook:
    """The evaluation for one seat of one match.

    Attributes:
        partner: ids of Missio cards that the partner in a team is known to hold.
    """

    def __init__(self, setup: Setup, seat: int) -> None:
        self._seat = seat
        self._setup = setup
        cards = setup.deck.missio
        self._points = [0, *(card.points for card in cards)]
        self._distance = [distance_of(card.condition, setup.locations) for card in (cards[0], *cards)]
        self._kept = [(), *(_worth(_KEPT, card.points, card.condition) for card in cards)]
        self._next = [(), *(_worth(_NEXT, card.points, card.condition) for card in cards)]
        self.partner: set[int] = set()

    def near(self, state: State) -> int:
        """The seat's own cards alone: quick, to sort many positions."""
        piles = state.piles
        total = POINT * state.points[self._seat]
        for number in (*state.missio[self._seat], *self.partner):
            distance = self._distance[number](piles)
            total += self._kept[number][distance] if distance else POINT * self._points[number]
        return total

    def full(self, state: State) -> int:
        """Everything that is taken into account."""
        seat, piles = self._seat, state.piles
        decision = state.decision()
        scoring = decision is not None and decision.kind == SCORE_MISSIO and decision.seat == seat
        points = state.side_points(self._setup.sides[seat])
        total = POINT * points
        left: list[int] = []
        for number in state.missio[seat]:
            distance = self._distance[number](piles)
            if scoring and not distance:
                total += POINT * self._points[number]
                points += self._points[number]
            else:
                total += self._kept[number][distance]
                left.append(number)
        total += self._unseen(state, left, scored=len(state.missio[seat]) - len(left))
        total += _CARD_IN_HAND * (len(state.hands[seat]) + bool(state.student))
        total += int(_HAND * self._hand(state, left))
        total += self._end(state, points)
        return total

    def _unseen(self, state: State, left: list[int], scored: int) -> int:
        """The Missio cards that others may hold, and that the seat may draw after scoring."""
        piles, seat, sides = state.piles, self._seat, self._setup.sides
        seen = {*state.missio[seat], *self.partner}
        for cards in state.scored:
            seen.update(cards)
        theirs = own = unseen = 0
        for number in range(1, len(self._points)):
            if number not in seen:
                distance = self._distance[number](piles)
                theirs += self._next[number][distance]
                own += self._kept[number][distance]
                unseen += 1
        total = sum(self._next[number][self._distance[number](piles)] for number in self.partner)
        if not unseen:
            return total
        others = [other for other in range(len(sides)) if sides[other] != sides[seat]]
        allies = [other for other in range(len(sides)) if sides[other] == sides[seat] and other != seat]
        held = sum(len(state.missio[other]) for other in others)
        if others:
            total -= int(_OPPONENTS * theirs * held / unseen / len(set(sides) - {sides[seat]}))
        unknown = sum(len(state.missio[other]) for other in allies) - len(self.partner)
        total += theirs * max(0, unknown) // unseen
        if scored:
            total += own * max(0, _HAND_OF_MISSIO - len(left)) // unseen
        return total

    def _hand(self, state: State, left: list[int]) -> int:
        """The most that putting one card of the hand down would bring for the Missio cards that are left."""
        if not left:
            return 0
        piles = state.piles
        distances, kept, points = self._distance, self._kept, self._points
        before = sum(kept[number][distances[number](piles)] for number in left)
        best = 0
        for character in {*state.hands[self._seat], *state.student}:
            for location in PLAYED_ON[character] if self._setup.solo else (*PLAYED_ON[character], *TAVERN_SIDES):
                old = piles[location]
                if character == SWINDLER and not old.cards and location not in TAVERN_SIDES:
                    continue
                if character == SOLDIER and old.soldiers == 2:
                    continue
                piles[location] = pile_of((*old.cards, character))
                after = 0
                for number in left:
                    distance = distances[number](piles)
                    after += kept[number][distance] if distance else POINT * points[number]
                piles[location] = old
                best = max(best, after - before)
        return best

    def _end(self, state: State, points: int) -> int:
        """In the last round it counts to be in front."""
        setup = self._setup
        if not setup.target or points < setup.target:
            return 0
        sides = set(setup.sides) - {setup.sides[self._seat]}
        return _LEAD_AT_THE_END if points > max(state.side_points(side) for side in sides) else 0


def _worth(table: dict[type, tuple[int, ...]], points: int, condition: Condition) -> tuple[int, ...]:
    """By distance what a card is worth."""
    return (*(points * chance for chance in table[type(condition)]), *[0] * _FAR)
