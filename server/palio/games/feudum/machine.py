"""Runs a table: from one question with at least two options to the next (G-29, G-32)."""

from __future__ import annotations

from typing import Final

from palio.games.feudum import flow, rounds, supply, writs
from palio.games.feudum.actions import conquer, guild, land, migrate, move, yields
from palio.games.feudum.guilds import alchemist, common, farmer, knight, merchant, monk, noble
from palio.games.feudum.settle import settle
from palio.games.feudum.state import Frame, Questions, Steps, Table

QUESTIONS: Final[Questions] = {
    **flow.QUESTIONS,
    **supply.QUESTIONS,
    **migrate.QUESTIONS,
    **move.QUESTIONS,
    **land.QUESTIONS,
    **yields.QUESTIONS,
    **conquer.QUESTIONS,
    **guild.QUESTIONS,
    **common.QUESTIONS,
    **farmer.QUESTIONS,
    **merchant.QUESTIONS,
    **alchemist.QUESTIONS,
    **knight.QUESTIONS,
    **noble.QUESTIONS,
    **monk.QUESTIONS,
    **writs.QUESTIONS,
    **rounds.QUESTIONS,
}
"""Every decision kind of section 11 by its name."""

STEPS: Final[Steps] = {
    **flow.STEPS,
    **move.STEPS,
    **conquer.STEPS,
    **guild.STEPS,
    **common.STEPS,
    **farmer.STEPS,
    **merchant.STEPS,
    **alchemist.STEPS,
    **knight.STEPS,
    **noble.STEPS,
    **monk.STEPS,
    **rounds.STEPS,
}
"""What happens between decisions by itself."""


def run(table: Table) -> None:
    """Go on until somebody has a choice or the game is over; ``table.offered`` holds the options then."""
    stack = table.stack
    while True:
        if table.dirty:
            settle(table)
        if not stack:
            table.offered = []
            return
        frame = stack[-1]
        question = QUESTIONS.get(frame[0])
        if question is None:
            stack.pop()
            STEPS[frame[0]](table, frame)
            continue
        ask, answer = question
        options = ask(table, frame)
        if len(options) > 1:
            table.offered = options
            return
        stack.pop()
        answer(table, frame, options[0], True)


def answer(table: Table, option: Frame) -> None:
    """Carry out an option of the pending question, and go on."""
    frame = table.stack.pop()
    QUESTIONS[frame[0]][1](table, frame, option, False)
    run(table)


def preview(table: Table) -> list[Frame]:
    """The pending question's options computed anew (for states that were put together by hand)."""
    return QUESTIONS[table.stack[-1][0]][0](table, table.stack[-1])
