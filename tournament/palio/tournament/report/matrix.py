"""Tables of every bot against every other, coloured by value."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from html import escape
from typing import Final, NamedTuple

_GOOD: Final = (31, 111, 139)
_BAD: Final = (155, 35, 53)
_PAPER: Final = (255, 255, 255)
_LARGE: Final = 8
_MEDIUM: Final = 12
"""So many bots fit with cells that are large, or large enough for two lines."""


class MatrixCell(NamedTuple):
    """One against another.

    Attributes:
        share: 0 to 1, gives the colour.
        main: large text.
        small: text below it.
        hint: shown when the pointer rests on it.
    """

    share: float
    main: str
    small: str
    hint: str


def matrix(names: Sequence[str], cell: Callable[[str, str], MatrixCell | None]) -> str:
    """The rows' bots against the columns' bots, an HTML table."""
    heads = "".join(f'<th scope="col"><span>{escape(name)}</span></th>' for name in names)
    rows = []
    for row in names:
        cells = "".join(_cell(None if row == column else cell(row, column), row == column) for column in names)
        rows.append(f'<tr><th scope="row">{escape(row)}</th>{cells}</tr>')
    size = " dense" if len(names) > _MEDIUM else " medium" if len(names) > _LARGE else ""
    return (
        f'<div class="scroll"><table class="matrix{size}"><thead><tr><td></td>{heads}</tr></thead>'
        f"<tbody>{''.join(rows)}</tbody></table></div>"
    )


def _cell(found: MatrixCell | None, diagonal: bool) -> str:
    if found is None:
        return f'<td class="{"self" if diagonal else "none"}"></td>'
    red, green, blue = shade(found.share)
    dark = 0.299 * red + 0.587 * green + 0.114 * blue < 140
    ink = "#fff" if dark else "#20242c"
    small = f"<small>{escape(found.small)}</small>" if found.small else ""
    style = f"background:rgb({red},{green},{blue});color:{ink}"
    return f'<td style="{style}" title="{escape(found.hint)}">{escape(found.main)}{small}</td>'


def shade(share: float) -> tuple[int, int, int]:
    """From red (0) over white (1/2) to blue (1); differences near the middle are made visible."""
    distance = min(1.0, abs(share - 0.5) * 2) ** 0.8
    end = _GOOD if share >= 0.5 else _BAD
    red, green, blue = (round(paper + (colour - paper) * distance) for paper, colour in zip(_PAPER, end, strict=True))
    return red, green, blue
