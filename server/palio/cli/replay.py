"""``palio replay``: reading and checking what was played."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from palio.cli.errors import BadUsage, CommandFailed
from palio.cli.output import JsonFlag, print_json, printable

if TYPE_CHECKING:
    from palio.server.match.transcript import Audience

app = typer.Typer(no_args_is_help=True)


@app.callback()
def replay() -> None:
    """Read and check replays. A server keeps them in the folder "replays" of its data directory."""


@app.command()
def verify(
    files: Annotated[list[Path], typer.Argument(metavar="FILE...", help="Replay files.")], as_json: JsonFlag = False
) -> None:
    """Play matches again from their replays and compare commitment, options, outcome and digest.

    Exit code 1 if anything differs; the first difference is named.
    """
    from palio.server.match.verify import verify_file

    verdicts = [(path, verify_file(path)) for path in files]
    if as_json:
        print_json(
            [
                {
                    "file": str(path),
                    "ok": not verdict.difference,
                    "difference": verdict.difference or None,
                    "match_id": verdict.match_id,
                    "attempt": verdict.attempt,
                    "game": verdict.game,
                    "choices": verdict.choices,
                    "digest": verdict.digest,
                }
                for path, verdict in verdicts
            ]
        )
    else:
        for path, verdict in verdicts:
            if verdict.difference:
                print(f"DIFFERS {path}: {printable(verdict.difference)}")
            else:
                print(f"ok      {path}: {verdict.game}, {verdict.choices} choices, digest {verdict.digest}")
    wrong = sum(bool(verdict.difference) for _, verdict in verdicts)
    if wrong:
        raise CommandFailed(f"{wrong} of {len(verdicts)} replays differ from what the rules say")


@app.command()
def show(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="A replay file.")],
    seat: Annotated[int | None, typer.Option(metavar="N", help="Only what this seat saw.")] = None,
    public: Annotated[bool, typer.Option("--public", help="Only what everybody saw.")] = False,
    everything: Annotated[bool, typer.Option("--all", help="Everything (the default).")] = False,
    as_json: JsonFlag = False,
) -> None:
    """Print what happened in a match."""
    from palio.cli.transcript import print_transcript, transcript_json
    from palio.server.match.journal import read

    if (seat is not None) + public + everything > 1:
        raise BadUsage("--seat, --public and --all exclude each other")
    records = read(file)
    seats = len(records[0].header.players)
    if seat is not None and not 0 <= seat < seats:
        raise BadUsage(f"--seat: {seat} is not between 0 and {seats - 1}")
    audience: Audience = seat if seat is not None else "public" if public else "all"
    if as_json:
        print_json(transcript_json(records, audience))
    else:
        print_transcript(records, audience)
