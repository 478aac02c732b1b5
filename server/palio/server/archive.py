"""Matches that are over: the last ones in memory, all of them as replays on the disk."""

from __future__ import annotations

import re
from collections import OrderedDict
from collections.abc import Container, Iterator
from pathlib import Path
from typing import Final

from palio.codec.status import NotFound
from palio.server.match.journal import BrokenReplay, ReplayStore, read
from palio.server.match.summaries import summary_of
from palio.v1 import match_pb2

LONGEST_ID: Final = 80
"""Characters of a match's id: of a longer one no more is repeated to who sent it."""
MATCH_ID: Final = re.compile(rf"[a-z0-9][a-z0-9._-]{{0,{LONGEST_ID - 1}}}")
REMEMBERED: Final = 1000
LISTED: Final = 10_000
"""Replays that lists and searches look at, the newest: there is no bound to how many lie on the disk."""


class Archive:
    """Finds them.

    Args:
        replays: the folder.
    """

    def __init__(self, replays: ReplayStore) -> None:
        self.replays = replays
        self._done: OrderedDict[str, match_pb2.Match] = OrderedDict()

    def add(self, match: match_pb2.Match) -> None:
        """A match is over."""
        self._done.pop(match.match_id, None)
        self._done[match.match_id] = match
        if len(self._done) > REMEMBERED:
            self._done.popitem(last=False)

    def find(self, match_id: str) -> match_pb2.Match:
        """The last attempt of a match, also one that was over before the server started.

        Raises:
            NotFound: there is no such match.
        """
        if match_id in self._done:
            return self._done[match_id]
        return summary_of(read(self.replay_path(match_id)))

    def replay_path(self, match_id: str, attempt: int = 0) -> Path:
        """Where the replay of a match lies; attempt 0 means the last.

        Raises:
            NotFound: there is no such match, or it is not over.
        """
        if MATCH_ID.fullmatch(match_id):
            if attempt > 0:
                path = self.replays.path(match_id, attempt)
                if path.exists():
                    return path
            elif not attempt and (attempts := self.replays.attempts(match_id)):
                return self.replays.path(match_id, attempts[-1])
        what = f"attempt {attempt} of match" if attempt > 0 else "match"
        raise NotFound(f"there is no {what} {match_id[:LONGEST_ID]!r} here", field="match_id")

    def remembered(self) -> list[match_pb2.Match]:
        """The matches in memory, newest first."""
        return list(reversed(self._done.values()))

    def older(self, known: Container[str]) -> Iterator[match_pb2.Match]:
        """Matches of the disk, newest first, apart from those that are known. Takes long: no work for an event loop."""
        for path in self.replays.newest_first(LISTED):
            try:
                match = summary_of(read(path))
            except (OSError, BrokenReplay):
                continue  # moved or damaged since; the list is of those that can be shown
            if match.match_id not in known:
                yield match
