"""A bot for team matches of Fidelitas: tells its partner where its nearest Missio card looks, and scores."""

import random

from palio.client import Bot, Decision, Match, main
from palio.client.missio import city_of, distance_of
from palio.fidelitas.v1 import fidelitas_pb2 as pb
from palio.v1 import game_pb2


class PartnerBot(Bot):
    def started(self, match: Match) -> None:
        self.cards = {card.id: card for card in match.options.fidelitas.deck.missio}
        self.told: list[int] = []

    def choose(self, decision: Decision) -> int:
        seen = decision.observation.fidelitas
        if seen.teams and seen.own.missio:
            nearest = min(seen.own.missio, key=lambda number: distance_of(self.cards[number])(city_of(seen)))
            self.tell(self.cards[nearest])
        if decision.kind == "SCORE_MISSIO":
            return len(decision.options) - 1  # the first option is to pass
        return random.randrange(len(decision.options))

    def tell(self, card: pb.MissioCard) -> None:
        condition = getattr(card, card.WhichOneof("condition") or "distinct_guilds")
        where = list(getattr(condition, "locations", []))[:3]  # a signal names at most three
        if where and where != self.told:
            self.told = where
            self.match.signal(game_pb2.Words(fidelitas=pb.Words(locations=where)))


if __name__ == "__main__":
    main(PartnerBot)
