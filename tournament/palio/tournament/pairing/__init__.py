"""Who plays whom: blocks, seatings, and the formats that schedule them. No input or output."""

from palio.tournament.pairing.block import Block, Entry, Table, deal_seed, deal_seed_text, entries_of
from palio.tournament.pairing.build import FORMATS, Plan, build
from palio.tournament.pairing.format import BlockResult, Director, Format, Results

__all__ = [
    "FORMATS",
    "Block",
    "BlockResult",
    "Director",
    "Entry",
    "Format",
    "Plan",
    "Results",
    "Table",
    "build",
    "deal_seed",
    "deal_seed_text",
    "entries_of",
]
