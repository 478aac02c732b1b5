"""TOML files as pydantic models, with errors that say which key is wrong and what would be right."""

from __future__ import annotations

import difflib
import re
import tomllib
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from types import UnionType
from typing import Annotated, Any, Final, NamedTuple, TypeVar, Union, get_args, get_origin

from pydantic import BaseModel, BeforeValidator, ConfigDict, ValidationError, ValidationInfo, field_validator
from pydantic_core import ErrorDetails

_TOML_TYPES: Final = (bool, int, float, str)


class Settings(BaseModel):
    """Base of every model that is read from a file: unknown keys are errors, docstrings of attributes describe them."""

    model_config = ConfigDict(extra="forbid", frozen=True, use_attribute_docstrings=True, allow_inf_nan=False)

    @field_validator("*", mode="before")
    @classmethod
    def _as_written(cls, value: object, info: ValidationInfo) -> object:
        """``"no"`` is not ``false`` and ``"3"`` is not ``3``: TOML has types."""
        assert info.field_name is not None, "a field is validated"
        annotation = cls.model_fields[info.field_name].annotation
        allowed = {annotation, *get_args(annotation)}
        if allowed & {bool, int} and type(value) in _TOML_TYPES and type(value) not in allowed:
            meant = "true or false" if bool in allowed else "a whole number"
            shown = str(value).lower() if isinstance(value, bool) else repr(value)
            raise ValueError(
                f"{shown} is not allowed; allowed: {meant}" + (", without quotes" * isinstance(value, str))
            )
        return value


AnySettings = TypeVar("AnySettings", bound=Settings)


class Problem(NamedTuple):
    """One thing that is wrong with a file.

    Attributes:
        field: path of the key, e.g. ``bots[1].command``; empty where the file as a whole is meant.
        message: what is wrong and what is allowed.
    """

    field: str
    message: str


class ConfigError(Exception):
    """A settings file, or what the command line adds to it, cannot be used.

    Attributes:
        source: the file, or what stands for it.
        problems: everything that is wrong, at least one.
    """

    def __init__(self, source: str, problems: Sequence[Problem]) -> None:
        lines = [f"{field}: {message}" if field else message for field, message in problems]
        head = f"{source}: " if len(lines) == 1 else f"{source}: {len(lines)} problems\n  "
        super().__init__(head + "\n  ".join(lines))
        self.source = source
        self.problems = tuple(problems)


_UNITS: Final = {"ms": 0.001, "s": 1.0, "m": 60.0, "h": 3600.0, "d": 86400.0}
_DURATION: Final = re.compile(r"([0-9]+(?:\.[0-9]+)?) ?(ms|s|m|h|d)")


def parse_seconds(value: object) -> object:
    """Seconds of ``"250ms"``, ``"1.5s"``, ``"10m"``, ``"2h"`` or ``"30d"``; a number is taken as seconds already.

    Raises:
        ValueError: it is neither.
    """
    if isinstance(value, str):
        match = _DURATION.fullmatch(value)
        if match is None:
            raise ValueError(f"{value!r} is no duration; allowed: seconds as a number, or text such as '250ms', '10m'")
        return float(match[1]) * _UNITS[match[2]]
    if isinstance(value, bool):
        raise ValueError("true and false are no durations")
    return value


Seconds = Annotated[float, BeforeValidator(parse_seconds)]
"""A duration: in files a number of seconds or text with a unit, in the program seconds as a float."""


def load_settings(
    model: type[AnySettings], path: Path | None = None, overrides: Mapping[str, object] | None = None
) -> AnySettings:
    """Read a file into a model.

    Args:
        model: what is expected.
        path: the TOML file; ``None`` means that only defaults and overrides count.
        overrides: values that replace those of the file, by dotted key (``limits.max_matches``); ``None`` values are
            left out, so command lines can pass on options that were not given.

    Raises:
        ConfigError: it is no TOML, a key is unknown, or a value is not allowed.
        OSError: the file cannot be read.
    """
    source = str(path) if path else "settings"
    data = _parse(path) if path else {}
    for key, value in (overrides or {}).items():
        if value is not None:
            _put(data, key, value, source)
    return check_settings(model, data, source)


