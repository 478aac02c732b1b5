"""A report for people, for programs and as a badge; and the list of obligations as a document."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, Final

from palio.conformance.kit import Report, obligations
from palio.conformance.obligation import Obligation, Status, Verdict

_MARKS: Final = {Status.HELD: "ok", Status.BROKEN: "BROKEN", Status.NOT_TRIED: "not tried"}
_WIDTH: Final = max(map(len, _MARKS.values()))


def badge(report: Report) -> str | None:
    """A line to show off with; ``None`` where not all obligations were wanted."""
    if len(report.verdicts) < len(obligations()):
        return None
    return f"palio v1: {report.held} of {len(report.verdicts)} obligations"


def lines(report: Report) -> Iterator[str]:
    """The report for people: one line each, and three more under each that is broken."""
    for verdict in report.verdicts:
        one = verdict.obligation
        yield f"{_MARKS[verdict.status].ljust(_WIDTH)}  {one.id}  {one.title}: {_first_words(verdict)}"
        if verdict.status is Status.BROKEN:
            indent = " " * (_WIDTH + 2)
            yield f"{indent}tried:    the server {one.tried}"
            yield f"{indent}expected: {one.expected}"
            yield f"{indent}to mend:  {one.mend}"
    yield f"{report.held} of {len(report.verdicts)} obligations hold"
    if (text := badge(report)) is not None:
        yield f"badge: {text}"


def _first_words(verdict: Verdict) -> str:
    return f"not tried, {verdict.seen}" if verdict.status is Status.NOT_TRIED else verdict.seen


def as_json(report: Report) -> dict[str, Any]:
    """The report for programs."""
    return {
        "held": report.held,
        "of": len(report.verdicts),
        "passed": report.passed,
        "badge": badge(report),
        "obligations": [
            {**_facts(verdict.obligation), "status": verdict.status.value, "seen": verdict.seen}
            for verdict in report.verdicts
        ],
    }


def _facts(obligation: Obligation) -> dict[str, str]:
    return {name: getattr(obligation, name) for name in ("id", "title", "tried", "expected", "mend")}


def catalogue(listed: Iterable[Obligation] | None = None) -> str:
    """All obligations as Markdown, for the documentation."""
    parts: list[str] = []
    for one in obligations() if listed is None else listed:
        parts += [f"### {one.id} {one.title}", ""]
        parts += [f"- The server {one.tried}.", f"- Expected: {one.expected}.", f"- {one.mend}", ""]
    return "\n".join(parts)
