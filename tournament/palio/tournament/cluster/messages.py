"""What a runner and its workers on other machines tell each other. All of it can be pickled."""

from __future__ import annotations

from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path

from palio.games import rules_of
from palio.tournament.config import TournamentConfig, working_directory
from palio.tournament.ledger import Entry
from palio.tournament.pairing import Block
from palio.tournament.plan import Terms


@dataclass(frozen=True, slots=True)
class Job:
    """What every worker needs to know.

    Attributes:
        terms: of the tournament.
        folder: of the tournament file, on the runner's machine.
        upload: the directory there that was copied to the working directory of all workers; ``None``: none was.
        files: per ``command`` bot, by its place in the file, the files that it is started with.
        versions: of Palio and of the rules, as the runner has them.
    """

    terms: Terms
    folder: Path
    upload: Path | None
    files: dict[int, tuple[Path, ...]]
    versions: tuple[str, int]

    def here(self, path: Path) -> Path:
        """Where a path of the runner's machine is on this one."""
        if self.upload is None or not path.is_relative_to(self.upload):
            return path
        return Path.cwd() / path.relative_to(self.upload)


def job_of(terms: Terms, file: Path) -> Job:
    """The job for a tournament file."""
    config, folder = terms.config, file.parent
    files: dict[int, tuple[Path, ...]] = {}
    for at, bot in enumerate(config.bots):
        if bot.command is not None:
            cwd = working_directory(bot, folder)
            # "node bot.js": what is a file here has to be one there.
            files[at] = tuple(cwd / word for word in bot.command[1:] if (cwd / word).is_file())
    upload = config.cluster.upload
    return Job(terms, folder, (folder / upload).resolve() if upload else None, files, versions(config))


def versions(config: TournamentConfig) -> tuple[str, int]:
    """Of Palio and of the rules, on this machine."""
    return version("palio"), rules_of(config.game).version


@dataclass(frozen=True, slots=True)
class Order:
    """A block to be played, or what is left of it.

    Attributes:
        seatings: numbers of the seatings, each with the number of its next attempt.
        withdrawn: names of bots that take no further part.
    """

    block: Block
    seatings: tuple[tuple[int, int], ...]
    withdrawn: frozenset[str]


@dataclass(frozen=True, slots=True)
class Played:
    """An attempt that is over.

    Attributes:
        replay: the bytes of its replay file.
    """

    entry: Entry
    replay: bytes


@dataclass(frozen=True, slots=True)
class Incident:
    """A bot's process ended when it should not."""

    bot: str
    what: str
    tail: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Withdrawal:
    """A bot crashed too often in a row at this worker."""

    bot: str
    reason: str


@dataclass(frozen=True, slots=True)
class NoStart:
    """A bot did not come up; the block was not played to its end.

    Attributes:
        text: what happened, with the bot's last words.
    """

    bot: str
    text: str


News = Played | Incident | Withdrawal | NoStart
