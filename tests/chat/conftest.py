"""What tests of the conversation share."""

import pytest

from chat.engine import calling
from chat.models_available import configured
from tests.chat.inprocess import Model


@pytest.fixture
def model(monkeypatch: pytest.MonkeyPatch) -> Model:
    """The model that every run in this process asks; it says what the test lets it."""
    scripted = Model(configured().resolve())
    monkeypatch.setattr(calling, "provider_for", lambda _config: scripted)
    return scripted
