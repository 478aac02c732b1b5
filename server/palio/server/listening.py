"""The gRPC server below a server of Palio: its options, its addresses, TLS, and who may call."""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import NamedTuple

import grpc.aio

from palio.files.address import Address
from palio.server.access.allowance import Allowances
from palio.server.access.certificates import Certificates
from palio.server.access.credentials import Role
from palio.server.access.identity import Gate
from palio.server.access.interceptor import Guard
from palio.server.access.streams import Streams
from palio.server.config import ServerConfig
from palio.server.services.entrance import Entrance, Hall

SECOND_MS = 1000


class CannotListen(OSError):
    """An address cannot be listened on: it is in use, or not of this machine."""


class Ground(NamedTuple):
    """A gRPC server without services yet.

    Attributes:
        server: to add them to.
        entrance: where bots come in.
        streams: how many there may be.
    """

    server: grpc.aio.Server
    entrance: Entrance
    streams: Streams


def ground(config: ServerConfig, gate: Gate, rights: Mapping[str, Role], front_key: str = "") -> Ground:
    """A gRPC server that lets in whom the gate knows, within the limits of the configuration.

    Args:
        rights: what each method needs.
        front_key: of a worker: what its front shows to be let through to what is the front's to do.
    """
    limits = config.limits
    requests = Allowances(limits.requests_per_second, limits.request_burst, time.monotonic)
    streams = Streams(limits.max_streams, limits.streams_per_player)
    server = grpc.aio.server(
        interceptors=[Guard(gate, rights, requests, streams, limits.max_silent_streams, front_key)],
        options=[
            ("grpc.max_receive_message_length", limits.max_message_bytes),
            ("grpc.max_metadata_size", limits.max_metadata_bytes),
            # Without this one, a call between the two bounds is refused or not by chance.
            ("grpc.absolute_max_metadata_size", limits.max_metadata_bytes),
            ("grpc.max_concurrent_streams", limits.max_streams + limits.max_silent_streams),
            # A machine that is gone without a word is noticed, and with it what waits for it.
            ("grpc.keepalive_time_ms", round(config.heartbeat * SECOND_MS)),
            ("grpc.keepalive_timeout_ms", round(2 * config.heartbeat * SECOND_MS)),
            # A connection that does not get as far as gRPC, or through TLS.
            ("grpc.server_handshake_timeout_ms", round(limits.hello_within * SECOND_MS)),
            # A second server on the same port would take half of the bots without a word.
            ("grpc.so_reuseport", 0),
            ("grpc.http2.min_recv_ping_interval_without_data_ms", SECOND_MS),
            ("grpc.keepalive_permit_without_calls", 1),
        ],
    )
    hall = Hall(limits.max_silent_streams, limits.hello_within)
    return Ground(server, Entrance(hall, gate, requests), streams)


def listen(server: grpc.aio.Server, address: Address, certificates: Certificates | None = None) -> str:
    """Listen on an address; returns it with the port that the system chose.

    Args:
        certificates: for TLS; ``None`` means plain text.

    Raises:
        CannotListen: it is in use, or no address of this machine.
    """
    try:
        port = (
            server.add_insecure_port(str(address))
            if certificates is None
            else server.add_secure_port(str(address), certificates.credentials())
        )
    except RuntimeError:
        port = 0
    if port == 0:
        raise CannotListen(f"cannot listen on {address}: it is in use, or no address of this machine")
    return str(address) if address.path else str(Address(address.host, port))
