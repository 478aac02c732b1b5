"""The base of small frozen dataclasses inside the rules, so that they can be pickled whether compiled or not."""

from __future__ import annotations

from dataclasses import fields


class Record:
    """Pickled by its fields: a compiled class has no slots from which the default way could read them."""

    __slots__ = ()

    def __reduce__(self) -> tuple[object, ...]:
        return type(self), tuple([getattr(self, field.name) for field in fields(self)])  # type: ignore[arg-type]
