"""Writing a settings model as TOML, each key explained (the standard library only reads TOML)."""

from __future__ import annotations

import json
import textwrap
from collections.abc import Iterator
from pathlib import Path

from pydantic import BaseModel

_WIDTH = 100


def to_toml(settings: BaseModel) -> str:
    """The model as a TOML file that reads back to an equal model; keys without a value are commented out."""
    return "\n".join(_table(settings, "")).strip() + "\n"


def _table(settings: BaseModel, prefix: str) -> Iterator[str]:
    tables: list[tuple[str, BaseModel]] = []
    for name, info in type(settings).model_fields.items():
        value = getattr(settings, name)
        if isinstance(value, BaseModel):
            tables.append((name, value))
            continue
        yield from _comment(info.description)
        yield f"# {name} =" if value is None else f"{name} = {_value(value)}"
    for name, table in tables:
        yield ""
        yield from _comment(type(settings).model_fields[name].description)
        yield f"[{prefix}{name}]"
        yield from _table(table, f"{prefix}{name}.")


def _comment(text: str | None) -> Iterator[str]:
    if text:
        yield from textwrap.wrap(text, _WIDTH, initial_indent="# ", subsequent_indent="# ")


def _value(value: object) -> str:
    match value:
        case bool():
            return "true" if value else "false"
        case int() | float():
            return repr(value)
        case str() | Path():
            # JSON's escapes are a subset of those of a basic string in TOML, except that DEL has to be escaped there.
            return json.dumps(str(value), ensure_ascii=False).replace("\x7f", "\\u007f")
        case list() | tuple():
            return f"[{', '.join(map(_value, value))}]"
        case _:
            raise TypeError(f"{type(value).__name__} has no place in a settings file")
