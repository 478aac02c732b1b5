"""Feudum in the terminal: the ring of guilds, the map, what everybody owns."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any, Final

from rich.box import ROUNDED, SIMPLE_HEAD
from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from palio.cli.boards import feudum_words as words
from palio.client import Match
from palio.feudum.v1 import feudum_pb2 as pb
from palio.v1 import game_pb2

RING: Final = (
    (pb.GUILD_FARMER, pb.GUILD_MERCHANT, pb.GUILD_ALCHEMIST),
    (pb.GUILD_MONK, pb.GUILD_NOBLE, pb.GUILD_KNIGHT),
)
"""Where the guilds are drawn: the first row is read from left to right, the second from right to left."""
ARROWS: Final = {
    pb.GUILD_FARMER: "▶",
    pb.GUILD_MERCHANT: "▶",
    pb.GUILD_ALCHEMIST: "▼",
    pb.GUILD_KNIGHT: "◀",
    pb.GUILD_NOBLE: "◀",
    pb.GUILD_MONK: "▲",
}
RANKS: Final = ("master", "journeyman", "apprentice")
HALVES: Final = (
    (pb.REGION_SEA, pb.REGION_ISLAND, pb.REGION_FOREST),
    (pb.REGION_DESERT, pb.REGION_BADLANDS, pb.REGION_MOUNTAIN),
)
SCROLL_ROWS: Final = ((1, 2, 3), (4, 5), (6,))
KNIGHT_SECTIONS: Final = ((0, 1), (1, 3), (3, 6))
NAME_WIDTH: Final = 12
FRESH: Final = (
    pb.DECISION_KIND_GOOD_PICK,
    pb.DECISION_KIND_PAWN_CHARACTER,
    pb.DECISION_KIND_ACTION,
    pb.DECISION_KIND_HIDE,
    pb.DECISION_KIND_NOURISH,
)
"""Decisions that begin something: others may have acted since the last one."""


class FeudumBoard:
    """Draws observations; explains guilds and writs from the catalogue that the server sends."""

    def __init__(self, match: Match) -> None:
        catalogue = match.catalogue.feudum
        self._names: Sequence[str] = match.players
        self._info = {info.guild: info for info in catalogue.guilds}
        self._writs = {info.writ: info for info in catalogue.writs}
        self._prices = {info.good: list(info.columns) for info in catalogue.prices}
        self._see = pb.Observation()

    def draw(self, observation: game_pb2.Observation, names: Sequence[str], *, whole: bool = True) -> RenderableType:
        """Everything; or, in the middle of an action of one's own, the guilds or the map, and one's own things."""
        self._see, self._names = observation.feudum, names
        if whole or self._see.asked_kind in FRESH:
            return Group(self._head(), self._ring(), self._map(), self._supply(), self._seats(), *self._own())
        parts: list[RenderableType] = [self._head(), self._ring() if self._see.HasField("engagement") else self._map()]
        if self._see.HasField("own"):
            parts.append(self._belongings(self._see.seats[self._see.own.seat]))
        return Group(*parts, *self._own())

    # The parts of the drawing. -------------------------------------------------------------------------------------

    def _head(self) -> Text:
        see = self._see
        head = Text(f"Round {see.round} of 8, turn {see.turn} of 4, epoch {'I' * see.epoch if see.epoch < 4 else ''}")
        head.append("IV" if see.epoch == 4 else "V" if see.epoch > 4 else "")
        if see.phase == pb.PHASE_SETUP:
            head = Text("Before the first round")
        elif see.phase == pb.PHASE_ROUND_END:
            head = Text(f"The end of round {see.round}")
        head.append("; on turn: ").append_text(self._name(see.active_seat))
        if see.HasField("asked_seat") and see.asked_seat != see.active_seat:
            head.append("; asked: ").append_text(self._name(see.asked_seat))
        head.append("; started by ").append_text(self._name(see.starting_seat))
        if see.HasField("engagement"):
            at = see.engagement
            head.append(f"\nAt work: {words.guild(at.guild)} {words.function(at.function)}", style="bold")
            if at.HasField("feast"):
                head.append(", feasting with ").append_text(self._name(at.feast))
        if see.HasField("fists"):
            head.append(f"\nThe beads {see.fists.low} and {see.fists.high} are in the fists")
        return head

    def _name(self, seat: int) -> Text:
        """A player in the colour of the seat."""
        return Text(self._names[seat], style=words.STYLES[seat])

    def _short(self, seat: int, *, pad: bool = True) -> Text:
        text = self._name(seat)
        text.truncate(NAME_WIDTH, overflow="ellipsis", pad=pad)
        return text

    def _ring(self) -> Table:
        ring = Table(box=ROUNDED, show_header=False, show_lines=True, padding=(0, 1))
        for _ in RING[0]:
            ring.add_column(width=30)
        for row in RING:
            ring.add_row(*(self._guild(self._see.guilds[guild - 1]) for guild in row))
        return ring

    def _guild(self, board: pb.GuildBoard) -> Group:
        """A guild: its track, then what lies there."""
        related = pb.LocationType.Name(self._info[board.guild].related_type).removeprefix("LOCATION_TYPE_").lower()
        title = Text().append(f"{ARROWS[board.guild]} {words.guild(board.guild)}", style="bold")
        lines = [title.append(f" ({related}s)", style="dim")]
        for rank, seat in enumerate(board.track):
            line = Text(f"{RANKS[rank]:11}").append_text(self._short(seat)).append(f" {board.stars[seat]}★")
            if seat in _reeves(board):
                line.append(" ⚑", style=words.STYLES[seat])
            lines.append(line)
        if not board.track:
            lines.append(Text("no members", style="dim"))
        if board.waiting:
            waiting = [self._short(seat, pad=False).append(f" {board.stars[seat]}★") for seat in board.waiting]
            lines.append(Text("waiting    ").append_text(Text(", ").join(waiting)))
        lines += self._things[board.guild](self)
        return Group(*lines)

    def _farmer(self) -> list[Text]:
        see = self._see
        return [
            _labelled(f"barn {words.total(see.barn)}/10", words.amounts(see.barn) or "empty"),
            _labelled("chickens", f"{words.listed(see.chickens)}, {4 - len(see.chickens)} free"),
            _labelled("purse", f"{see.purse} shillings"),
        ]

    def _merchant(self) -> list[Text]:
        lines = []
        for number, name in enumerate(words.GOODS, 1):
            count, prices = getattr(self._see.rows, name), self._prices[pb.Good.ValueType(number)]
            line = Text(f"{name:10} {_dots(count, len(prices))} ")
            for column, price in enumerate(prices, 1):
                line.append(f"{price}", style="bold reverse" if column == count else "dim")
                line.append(" ")
            lines.append(line.append(f"for {prices[count - 1]}" if count else "none"))
        return lines

    def _alchemist(self) -> list[Text]:
        stores = [f"{name:10} {_dots(getattr(self._see.stores, name), 3)}" for name in words.GOODS]
        return [*map(Text, stores), _labelled("for sale", words.vessels(self._see.sale) or "nothing")]

    def _knight(self) -> list[Text]:
        lines = []
        for colour, count in enumerate(self._see.knight_rows):
            mine = colour < len(self._names)
            line = self._short(colour) if mine else Text(f"{words.COLOURS[colour]:{NAME_WIDTH}}", style="dim")
            dots = _dots(count, 6)
            line.append("  " + "│".join(dots[start:end] for start, end in KNIGHT_SECTIONS), style="default not dim")
            lines.append(line)
        return lines

    def _noble(self) -> list[Text]:
        sealed = set(self._see.sealed_cells)
        rows = ["  ".join(f"{cell}{'●' if cell in sealed else '○'}" for cell in row) for row in SCROLL_ROWS]
        return [_labelled("scrolls" if not number else "", row) for number, row in enumerate(rows)]

    def _monk(self) -> list[Text]:
        see = self._see
        return [
            _labelled("rosary", words.listed(see.rosary)),
            _labelled("", f"{7 - len(see.rosary)} free"),
            _labelled("coffer", f"{see.coffer} shillings"),
        ]

    _things: Final[dict[int, Callable[[FeudumBoard], list[Text]]]] = {
        pb.GUILD_FARMER: _farmer,
        pb.GUILD_MERCHANT: _merchant,
        pb.GUILD_ALCHEMIST: _alchemist,
        pb.GUILD_KNIGHT: _knight,
        pb.GUILD_NOBLE: _noble,
        pb.GUILD_MONK: _monk,
    }

    def _map(self) -> Table:
        grid = Table.grid(padding=(0, 1))
        for _ in HALVES:
            grid.add_column(width=49)
        grid.add_row(*map(self._half, HALVES))
        return grid

    def _half(self, regions: Sequence[int]) -> Table:
        table = Table(box=None, padding=(0, 1, 0, 0), show_header=False)
        for width in (2, 9, 3, 17, 13):
            table.add_column(width=width)
        for region in regions:
            table.add_row("", Text(words.region(region), style="bold underline"))
            for at, location in enumerate(self._see.locations, 1):
                if location.region == region:
                    table.add_row(
                        str(at),
                        Text(words.kind(location), style="bold" if location.guild else ""),
                        self._markers(location),
                        self._pawns(at),
                        words.amounts(location.goods),
                    )
        return table

    def _markers(self, location: pb.Location) -> Text:
        text = Text(words.markers(location))
        for at, letter in enumerate(text.plain.lower()):
            text.stylize(words.STYLES[[colour[0] for colour in words.COLOURS].index(letter)], at, at + 1)
        return text

    def _pawns(self, at: int) -> Text:
        """The pawns at a location: colour, number, character; ~ is a pawn that is not sober."""
        return Text(", ").join(
            Text(f"{words.COLOURS[seat][0].upper()}{number} ", style=words.STYLES[seat]).append(_character(pawn))
            for seat, public in enumerate(self._see.seats)
            for number, pawn in enumerate(public.pawns)
            if pawn.location == at
        )

    def _supply(self) -> Text:
        see = self._see
        text = Text(
            "RRg: red rules, with a subject, green is the serf. CAPITALS: a feudum of that guild. ~: not sober.\n",
            style="dim",
        )
        text.append(
            f"Haversack {words.amounts(see.haversack) or 'empty'}; supply {see.bank} shillings, {see.discs} seals, "
            f"{words.vessels(see.docks) or 'no vessels'}; {see.deck_size} writs to draw",
            style="default not dim",
        )
        if see.discard:
            text.append(f", discarded: {', '.join(map(words.writ, see.discard))}", style="default not dim")
        return text

    def _seats(self) -> Table:
        table = Table(box=SIMPLE_HEAD, padding=(0, 1))
        table.add_column("", style="dim")
        rows = [words.facts(public) for public in self._see.seats]
        width = max(14, 80 // len(rows) - 2)
        for seat in range(len(rows)):
            head = self._short(seat, pad=False).append(f"\n({words.COLOURS[seat]})")
            table.add_column(head, max_width=width, overflow="fold")
        for name in rows[0]:
            if any(row[name] for row in rows):
                table.add_row(name, *(row[name] or "–" for row in rows))
        return table

    def _belongings(self, public: pb.Seat) -> Text:
        """One's own things in a sentence."""
        found = ((name, value) for name, value in words.facts(public).items() if value)
        return Text("Yours: ").append("; ".join(f"{name} {value}" for name, value in found))

    def _own(self) -> Iterable[RenderableType]:
        if not self._see.HasField("own"):
            return
        for card in self._see.own.hand:
            yield Text(f"Your writ {self._writ(card)}")
        if self._see.own.hiding:
            side = "left" if self._see.own.hiding == pb.HIDING_LOW_IN_LEFT else "right"
            yield Text(f"You hide the lower bead in your {side} fist")

    def _writ(self, card: int) -> str:
        return f"{words.writ(card)}: {self._writs[pb.Writ.ValueType(card)].text}"

    # Options. ------------------------------------------------------------------------------------------------------

    def option_text(self, option: game_pb2.Option) -> str:
        shape = option.feudum.WhichOneof("record")
        tell = self._texts.get(shape or "")
        return tell(self, getattr(option.feudum, str(shape))) if tell else option.text

    def _location(self, at: int) -> str:
        location = self._see.locations[at - 1]
        more = (words.markers(location), words.amounts(location.goods))
        said = f"{at} {words.kind(location)}, {words.region(location.region)}"
        return f"{said} ({'; '.join(filter(None, more))})" if any(more) else said

    def _pawn(self, number: int, seat: int | None = None) -> str:
        pawn = self._see.seats[self._see.asked_seat if seat is None else seat].pawns[number]
        return f"pawn {number}, {_character(pawn)} at {pawn.location}"

    def _function(self, what: Any) -> str:
        info = self._info[what.guild]
        text = {pb.GUILD_FUNCTION_TRADE: info.trade, pb.GUILD_FUNCTION_PULL: info.pull}.get(what.function, info.push)
        feast = f", feasting with {self._names[what.feast]}" if isinstance(what, pb.Option.Feast) else ""
        return f"{words.guild(what.guild)} {words.function(what.function)}{feast}: {text}"

    def _good(self, good: int) -> str:
        name = words.GOODS[good - 1]
        if self._see.asked_kind != pb.DECISION_KIND_MARKET_BUY:
            return name
        return f"{name} for {self._prices[pb.Good.ValueType(good)][getattr(self._see.rows, name) - 1]}"

    def _choice(self, choice: int) -> str:
        text = self._writs[self._see.mandate].text if self._see.mandate else ""
        return words.choices(text).get(choice, f"choice {choice}")

    def _target(self, target: pb.Option.Target) -> str:
        return f"{self._names[target.player]}'s {self._pawn(target.pawn, target.player)}"

    def _feed(self, feed: pb.Option.Feed) -> str:
        how = pb.Feeding.Name(feed.feed).removeprefix("FEEDING_").lower()
        return (
            f"{how} for {self._pawn(feed.pawn)}" if feed.feed != pb.FEEDING_NONE else f"{self._pawn(feed.pawn)} leaves"
        )

    _texts: Final[dict[str, Callable[[FeudumBoard, Any], str]]] = {
        "action": lambda _, action: words.action(action),
        "card": _writ,
        "choice": _choice,
        "feast": _function,
        "feed": _feed,
        "feudum": lambda self, at: self._location(at),
        "function": _function,
        "good": _good,
        "location": _location,
        "opponent": lambda self, seat: f"{self._names[seat]} hides the beads",
        "pawn": _pawn,
        "target": _target,
        "writ": _writ,
    }

    # Help. ---------------------------------------------------------------------------------------------------------

    def help(self, topic: str) -> RenderableType | None:
        if not topic:
            return self._overview()
        asked = topic.lower().replace("_", " ")
        for guild in self._info:
            if words.guild(guild).lower().startswith(asked):
                return self._explained(guild)
        for action, text in words.ACTIONS.items():
            if words.action(action).lower().startswith(asked) or (action == pb.ACTION_GUILD and asked == "guild"):
                return Text(f"{words.action(action)}: {text}")
        for name, text in words.TOPICS.items():
            if name.startswith(asked):
                return Text(text)
        found = [Text(self._writ(card)) for card in self._writs if words.writ(card).lower().startswith(asked)]
        return Group(*found) if found else None

    def _overview(self) -> Group:
        actions = Table(box=SIMPLE_HEAD, padding=(0, 1))
        actions.add_column("action")
        actions.add_column("what it does")
        for action, text in words.ACTIONS.items():
            actions.add_row(words.action(action), text)
        guilds = Text("Guilds (? GUILD explains one): ").append(", ".join(map(words.guild, self._info)))
        writs = Text("Writs (? WRIT explains one): ").append(", ".join(map(words.writ, self._writs)))
        more = Text("Also: ").append(", ".join(f"? {name}" for name in words.TOPICS))
        return Group(actions, guilds, writs, more)

    def _explained(self, guild: int) -> Text:
        info = self._info[pb.Guild.ValueType(guild)]
        related = pb.LocationType.Name(info.related_type).removeprefix("LOCATION_TYPE_").lower()
        charity = {pb.POT_PURSE: "the farmer's purse", pb.POT_COFFER: "the church coffer"}[info.charity]
        text = Text(
            f"{words.guild(guild)} Guild. Stars: 1 for each {words.guild(guild).lower()} pawn of yours in play, 3 for "
            f"each of its feudums that you rule; with any of these 1 for each {related} you rule.\n"
            f"TRADE (anybody): {info.trade}\nPULL (journeyman, from the {words.guild(info.left)}s): {info.pull}\n"
            f"PUSH (master, to the {words.guild(info.right)}s): {info.push}"
        )
        if guild != pb.GUILD_FARMER:  # whose trades cost nothing
            text.append(
                f"\nOf every three coins paid here one goes to the master, one to the journeyman, one to {charity}."
            )
        return text


def _reeves(board: pb.GuildBoard) -> list[int]:
    return [getattr(board, side) for side in ("left_reeve", "right_reeve") if board.HasField(side)]


def _labelled(label: str, value: str) -> Text:
    return Text(f"{label:10} ").append(value)


def _dots(count: int, size: int) -> str:
    return "●" * count + "○" * (size - count)


def _character(pawn: pb.Pawn) -> str:
    return words.guild(pawn.character).lower() + ("~" if pawn.carries_sulfur else "")


BOARD = FeudumBoard
