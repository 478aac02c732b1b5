"""Entry points: :func:`play` for programs, :func:`play_async` for asyncio programs, :func:`main` for a bot's script."""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import logging
import os
import signal
import sys
from collections.abc import Callable, Coroutine, Iterator, Sequence
from typing import Any

from palio.client.playing import Factory
from palio.client.session import Session
from palio.client.settings import Settings, from_environment
from palio.codec.status import PalioError


async def play_async(factory: Factory, settings: Settings | None = None, **given: object) -> int:
    """Play matches until the server has no more, the limit is reached or the program is told to stop.

    SIGINT and SIGTERM ask the server for no more matches; those that run are played to their end. A second one stops
    at once.

    Args:
        factory: makes the bot for a match; a subclass of :class:`palio.client.Bot` is one.
        settings: where to play; by default what the environment says.
        given: fields of :class:`palio.client.Settings` that override the environment.

    Returns:
        How many matches were finished.

    Raises:
        ValueError: a setting cannot be used.
        PalioError: the server refuses this bot, a newer session took over, or no server was found in time.
    """
    session = Session(factory, settings or from_environment(**given))
    with _signals(session):
        return await session.run()


def play(factory: Factory, settings: Settings | None = None, **given: object) -> int:
    """:func:`play_async` for a program without an event loop; under uvloop where that is installed."""
    return _runner()(play_async(factory, settings, **given))


def main(factory: Factory, arguments: Sequence[str] | None = None) -> None:
    """The whole main program of a bot: reads the command line and the environment, plays, exits.

    Exit status: 0 after a regular end, 1 after an error, 2 for bad usage, 130 after being stopped at once.
    """
    logging.basicConfig(level=os.environ.get("PALIO_LOG", "WARNING").upper(), format="%(message)s")
    parser = argparse.ArgumentParser(
        description="Plays on a Palio server. The environment may say the same: PALIO_SERVER, PALIO_TOKEN, "
        "PALIO_BOT_NAME, PALIO_CA, PALIO_TLS, PALIO_CERT, PALIO_KEY."
    )
    parser.add_argument("--server", metavar="ADDR", help="host:port or unix:/path")
    parser.add_argument("--token", help="says who the player is")
    parser.add_argument("--name", help="label; the player's name on a server in open local mode")
    parser.add_argument("--ca", metavar="FILE", help="PEM file of certificates to trust; switches TLS on")
    parser.add_argument("--concurrency", type=int, metavar="N", help="matches at the same time")
    parser.add_argument("--matches", type=int, metavar="N", help="leave after N finished matches")
    parsed = parser.parse_args(arguments)
    try:
        settings = from_environment(**vars(parsed))
    except ValueError as error:
        parser.error(str(error))
    try:
        play(factory, settings)
    except PalioError as error:
        sys.exit(f"palio: {error}")
    except (KeyboardInterrupt, asyncio.CancelledError):
        sys.exit(130)


@contextlib.contextmanager
def _signals(session: Session) -> Iterator[None]:
    """Leave at the first SIGINT or SIGTERM, stop at the second."""
    loop, task = asyncio.get_running_loop(), asyncio.current_task()
    caught: list[int] = []

    def stop(number: int) -> None:
        caught.append(number)
        if len(caught) == 1:
            session.leave()
        elif task is not None:
            task.cancel()

    handled: list[signal.Signals] = []
    for number in (signal.SIGINT, signal.SIGTERM):
        # Only the main thread may handle signals; in another one the program's own way of stopping is left alone.
        with contextlib.suppress(NotImplementedError, RuntimeError, ValueError):
            loop.add_signal_handler(number, stop, number)
            handled.append(number)
    try:
        yield
    finally:
        for number in handled:
            loop.remove_signal_handler(number)


def _runner() -> Callable[[Coroutine[Any, Any, int]], int]:
    try:
        import uvloop
    except ImportError:
        return asyncio.run
    return uvloop.run
