"""A running engine and a vendor it talks to."""

from collections.abc import Iterator

import pytest

from chat.engine import doorbell
from tests.chat.engine.driving import Bystander, Engine, engine
from tests.vendors import VendorServer


@pytest.fixture
def vendor(monkeypatch: pytest.MonkeyPatch) -> Iterator[VendorServer]:
    """The vendor of the provider `custom`, which is chosen because it alone has a key."""
    with VendorServer() as server:
        monkeypatch.setenv("CUSTOM_API_KEY", "key-of-a-test")
        monkeypatch.setenv("CUSTOM_BASE_URL", server.openai_url)
        monkeypatch.setenv("CUSTOM_MODEL", "scripted")
        yield server


@pytest.fixture
def every_wire(vendor: VendorServer, monkeypatch: pytest.MonkeyPatch) -> VendorServer:
    """The vendor of the providers `openai` and `anthropic`, too."""
    for name, url in (("OPENAI", vendor.openai_url), ("ANTHROPIC", vendor.anthropic_url)):
        monkeypatch.setenv(f"{name}_API_KEY", "key-of-a-test")
        monkeypatch.setenv(f"{name}_BASE_URL", url)
    return vendor


@pytest.fixture
def running(transactional_db: None) -> Iterator[Engine]:
    with engine() as started:
        yield started


@pytest.fixture
def bystander(transactional_db: None) -> Iterator[Bystander]:
    runner = Bystander()
    doorbell.local = runner  # type: ignore[assignment]
    yield runner
    doorbell.local = None
