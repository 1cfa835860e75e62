"""Three vendors' wires, each a provider by its own name."""

from collections.abc import Iterator

import pytest

from tests.chat.conftest import own_valkey_keys
from tests.chat.engine.conftest import running
from tests.vendors import VendorServer

__all__ = ["own_valkey_keys", "running"]


@pytest.fixture
def vendor(monkeypatch: pytest.MonkeyPatch) -> Iterator[VendorServer]:
    with VendorServer() as server:
        for name, url in (
            ("CUSTOM", server.openai_url),
            ("OPENAI", server.openai_url),
            ("ANTHROPIC", server.anthropic_url),
        ):
            monkeypatch.setenv(f"{name}_API_KEY", "key-of-a-test")
            monkeypatch.setenv(f"{name}_BASE_URL", url)
        monkeypatch.setenv("CUSTOM_MODEL", "scripted")
        yield server
