"""``greedy``: takes what brings the City nearest to its own Missio cards. Specified exactly in ``docs/greedy.md``."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Final, TypeAlias

from palio.bots.fidelitas._signals import Talk
from palio.client import Bot, Decision, Match
from palio.client.missio import GUILD_OF, City, Distance, city_of, distance_of, locations_of
from palio.fidelitas.v1 import fidelitas_pb2 as pb
from palio.v1 import game_pb2

Changed: TypeAlias = Sequence[Sequence[int]]

SHOPKEEPER, BROKER, BUTCHER, BAKER, PROFESSOR, _STUDENT, CLERK, BARRISTER = range(1, 9)
SOLDIER, PRIEST, MINSTREL, THIEF, DOCKMASTER, SWINDLER = range(9, 15)
TAVERN: Final = (3, 8)
COMMERCE: Final = (5, 10)
ALL: Final = tuple(range(1, 11))
ALLOWED: Final[tuple[tuple[int, ...], ...]] = (
    *((), COMMERCE, COMMERCE, (4, 9), (4, 9), (2, 7), (2, 7), (1, 6), (1, 6)),
    *(ALL, ALL, (1, 6), ALL, COMMERCE, ALL),
)
"""Where a character may be played apart from the Tavern, as the catalogue says."""
WEIGHTS: Final = (1000, 300, 100, 30, 10, 3, 1)
"""Worth of one point of a Missio card, by its distance."""
CARD: Final = 40
"""Worth of one more card in hand."""


def missio_cards(match: Match) -> Sequence[pb.MissioCard]:
    """The Missio cards of a match; card ``id`` is at index ``id - 1``."""
    return match.options.fidelitas.deck.missio or match.catalogue.fidelitas.missio


class Greedy(Bot):
    """The bot; all the thinking is done by :class:`Sight`."""

    blocking = False
    speaks = True

    def __init__(self, match: Match, seed: str = "") -> None:  # noqa: ARG002 (leaves nothing to chance)
        super().__init__(match)
        cards = missio_cards(match)
        self._cards = [(card.points, _distance(match, card)) for card in cards]
        self._talk = Talk(match, cards, speaks=self.speaks)

    def observe(self, events: Sequence[game_pb2.Event]) -> None:
        self._talk.observe(events)

    def choose(self, decision: Decision) -> int:
        observation = decision.observation.fidelitas
        self._talk.speak(observation)
        return choose(self._cards, observation, decision.options, self._talk.partner)


class Quiet(Greedy):
    """Sends no signals to its partner; for comparisons."""

    speaks = False


def choose(
    cards: Sequence[tuple[int, Distance]],
    observation: pb.Observation,
    options: Sequence[game_pb2.Option],
    partner: Iterable[int] = (),
) -> int:
    """The index of the best option.

    Args:
        cards: points and distance of the match's Missio cards.
        partner: ids of Missio cards that the partner in a team is known to hold.
    """
    values = Sight(cards, observation, partner).values([option.fidelitas for option in options])
    return values.index(max(values))


def _distance(match: Match, card: pb.MissioCard) -> Distance:
    try:
        return distance_of(card, locations_of(pb.Observation(players=len(match.players))))
    except ValueError:
        return lambda _: len(WEIGHTS)


def put(city: City, n: int, a: int) -> Changed:
    """The City with ``a`` on top of stack ``n``."""
    return [*city[:n], (*city[n], a), *city[n + 1 :]]


def lift(city: City, n: int, a: int) -> Changed:
    """The City without the topmost ``a`` of stack ``n``."""
    at = topmost(city[n], a)
    return [*city[:n], (*city[n][:at], *city[n][at + 1 :]), *city[n + 1 :]]


def move(city: City, n: int, a: int, m: int) -> Changed:
    """``a`` goes from the one stack to the other."""
    return put(lift(city, n, a), m, a)


def swap(city: City, n: int, a: int, m: int, b: int) -> Changed:
    """``a`` and ``b`` change places."""
    changed = list(city)
    for stack, old, new in ((n, a, b), (m, b, a)):
        at = topmost(city[stack], old)
        changed[stack] = (*city[stack][:at], new, *city[stack][at + 1 :])
    return changed


def topmost(stack: Sequence[int], a: int) -> int:
    """Index of the topmost ``a``."""
    return len(stack) - 1 - stack[::-1].index(a)


class Sight:
    """One observation, and what its options are worth."""

    def __init__(
        self, cards: Sequence[tuple[int, Distance]], observation: pb.Observation, partner: Iterable[int] = ()
    ) -> None:
        self.cards = cards
        self.observation = observation
        self.held = len(observation.own.missio)
        self.wanted = [cards[number - 1] for number in (*observation.own.missio, *partner)]
        self.city: City = city_of(observation)
        self.locked = [0, *(stack.locked for stack in observation.stacks)]
        self.locations = locations_of(observation)
        own = observation.own.seat
        self.robbed = sum(seat.hand_size > 2 for number, seat in enumerate(observation.seats) if number != own)

    def values(self, options: Sequence[pb.Option]) -> list[int]:
        """What each option is worth."""
        kind = self.observation.asking.kind
        if kind in (pb.DECISION_KIND_PICK_CARD, pb.DECISION_KIND_PICK_DESTINATION):
            return self._picks(options)
        worth = _KINDS.get(kind, _nothing)
        return [worth(self, option) for option in options]

    def value(self, city: City) -> int:
        """How near the City is to this seat's Missio cards, and to those that its partner told of."""
        if any(stack.count(SOLDIER) >= 3 for stack in city):
            city = [() if stack.count(SOLDIER) >= 3 else stack for stack in city]
        return sum(_worth(card, city) for card in self.wanted)

    def best(self, cities: Iterator[Changed]) -> int:
        """The largest value among Cities, or that of the present one if there are none."""
        return max(map(self.value, cities), default=self.value(self.city))

    def unlocked(self, city: City, n: int) -> set[int]:
        """The characters of stack ``n`` that may be moved."""
        return set(city[n][self.locked[n] :])

    def bonus(self, a: int) -> int:
        """What an action brings apart from the City."""
        return CARD if a in (PROFESSOR, PRIEST) else CARD * self.robbed if a == THIEF else 0

    def play(self, a: int, n: int) -> int:
        """What playing ``a`` on ``n`` is worth."""
        city = put(self.city, n, a)
        here = self.value(city)
        if n in TAVERN or (a == SOLDIER and city[n].count(SOLDIER) >= 3):
            return here
        values = [self.value(after) for after in self._after(city, a, n)]
        if a == CLERK:
            values.append(here + CARD)
        if a == MINSTREL or not values:
            values.append(here)
        return self.bonus(a) + max(values)

    def _after(self, city: City, a: int, n: int) -> Iterator[Changed]:
        """The Cities after one move, removal or swap of the action of ``a`` on ``n``."""
        sources: Sequence[int] = ()
        if a in (SHOPKEEPER, BROKER, BUTCHER, BAKER, CLERK, BARRISTER):
            sources = self.locations
        elif a in (SOLDIER, MINSTREL):
            sources = (n,)
        elif a == DOCKMASTER:
            sources = COMMERCE
        for x in sources:
            for p in self.unlocked(city, x):
                if a == SHOPKEEPER:
                    yield from self._swaps(city, x, p)
                elif a == CLERK:
                    yield from self._pairs(city, x, p)
                elif a in (BUTCHER, BARRISTER):
                    yield lift(city, x, p)
                elif not (a == p == SOLDIER and city[x][self.locked[x] :].count(SOLDIER) < 2):
                    lifted = lift(city, x, p)
                    for y in self._targets(a, x):
                        yield put(lifted, y, p)

    def _targets(self, a: int, x: int) -> Sequence[int]:
        """Where the action of ``a`` may move a card of location ``x``."""
        if a == MINSTREL:
            return [y for y in self.locations if y != x and (y > 5) == (x > 5)]
        if a == BROKER and x not in COMMERCE:
            return COMMERCE
        return [y for y in self.locations if y != x]

    def _swaps(self, city: City, x: int, p: int) -> Iterator[Changed]:
        return (swap(city, x, p, y, q) for y in self.locations if y != x for q in self.unlocked(city, y))

    def _pairs(self, city: City, x: int, p: int) -> Iterator[Changed]:
        without = lift(city, x, p)
        return (lift(without, x, q) for q in self.unlocked(without, x) if GUILD_OF[q] == GUILD_OF[p])

    def hand(self, city: City, a: int) -> int:
        """What a card in hand is worth."""
        places = [n for n in ALLOWED[a] if n in self.locations and n not in TAVERN and (a != SWINDLER or city[n])]
        values = [self.value(put(city, n, a)) + self.bonus(a) for n in places]
        values += [self.value(put(city, n, a)) for n in TAVERN if n in self.locations]
        return max(values, default=self.value(city))

    def broker_mode(self, mode: pb.Option.Broker) -> int:
        """What a Broker's mode is worth."""
        m, city = mode.location, self.city
        ways = [(m, y) if mode.direction == pb.BROKER_DIRECTION_OUT else (y, m) for y in self.locations if y != m]
        return self.best(move(city, x, p, y) for x, y in ways for p in self.unlocked(city, x))

    def _picks(self, options: Sequence[pb.Option]) -> list[int]:
        """What the options of a decision in the middle of an action are worth, once the earlier picks are done."""
        actor = self.observation.asking.character
        into = last = 0
        held = (0, 0)
        for choice in self.observation.asking.picks:
            if choice.HasField("broker") and choice.broker.direction == pb.BROKER_DIRECTION_INTO:
                into = choice.broker.location
            elif choice.HasField("destination"):
                last = choice.destination.location
                self.city = move(self.city, *held, last)
                held = (0, 0)
            elif choice.HasField("card"):
                x, p = choice.card.location, choice.card.character
                if actor in (BUTCHER, BARRISTER):
                    self.city = lift(self.city, x, p)
                elif into:
                    self.city = move(self.city, x, p, into)
                else:
                    held = (x, p)

        def worth(option: pb.Option) -> int:
            if option.HasField("destination"):
                return self.value(move(self.city, *held, option.destination.location))
            if not option.HasField("card"):
                return self.value(self.city)
            x, p = option.card.location, option.card.character
            if actor == SHOPKEEPER:
                return self.value(swap(self.city, x, p, *held)) if held[0] else self.best(self._swaps(self.city, x, p))
            if actor in (BUTCHER, BARRISTER):
                return self.value(lift(self.city, x, p))
            if into or (actor == MINSTREL and last):
                return self.value(move(self.city, x, p, into or last))
            targets = self._targets(BAKER if actor == BROKER else actor, x)
            return self.best(move(self.city, x, p, y) for y in targets)

        return [worth(option) for option in options]


