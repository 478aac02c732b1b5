"""TLS and mTLS with real certificates, made by openssl for the test."""

from __future__ import annotations

import asyncio
import re
import shutil
import signal
import socket
import ssl
import subprocess
import time
from collections.abc import Callable
from pathlib import Path

import grpc
import grpc.aio
import pytest
from tests.server.conftest import Start
from tests.support.process import ServerProcess
from tests.support.waiting import until

from palio.client import Bot, Decision, play_async
from palio.client.settings import from_environment
from palio.codec.status import PalioError
from palio.server.access.accounts import Accounts
from palio.server.access.certificates import UnusableCertificates
from palio.server.config import ServerConfig
from palio.server.front.server import FrontServer
from palio.v1 import match_pb2, match_pb2_grpc, play_pb2, play_pb2_grpc

pytestmark = pytest.mark.skipif(shutil.which("openssl") is None, reason="the program openssl is not installed")

Make = Callable[[str], tuple[Path, Path]]


def openssl(*arguments: str, cwd: Path) -> None:
    subprocess.run(["openssl", *arguments], cwd=cwd, check=True, capture_output=True, timeout=60)


@pytest.fixture
def authority(tmp_path: Path) -> Path:
    """A folder with an authority of its own: ``ca.pem``."""
    folder = tmp_path / "ca"
    folder.mkdir()
    curve = ("-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes")
    openssl("req", "-x509", *curve, "-subj", "/CN=test", "-keyout", "ca.key", "-out", "ca.pem", cwd=folder)
    return folder


@pytest.fixture
def make(authority: Path) -> Make:
    """Makes a certificate and its key."""

    def certificate(name: str) -> tuple[Path, Path]:
        curve = ("-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes")
        openssl("req", *curve, "-subj", f"/CN={name}", "-keyout", f"{name}.key", "-out", f"{name}.csr", cwd=authority)
        (authority / f"{name}.ext").write_text("subjectAltName=DNS:localhost,IP:127.0.0.1\n")
        signing = ("-CA", "ca.pem", "-CAkey", "ca.key", "-CAcreateserial", "-days", "2", "-extfile", f"{name}.ext")
        openssl("x509", "-req", "-in", f"{name}.csr", *signing, "-out", f"{name}.pem", cwd=authority)
        return authority / f"{name}.pem", authority / f"{name}.key"

    return certificate


class First(Bot):
    def choose(self, decision: Decision) -> int:
        return 0


async def listed(address: str, credentials: grpc.ChannelCredentials | None) -> grpc.StatusCode:
    channel = grpc.aio.secure_channel(address, credentials) if credentials else grpc.aio.insecure_channel(address)
    async with channel:
        try:
            await match_pb2_grpc.MatchServiceStub(channel).ListMatches(match_pb2.ListMatchesRequest(), timeout=10)
        except grpc.aio.AioRpcError as error:
            return error.code()
    return grpc.StatusCode.OK


async def test_bots_play_over_tls_and_nobody_in_plain_text(start: Start, authority: Path, make: Make) -> None:
    cert, key = make("server")
    host = await start(tls={"cert": cert, "key": key})
    ca = (authority / "ca.pem").read_bytes()
    assert await listed(host.address, grpc.ssl_channel_credentials(ca)) == grpc.StatusCode.OK
    assert await listed(host.address, None) == grpc.StatusCode.UNAVAILABLE
    assert await listed(host.address, grpc.ssl_channel_credentials()) == grpc.StatusCode.UNAVAILABLE
    host.server.arena.create(match_pb2.CreateMatchRequest(match_id="m", game="sticks", players=["a", "b"]))
    ca_file = str(authority / "ca.pem")
    bots = [play_async(First, server=host.address, name=name, ca=ca_file, matches=1) for name in "ab"]
    assert await asyncio.gather(*bots) == [1, 1]


