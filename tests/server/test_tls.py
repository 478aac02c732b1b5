"""TLS and mTLS with real certificates, made by openssl for the test."""

from __future__ import annotations

import asyncio
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import grpc
import grpc.aio
import pytest
from tests.server.conftest import Start

from palio.client import Bot, Decision, play_async
from palio.server.accounts import Accounts
from palio.server.config import ServerConfig
from palio.server.front.server import FrontServer
from palio.server.listening import CannotListen
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
        front = FrontServer(config, accounts, {})
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
    with pytest.raises(OSError, match=r"tls: cert, key or client_ca|No such file") as caught:
        await start(tls={"cert": cert, "key": key})
    assert isinstance(caught.value, CannotListen) == (wrong != "missing")
