"""Projects for new bots, from the templates in ``palio/cli/templates``.

A template is a file that ends in ``.tmpl``; words like ``@NAME@`` in it are filled in. ``common`` is part of every
project.
"""

from __future__ import annotations

import json
import re
import shlex
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from palio.cli.errors import BadUsage, CommandFailed

_TEMPLATES: Final = Path(__file__).with_name("templates")
_SUFFIX: Final = ".tmpl"
_REPOSITORY: Final = Path(__file__).parents[3]
_NAME: Final = re.compile(r"[a-z][a-z0-9-]{0,39}")


@dataclass(frozen=True, slots=True)
class Language:
    """A language that there is a template for.

    Attributes:
        title: its name for people.
        command: what starts the bot, in the project's directory.
        source: the file that holds the strategy.
    """

    title: str
    command: tuple[str, ...]
    source: str


LANGUAGES: Final = {
    "cpp": Language("C++", ("build/bot",), "src/pick.h"),
    "go": Language("Go", ("bin/bot",), "main.go"),
    "java": Language(
        "Java", ("java", "-cp", "target/classes:target/lib/*", "bots.MyBot"), "src/main/java/bots/MyBot.java"
    ),
    "python": Language("Python", (sys.executable, "bot.py"), "bot.py"),
    "rust": Language("Rust", ("target/release/bot",), "src/main.rs"),
    "typescript": Language("TypeScript", ("node", "dist/bot.js"), "src/pick.ts"),
}


def create(language: str, directory: Path, sdk: Path | None) -> list[Path]:
    """Write a project.

    Args:
        directory: made if it is not there; its name becomes the bot's.
        sdk: directory of the language's SDK; ``None`` looks for it beside this installation.

    Returns:
        The files, relative to ``directory``.

    Raises:
        BadUsage: no such language, no fit name, or something is in the directory.
        CommandFailed: the SDK is not found.
        OSError: the directory cannot be written.
    """
    if language not in LANGUAGES:
        raise BadUsage(f"--lang: {language!r} is none of {', '.join(LANGUAGES)}")
    directory = directory.resolve()
    name = directory.name.lower().replace("_", "-")
    if not _NAME.fullmatch(name):
        raise BadUsage(
            f"DIR: its name becomes the bot's, and {directory.name!r} is no fit one: "
            "up to 40 letters, digits and hyphens, a letter first"
        )
    if directory.exists() and (not directory.is_dir() or any(directory.iterdir())):
        raise BadUsage(f"DIR: {directory} is not an empty directory")
    chosen = LANGUAGES[language]
    words = {
        "NAME": name,
        "LANGUAGE": chosen.title,
        "SOURCE": chosen.source,
        "COMMAND": json.dumps(list(chosen.command)),
        "SHELL_COMMAND": shlex.join(chosen.command),
        "PYTHON": sys.executable,
        "PALIO": shlex.join([sys.executable, "-m", "palio.cli"]),
        "REPOSITORY": str(_REPOSITORY),
        "SDK": "" if language == "python" else str(_found(language, sdk)),
    }
    written: list[Path] = []
    for template, target in _files(language):
        text = template.read_text(encoding="utf-8")
        for word, value in words.items():
            text = text.replace(f"@{word}@", value)
        path = directory / target
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        written.append(target)
    return written


def _files(language: str) -> Iterator[tuple[Path, Path]]:
    """The templates of a language, and where each goes."""
    for folder in ("common", language):
        root = _TEMPLATES / folder
        for template in sorted(root.rglob(f"*{_SUFFIX}")):
            target = template.relative_to(root)
            name = target.name.removesuffix(_SUFFIX)
            yield template, target.with_name(".gitignore" if name == "gitignore" else name)


def _found(language: str, sdk: Path | None) -> Path:
    """The SDK's directory."""
    place = (sdk or _REPOSITORY / "clients" / language).resolve()
    if not place.is_dir():
        raise CommandFailed(
            f"the {LANGUAGES[language].title} SDK is not in {place}: clone Palio's repository and "
            f"give --sdk PATH/clients/{language}"
        )
    return place