def check_settings(model: type[AnySettings], data: Mapping[str, object], source: str) -> AnySettings:
    """Turn parsed data into a model.

    Raises:
        ConfigError: a key is unknown, missing or its value is not allowed.
    """
    try:
        return model.model_validate(data)
    except ValidationError as error:
        raise ConfigError(source, [_problem(model, details) for details in error.errors()]) from None


def parse_override(text: str) -> tuple[str, object]:
    """``KEY=VALUE`` of a command line. The value is read as TOML if it is some, else it is text.

    Raises:
        ConfigError: there is no ``=`` or no key.
    """
    key, equals, value = text.partition("=")
    if not equals or not key.strip():
        raise ConfigError("command line", [Problem("", f"{text!r} is not of the form KEY=VALUE")])
    try:
        return key.strip(), tomllib.loads(f"value = {value}")["value"]
    except tomllib.TOMLDecodeError:
        return key.strip(), value


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """``"did you mean 'x'? "`` for the nearest known word, or nothing if none is near."""
    near = difflib.get_close_matches(word, list(known), n=1, cutoff=0.6)
    return f"did you mean {near[0]!r}? " if near else ""


def _parse(path: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except tomllib.TOMLDecodeError as error:
        raise ConfigError(str(path), [Problem("", f"this is no TOML: {error}")]) from None
    except UnicodeDecodeError as error:
        raise ConfigError(str(path), [Problem("", f"this is no text in UTF-8: {error}")]) from None


def _put(data: dict[str, Any], key: str, value: object, source: str) -> None:
    *tables, last = key.split(".")
    for table in tables:
        data = data.setdefault(table, {})
        if not isinstance(data, dict):
            raise ConfigError(source, [Problem(key, f"{table} is no table")])
    data[last] = value


def _problem(model: type[BaseModel], details: ErrorDetails) -> Problem:
    location = details["loc"]
    field = _path(location)
    match details["type"]:
        case "extra_forbidden":
            known = _known_keys(model, location[:-1])
            listed = f"known keys here: {', '.join(known)}" if known else "nothing can be set here"
            return Problem(field, f"unknown key; {did_you_mean(str(location[-1]), known)}{listed}")
        case "missing":
            return Problem(field, "is required")
        case "model_type" | "dict_type":
            return Problem(field, "should be a table")
        case "tuple_type" | "list_type":
            tables = _known_keys(model, location)
            return Problem(field, f"should be tables, each headed [[{field}]]" if tables else "should be a list")
        case "too_short" | "too_long":
            context = details["ctx"]
            bound = (
                f"at least {context['min_length']}" if "min_length" in context else f"at most {context['max_length']}"
            )
            return Problem(field, f"has {context['actual_length']} entries; allowed: {bound}")
        case "literal_error" | "enum":
            allowed = details["ctx"]["expected"]
            near = ""
            if isinstance(details["input"], str):
                near = did_you_mean(details["input"], re.findall(r"'([^']*)'", allowed))
            return Problem(field, f"{details['input']!r} is not allowed; {near}allowed: {allowed}")
        case "value_error":
            return Problem(field, str(details["ctx"]["error"]))
        case _:
            message = details["msg"][:1].lower() + details["msg"][1:]
            given = details["input"]
            return Problem(field, f"{message} (got {given!r})" if isinstance(given, int | float) else message)


def _path(location: tuple[int | str, ...]) -> str:
    return "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in location).removeprefix(".")


def _known_keys(model: type[BaseModel], location: tuple[int | str, ...]) -> list[str]:
    """The keys of the table at that place."""
    found: type[BaseModel] | None = model
    for part in location:
        if found is None:
            return []
        if isinstance(part, str) and (field := _field(found, part)) is not None:
            found = _model_in(field)
    return [info.alias or name for name, info in found.model_fields.items()] if found else []


def _field(model: type[BaseModel], key: str) -> Any:
    for name, info in model.model_fields.items():
        if key in (name, info.alias):
            return info.annotation
    return None


def _model_in(annotation: Any) -> type[BaseModel] | None:
    """The model inside ``Model``, ``Model | None``, ``list[Model]``, ``dict[str, Model]`` and the like."""
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return annotation
    if get_origin(annotation) in (Union, UnionType, list, tuple, dict, Annotated):
        for inner in get_args(annotation):
            if (model := _model_in(inner)) is not None:
                return model
    return None
