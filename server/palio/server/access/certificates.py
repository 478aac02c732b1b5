"""The certificates of a server: read when it starts, and again when it is told that they were renewed."""

from __future__ import annotations

import ssl
from pathlib import Path
from typing import Any

import grpc

from palio.server.config import Tls


class UnusableCertificates(OSError):
    """The files of ``tls`` cannot be read, are no certificates, or do not belong together."""


class Certificates:
    """What the files of ``tls`` hold, for every address that a server listens on.

    Args:
        tls: with ``cert`` and ``key`` set.

    Raises:
        UnusableCertificates: the files cannot be used.
    """

    def __init__(self, tls: Tls) -> None:
        self._tls = tls
        self._current = _read(tls)

    @classmethod
    def of(cls, tls: Tls) -> Certificates | None:
        """Those of a configuration; ``None`` where it asks for none.

        Raises:
            UnusableCertificates: the files cannot be used.
        """
        return cls(tls) if tls.cert is not None else None

    def read_again(self) -> None:
        """From now on new connections get what the files hold now; those that are open stay as they are.

        Raises:
            UnusableCertificates: the files cannot be used; what was there before goes on to hold.
        """
        self._current = _read(self._tls)

    def credentials(self) -> grpc.ServerCredentials:
        """For one address to listen on."""
        told = self._current

        def news() -> Any:
            """Asked by gRPC for each new connection, in a thread of its own; ``None`` means nothing new."""
            nonlocal told
            if told is self._current:
                return None
            told = self._current
            return told

        must_show = self._tls.client_ca is not None
        return grpc.dynamic_ssl_server_credentials(told, news, require_client_authentication=must_show)


def _read(tls: Tls) -> grpc.ServerCertificateConfiguration:
    assert tls.cert is not None
    assert tls.key is not None
    cert, key = _bytes("cert", tls.cert), _bytes("key", tls.key)
    client_ca = None if tls.client_ca is None else _bytes("client_ca", tls.client_ca)
    # gRPC itself says nothing about what is wrong with them.
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    try:
        context.load_cert_chain(tls.cert, tls.key, password="")  # nobody is asked for one
    except OSError as error:
        text = f"tls: {tls.cert} and {tls.key} are no certificate and its key, in PEM and without a password"
        raise UnusableCertificates(f"{text} ({error})") from None
    if tls.client_ca is not None:
        try:
            context.load_verify_locations(tls.client_ca)
        except OSError as error:
            raise UnusableCertificates(f"tls.client_ca: {tls.client_ca} holds no certificates ({error})") from None
    return grpc.ssl_server_certificate_configuration([(key, cert)], client_ca)


def _bytes(name: str, path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise UnusableCertificates(f"tls.{name}: {path}: {error.strerror}") from None
