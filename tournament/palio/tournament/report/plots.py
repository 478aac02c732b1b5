"""The plots of the report. Each takes plain data and gives an SVG picture."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final, NamedTuple

from palio.tournament.report.svg import (
    CHARACTER,
    Scale,
    drawing,
    element,
    line,
    nice_step,
    path,
    rect,
    rounded_range,
    spread,
    text,
    titled,
)

WIDTH: Final = 960.0
SMALL: Final = 300.0
ROW: Final = 30.0
CLOSE: Final = 20.0
COLOURS: Final = (
    "#9b2335",
    "#1f6f8b",
    "#c98a1b",
    "#4b7f52",
    "#6a4c93",
    "#d1603d",
    "#2a4d69",
    "#8a8d3f",
    "#b5658f",
    "#5b5b5b",
)


def colour(number: int) -> str:
    """The colour of the bot of that number, the same in every plot."""
    return COLOURS[number % len(COLOURS)]


class Interval(NamedTuple):
    """A value with its 95 % interval, ``None`` where there is none.

    Attributes:
        aside: it says more about the line before, and stands close to it.
    """

    name: str
    value: float
    low: float | None
    high: float | None
    colour: str
    aside: bool = False


def intervals(lines: Sequence[Interval], unit: str, label: str, digits: int = 0) -> str:
    """A dot and a whisker for each line; numbers are shown with so many decimals."""
    left = 24 + CHARACTER * max(len(entry.name) for entry in lines)
    right, top = 116.0, 8.0
    ends = [end for entry in lines for end in (entry.low, entry.value, entry.high) if end is not None]
    scale = Scale(
        *rounded_range([*ends, 0.0] if min(ends) <= 0 <= max(ends) else ends, 2 if digits else 20), left, WIDTH - right
    )
    pairs = any(entry.aside for entry in lines)
    places: list[float] = []
    for entry in lines:
        step = CLOSE if entry.aside else ROW + (ROW - CLOSE) / 2 if pairs and places else ROW
        places.append(places[-1] + step if places else top + ROW / 2)
    bottom = places[-1] + ROW / 2
    parts = _grid(scale, top, bottom, unit)
    for y, entry in zip(places, lines, strict=True):
        parts.append(text(left - 12, y + 4, entry.name, "aside" if entry.aside else "name", anchor="end"))
        marks = ""
        words = f"{entry.value:.{digits}f}"
        if entry.low is not None and entry.high is not None:
            x1, x2 = scale(entry.low), scale(entry.high)
            marks += rect(x1, y - 3, x2 - x1, 6, rx=3, fill=entry.colour, opacity=0.28)
            marks += "".join(line(x, y - 6, x, y + 6, stroke=entry.colour) for x in (x1, x2))
            words += f"  ({entry.low:.{digits}f} to {entry.high:.{digits}f})"
        marks += element("circle", cx=scale(entry.value), cy=y, r=5.5, fill=entry.colour)
        parts.append(titled(marks, f"{entry.name}: {words}"))
        parts.append(text(WIDTH - right + 10, y + 4, words.split("  ")[0], "value"))
        if "  " in words:
            parts.append(text(WIDTH - right + 52, y + 4, f"± {_half(entry):.{digits}f}", "muted"))
    return drawing(WIDTH, bottom + 34, parts, label)


def _half(entry: Interval) -> float:
    assert entry.low is not None
    assert entry.high is not None
    return (entry.high - entry.low) / 2


def _grid(scale: Scale, top: float, bottom: float, unit: str) -> list[str]:
    parts = []
    for tick in scale.ticks():
        x = scale(tick)
        parts.append(line(x, top, x, bottom, "zero" if abs(tick) < 1e-9 else "grid"))
        parts.append(text(x, bottom + 16, _tick(tick), "tick", anchor="middle"))
    parts.append(text((scale.start + scale.end) / 2, bottom + 31, unit, "axis", anchor="middle"))
    return parts


def _tick(value: float) -> str:
    return f"{value:g}".replace("-", "−")


def progress(series: Mapping[str, Sequence[tuple[int, float]]], colours: Mapping[str, str], label: str) -> str:
    """Ratings over the number of blocks, each line with its name at the end."""
    height, left, top = 300.0, 46.0, 10.0
    right = 20 + CHARACTER * max(len(name) for name in series)
    values = [value for points in series.values() for _, value in points]
    last = max(count for points in series.values() for count, _ in points)
    first = min(count for points in series.values() for count, _ in points)
    x = Scale(min(first, last - 1), last, left, WIDTH - right)
    y = Scale(*rounded_range(values, 20), height, top)
    parts = []
    for tick in y.ticks():
        parts.append(line(left, y(tick), WIDTH - right, y(tick), "zero" if abs(tick) < 1e-9 else "grid"))
        parts.append(text(left - 8, y(tick) + 4, _tick(tick), "tick", anchor="end"))
    whole = [tick for tick in x.ticks(8) if tick == round(tick)]
    parts += [text(x(tick), height + 18, _tick(tick), "tick", anchor="middle") for tick in whole]
    parts.append(text((left + WIDTH - right) / 2, height + 34, "complete blocks", "axis", anchor="middle"))
    names = list(series)
    places = spread([y(series[name][-1][1]) for name in names], 15, top, height)
    for name, place in zip(names, places, strict=True):
        points = [(x(count), y(value)) for count, value in series[name]]
        parts.append(titled(path(points, "series", colours[name]), name))
        parts.append(element("circle", cx=points[-1][0], cy=points[-1][1], r=3.5, fill=colours[name]))
        parts.append(text(WIDTH - right + 10, place + 4, name, "name", fill=colours[name]))
    return drawing(WIDTH, height + 42, parts, label)


class SeatBar(NamedTuple):
    """One seat.

    Attributes:
        value: mean score, 0 to 1.
        even: the score of a seat without advantage.
    """

    seat: int
    value: float
    games: int
    even: float


def seats(bars: Sequence[SeatBar], label: str) -> str:
    """Mean score by seat as distances from an even share."""
    width, left, top = SMALL, 54.0, 8.0
    row = 34.0
    reach = max(0.06, *(abs(bar.value - bar.even) for bar in bars)) * 1.15
    bottom = top + row * len(bars)
    scale = Scale(-reach * 100, reach * 100, left, width - 60)
    parts = [line(scale(0), top, scale(0), bottom, "zero")]
    for tick in scale.ticks(4):
        parts.append(text(scale(tick), bottom + 16, f"{_tick(tick)}", "tick", anchor="middle"))
        if abs(tick) > 1e-9:
            parts.append(line(scale(tick), top, scale(tick), bottom, "grid"))
    parts.append(text((left + width - 60) / 2, bottom + 31, "percentage points from even", "axis", anchor="middle"))
    for at, bar in enumerate(bars):
        y, gain = top + row * (at + 0.5), (bar.value - bar.even) * 100
        x1, x2 = sorted((scale(0), scale(gain)))
        mark = rect(x1, y - 9, x2 - x1, 18, rx=2, class_="gain" if gain >= 0 else "loss")
        parts.append(titled(mark, f"seat {bar.seat}: {100 * bar.value:.1f} % in {bar.games} games"))
        parts.append(text(left - 10, y + 4, f"seat {bar.seat}", "name", anchor="end"))
        parts.append(text(width - 50, y + 4, f"{100 * bar.value:.1f} %", "value"))
    return drawing(width, bottom + 40, parts, label)


def histogram(values: Sequence[int], unit: str, label: str) -> str:
    """How often each length occurred, with the median marked."""
    width, height, left, top = SMALL, 150.0, 36.0, 22.0
    low, high = min(values), max(values)
    step = max(1, int(nice_step(max(high - low, 1) / 18)))
    first = low // step * step
    bins = [0] * ((high - first) // step + 1)
    for value in values:
        bins[(value - first) // step] += 1
    x = Scale(first, first + step * len(bins), left, width - 10)
    most = max(bins)
    y = Scale(0, most, height, top)
    parts = []
    for tick in y.ticks(3):
        if tick == round(tick):
            parts.append(line(left, y(tick), width - 10, y(tick), "grid"))
            parts.append(text(left - 6, y(tick) + 4, _tick(tick), "tick", anchor="end"))
    for at, count in enumerate(bins):
        start = first + at * step
        bar = rect(x(start) + 0.75, y(count), x(start + step) - x(start) - 1.5, height - y(count), class_="bar")
        span = f"{start}" if step == 1 else f"{start} to {start + step - 1}"
        parts.append(titled(bar, f"{span} {unit}: {count} games") if count else "")
    parts += [text(x(tick), height + 16, _tick(tick), "tick", anchor="middle") for tick in x.ticks(5)]
    ordered = sorted(values)
    median = (ordered[(len(ordered) - 1) // 2] + ordered[len(ordered) // 2]) / 2
    middle = x(median + 0.5 * (step == 1))
    parts.append(line(middle, top - 6, middle, height, "median"))
    anchor, aside = ("start", 6) if middle < width * 0.7 else ("end", -6)
    parts.append(text(middle + aside, top - 8, f"median {_tick(median)}", "value", anchor=anchor))
    parts.append(text((left + width - 10) / 2, height + 31, unit, "axis", anchor="middle"))
    return drawing(width, height + 38, parts, label)
