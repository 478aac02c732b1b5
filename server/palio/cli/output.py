"""How commands print: tables for people, JSON for programs."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Annotated, Final, Literal, TypeAlias

import typer

from palio.cli.errors import BadUsage

Json: TypeAlias = "dict[str, Json] | list[Json] | str | int | float | bool | None"

_UNBOUNDED: Final = 1000

JsonFlag = Annotated[bool, typer.Option("--json", help="Print JSON for programs instead of text for people.")]
"""The ``--json`` of every command that has one."""


def print_json(value: object) -> None:
    """One JSON document on stdout, the keys in the order given."""
    print(json.dumps(value, indent=2, ensure_ascii=False))


def printable(text: str, keep: str = "") -> str:
    """A text that others may have written, such that it can neither steer a terminal nor forge lines.

    Args:
        keep: characters that are let through all the same.
    """
    if text.isprintable():
        return text
    return "".join(char if char.isprintable() or char in keep else repr(char)[1:-1] for char in text)


@contextmanager
def progress_bar(what: str) -> Iterator[Callable[[int, int], None]]:
    """A bar on stderr, drawn on terminals only: gives a function that is told how many of how many are done."""
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    console = Console(stderr=True)
    columns = (TextColumn(what), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=console, transient=True, disable=not console.is_terminal) as bar:
        task = bar.add_task(what)
        yield lambda done, total: bar.update(task, completed=done, total=total)


def room_for(columns: Sequence[str], rows: Iterable[Sequence[str]]) -> bool:
    """Whether a table can be printed on stdout as it is; on a terminal its cells are folded otherwise."""
    from rich.cells import cell_len
    from rich.console import Console

    console = Console()
    widths = [
        max(map(cell_len, cells)) for cells in zip([name.removeprefix(">") for name in columns], *rows, strict=True)
    ]
    return not console.is_terminal or sum(widths) + 3 * len(widths) <= console.width


def print_note(text: str) -> None:
    """A sentence below a table, indented; on a terminal between words folded."""
    import shutil
    import sys
    import textwrap

    width = shutil.get_terminal_size().columns if sys.stdout.isatty() else _UNBOUNDED
    print(textwrap.fill(text, max(width, 20), initial_indent="  ", subsequent_indent="  ", break_on_hyphens=False))


def print_table(columns: Sequence[str], rows: Iterable[Sequence[str]], *, title: str = "", empty: str = "") -> None:
    """A table on stdout.

    Args:
        columns: headings; one that begins with ``>`` is for numbers and is aligned to the right.
        rows: cells as plain text (no markup is interpreted).
        empty: printed instead where there are no rows.
    """
    from rich.box import SIMPLE_HEAD
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    table = Table(title=title or None, box=SIMPLE_HEAD, title_justify="left")
    for number, name in enumerate(columns):
        side: Literal["left", "right"] = "right" if name.startswith(">") else "left"
        table.add_column(name.removeprefix(">"), justify=side, overflow="fold", no_wrap=number == 0)
    for row in rows:
        table.add_row(*(Text(printable(cell, keep="\n")) for cell in row))
    console = Console()
    if not console.is_terminal:
        console = Console(width=_UNBOUNDED)  # a pipe or a file has no width: every table gets what it needs
    if table.row_count or not empty:
        console.print(table)
    else:
        console.print(empty, markup=False)


def assignment(name: str, text: str) -> tuple[str, object]:
    """``NAME=VALUE`` of an option called ``name``; the value is read as JSON if it is some, else it is text.

    Raises:
        BadUsage: there is no ``=``.
    """
    key, equals, value = text.partition("=")
    if not equals:
        raise BadUsage(f"{name}: {text!r} is not of the form NAME=VALUE")
    try:
        return key, json.loads(value)
    except json.JSONDecodeError:
        return key, value
