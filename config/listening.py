"""The one TCP socket that all web processes share, and the question whether the site behind it is ready."""

import errno
import http.client
import socket
import time

from config.problem import Problem

#: The web processes of a supervisor that was killed give the port back within moments.
RETRY_S = 3


def listen(host: str, port: int) -> socket.socket:
    """A listening socket. Raises Problem with what to do when the address cannot be had."""
    deadline = time.monotonic() + RETRY_S
    while True:
        try:
            return _bound(host, port)
        except OSError as error:
            if error.errno != errno.EADDRINUSE or time.monotonic() > deadline:
                raise Problem(_refusal(host, port, error)) from error
        time.sleep(0.1)


def url(listening: socket.socket) -> str:
    """How a browser on this machine reaches it."""
    host, port = listening.getsockname()[:2]
    host = {"0.0.0.0": "127.0.0.1", "::": "::1"}.get(host, host)  # noqa: S104
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"


def is_ready(listening: socket.socket, host_header: str) -> bool:
    """Whether GET /readyz answers 200 within two seconds."""
    connection = http.client.HTTPConnection(url(listening).removeprefix("http://"), timeout=2)
    try:
        connection.request("GET", "/readyz", headers={"Host": host_header})
        return connection.getresponse().status == http.client.OK
    except (OSError, http.client.HTTPException):
        return False
    finally:
        connection.close()


def _bound(host: str, port: int) -> socket.socket:
    family, kind, protocol, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
    listening = socket.socket(family, kind, protocol)
    try:
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listening.bind(address)
        listening.listen(1024)
        # All web processes share it; one that loses the race for a client must not wait for the next.
        listening.setblocking(False)
    except OSError:
        listening.close()
        raise
    return listening


def _refusal(host: str, port: int, error: OSError) -> str:
    if error.errno == errno.EADDRINUSE:
        return (
            f"Port {port} on {host} is taken by another program. Stop that program, "
            f"or choose another port: make run PORT={port + 1} (manage.py up --port {port + 1})."
        )
    if error.errno == errno.EACCES:
        return (
            f"Port {port} is reserved for root. Choose one above 1023: make run PORT=8000 (manage.py up --port 8000)."
        )
    return (
        f"Cannot listen on {host}, port {port}: {error.strerror or error}. Choose an address of this machine (--host)."
    )
