"""Faults of ours stay where they happen."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Concatenate, ParamSpec, Protocol, TypeVar


class Breakable(Protocol):
    """Something that can take a fault of its own."""

    def broke(self, error: Exception) -> None:
        """An error came out of one of its methods."""


Owner = TypeVar("Owner", bound=Breakable)
Arguments = ParamSpec("Arguments")


def contained(act: Callable[Concatenate[Owner, Arguments], None]) -> Callable[Concatenate[Owner, Arguments], None]:
    """A method from which no error comes out: its object is told instead."""

    @wraps(act)
    def call(self: Owner, /, *args: Arguments.args, **kwargs: Arguments.kwargs) -> None:
        try:
            act(self, *args, **kwargs)
        except Exception as error:
            self.broke(error)

    return call
