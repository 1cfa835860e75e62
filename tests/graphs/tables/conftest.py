from collections.abc import Iterator

import pytest
from django.contrib.auth.models import User
from django.test import Client

from graphs.models import Workspace
from graphs.objects.kinds import Kind
from tests.graphs.api.callers import with_token
from tests.registered import shops
from tests.shop.models import Shop


@pytest.fixture
def products() -> Iterator[Kind]:
    with shops() as kind:
        yield kind


@pytest.fixture
def shop(products: Kind, demo_workspace: Workspace) -> Shop:
    return Shop.objects.create(workspace=demo_workspace, name="Sports")


@pytest.fixture
def client(alice: User) -> Client:
    return with_token(alice)
