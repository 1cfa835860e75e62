"""Who asks: nobody chooses an address by a header, and nobody behind a trusted proxy counts as the proxy."""

from ipaddress import ip_network

import pytest
from pytest_django import Settings

from graphs.site.client_address import client_address

PROXIES = [ip_network("127.0.0.1"), ip_network("10.0.0.0/8"), ip_network("fd00::/8")]
DIRECT = "203.0.113.9"


@pytest.mark.parametrize(
    ("peer", "forwarded", "address"),
    [
        (DIRECT, "", DIRECT),
        (DIRECT, "198.51.100.1", DIRECT),
        ("127.0.0.1", "", "127.0.0.1"),
        ("127.0.0.1", DIRECT, DIRECT),
        ("127.0.0.1", f"198.51.100.1, {DIRECT}", DIRECT),
        ("127.0.0.1", f"198.51.100.1, {DIRECT}, 10.1.2.3", DIRECT),
        ("127.0.0.1", "10.9.9.9, 10.1.2.3", "10.9.9.9"),
        ("127.0.0.1", f"{DIRECT}, nonsense", "127.0.0.1"),
        ("127.0.0.1", f"nonsense, {DIRECT}", DIRECT),
        ("127.0.0.1", f"{DIRECT}:8080", DIRECT),
        ("127.0.0.1", "[2001:db8:1:2::7]:443", "2001:db8:1:2::/64"),
        ("127.0.0.1", "[2001:db8:1:2::7]", "2001:db8:1:2::/64"),
        ("127.0.0.1", f"{DIRECT}:80:80", "127.0.0.1"),
        ("::ffff:127.0.0.1", DIRECT, DIRECT),
        ("127.0.0.1", f"::ffff:{DIRECT}", DIRECT),
        ("fd00::1", "2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"),
        ("2001:db8:1:2::7", DIRECT, "2001:db8:1:2::/64"),
        ("", DIRECT, ""),
    ],
)
def test_it_is_the_last_that_no_trusted_proxy_added(
    settings: Settings, peer: str, forwarded: str, address: str
) -> None:
    settings.TRUSTED_PROXIES = PROXIES
    assert client_address({"REMOTE_ADDR": peer, "HTTP_X_FORWARDED_FOR": forwarded}) == address


def test_without_trusted_proxies_no_header_counts(settings: Settings) -> None:
    assert settings.TRUSTED_PROXIES == []
    assert client_address({"REMOTE_ADDR": "127.0.0.1", "HTTP_X_FORWARDED_FOR": DIRECT}) == "127.0.0.1"
