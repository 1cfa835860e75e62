"""What all tests of the doors share."""

import uuid

import pytest
from pytest_django import Settings

from tests.doors import world
from tests.doors.world import World


@pytest.fixture(autouse=True)
def roomy_limits(settings: Settings, quick_passwords: None) -> None:
    """These tests knock often; how often one may is tested elsewhere."""
    settings.REDIS_PREFIX = f"{settings.REDIS_PREFIX}:{uuid.uuid4().hex}"
    settings.LIMIT_LOGIN = settings.LIMIT_MESSAGES = settings.LIMIT_FRAMES = "100000/s"


@pytest.fixture
def everybody(db: None) -> World:
    return world.build()
