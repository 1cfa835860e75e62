"""One scripted vendor for the tests of a module."""

from collections.abc import Iterator

import pytest

from chat.providers import retrying
from tests.vendors import VendorServer


@pytest.fixture(scope="module")
def _server() -> Iterator[VendorServer]:
    with VendorServer() as server:
        yield server


@pytest.fixture
def vendor(_server: VendorServer, monkeypatch: pytest.MonkeyPatch) -> VendorServer:
    """A vendor without history, and retries that hardly wait."""
    monkeypatch.setattr(retrying, "FIRST_DELAY_S", 0.001)
    _server.reset()
    return _server
