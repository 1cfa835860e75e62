"""A running engine and a vendor of all three wires that it talks to."""

import uuid
from collections.abc import Iterator

import pytest
from pytest_django import Settings

from chat.providers import circuit, retrying
from tests.chat.engine.driving import Engine, engine
from tests.vendors import VendorServer

KEY = "canary-key-of-the-vendor"


@pytest.fixture(autouse=True)
def own_valkey_keys(settings: Settings) -> None:
    """What one test announces does not concern another."""
    settings.REDIS_PREFIX = f"{settings.REDIS_PREFIX}:{uuid.uuid4().hex}"


@pytest.fixture
def vendor(monkeypatch: pytest.MonkeyPatch) -> Iterator[VendorServer]:
    """Whoever is asked, this one answers. Pauses between attempts are short, and no circuit opens."""
    monkeypatch.setattr(retrying, "FIRST_DELAY_S", 0.001)
    monkeypatch.setattr(circuit, "FAILURES", 1_000_000)
    with VendorServer() as server:
        for name in ("CUSTOM", "OPENAI", "ANTHROPIC"):
            monkeypatch.setenv(f"{name}_API_KEY", KEY)
            url = server.anthropic_url if name == "ANTHROPIC" else server.openai_url
            monkeypatch.setenv(f"{name}_BASE_URL", url)
            monkeypatch.setenv(f"{name}_CONTEXT_WINDOW", "1000000")  # Answers are long that are sent back.
        monkeypatch.setenv("CUSTOM_MODEL", "scripted")
        yield server


@pytest.fixture
def running(transactional_db: None) -> Iterator[Engine]:
    with engine() as started:
        yield started
