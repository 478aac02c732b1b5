"""What every game offers to the server, the bots and the tools: a pure state machine.

A game package provides one object that follows :class:`Rules`; everything else in Palio knows games only through
this module. States are deterministic: all chance comes from the match seed through :mod:`palio.engine.chance`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol, Self, TypeAlias

Value: TypeAlias = "int | str | tuple[Value, ...]"

Option: TypeAlias = tuple[Value, ...]
"""One legal choice as plain data, its shape's name first: ``("play", 12, 5)``. Hashable, cheap to compare."""

Opaque: TypeAlias = Any
"""A type that belongs to one game (its options, view, position): only that game and its codec look inside."""


class Decision(NamedTuple):
    """A question to one seat. Decisions with a single option are taken by the engine and never seen here.

    Attributes:
        seat: who is asked, from 0.
        kind: the name of the kind in the game's rules, e.g. ``PLAY_CARD``.
        options: at least two different ones, in the fixed order of the rules.
    """

    seat: int
    kind: str
    options: Sequence[Option]


class Event(NamedTuple):
    """Something that happened.

    Attributes:
        fact: plain data, the event's name first: ``("stolen", 1, 0)``.
        viewers: the seats that may see it; ``None`` means everybody, spectators included.
    """

    fact: tuple[Value, ...]
    viewers: tuple[int, ...] | None = None


class Outcome(NamedTuple):
    """How a game ended by its rules.

    Attributes:
        ranks: per seat, 1 is best; equal ranks share a place and the next number is skipped.
        points: per seat, as the rules count them.
        ended_by: the rules' own word for the reason, e.g. ``target``.
    """

    ranks: tuple[int, ...]
    points: tuple[int, ...]
    ended_by: str


@dataclass(frozen=True, slots=True)
class OptionField:
    """One option of a game that an organiser may set, described as data for the catalogue and for error texts.

    Attributes:
        name: field name in the game's ``GameOptions`` message.
        type: ``bool``, ``int`` or ``message``.
        default: what holds when it is not set, as text.
        minimum, maximum: inclusive bounds of an ``int``.
        help: one sentence.
    """

    name: str
    type: str
    default: str
    help: str
    minimum: int | None = None
    maximum: int | None = None


class State(Protocol):
    """A game in progress."""

    @property
    def players(self) -> int:
        """Number of seats."""

    @property
    def seed(self) -> bytes:
        """The 32 bytes that all chance comes from. Never shown before the end."""

    @property
    def sides(self) -> tuple[int, ...]:
        """Per seat the side it plays for; without teams every seat is its own side."""

    @property
    def turn(self) -> int:
        """A public counter that grows whenever a turn ends. The server tells waiting seats what happened at its
        steps only, so that the number and timing of messages gives no hidden decision away."""

    def decision(self) -> Decision | None:
        """The pending decision; ``None`` when the game is over."""

    def choose(self, index: int) -> None:
        """Take the option of that index and go on to the next decision with at least two options.

        Raises:
            IllegalAction: there is no such option.
            MatchOver: the game has ended.
        """

    def signal(self, seat: int, words: Opaque) -> None:
        """Team talk, where the game has any; shows as an event.

        Raises:
            IllegalAction: this game or variant has no signals, or the words are out of bounds.
            QuotaExceeded: more signals than a turn allows.
            MatchOver: the game has ended.
        """

    def take_events(self) -> list[Event]:
        """The events since the last call, oldest first. Always empty for a clone made for searching."""

    def clone(self) -> Self:
        """An independent copy that records no events (what search wants)."""

    def view(self, seat: int | None) -> Opaque:
        """What that seat may see now, ``None`` for a spectator; built by listing what may be seen."""

    def outcome(self) -> Outcome | None:
        """``None`` while the game goes on."""


class Rules(Protocol):
    """A game: how to start it, and what there is to know about it."""

    @property
    def game_id(self) -> str:
        """Short lower-case name: registry key, proto package, oneof field."""

    @property
    def title(self) -> str:
        """Name for people."""

    @property
    def version(self) -> int:
        """Grows with every change that alters a game's course; replays bear it."""

    @property
    def seats(self) -> tuple[int, ...]:
        """Player counts that can be played, ascending."""

    @property
    def option_fields(self) -> tuple[OptionField, ...]:
        """What an organiser can set."""

    def options(self, **given: Opaque) -> Opaque:
        """The game's options object, validated, with defaults for what is not given.

        Raises:
            InvalidSetup: a name, type or bound is wrong.
        """

    def start(self, seed: bytes, players: int, options: Opaque) -> State:
        """A fresh game at its first decision.

        Raises:
            InvalidSetup: that player count, or the options with it, cannot be played.
        """

    def from_position(self, position: Opaque) -> State:
        """A game that stands at the start of a turn.

        Raises:
            InvalidSetup: the position breaks an invariant; ``field`` names where.
        """

    def options_of(self, position: Opaque) -> Opaque:
        """The options that a game from that position is played with; only asked for positions that were accepted."""

    def position(self, state: Opaque) -> Opaque | None:
        """The full state as a position where a turn starts, else ``None``. For organisers, never for seats."""

    def describe_option(self, option: Option) -> str:
        """A few English words: "Baker on the College"."""

    def describe_event(self, fact: tuple[Value, ...]) -> str:
        """One English sentence without the full stop: "seat 1 steals a card from seat 0"."""

    def tracker(self, seat: int, players: int, options: Opaque) -> Tracker:
        """An empty memory of what that seat comes to know (for search with sampled hidden information)."""


class Tracker(Protocol):
    """What one seat knows: fed with its own events, it completes its view to full states at random."""

    def observe(self, events: Sequence[Event]) -> None:
        """Take in events, in the order in which the seat received them. Only facts the seat may see are ever given."""

    def sample(self, view: Opaque, seed: bytes) -> State:
        """A random full state that fits the view and all that was observed; the same arguments give the same one."""
