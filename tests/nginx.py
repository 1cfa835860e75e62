"""nginx with the lines of docs/operations.md, on ports and in a folder of its own."""

import ipaddress
import os
import shutil
import socket
import subprocess
import sys
import textwrap
import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

MISSING = "nginx is not there. On Debian: apt-get install nginx-light, as root; make test fetches it where it can."
ROOT = Path(__file__).resolve().parent.parent
HOST = "127.0.0.1"
PATIENCE_S = 30
_AROUND = """\
daemon off;
{user}
worker_processes 1;
pid {folder}/nginx.pid;
error_log {folder}/error.log notice;
events {{ worker_connections 256; }}
http {{
access_log off;
client_body_temp_path {folder}/body;
proxy_temp_path {folder}/proxy;
fastcgi_temp_path {folder}/fastcgi;
uwsgi_temp_path {folder}/uwsgi;
scgi_temp_path {folder}/scgi;
{example}
}}
"""


def path() -> str | None:
    """The program that is installed, else the one that config/install.py fetched."""
    fetched = Path(sys.prefix) / "nginx" / "usr" / "sbin"
    return shutil.which("nginx", path=f"{os.environ.get('PATH', os.defpath)}:/usr/sbin:{fetched}")


def example() -> str:
    """The lines of the docs, as an operator copies them."""
    text = (ROOT / "docs" / "operations.md").read_text()
    lines = text[text.index("    map $http_upgrade") :].splitlines()
    end = next(number for number, line in enumerate(lines) if line and not line.startswith("    "))
    return textwrap.dedent("\n".join(lines[:end]))


class Proxy:
    """One that runs before a site: `url` and `chat_url` lead through it, `plain_url` to its port without TLS."""

    def __init__(self, folder: Path, lines: str, to: int) -> None:
        plain, port = free_port(), free_port()
        self.url, self.chat_url, self.plain_url = (
            f"https://{HOST}:{port}",
            f"wss://{HOST}:{port}/ws/chat/",
            f"http://{HOST}:{plain}",
        )
        self.port = port
        self.certificate = folder / "certificate.pem"
        own_certificate(folder)
        for documented, ours in (
            ("listen 80;", f"listen {HOST}:{plain};"),
            ("listen 443 ssl;", f"listen {HOST}:{port} ssl;"),
            ("http://127.0.0.1:8000", f"http://{HOST}:{to}"),
            ("/etc/ssl/countersign.example.pem", str(self.certificate)),
            ("/etc/ssl/countersign.example.key", str(folder / "key.pem")),
        ):
            assert documented in lines, documented
            lines = lines.replace(documented, ours)
        user = "user root;" if os.geteuid() == 0 else ""
        (folder / "nginx.conf").write_text(_AROUND.format(user=user, folder=folder, example=lines))
        self._log = folder / "error.log"
        program = path()
        assert program, MISSING
        self._process = subprocess.Popen(
            [program, "-p", str(folder), "-c", str(folder / "nginx.conf"), "-e", str(self._log)],
            stdin=subprocess.DEVNULL,
        )

    def log(self) -> str:
        return self._log.read_text() if self._log.exists() else ""

    def wait_until_ready(self) -> None:
        deadline = time.monotonic() + PATIENCE_S
        while time.monotonic() < deadline and self._process.poll() is None:
            try:
                socket.create_connection((HOST, self.port), 1).close()
            except OSError:
                time.sleep(0.02)
            else:
                return
        raise AssertionError(f"nginx did not become ready:\n{self.log()}")

    def close(self) -> None:
        self._process.terminate()
        self._process.wait(PATIENCE_S)


@contextmanager
def before(port: int, folder: Path, lines: str = "") -> Iterator[Proxy]:
    """nginx before the web process at `port`, with the lines of the docs or others."""
    folder.mkdir(parents=True)
    proxy = Proxy(folder, lines or example(), port)
    try:
        proxy.wait_until_ready()
        yield proxy
    finally:
        proxy.close()


def free_port() -> int:
    with socket.socket() as free:
        free.bind((HOST, 0))
        number: int = free.getsockname()[1]
        return number


def own_certificate(folder: Path, host: str = HOST) -> None:
    """Writes a key and the certificate of a host, an address or a name, that it signed itself."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "countersign tests")])
    now = datetime.now(UTC)
    certificate = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - timedelta(days=1))
        .not_valid_after(now + timedelta(days=1))
        .add_extension(x509.SubjectAlternativeName([_named(host)]), critical=False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
        .sign(key, hashes.SHA256())
    )
    (folder / "certificate.pem").write_bytes(certificate.public_bytes(serialization.Encoding.PEM))
    pem, plain = serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    (folder / "key.pem").write_bytes(key.private_bytes(serialization.Encoding.PEM, pem, plain))


def _named(host: str) -> x509.GeneralName:
    try:
        return x509.IPAddress(ipaddress.ip_address(host))
    except ValueError:
        return x509.DNSName(host)
