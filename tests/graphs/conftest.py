import uuid

import pytest
from pytest_django import Settings


@pytest.fixture(autouse=True)
def own_limits(settings: Settings, quick_passwords: None) -> None:
    """What one test uses up, the next one has again."""
    settings.REDIS_PREFIX = f"test-{uuid.uuid4()}"