def _nothing(sight: Sight, option: pb.Option) -> int:  # noqa: ARG001 (one signature for all kinds)
    return 0


def _worth(card: tuple[int, Distance], city: City) -> int:
    distance = card[1](city)
    return card[0] * WEIGHTS[distance] if distance < len(WEIGHTS) else 0


def _priest(sight: Sight, option: pb.Option) -> int:
    return int((option.priest.choice == pb.PRIEST_CHOICE_MISSIO) == (sight.held < 2))


def _clerk(sight: Sight, option: pb.Option) -> int:
    if option.HasField("draw_two"):
        return sight.value(sight.city) + CARD
    pair = option.pair
    once = lift(sight.city, pair.location, pair.character_a)
    return sight.value(lift(once, pair.location, pair.character_b))


def _draw(sight: Sight, option: pb.Option) -> int:
    if option.HasField("deck"):
        return sum(sight.hand(sight.city, a) for a in range(1, 15)) // 14
    card = option.card
    return sight.hand(lift(sight.city, card.location, card.character), card.character)


def _score(sight: Sight, option: pb.Option) -> int:
    return sight.cards[option.missio.id - 1][0] if option.HasField("missio") else 0


_KINDS: Final[dict[int, Callable[[Sight, pb.Option], int]]] = {
    pb.DECISION_KIND_PLAY_CARD: lambda sight, option: sight.play(option.play.character, option.play.location),
    pb.DECISION_KIND_PLACE_THIEF: lambda sight, option: sight.value(put(sight.city, option.play.location, THIEF)),
    pb.DECISION_KIND_DISCARD_CARD: lambda sight, option: -sight.hand(sight.city, option.hand_card.character),
    pb.DECISION_KIND_KEEP_CARD: lambda sight, option: sight.hand(sight.city, option.hand_card.character),
    pb.DECISION_KIND_PRIEST: _priest,
    pb.DECISION_KIND_EXCHANGE_MISSIO: lambda sight, option: -_worth(sight.cards[option.missio.id - 1], sight.city),
    pb.DECISION_KIND_SCORE_MISSIO: _score,
    pb.DECISION_KIND_DRAW_CARD: _draw,
    pb.DECISION_KIND_CLERK: _clerk,
    pb.DECISION_KIND_BROKER_MODE: lambda sight, option: sight.broker_mode(option.broker),
}

BOT: Final = Greedy
QUIET: Final = Quiet