async def test_with_client_ca_every_client_shows_a_certificate(start: Start, authority: Path, make: Make) -> None:
    cert, key = make("server")
    host = await start(tls={"cert": cert, "key": key, "client_ca": authority / "ca.pem"})
    ca = (authority / "ca.pem").read_bytes()
    client_cert, client_key = (path.read_bytes() for path in make("client"))
    known = grpc.ssl_channel_credentials(ca, client_key, client_cert)
    assert await listed(host.address, known) == grpc.StatusCode.OK
    assert await listed(host.address, grpc.ssl_channel_credentials(ca)) == grpc.StatusCode.UNAVAILABLE


async def test_a_bot_shows_its_certificate(start: Start, authority: Path, make: Make) -> None:
    cert, key = make("server")
    host = await start(tls={"cert": cert, "key": key, "client_ca": authority / "ca.pem"})
    host.server.arena.create(match_pb2.CreateMatchRequest(match_id="m", game="sticks", players=["a", "b"]))
    cert, key = make("client")
    tls = {"PALIO_SERVER": host.address, "PALIO_CA": str(authority / "ca.pem")}
    shows = {**tls, "PALIO_CERT": str(cert), "PALIO_KEY": str(key)}
    bots = [play_async(First, from_environment(shows, name=name, matches=1)) for name in "ab"]
    assert await asyncio.gather(*bots) == [1, 1]
    with pytest.raises(PalioError) as caught:
        await play_async(First, from_environment(tls, patience=0.1))
    assert caught.value.code is grpc.StatusCode.UNAVAILABLE


@pytest.mark.slow
async def test_workers_speak_tls_as_the_front_does(tmp_path: Path, authority: Path, make: Make) -> None:
    cert, key = make("server")
    tls = {"cert": cert, "key": key, "client_ca": authority / "ca.pem"}
    fields = {"listen": ["127.0.0.1:0"], "data": tmp_path / "data", "open": True, "workers": 2, "tls": tls}
    config = ServerConfig.model_validate({**fields, "worker_host": "localhost"})
    client_cert, client_key = (path.read_bytes() for path in make("client"))
    known = grpc.ssl_channel_credentials((authority / "ca.pem").read_bytes(), client_key, client_cert)

    async def said(address: str) -> play_pb2.Update:
        """What a bot is told first."""
        async with grpc.aio.secure_channel(address, known) as channel:
            call = play_pb2_grpc.PlayServiceStub(channel).Play()
            hello = play_pb2.Hello(bot_name="ada", protocol_version=1)
            await call.write(play_pb2.PlayRequest(hello=hello))
            response = await call.read()
            assert isinstance(response, play_pb2.PlayResponse)
            call.cancel()
            return response.updates[0]

    with Accounts.open(config.database_url) as accounts:
        front = FrontServer(config, accounts)
        await front.start()
        try:
            moved = (await said(front.addresses[0])).goodbye
            assert moved.address.startswith("localhost:")
            assert (await said(moved.address)).welcome.player_id == "ada"
            assert await listed(moved.address, None) == grpc.StatusCode.UNAVAILABLE
            async with grpc.aio.secure_channel(front.addresses[0], known) as channel:
                matches = match_pb2_grpc.MatchServiceStub(channel)
                request = match_pb2.CreateMatchRequest(match_id="m", game="sticks", players=["ada", "ben"])
                assert (await matches.CreateMatch(request)).match.match_id == "m"
        finally:
            await front.stop(grace=0)


@pytest.mark.parametrize("wrong", ["key of another", "no certificate", "missing"])
async def test_files_that_do_not_fit_are_told_before_anything_is_served(
    start: Start, make: Make, tmp_path: Path, wrong: str
) -> None:
    cert, key = make("server")
    if wrong == "key of another":
        _, key = make("other")
    elif wrong == "no certificate":
        cert = tmp_path / "rubbish.pem"
        cert.write_text("rubbish")
    else:
        cert = tmp_path / "nowhere.pem"
    told = (
        r"tls\.cert: .*nowhere.pem: No such file" if wrong == "missing" else r"tls: .* are no certificate and its key"
    )
    with pytest.raises(UnusableCertificates, match=told):
        await start(tls={"cert": cert, "key": key})


