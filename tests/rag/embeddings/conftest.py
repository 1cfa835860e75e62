from collections.abc import Iterator

import pytest
from pytest_django import Settings

from graphs.models import Workspace
from rag.embeddings import embedding_models, serving_model
from rag.embeddings.embedder import Embedder
from tests.rag.embeddings.three import Nodes, Pins, Three
from tests.registered import pins
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
    serving_model.clear_cache()
    yield embedding_models.by_name(MODEL)
    serving_model.clear_cache()
    embedding_models._remote.cache_clear()


@pytest.fixture(params=["nodes", pytest.param("objects", marks=pytest.mark.django_db(transaction=True))])
def three(request: pytest.FixtureRequest, demo_workspace: Workspace) -> Iterator[Three]:
    """Things of each collection in turn."""
    if request.param == "nodes":
        yield Nodes(demo_workspace)
    else:
        with pins():
            yield Pins(demo_workspace)
