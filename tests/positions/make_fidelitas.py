"""Writes the hand-made positions in ``tests/positions/fidelitas``, one for each character.

``python -m tests.positions.make_fidelitas`` writes for each of them ``NAME.json``, fit for ``palio rules options
--game fidelitas --position``, and ``NAME.expected.json``: what that command answers at the start and along the choices
below. A changed answer is a changed rule: read the difference against the rules before keeping it.
"""

from __future__ import annotations

import contextlib
import io
import json
import textwrap
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

from tests.support.fidelitas import position

from palio.cli.main import main
from palio.codec import codec_of
from palio.codec.jsons import payload_of, to_json
from palio.games.fidelitas import Position

FOLDER = Path(__file__).parent / "fidelitas"
WIDTH = 160


class Case(NamedTuple):
    """A position with the choices to make from it.

    Attributes:
        about: what it shows.
        choices: texts of the options taken one after another.
    """

    about: str
    position: Position
    choices: Sequence[str]


CASES = {
    "shopkeeper": Case(
        "F-21, F-12: what lies on a Swindler may be swapped, the Swindler and what it locks may not; each card takes "
        "the other's exact place",
        position(
            {"market": "Baker Swindler Priest", "college": "Thief Clerk", "tavern_south": "Soldier"},
            hands=["Shopkeeper", "Baker"],
        ),
        ["Shopkeeper on the Market", "Thief at the College", "Priest at the Market"],
    ),
    "broker": Case(
        "F-22: out of the Warehouse is not offered, since nothing lies there; the two cards go to two locations",
        position({"market": "Baker", "college": "Student", "archive": "Clerk Soldier"}, hands=["Broker", "Baker"]),
        ["Broker on the Market", "out of the Market", "Broker at the Market", "to the Warehouse", "to the College"],
    ),
    "broker_into": Case(
        "F-22: into the Warehouse, one card from each of two other locations",
        position({"market": "Baker", "college": "Student", "archive": "Clerk Soldier"}, hands=["Broker", "Baker"]),
        ["Broker on the Market", "into the Warehouse", "Clerk at the Archive", "Broker at the Market"],
    ),
    "butcher": Case(
        "F-23, F-14: two cards, the Butcher itself among them; of two Students the topmost is named, once",
        position({"library": "Student Priest Student", "market": "Thief Swindler"}, hands=["Butcher", "Baker"]),
        ["Butcher on the Butchery", "Student at the Library", "Student at the Library"],
    ),
    "baker": Case(
        "F-24, F-14: two cards to two different locations, neither to where it came from; both are picked from the "
        "City as it was",
        position({"bakery": "Priest", "market": "Thief"}, hands=["Baker", "Baker"]),
        ["Baker on the Bakery", "Priest at the Bakery", "to the Market", "Thief at the Market", "to the Bakery"],
    ),
    "professor": Case(
        "F-25: discard one card, then draw three; no draw at the end of the turn",
        position({"market": "Thief"}, hands=["Professor Soldier Thief", "Baker"], deck_top="Clerk Priest Baker Thief"),
        ["Professor on the Library", "Thief"],
    ),
    "student": Case(
        "F-26: one of four is kept, two Priests are one option; the others are discarded for all to see",
        position({"market": "Thief"}, hands=["Student", "Baker"], deck_top="Priest Clerk Priest Thief"),
        ["Student on the College", "Priest"],
    ),
    "clerk": Case(
        "F-27, F-12: pairs are unlocked cards of one guild at one location, the Clerk itself included; Student and "
        "Professor lie under a Swindler",
        position(
            {"archive": "Student Professor Swindler Broker Shopkeeper", "courthouse": "Barrister"},
            hands=["Clerk", "Baker"],
        ),
        ["Clerk on the Courthouse", "remove Shopkeeper and Broker at the Archive"],
    ),
    "clerk_two": Case(
        "F-27, F-16: nothing is removed; two draws, each from the deck or a Tavern side",
        position(
            {"courthouse": "Barrister", "tavern_north": "Thief", "tavern_south": "Priest"}, hands=["Clerk", "Baker"]
        ),
        ["Clerk on the Courthouse", "draw two cards", "Thief at the north Tavern"],
    ),
    "barrister": Case(
        "F-28: any unlocked card is taken into the hand, and everybody sees which",
        position({"market": "Thief Swindler", "bakery": "Soldier Baker"}, hands=["Barrister", "Baker"]),
        ["Barrister on the Archive", "Soldier at the Bakery"],
    ),
    "soldier": Case(
        "F-31: one other card of the location moves, another Soldier perhaps, never the one just played",
        position({"library": "Soldier Priest", "market": "Thief"}, hands=["Soldier", "Baker"]),
        ["Soldier on the Library", "Soldier at the Library", "to the Market"],
    ),
    "soldier_third": Case(
        "F-30, F-13: the third Soldier clears the location, locked cards too, and moves nothing",
        position({"library": "Baker Soldier Swindler Soldier", "tavern_north": "Thief"}, hands=["Soldier", "Baker"]),
        ["Soldier on the Library"],
    ),
    "priest": Case(
        "F-32: a Missio card, as an extra one, or two Virtus cards; no draw at the end of the turn",
        position({"market": "Thief"}, hands=["Priest", "Baker"], missio=[[1, 2], [3, 4]], missio_top=[7]),
        ["Priest on the Market", "draw a Missio card"],
    ),
    "minstrel": Case(
        "F-33: up to two cards, itself perhaps, both to one location of the same side",
        position({"archive": "Clerk Thief", "bakery": "Soldier"}, hands=["Minstrel", "Baker"]),
        ["Minstrel on the Archive", "Thief at the Archive", "to the Library", "pass"],
    ),
    "thief": Case(
        "F-34: from everybody with more than two cards; only the two concerned see which",
        position(
            {"market": "Priest"},
            hands=["Thief", "Baker Clerk Student", "Baker Clerk", "Soldier Soldier Soldier"],
            players=4,
        ),
        ["Thief on the Market"],
    ),
    "dockmaster": Case(
        "F-35, F-12: one card from the Market, then one from the Warehouse, lifted together: the Student that goes to "
        "the Warehouse is not the one taken from it",
        position({"market": "Student", "warehouse": "Thief Swindler Priest"}, hands=["Dockmaster", "Baker"]),
        ["Dockmaster on the Market", "Student at the Market", "to the Warehouse", "to the Bakery"],
    ),
    "swindler": Case(
        "F-36, F-12, F-16: only on a location that holds a card, or on the Tavern; what it locks there cannot be drawn",
        position(
            {"market": "Priest", "tavern_north": "Baker Swindler", "tavern_south": "Clerk"}, hands=["Swindler", "Baker"]
        ),
        ["Swindler on the Market"],
    ),
    "tavern": Case(
        "F-20, F-16: the action falls away, a Missio card is exchanged, the top card goes to the opposite side; the "
        "side played on is barred",
        position(
            {"tavern_north": "Clerk", "market": "Thief"},
            hands=["Baker", "Baker"],
            missio=[[1, 9], [3, 4]],
            missio_top=[15],
            deck_top="Priest Student",
        ),
        ["Baker on the north Tavern", "Missio card 1"],
    ),
    "scoring": Case(
        "F-15: what the City fulfils may be scored, one after another; the new cards have to wait",
        position(
            {"market": "Thief Clerk Student", "warehouse": "Dockmaster"},
            hands=["Priest", "Baker"],
            missio=[[7, 16], [3, 4]],
            missio_top=[1, 2, 5],
        ),
        ["Priest on the Market", "draw a Missio card", "Missio card 7", "Missio card 16"],
    ),
    "solo": Case(
        "F-43: without a Tavern; a drawn Thief is placed, and another card drawn for it",
        position(
            {"market": "Priest"},
            hands=["Professor Soldier"],
            missio=[[1, 2]],
            players=1,
            deck_top="Clerk Thief Baker Student",
        ),
        ["Professor on the College", "Thief on the Market"],
    ),
    "teams": Case(
        "F-41: after the active player's scoring his partner scores in the same turn",
        position(
            {"market": "Thief Clerk Student", "bakery": "Soldier Thief Clerk Student"},
            hands=["Soldier", "Baker", "Baker", "Baker"],
            missio=[[7, 9], [3, 4], [5, 6], [1, 2]],
            players=4,
            teams=True,
        ),
        ["Soldier on the Market", "Thief at the Market", "to the College", "Missio card 5"],
    ),
}


