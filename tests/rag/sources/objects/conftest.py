from collections.abc import Iterator

import pytest

from graphs.models import Workspace
from graphs.objects.kinds import Kind
from rag.embeddings import serving_model
from tests.registered import shops
from tests.shop.models import Shop


@pytest.fixture(autouse=True)
def models_as_stored() -> Iterator[None]:
    """Which model serves is asked anew: processes know it for ten seconds."""
    serving_model.clear_cache()
    yield
    serving_model.clear_cache()


@pytest.fixture
def kind() -> Iterator[Kind]:
    """Products."""
    with shops() as registered:
        yield registered


@pytest.fixture
def shop(kind: Kind, demo_workspace: Workspace) -> Shop:
    return Shop.objects.create(workspace=demo_workspace, name="Corner shop")