async def test_a_client_ca_without_certificates_is_told(start: Start, make: Make) -> None:
    cert, key = make("server")
    with pytest.raises(UnusableCertificates, match=r"tls\.client_ca: .* holds no certificates"):
        await start(tls={"cert": cert, "key": key, "client_ca": key})


def shown(address: str) -> bytes:
    """The certificate that a server shows to a new connection."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    context.set_alpn_protocols(["h2"])
    host, _, port = address.rpartition(":")
    with socket.create_connection((host, int(port)), timeout=60) as plain, context.wrap_socket(plain) as connection:
        certificate = connection.getpeercert(binary_form=True)
        assert certificate is not None
        return certificate


def der(path: Path) -> bytes:
    return ssl.PEM_cert_to_DER_cert(path.read_text())


async def test_renewed_certificates_hold_for_new_connections(start: Start, authority: Path, make: Make) -> None:
    cert, key = make("server")
    old = der(cert)
    host = await start(tls={"cert": cert, "key": key})
    host.server.arena.create(match_pb2.CreateMatchRequest(match_id="m", game="sticks", players=["a", "b"]))
    early = asyncio.create_task(
        play_async(First, server=host.address, name="a", ca=str(authority / "ca.pem"), matches=1)
    )
    await until(lambda: bool(host.server.arena.sessions))
    other_cert, other_key = make("other")
    shutil.copy(other_cert, cert)  # the key is still the old one: somebody is in the middle of it
    host.server.read_again()
    assert await asyncio.to_thread(shown, host.address) == old
    shutil.copy(other_key, key)
    host.server.read_again()
    assert await asyncio.to_thread(shown, host.address) == der(other_cert)
    assert await play_async(First, server=host.address, name="b", ca=str(authority / "ca.pem"), matches=1) == 1
    assert await early == 1


async def test_another_client_ca_holds_for_new_connections(
    start: Start, authority: Path, make: Make, tmp_path: Path
) -> None:
    cert, key = make("server")
    client_ca = tmp_path / "client_ca.pem"
    shutil.copy(authority / "ca.pem", client_ca)
    host = await start(tls={"cert": cert, "key": key, "client_ca": client_ca})
    client_cert, client_key = (path.read_bytes() for path in make("client"))
    known = grpc.ssl_channel_credentials((authority / "ca.pem").read_bytes(), client_key, client_cert)
    assert await listed(host.address, known) == grpc.StatusCode.OK
    curve = ("-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes")
    openssl("req", "-x509", *curve, "-subj", "/CN=else", "-keyout", "e.key", "-out", str(client_ca), cwd=tmp_path)
    host.server.read_again()
    assert await listed(host.address, known) == grpc.StatusCode.UNAVAILABLE


@pytest.mark.slow
def test_sighup_renews_the_certificates_of_front_and_workers(tmp_path: Path, make: Make) -> None:
    cert, key = make("server")
    old = der(cert)
    server = ServerProcess(tmp_path / "data", "--workers", "2", "--tls-cert", str(cert), "--tls-key", str(key))
    server.start()
    try:
        places = [server.address, *re.findall(r"worker.started .*addresses=\['([^']+)'\]", server.log)]
        assert len(places) == 3
        assert [shown(place) for place in places] == [old] * 3
        for renewed, path in zip(make("other"), (cert, key), strict=True):
            shutil.copy(renewed, path)
        server.signal(signal.SIGHUP)
        deadline = time.monotonic() + 120
        while server.log.count("tls.read") < 3:
            assert time.monotonic() < deadline
            time.sleep(0.05)
        assert [shown(place) for place in places] == [der(cert)] * 3
        assert server.terminate() == 0
    finally:
        server.kill()