def ask(path: Path, choices: Sequence[int]) -> dict[str, Any]:
    """What ``palio rules options`` prints."""
    printed = io.StringIO()
    command = ["rules", "options", "--game", "fidelitas", "--position", str(path)]
    with contextlib.redirect_stdout(printed):
        code = main(command + [f"--choose={index}" for index in choices])
    assert code == 0, path
    answer: dict[str, Any] = json.loads(printed.getvalue())
    return answer


def expected(path: Path, case: Case) -> dict[str, Any]:
    """The decision at the start and after every choice, and the whole answer after the last."""
    choices: list[int] = []
    answer = ask(path, choices)
    steps = [{"choose": [], "decision": answer["decision"]}]
    for text in case.choices:
        texts = [option["text"] for option in answer["decision"]["options"]]
        assert text in texts, f"{path.stem}: {text!r} is not among {texts}"
        choices.append(texts.index(text))
        answer = ask(path, choices)
        steps.append({"choose": list(choices), "decision": answer["decision"]})
    return {"about": case.about, "steps": steps, "answer": answer}


def lines(value: Any, indent: str = "") -> str:
    """JSON in which whatever fits has a line of its own."""
    flat = json.dumps(value, ensure_ascii=False)
    if len(indent + flat) <= WIDTH or not isinstance(value, dict | list):
        return flat
    deeper = indent + "  "
    if isinstance(value, list) and all(isinstance(one, str) for one in value):
        return f"[\n{textwrap.fill(flat[1:-1], WIDTH, initial_indent=deeper, subsequent_indent=deeper)}\n{indent}]"
    if isinstance(value, dict):
        parts = [f"{json.dumps(key)}: {lines(one, deeper)}" for key, one in value.items()]
    else:
        parts = [lines(one, deeper) for one in value]
    opening, closing = "{}" if isinstance(value, dict) else "[]"
    return f"{opening}\n{deeper}" + f",\n{deeper}".join(parts) + f"\n{indent}{closing}"


def write() -> None:
    """Write all files again."""
    FOLDER.mkdir(exist_ok=True)
    for name, case in CASES.items():
        path = FOLDER / f"{name}.json"
        path.write_text(lines(to_json(payload_of(codec_of("fidelitas").position(case.position)))) + "\n")
        (FOLDER / f"{name}.expected.json").write_text(lines(expected(path, case)) + "\n")


if __name__ == "__main__":
    write()
