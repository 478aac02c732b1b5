"""proto3 JSON as people write it: enum values may go without their prefix, and what is misspelt is told by its path."""

from __future__ import annotations

import difflib
import math
import re
from collections.abc import Callable, Iterable, Mapping
from typing import Any, Final

from google.protobuf.descriptor import Descriptor, EnumDescriptor, FieldDescriptor

from palio.engine.errors import InvalidSetup

_LISTED: Final = 20
"""So many allowed names are listed when none is near."""


def spelt_out(data: Mapping[str, object], message: Descriptor, path: str = "") -> dict[str, Any]:
    """The same JSON with the full names of all enum values: ``"SOLDIER"`` becomes ``"CHARACTER_SOLDIER"``.

    Raises:
        InvalidSetup: a name that the message or the enum does not have, or a value that is of another type; ``field``
            is its path, for example ``deck.virtus[0].character``.
    """
    if _has_own_form(message):
        return dict(data)
    fields = {name: field for field in message.fields for name in (field.json_name, field.name)}
    found: dict[str, Any] = {}
    for name, value in data.items():
        place = f"{path}.{name}" if path else name
        if name not in fields and not name.startswith("["):  # extensions, and "@type" of Any, are the parser's
            raise InvalidSetup(place, f"there is no such field; {_meant(name, [f.name for f in message.fields])}")
        found[name] = _value(value, fields[name], place) if name in fields else value
    return found


def _value(value: object, field: FieldDescriptor, path: str) -> object:
    if value is None or (field.message_type is not None and _has_own_form(field.message_type)):
        return value  # null is the default
    if not field.is_repeated:
        return _single(value, field, path)
    if not isinstance(value, list):
        raise InvalidSetup(path, f"{value!r} is no list")
    return [_single(one, field, f"{path}[{number}]") for number, one in enumerate(value)]


def _single(value: object, field: FieldDescriptor, path: str) -> object:
    if field.message_type is not None:
        if not isinstance(value, Mapping):
            raise InvalidSetup(path, f"{value!r} is no object with fields")
        return spelt_out(value, field.message_type, path)
    if field.enum_type is not None and isinstance(value, str):
        return _enum_name(value, field.enum_type, path)
    if field.type in _FORMS:
        fits, name = _FORMS[field.type]
        if not fits(value):
            raise InvalidSetup(path, f"{value!r} is {name}")
    return value


def _is_whole(value: object) -> bool:
    """As proto3 JSON has them: 64 bits are text, and 2.0 is 2."""
    if isinstance(value, str):
        return re.fullmatch(r"-?[0-9]+", value) is not None
    if isinstance(value, float):
        return math.isfinite(value) and value == int(value)
    return isinstance(value, int) and not isinstance(value, bool)


_FORMS: Final[dict[int, tuple[Callable[[object], bool], str]]] = {
    FieldDescriptor.TYPE_BOOL: (lambda value: isinstance(value, bool), "neither true nor false"),
    FieldDescriptor.TYPE_STRING: (lambda value: isinstance(value, str), "no text"),
    FieldDescriptor.TYPE_BYTES: (lambda value: isinstance(value, str), "no text in base64"),
    FieldDescriptor.TYPE_INT32: (_is_whole, "no whole number"),
    FieldDescriptor.TYPE_INT64: (_is_whole, "no whole number"),
    FieldDescriptor.TYPE_UINT32: (_is_whole, "no whole number"),
    FieldDescriptor.TYPE_UINT64: (_is_whole, "no whole number"),
}
"""By the type of a field: what its JSON must be, and what else it is."""


def _has_own_form(message: Descriptor) -> bool:
    """Whether its JSON is not simply its fields: maps, and Google's well-known types."""
    return message.GetOptions().map_entry or message.full_name.startswith("google.protobuf.")


def _enum_name(given: str, enum: EnumDescriptor, path: str) -> str:
    names = list(enum.values_by_name)
    # By the style guide the value 0 is PREFIX_UNSPECIFIED.
    prefix = enum.values_by_number[0].name.removesuffix("UNSPECIFIED")
    for name in names:
        if given.upper() in (name, name.removeprefix(prefix)):
            return name
    short = [name.removeprefix(prefix) for name in names if enum.values_by_name[name].number]
    raise InvalidSetup(path, f"{given!r} is unknown; {_meant(given.upper().removeprefix(prefix), short)}")


def _meant(given: str, known: Iterable[str]) -> str:
    names = list(known)
    near = difflib.get_close_matches(given, names, 1)
    if near:
        return f"do you mean {near[0]}?"
    more = f" and {len(names) - _LISTED} more" if len(names) > _LISTED else ""
    return f"allowed: {', '.join(names[:_LISTED])}{more}"
