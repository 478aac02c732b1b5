"""All scenarios. Importing this package registers them; the modules are in the order of their obligations' numbers."""

from palio.conformance.scenarios import (  # noqa: I001 - the order is the obligations'
    greeting,
    playing,
    concurrent,
    tolerance,
    answering,
    resuming,
    returning,
    ending,
    moving,
)

__all__ = [
    "answering",
    "concurrent",
    "ending",
    "greeting",
    "moving",
    "playing",
    "resuming",
    "returning",
    "tolerance",
]
