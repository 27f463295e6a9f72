"""The client over TLS: whom it believes, and that nothing leads it away from https."""

import os
import ssl
import subprocess

import pytest

from .hostile_server import MODEL, SHARD, HostileServer, redirect
from .test_hostile import FETCH

EC = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"]


@pytest.fixture(scope="module")
def certificates(tmp_path_factory):
    """An authority that nobody knows, and its certificate for loopback."""
    folder = tmp_path_factory.mktemp("certificates")

    def openssl(*words):
        subprocess.run(["openssl", *words], cwd=folder, check=True, capture_output=True)

    (folder / "leaf.ext").write_text("subjectAltName=IP:127.0.0.1\nbasicConstraints=CA:FALSE\n")
    openssl("req", "-x509", *EC, "-keyout", "ca.key", "-out", "ca.pem", "-days", "2", "-subj", "/CN=authority")
    openssl("req", *EC, "-keyout", "leaf.key", "-out", "leaf.csr", "-subj", "/CN=server")
    signed = ["-CA", "ca.pem", "-CAkey", "ca.key", "-CAcreateserial", "-extfile", "leaf.ext"]
    openssl("x509", "-req", "-in", "leaf.csr", *signed, "-days", "2", "-out", "leaf.pem")
    return folder


class TlsServer(HostileServer):
    def __init__(self, folder):
        self.context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        self.context.load_cert_chain(folder / "leaf.pem", folder / "leaf.key")
        super().__init__()

    def get_request(self):
        connection, address = super().get_request()
        # The handshake happens in the handler's own thread, with the first byte.
        return self.context.wrap_socket(connection, server_side=True, do_handshake_on_connect=False), address

    def handle_error(self, *_):
        pass  # a client that does not believe us hangs up

    @property
    def address(self):
        return super().address.replace("http:", "https:")


@pytest.fixture
def server(certificates):
    with TlsServer(certificates) as server:
        yield server


def fetch(server, root, authority, attempts=1):
    environment = {**os.environ, "NO_PROXY": "*", "no_proxy": "*", "SSL_CERT_FILE": str(authority)}
    words = [FETCH, MODEL, server.address, str(root), "5", str(attempts)]
    return subprocess.run(words, capture_output=True, text=True, env=environment, timeout=60)


def test_a_server_that_the_system_believes_is_believed(server, certificates, tmp_path):
    done = fetch(server, tmp_path, certificates / "ca.pem")
    assert done.returncode == 0, done.stdout
    assert (tmp_path / "org--tiny" / SHARD).read_bytes() == server.files[SHARD]


def test_a_server_that_nobody_vouches_for_is_not_asked(server, certificates, tmp_path):
    stranger = tmp_path / "other.pem"
    words = ["openssl", "req", "-x509", *EC, "-keyout", tmp_path / "other.key", "-out", stranger, "-subj", "/CN=other"]
    subprocess.run(words, check=True, capture_output=True)
    done = fetch(server, tmp_path, stranger)
    assert '"Unreachable"' in done.stdout and "certificate" in done.stdout, done.stdout
    assert server.asked == []


def test_without_authorities_the_message_says_where_to_get_them(server, tmp_path):
    done = fetch(server, tmp_path, tmp_path / "missing.pem")
    assert "SSL_CERT_FILE" in done.stdout and server.asked == []


def test_nothing_leads_away_from_https(server, certificates, tmp_path):
    with HostileServer() as plain:
        server.always[SHARD] = redirect(lambda path: plain.address + path)
        done = fetch(server, tmp_path, certificates / "ca.pem")
        assert "from https to http" in done.stdout, done.stdout
        assert plain.asked == []
