"""What tests of the conversation share."""

import uuid

import pytest
from pytest_django import Settings

from chat.engine import calling
from chat.engine.available_models import configured
from tests.chat.inprocess import Model


@pytest.fixture(autouse=True)
def own_valkey_keys(settings: Settings, quick_passwords: None) -> None:
    """What one test counts or announces on Valkey does not concern another; people come quickly."""
    settings.REDIS_PREFIX = f"{settings.REDIS_PREFIX}:{uuid.uuid4().hex}"


@pytest.fixture
def model(monkeypatch: pytest.MonkeyPatch) -> Model:
    """The model that every run in this process asks; it says what the test lets it."""
    scripted = Model(configured().resolve())
    monkeypatch.setattr(calling, "provider_for", lambda _config: scripted)
    return scripted
