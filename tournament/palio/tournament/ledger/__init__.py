"""The ledger: what was played, kept so that it is written once and never lost."""

from palio.tournament.ledger.store import Entry, Ledger, LedgerError, SeatRecord, open_ledger

__all__ = ["Entry", "Ledger", "LedgerError", "SeatRecord", "open_ledger"]
