"""The person's side of a match in the terminal: shows what happens, asks, and reads answers."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Protocol

from rich.columns import Columns
from rich.console import Console, RenderableType
from rich.text import Text

from palio.cli.backstage import Asked, Broken, Heard, Over, Started, Update
from palio.cli.boards import Board, Talkative, board_of
from palio.client import Decision, Match
from palio.codec import codec_of
from palio.games import rules_of
from palio.v1 import game_pb2, match_pb2, play_pb2

COMMANDS = """\
  NUMBER    choose that option        Enter  confirm it        u  take it back
  ?         what there is             ? WORD  what one card or place does
  b         the board again           o      the options again
  l         all that happened so far  q      give up the match
  s WORD …  signal to your partner, in a team match"""


class Leave(Exception):
    """The person gives up."""


class Stage(Protocol):
    """The match behind the terminal; :class:`palio.cli.backstage.Backstage` is one."""

    def next_update(self) -> Update:
        """Wait for what the person is told next."""

    def resign(self) -> None:
        """Give up the match for the person."""

    def signal(self, words: game_pb2.Words) -> None:
        """Say that to the partner, for all to hear."""


class Terminal:
    """Talks to the person.

    Args:
        console: where to print.
        read: reads a line after showing a prompt; raises EOFError at the end of the input.
        confirm: whether a choice counts only once it is confirmed.
    """

    def __init__(self, console: Console, read: Callable[[str], str], *, confirm: bool = True) -> None:
        self._console = console
        self._read = read
        self._confirm = confirm
        self._match: Match | None = None
        self._board: Board | None = None
        self._log: list[str] = []

    def play(self, stage: Stage) -> None:
        """Until the match is over, or the person has given it up and it is over without.

        Raises:
            EOFError, KeyboardInterrupt: the input ended, or the person pressed Ctrl-C. The match is not given up yet.
            Exception: whatever broke the match.
        """
        while True:
            match stage.next_update():
                case Started(match):
                    self._start(match)
                case Heard(events):
                    self._tell(events)
                case Asked(decision, answer):
                    try:
                        answer(self._ask(decision, stage))
                    except Leave:
                        stage.resign()
                        return self.wait_for_the_end(stage)
                case Over(ended):
                    return self._end(ended)
                case Broken(error):
                    raise error

    def wait_for_the_end(self, stage: Stage) -> None:
        """After the match was given up: until it is over, asking nothing more."""
        while True:
            match stage.next_update():
                case Over(ended):
                    self._end(ended)
                    return
                case Broken(error):
                    raise error
                case _:
                    pass

    def _start(self, match: Match) -> None:
        self._match, self._board = match, board_of(match)
        players = ", ".join(f"{player} (seat {seat})" for seat, player in enumerate(match.players))
        self._print(Text(f"{rules_of(match.game).title}: {players}. You have seat {match.seat}.", style="bold"))
        self._print(f"Seed commitment {match.start.seed_commitment}")
        self._print(COMMANDS)

    def _tell(self, events: Sequence[game_pb2.Event]) -> None:
        assert self._match is not None
        codec, rules = codec_of(self._match.game), rules_of(self._match.game)
        for event in events:
            self._log.append(self._named(rules.describe_event(codec.read_event(event))))
            self._print(Text(f"  {self._log[-1]}", style="dim"))

    def _ask(self, decision: Decision, stage: Stage) -> int:
        """The index of the option that the person takes.

        Raises:
            Leave: none; the person gives up.
        """
        board = self._board
        assert board is not None
        self._draw(decision, board, whole=False)
        self._list(decision, board)
        chosen: int | None = None
        while True:
            prompt = "number, or ? > "
            if chosen is not None:
                prompt = f"{board.option_text(decision.options[chosen])}: Enter confirms, u takes it back > "
            match self._read(prompt).split(maxsplit=1):
                case [] if chosen is not None:
                    return chosen
                case ["u"]:
                    chosen = None
                case ["s", *said]:
                    self._signal(" ".join(said).split(), board, stage)
                case [number] if number.isascii() and number.isdecimal():
                    chosen = self._numbered(number, decision)
                    if chosen is not None and not self._confirm:
                        return chosen
                case words:
                    self._obey(words, decision, board)

    def _numbered(self, number: str, decision: Decision) -> int | None:
        """The index that the person means: options are numbered from 1."""
        if 1 <= int(number) <= len(decision.options):
            return int(number) - 1
        self._print(f"{number} is not one of the options 1 to {len(decision.options)}")
        return None

    def _obey(self, words: list[str], decision: Decision, board: Board) -> None:
        """Whatever is no choice."""
        match words:
            case []:
                pass
            case ["q"]:
                raise Leave
            case ["b"]:
                self._draw(decision, board, whole=True)
            case ["o"]:
                self._list(decision, board)
            case ["l"]:
                self._print("\n".join(self._log))
            case [word, *_] if word.startswith("?"):
                self._help(board, " ".join(words)[1:].strip())
            case _:
                self._print(COMMANDS)

    def _signal(self, said: Sequence[str], board: Board, stage: Stage) -> None:
        if not isinstance(board, Talkative):
            self._print("nobody signals in this game")
            return
        try:
            stage.signal(board.talk(said))
        except ValueError as error:
            self._print(str(error))

    def _draw(self, decision: Decision, board: Board, *, whole: bool) -> None:
        assert self._match is not None
        self._print(board.draw(decision.observation, list(self._match.players), whole=whole))

    def _list(self, decision: Decision, board: Board) -> None:
        self._print(Text(decision.kind.replace("_", " ").capitalize() + ":", style="bold"))
        texts = [Text(f"{n:3} {board.option_text(option)}") for n, option in enumerate(decision.options, 1)]
        self._print(Columns(texts, padding=(0, 2), column_first=True))

    def _help(self, board: Board, topic: str) -> None:
        if not topic:
            self._print(COMMANDS)
        self._print(board.help(topic) or f"there is no help on {topic or 'this game'}")

    def _end(self, ended: play_pb2.MatchEnded) -> None:
        assert self._match is not None
        result = ended.result
        self._print(
            Text(f"The match is over: {result.ended_by or ended.void_reason or 'not played out'}", style="bold")
        )
        for seat in sorted(result.seats, key=lambda seat: seat.rank):
            how = match_pb2.Termination.Name(seat.termination).removeprefix("TERMINATION_").lower().replace("_", " ")
            self._print(f"  {seat.rank}. {self._match.players[seat.seat]}, {seat.points} points, {how}")
        self._print(f"Seed {result.seed.hex()}")

    def _named(self, text: str) -> str:
        """Seats by the names of their players."""
        assert self._match is not None
        players = self._match.players
        return re.sub(r"\bseat (\d+)\b", lambda found: players[int(found[1])], text)

    def _print(self, what: RenderableType) -> None:
        self._console.print(what, markup=False, highlight=False)
