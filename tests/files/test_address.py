"""Addresses to listen on."""

from __future__ import annotations

import pytest

from palio.files.address import Address, parse_address


@pytest.mark.parametrize(
    ("text", "address", "local"),
    [
        ("127.0.0.1:7654", Address("127.0.0.1", 7654), True),
        ("127.9.9.9:0", Address("127.9.9.9", 0), True),
        ("localhost:1", Address("localhost", 1), True),
        ("[::1]:80", Address("::1", 80), True),
        ("unix:/run/palio.sock", Address("", 0, "/run/palio.sock"), True),
        ("0.0.0.0:7654", Address("0.0.0.0", 7654), False),
        ("[::]:65535", Address("::", 65535), False),
        ("palio.example:7654", Address("palio.example", 7654), False),
        ("localhost.example:7654", Address("localhost.example", 7654), False),
    ],
)
def test_addresses(text: str, address: Address, local: bool) -> None:
    assert parse_address(text) == address
    assert address.is_local is local
    assert str(address) == text


@pytest.mark.parametrize("text", ["", "host", ":80", "host:", "host:65536", "host:-1", "host:x", "::1:80", "unix:"])
def test_what_is_no_address(text: str) -> None:
    with pytest.raises(ValueError, match=r"no address|brackets|needs a path"):
        parse_address(text)
