"""The City of Fidelitas in the terminal."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Final

from rich.box import ROUNDED, SIMPLE_HEAD
from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from palio.client import Match
from palio.client.missio import city_of, distance_of, locations_of
from palio.fidelitas.v1 import fidelitas_pb2 as pb
from palio.v1 import game_pb2

GUILD_STYLES: Final = (
    "",
    "yellow",
    "bright_red",
    "bright_blue",
    "bright_white",
    "red",
    "magenta",
    "bright_green",
    "cyan",
    "bright_black",
)
PHASES: Final = {
    pb.PHASE_PLAY: "plays a card",
    pb.PHASE_ACTION: "carries out the action",
    pb.PHASE_END_OF_TURN: "scores and draws",
}
NAMES_A_SIGNAL: Final = 3
SIGNALS_A_TURN: Final = 4
NORTH: Final = range(1, 6)
SOUTH: Final = range(6, 11)


def character_name(character: int) -> str:
    """ "Baker"."""
    return pb.Character.Name(pb.Character.ValueType(character)).removeprefix("CHARACTER_").capitalize()


def guild_name(guild: int) -> str:
    """ "Artisan"."""
    return pb.Guild.Name(pb.Guild.ValueType(guild)).removeprefix("GUILD_").capitalize()


def location_name(location: int) -> str:
    """ "Bakery"; the sides of the Tavern say which."""
    name = pb.Location.Name(pb.Location.ValueType(location)).removeprefix("LOCATION_")
    return {"TAVERN_NORTH": "Tavern (N)", "TAVERN_SOUTH": "Tavern (S)"}.get(name, name.capitalize())


class FidelitasBoard:
    """Draws observations; explains cards from the catalogue that the server sends."""

    def __init__(self, match: Match) -> None:
        catalogue = match.catalogue.fidelitas
        self._characters = {info.character: info for info in catalogue.characters}
        tavern = len(match.players) > 1
        self._places = {info.location: info for info in catalogue.locations if tavern or not info.tavern}
        deck = match.options.fidelitas.deck
        self._copies = {info.character: info.copies for info in catalogue.characters}
        if deck.virtus:
            self._copies = {entry.character: entry.copies for entry in deck.virtus}
        cards = deck.missio or catalogue.missio
        self._missio = {card.id or number: card for number, card in enumerate(cards, 1)}
        self._teams = match.options.fidelitas.teams
        self._turn = 0
        self._said = 0

    def draw(
        self,
        observation: game_pb2.Observation,
        names: Sequence[str],
        *,
        whole: bool = True,  # noqa: ARG002 (it is small)
    ) -> RenderableType:
        see = observation.fidelitas
        if see.turn != self._turn:
            self._turn, self._said = see.turn, 0
        return Group(self._head(see, names), self._city(see), self._seats(see, names), *self._own(see))

    def _head(self, see: pb.Observation, names: Sequence[str]) -> Text:
        head = Text(f"Turn {see.turn} (round {see.round}): {names[see.active_seat]} {PHASES.get(see.phase, '')}")
        if see.final_round:
            head.append("  THE LAST ROUND", style="bold red")
        second = ", the second" if see.reshuffled else ""
        head.append(f"\nVirtus deck {see.virtus_deck_size}{second}; Missio deck {see.missio_deck_size}; discarded: ")
        head.append_text(self._counted(see.discard))
        return head

    def _city(self, see: pb.Observation) -> Table:
        city = Table(box=ROUNDED, show_header=False, show_lines=True, padding=(0, 1))
        exist = locations_of(see)
        for side in (NORTH, SOUTH):
            city.add_row(*(self._stack(see, location) for location in side if location in exist))
        return city

    def _stack(self, see: pb.Observation, location: int) -> Text:
        """A location: its name, then its cards from the top down."""
        stack = see.stacks[location - 1]
        cell = Text(location_name(location), style="bold underline")
        if location in see.barred:
            cell.append(" barred", style="not underline dim")
        for height in reversed(range(len(stack.cards))):
            locked = height < stack.locked
            cell.append("\n")
            cell.append("× " if locked else "  ", style="not underline not bold")
            cell.append_text(self._card(stack.cards[height], dim=locked))
        if not stack.cards:
            cell.append("\n  —", style="not underline dim")
        return cell

    def _seats(self, see: pb.Observation, names: Sequence[str]) -> Table:
        table = Table(box=SIMPLE_HEAD, padding=(0, 1))
        for name in ("player", "hand", "Missio", "scored", "points"):
            table.add_column(name, justify="left" if name in ("player", "scored") else "right")
        for seat, public in enumerate(see.seats):
            player = Text(names[seat], style="bold" if seat == see.active_seat else "")
            if see.teams:
                player.append(f" (team {seat % 2 + 1})")
            scored = ", ".join(map(str, public.scored))
            table.add_row(player, str(public.hand_size), str(public.missio_count), scored, str(public.points))
        return table

    def _own(self, see: pb.Observation) -> Iterable[RenderableType]:
        if not see.HasField("own"):
            return
        own = see.own
        yield Text("Your hand: ").append_text(self._counted(own.hand))
        if own.student:
            yield Text("The Student's four: ").append_text(self._counted(own.student))
        for number in own.missio:
            card = self._missio[number]
            distance = distance_of(card, locations_of(see))(city_of(see))
            state = Text("met", style="bold green") if distance == 0 else Text(f"lacks {distance}", style="yellow")
            yield Text(f"Your Missio card {self._missio_text(number)}: ").append_text(state)

    def option_text(self, option: game_pb2.Option) -> str:
        if option.fidelitas.HasField("missio"):
            return f"Missio card {self._missio_text(option.fidelitas.missio.id)}"
        return option.text

    def help(self, topic: str) -> RenderableType | None:
        if not topic:
            return Group(self._overview(), Text("? missio lists the Missio cards; ? market tells of a location."))
        asked = topic.lower()
        if asked == "missio":
            return Text("\n".join(f"Missio card {self._missio_text(number)}" for number in self._missio))
        if topic.isdecimal() and int(topic) in self._missio:
            return Text(f"Missio card {self._missio_text(int(topic))}")
        found = [
            *(self._explained(info) for n, info in self._characters.items() if _begins(character_name(n), asked)),
            *(self._place(info) for n, info in self._places.items() if _begins(location_name(n), asked)),
            *(self._guild(n) for n in range(1, len(GUILD_STYLES)) if _begins(guild_name(n), asked)),
        ]
        return Group(*found) if found else None

    def talk(self, names: Sequence[str]) -> game_pb2.Words:
        if not self._teams:
            raise ValueError("only partners in a team match signal")
        if self._said == SIGNALS_A_TURN:
            raise ValueError(f"there were {SIGNALS_A_TURN} signals in this turn, and more are not allowed")
        words = pb.Words()
        for name in names:
            places = [n for n in (*NORTH, *SOUTH) if location_name(n).lower().startswith(name.lower())]
            guilds = [n for n in range(1, len(GUILD_STYLES)) if guild_name(n).lower().startswith(name.lower())]
            if len(places) + len(guilds) != 1:
                meant = ", ".join([*map(location_name, places), *map(guild_name, guilds)])
                raise ValueError(f"{name!r} is {'one of ' + meant if meant else 'no guild and no location'}")
            words.locations.extend(map(pb.Location.ValueType, places))
            words.guilds.extend(map(pb.Guild.ValueType, guilds))
        if not names or max(len(words.locations), len(words.guilds)) > NAMES_A_SIGNAL:
            raise ValueError(f"a signal names 1 to {NAMES_A_SIGNAL} guilds and as many locations")
        self._said += 1
        return game_pb2.Words(fidelitas=words)

    def _overview(self) -> Table:
        table = Table(box=SIMPLE_HEAD, padding=(0, 1))
        for name in ("card", "guild", "draws", "action"):
            table.add_column(name)
        for character, info in self._characters.items():
            if not self._copies.get(character):
                continue
            table.add_row(self._card(character), guild_name(info.guild), _draws(info), info.text)
        return table

    def _explained(self, info: pb.CharacterInfo) -> Text:
        text = self._card(info.character)
        where = ", ".join(location_name(place) for place in info.locations if place in self._places)
        count = self._copies.get(info.character, 0)
        copies = f"{count} {'copy' if count == 1 else 'copies'}"
        needs = " (on top of another card, except at the Tavern)" if info.needs_card else ""
        text.append(
            f", {guild_name(info.guild)} guild, {copies}. {info.text}\nGoes to: {where}{needs}. "
            f"Draws at the end of the turn: {_draws(info)}.",
            style="default not bold",
        )
        return text

    def _place(self, info: pb.LocationInfo) -> Text:
        """Where a location lies, what goes there, and which Missio cards name it."""
        text = Text(location_name(info.location), style="bold")
        kinds = [
            f"{'north' if info.north else 'south'} side of the {info.card} card",
            *["a Castle location"] * info.castle,
            *["a Harbor location"] * info.harbor,
        ]
        played = [
            character_name(n)
            for n, about in self._characters.items()
            if info.location in about.locations and self._copies.get(n)
        ]
        who = "every card" if len(played) == sum(map(bool, self._copies.values())) else ", ".join(played)
        rule = " The card's action falls away; instead a Missio card is exchanged and a Virtus card turned up."
        text.append(f": {', '.join(kinds)}. Played here: {who}.{rule if info.tavern else ''}", style="not bold")
        named = [number for number, card in self._missio.items() if info.location in _named(card)]
        if named:
            text.append(f" Named by Missio cards {', '.join(map(str, named))}.", style="not bold")
        return text

    def _guild(self, guild: int) -> Text:
        members = [character_name(n) for n, info in self._characters.items() if info.guild == guild]
        return Text(f"{guild_name(guild)} guild: ", style="bold").append(", ".join(members), style="not bold")

    def _missio_text(self, number: int) -> str:
        card = self._missio[number]
        points = f"{card.points} point{'s' if card.points != 1 else ''}"
        return f"{number} ({points}: {card.text})" if card.text else f"{number} ({points})"

    def _card(self, character: int, *, dim: bool = False) -> Text:
        info = self._characters.get(pb.Character.ValueType(character))
        style = GUILD_STYLES[info.guild] if info else ""
        return Text(character_name(character), style=f"not bold not underline {'dim ' if dim else ''}{style}")

    def _counted(self, cards: Iterable[int]) -> Text:
        counts = Counter(cards)
        parts = [self._card(card).append(f" ×{count}" if count > 1 else "") for card, count in sorted(counts.items())]
        return Text(", ").join(parts) if parts else Text("none", style="dim")


def _begins(name: str, asked: str) -> bool:
    return name.lower().startswith(asked)


def _named(card: pb.MissioCard) -> Sequence[int]:
    """The locations that a condition names."""
    kind = card.WhichOneof("condition")
    return tuple(getattr(getattr(card, kind), "locations", ())) if kind else ()


def _draws(info: pb.CharacterInfo) -> str:
    return " or ".join(map(str, info.draws)) or "0"


BOARD = FidelitasBoard
