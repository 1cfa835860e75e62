from collections.abc import Iterator

import pytest
from pytest_django import Settings

from rag.embeddings import registry, serving_model
from rag.embeddings.base import Embedder
from tests.vendors.server import VendorServer

MODEL = "custom/tiny"


@pytest.fixture(scope="package")
def shared_vendor() -> Iterator[VendorServer]:
    with VendorServer() as server:
        yield server


@pytest.fixture
def vendor(shared_vendor: VendorServer) -> VendorServer:
    shared_vendor.reset()
    return shared_vendor


@pytest.fixture
def remote(vendor: VendorServer, monkeypatch: pytest.MonkeyPatch, settings: Settings) -> Iterator[Embedder]:
    """The model of an endpoint that speaks as OpenAI does, and that the settings ask for."""
    monkeypatch.setenv("CUSTOM_BASE_URL", vendor.openai_url)
    settings.EMBEDDING_PROVIDER, settings.EMBEDDING_MODEL = MODEL.split("/")
    serving_model.forget()
    yield registry.by_name(MODEL)
    serving_model.forget()
    registry._remote.cache_clear()
