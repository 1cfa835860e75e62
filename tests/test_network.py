import asyncio
import socket

import pytest

from tests.network import NetworkUsedError


@pytest.mark.parametrize("host", ["192.0.2.1", "2001:db8::1"])
def test_it_refuses_other_machines(host: str) -> None:
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    with socket.socket(family) as probe, pytest.raises(NetworkUsedError):
        probe.connect((host, 80))


def test_it_refuses_to_look_up_names() -> None:
    with pytest.raises(NetworkUsedError):
        socket.create_connection(("example.org", 80), timeout=1)


def test_it_refuses_in_event_loops() -> None:
    with pytest.raises(NetworkUsedError):
        asyncio.run(asyncio.open_connection("192.0.2.1", 80))


def test_it_lets_this_machine_through() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server, socket.create_connection(server.getsockname(), timeout=5):
        pass
