"""What can go wrong between a player and a game, as a small family of exceptions.

One table (``palio.codec.status``) maps each class to a gRPC status code and a reason.
"""

from __future__ import annotations


class GameError(Exception):
    """Anything the rules or the engine refuse. The message is fit to be shown to the person who caused it."""


class InvalidAction(GameError):
    """An answer that cannot be read at all: not an index, or of the wrong type."""


class IllegalAction(GameError):
    """An answer that can be read but that the rules do not offer now."""


class StaleDecision(GameError):
    """An answer to a decision that is no longer pending."""


class NotYourTurn(GameError):
    """An answer from a seat that is not asked now."""


class MatchOver(GameError):
    """An action in a match that has ended."""


class QuotaExceeded(GameError):
    """More of something than the rules allow (signals of one turn, samples of one match)."""


class InvalidSetup(GameError):
    """Game options or a position that break a rule.

    Attributes:
        field: path of the offending field, e.g. ``deck.virtus[3].copies`` or ``seats[1].hand``.
    """

    def __init__(self, field: str, message: str) -> None:
        super().__init__(f"{field}: {message}" if field else message)
        self.field = field
        self.reason = message
