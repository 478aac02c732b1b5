"""The bots of all languages at a server that asks for certificates (mTLS), and on from its front to a worker.

A language whose bot is not built (``make clients``) is left out; Python always plays.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import grpc
import pytest
from tests.clients.test_cross_language import COMMANDS, built
from tests.support.process import ServerProcess

from palio.v1 import match_pb2, match_pb2_grpc

pytestmark = pytest.mark.skipif(shutil.which("openssl") is None, reason="the program openssl is not installed")


@pytest.fixture
def certificates(tmp_path: Path) -> Path:
    """A folder with an authority, and a server and a bot whose certificates it signed."""
    folder = tmp_path / "certificates"
    folder.mkdir()

    def openssl(*arguments: str) -> None:
        subprocess.run(["openssl", *arguments], cwd=folder, check=True, capture_output=True, timeout=60)

    curve = ("-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes")
    openssl("req", "-x509", *curve, "-subj", "/CN=test", "-keyout", "ca.key", "-out", "ca.pem")
    (folder / "names").write_text("basicConstraints=CA:FALSE\nsubjectAltName=DNS:localhost,IP:127.0.0.1\n")
    signing = ("-CA", "ca.pem", "-CAkey", "ca.key", "-CAcreateserial", "-days", "2", "-extfile", "names")
    for name in ("server", "bot"):
        openssl("req", *curve, "-subj", f"/CN={name}", "-keyout", f"{name}.key", "-out", f"{name}.csr")
        openssl("x509", "-req", "-in", f"{name}.csr", *signing, "-out", f"{name}.pem")
    return folder


@pytest.fixture
def server(tmp_path: Path, certificates: Path) -> Iterator[ServerProcess]:
    tls = (f"tls.cert='{certificates}/server.pem'", f"tls.key='{certificates}/server.key'")
    settings = (*tls, f"tls.client_ca='{certificates}/ca.pem'", "worker_host=localhost")
    arguments = [part for setting in settings for part in ("--set", setting)]
    process = ServerProcess(tmp_path / "server", "--workers", "2", *arguments)
    process.start()
    yield process
    process.kill()


@pytest.fixture
def languages(server: ServerProcess, certificates: Path, tmp_path: Path) -> Iterator[list[str]]:
    """A running greedy bot in each language; the player is named after it."""
    found = sorted({"python", *built()})
    environment = {
        **os.environ,
        "PALIO_SERVER": f"localhost:{server.address.rpartition(':')[2]}",
        "PALIO_CA": str(certificates / "ca.pem"),
        "PALIO_CERT": str(certificates / "bot.pem"),
        "PALIO_KEY": str(certificates / "bot.key"),
    }
    bots = []
    for language in found:
        log = (tmp_path / f"{language}.log").open("wb")
        named = {**environment, "PALIO_BOT_NAME": language}
        bots.append(subprocess.Popen(COMMANDS[language], env=named, stdout=log, stderr=log))
    yield found
    for bot in bots:
        bot.kill()
        bot.wait()


@pytest.mark.slow
def test_every_sdk_shows_its_certificate(server: ServerProcess, languages: list[str], certificates: Path) -> None:
    ca, cert, key = ((certificates / name).read_bytes() for name in ("ca.pem", "bot.pem", "bot.key"))
    credentials = grpc.ssl_channel_credentials(ca, key, cert)
    with grpc.secure_channel(server.address, credentials) as channel:
        stub = match_pb2_grpc.MatchServiceStub(channel)
        for language in languages:
            request = match_pb2.CreateMatchRequest(match_id=language, game="fidelitas", players=[language])
            request.policies.no_show.seconds = 240
            stub.CreateMatch(request)
        for language in languages:
            watch = match_pb2.WatchMatchRequest(match_id=language, result_only=True)
            ended = [update.ended for update in stub.WatchMatch(watch, timeout=240) if update.HasField("ended")]
            terminations = [seat.termination for seat in ended[-1].result.seats]
            assert terminations == [match_pb2.TERMINATION_FINISHED], language
    moved = set(re.findall(r"session.moved .*player=(\w+)", server.log))
    assert moved == set(languages)
