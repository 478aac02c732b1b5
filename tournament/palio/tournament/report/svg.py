"""Drawing: SVG elements as text, and the scales of axes."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from typing import Final

LARGE: Final = 640.0
"""Pictures that are wider than this become too small to read on a telephone."""
CHARACTER: Final = 7.9
"""Width of a character of a bold name in the plots, in pixels, about."""


def element(name: str, content: str = "", **attributes: object) -> str:
    """An element. Underscores in attributes' names stand for hyphens; ``class_`` is ``class``; ``None`` is left out."""
    written = "".join(
        f' {key.rstrip("_").replace("_", "-")}="{escape(_number(value))}"'
        for key, value in attributes.items()
        if value is not None
    )
    return f"<{name}{written}>{content}</{name}>" if content else f"<{name}{written}/>"


def text(x: float, y: float, words: str, class_: str = "", *, anchor: str = "start", fill: str | None = None) -> str:
    """Text whose baseline is at y; ``anchor`` is start, middle or end."""
    where = None if anchor == "start" else anchor
    # As a style: the style sheet's own colour would win over an attribute.
    style = f"fill:{fill}" if fill is not None else None
    return element("text", escape(words), x=x, y=y, class_=class_ or None, text_anchor=where, style=style)


def line(x1: float, y1: float, x2: float, y2: float, class_: str | None = None, *, stroke: str | None = None) -> str:
    """A straight line; its colour comes from its class or from ``stroke``."""
    width = 1.5 if stroke is not None else None
    return element("line", x1=x1, y1=y1, x2=x2, y2=y2, class_=class_, stroke=stroke, stroke_width=width)


def rect(
    x: float,
    y: float,
    width: float,
    height: float,
    class_: str | None = None,
    *,
    rx: float | None = None,
    fill: str | None = None,
    opacity: float | None = None,
) -> str:
    """A rectangle, perhaps with round corners."""
    return element(
        "rect",
        x=x,
        y=y,
        width=max(width, 0.0),
        height=max(height, 0.0),
        rx=rx,
        class_=class_,
        fill=fill,
        opacity=opacity,
    )


def path(points: Sequence[tuple[float, float]], class_: str, stroke: str) -> str:
    """A line through the points."""
    steps = "".join(f"{'M' if at == 0 else 'L'}{_number(x)} {_number(y)}" for at, (x, y) in enumerate(points))
    return element("path", d=steps, class_=class_, stroke=stroke)


def titled(content: str, title: str) -> str:
    """Shows a title when the pointer rests on it."""
    return element("g", element("title", escape(title)) + content)


def drawing(width: float, height: float, parts: Sequence[str], label: str) -> str:
    """A whole picture that shrinks with its column; where that is very narrow, a large one is scrolled.

    Args:
        label: what it shows, for those who cannot see it.
    """
    picture = (
        f'<svg viewBox="0 0 {_number(width)} {_number(height)}" width="{_number(width)}" role="img" '
        f'aria-label="{escape(label)}">{"".join(parts)}</svg>'
    )
    return f'<div class="scroll drawn">{picture}</div>' if width > LARGE else picture


@dataclass(frozen=True, slots=True)
class Scale:
    """From values to pixels.

    Attributes:
        low, high: values at the ends.
        start, end: pixels at the ends.
    """

    low: float
    high: float
    start: float
    end: float

    def __call__(self, value: float) -> float:
        return self.start + (value - self.low) / (self.high - self.low) * (self.end - self.start)

    def ticks(self, about: int = 6) -> list[float]:
        """Round values within the scale, some ``about`` of them."""
        step = nice_step((self.high - self.low) / about)
        first = math.ceil(self.low / step - 1e-9)
        return [number * step for number in range(first, math.floor(self.high / step + 1e-9) + 1)]


def nice_step(rough: float) -> float:
    """1, 2 or 5 times a power of ten, not less than about ``rough``."""
    power = 10.0 ** math.floor(math.log10(rough))
    return next(factor * power for factor in (1.0, 2.0, 5.0, 10.0) if factor * power >= rough * 0.999)


def rounded_range(values: Sequence[float], least: float) -> tuple[float, float]:
    """Ends of an axis that shows all values, at least ``least`` wide, at round numbers."""
    low, high = min(values), max(values)
    if high - low < least:
        middle = (low + high) / 2
        low, high = middle - least / 2, middle + least / 2
    step = nice_step((high - low) / 6)
    return math.floor(low / step) * step, math.ceil(high / step) * step


def spread(wanted: Sequence[float], gap: float, low: float, high: float) -> list[float]:
    """Positions for labels beside lines: as near as can be to the wanted ones, in the same order, not overlapping.

    Args:
        gap: distance between neighbours; less where there is no room for it.
        low, high: bounds of the positions.
    """
    if len(wanted) > 1:
        gap = min(gap, (high - low) / (len(wanted) - 1))
    order = sorted(range(len(wanted)), key=lambda at: wanted[at])
    # Without the gaps the positions only have to ascend: means of neighbours that are out of order do that best.
    groups: list[tuple[float, int]] = []
    for place, at in enumerate(order):
        total, count = wanted[at] - place * gap, 1
        while groups and groups[-1][0] / groups[-1][1] > total / count:
            total, count = total + groups[-1][0], count + groups[-1][1]
            groups.pop()
        groups.append((total, count))
    means = [total / count for total, count in groups for _ in range(count)]
    last = high - (len(wanted) - 1) * gap
    placed = [0.0] * len(wanted)
    for place, (at, mean) in enumerate(zip(order, means, strict=True)):
        placed[at] = min(max(mean, low), last) + place * gap
    return placed


def _number(value: object) -> str:
    return f"{value:.2f}".rstrip("0").rstrip(".") if isinstance(value, float) else str(value)
