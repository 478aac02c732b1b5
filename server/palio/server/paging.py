"""List calls by pages."""

from __future__ import annotations

import base64
from collections.abc import Iterable
from typing import Final, TypeVar

from palio.codec.status import InvalidRequest

T = TypeVar("T")

DEFAULT_PAGE: Final = 100
LARGEST_PAGE: Final = 1000


def page(items: Iterable[T], page_size: int, page_token: str, largest: int = LARGEST_PAGE) -> tuple[list[T], str]:
    """One page of a list, and the token of the next one (empty on the last).

    Args:
        largest: entries that a page may have, whatever is asked for.

    Raises:
        InvalidRequest: the size is negative, or the token is none of ours.
    """
    if page_size < 0:
        raise InvalidRequest("must not be negative", field="page_size")
    size = min(page_size or DEFAULT_PAGE, largest)
    start = 0
    if page_token:
        try:
            start = int(base64.urlsafe_b64decode(page_token.encode()).decode().removeprefix("from:"))
        except ValueError:
            raise InvalidRequest("this is no token that the call before returned", field="page_token") from None
    taken: list[T] = []
    for index, item in enumerate(items):
        if index < start:
            continue
        if len(taken) == size:
            return taken, base64.urlsafe_b64encode(f"from:{start + size}".encode()).decode()
        taken.append(item)
    return taken, ""
