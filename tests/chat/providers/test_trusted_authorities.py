"""The list of trusted authorities is read once in a process, and holds for every vendor."""

import asyncio
import ssl
from typing import get_args

import httpcore2
import pytest

from chat.providers import streaming
from chat.providers.building import build
from chat.providers.provider import ProviderConfig, Wire

WIRES = sorted(set(get_args(Wire)) - {"demo"})


def test_all_clients_share_one_list(monkeypatch: pytest.MonkeyPatch) -> None:
    reads = 0
    read = httpcore2.default_ssl_context

    def counted(**options: bool) -> ssl.SSLContext:
        nonlocal reads
        reads += 1
        return read(**options)

    monkeypatch.setattr(httpcore2, "default_ssl_context", counted)
    streaming._trusted.cache_clear()

    async def make() -> None:
        for wire in WIRES * 2:
            provider = build(
                ProviderConfig("custom", wire, "https://vendor.example", "model", 100, None, api_key="key")
            )
            await provider.close()

    asyncio.run(make())
    assert len(WIRES) >= 3
    assert reads == 1


def test_it_demands_a_certificate_of_the_name_that_is_asked() -> None:
    trusted = streaming._trusted()
    assert trusted.verify_mode == ssl.CERT_REQUIRED
    assert trusted.check_hostname
