"""What all tests of the doors share."""

import copy
import logging
import uuid
from collections.abc import Iterator

import pytest
from django.db import transaction
from django.template.base import Template
from django.test.utils import _TestState
from pytest_django import DjangoDbBlocker, Settings

from tests.doors import world
from tests.doors.world import World
from tests.registered import shops

FORGING = [chr(code) for code in (*range(32), *range(127, 160), 0x2028, 0x2029)]


@pytest.fixture(autouse=True)
def roomy_limits(settings: Settings, quick_passwords: None) -> None:
    """These tests knock often; how often one may is tested elsewhere."""
    settings.REDIS_PREFIX = f"{settings.REDIS_PREFIX}:{uuid.uuid4().hex}"
    settings.LIMIT_LOGIN = settings.LIMIT_MESSAGES = settings.LIMIT_FRAMES = "100000/s"
    settings.LIMIT_WRITES = settings.LIMIT_IMPORTS = settings.LIMIT_ROLLBACKS = "100000/s"


@pytest.fixture(scope="module", autouse=True)
def unwatched_templates() -> Iterator[None]:
    """Django notes for tests what each template was given, which none of these asks for."""
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(Template, "_render", _TestState.saved_data.template_render)
        yield


@pytest.fixture(scope="module", autouse=True)
def registered() -> Iterator[None]:
    """Rows of an application are objects, too."""
    with shops():
        yield


@pytest.fixture(scope="module")
def built(registered: None, django_db_setup: None, django_db_blocker: DjangoDbBlocker) -> Iterator[World]:
    """In a transaction in which that of each test is nested: what a test does is taken back."""
    with django_db_blocker.unblock(), transaction.atomic():
        found = world.kept()
        with django_db_blocker.block():
            yield found
        transaction.set_rollback(True)


@pytest.fixture
def everybody(built: World, db: None) -> World:
    return copy.deepcopy(built)


@pytest.fixture
def honest_log(caplog: pytest.LogCaptureFixture) -> Iterator[None]:
    """Whatever was sent, a line of the log is one line, and its terminal obeys nobody."""
    yield
    for record in caplog.get_records("call"):
        text = record.getMessage()
        assert not any(character in text for character in FORGING), repr(text)
        assert record.levelno < logging.ERROR or record.name.startswith("django.security"), repr(text)
