"""From the words of a tournament file to a format."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from palio.engine.errors import InvalidSetup
from palio.tournament.pairing.block import Entry, SeatingMode, Table, entries_of
from palio.tournament.pairing.fixed import changing_partners, gauntlet, round_robin
from palio.tournament.pairing.format import Format
from palio.tournament.pairing.knockout import Knockout
from palio.tournament.pairing.sequential import Sprt
from palio.tournament.pairing.swiss import Swiss
from palio.tournament.rating.sprt import Hypotheses

FORMATS: Final = ("round_robin", "double_round_robin", "gauntlet", "swiss", "knockout", "sprt")


@dataclass(frozen=True, slots=True)
class Plan:
    """Everything that decides a schedule.

    Attributes:
        format: one of :data:`FORMATS`.
        bots: names, in the order of their seeding.
        seats: players of a match.
        deals: blocks per pairing; for ``sprt`` the most there may be.
        seed: text; with the results it determines every block.
        duplicate: every deal in several seatings; else one seating per deal, turning.
        seatings: ``auto``, ``all`` or ``rotations`` when ``duplicate``.
        teams: four seats, partners opposite each other.
        pairs: fixed partners by the pair's name; empty with ``teams`` means changing partners (round robin only).
        challengers: names, for ``gauntlet``.
        rounds: for ``swiss``; 0 takes enough to single out a winner (binary logarithm, rounded up).
        shared_deals: all pairings of a round play the same deals.
        hypotheses: for ``sprt``; without them elo0 = 0 and elo1 = 5.
        ahead: for ``sprt``, how many blocks may be in play beyond those that are counted.
    """

    format: str
    bots: tuple[str, ...]
    seats: int
    deals: int
    seed: str
    duplicate: bool = True
    seatings: SeatingMode = "auto"
    teams: bool = False
    pairs: tuple[tuple[str, tuple[str, str]], ...] = ()
    challengers: tuple[str, ...] = ()
    rounds: int = 0
    shared_deals: bool = False
    hypotheses: Hypotheses | None = None
    ahead: int = 32


def build(plan: Plan) -> Format:
    """The format that a plan describes.

    Raises:
        InvalidSetup: the field that does not fit, and what would.
    """
    if plan.format not in FORMATS:
        raise InvalidSetup("format", f"unknown format {plan.format!r}; allowed are {', '.join(FORMATS)}")
    _no_duplicates("bots", plan.bots)
    table = Table(plan.seats, plan.seatings if plan.duplicate else "single", plan.teams)
    if plan.teams and not plan.pairs:
        if plan.format != "round_robin":
            raise InvalidSetup("pairs", f"{plan.format} with teams needs fixed pairs")
        return changing_partners(plan.bots, table, plan.deals, plan.seed, shared_deals=plan.shared_deals)
    entries = _entries(plan)
    match plan.format:
        case "gauntlet":
            return gauntlet(entries, plan.challengers, table, plan.deals, plan.seed, shared_deals=plan.shared_deals)
        case "swiss":
            rounds = plan.rounds or max((len(entries) - 1).bit_length(), 1)
            return Swiss(entries, table, rounds, plan.deals, shared_deals=plan.shared_deals)
        case "knockout":
            return Knockout(entries, table, plan.deals, shared_deals=plan.shared_deals)
        case "sprt":
            return Sprt(entries, table, plan.hypotheses or Hypotheses(0.0, 5.0), most=plan.deals, ahead=plan.ahead)
        case _:
            double = plan.format == "double_round_robin"
            return round_robin(entries, table, plan.deals, plan.seed, double=double, shared_deals=plan.shared_deals)


def _entries(plan: Plan) -> tuple[Entry, ...]:
    if not plan.pairs:
        return entries_of(plan.bots)
    if not plan.teams:
        raise InvalidSetup("pairs", "pairs need a game played in teams")
    _no_duplicates("pairs", [name for name, _ in plan.pairs])
    for name, members in plan.pairs:
        for member in members:
            if member not in plan.bots:
                raise InvalidSetup(f"pairs.{name}", f"unknown bot {member!r}; the bots are {', '.join(plan.bots)}")
    paired = {member for _, members in plan.pairs for member in members}
    if alone := [name for name in plan.bots if name not in paired]:
        raise InvalidSetup("pairs", f"{', '.join(alone)} would not play, being in none; put every bot in a pair")
    return tuple(Entry(name, members) for name, members in plan.pairs)


def _no_duplicates(field: str, names: Sequence[str]) -> None:
    for name in names:
        if names.count(name) > 1:
            raise InvalidSetup(field, f"the name {name!r} is used more than once")
