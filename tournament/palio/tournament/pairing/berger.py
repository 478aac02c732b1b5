"""Berger tables: round robins of pairs in rounds, each with the first seat fairly alternating."""

from __future__ import annotations


def berger_table(n: int) -> list[list[tuple[int, int]]]:
    """The rounds of a round robin, each a list of pairs (first seat, second seat), players from 0.

    With an odd number the player who would meet the absent last one has a bye in that round.
    The construction is the one of the FIDE handbook (C.05 annex 1): the last player stays, everybody else moves on by
    half the number of players.

    Raises:
        ValueError: fewer than two players.
    """
    if n < 2:
        raise ValueError("a round robin needs at least two players")
    even = n + n % 2
    ring = even - 1
    rounds = []
    for number in range(ring):
        pivot = number * (even // 2) % ring
        pairs = [(pivot, ring) if number % 2 == 0 else (ring, pivot)]
        pairs += [((pivot + step) % ring, (pivot - step) % ring) for step in range(1, even // 2)]
        rounds.append([pair for pair in pairs if max(pair) < n])
    return rounds
