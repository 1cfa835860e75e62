from collections.abc import Iterator

import pytest
from pytest_django import DjangoDbBlocker

from tests.faults import outage as outages
from tests.faults.outage import Outage
from tests.whole_site import connected_to


@pytest.fixture(scope="package")
def servers_that_fail() -> Iterator[Outage]:
    with outages.outage() as started:
        yield started


@pytest.fixture
def outage(servers_that_fail: Outage, django_db_blocker: DjangoDbBlocker) -> Iterator[Outage]:
    """The product on servers of its own; the ORM of the test works on the same database."""
    with django_db_blocker.unblock(), connected_to(servers_that_fail.database_url):
        servers_that_fail.empty()
        yield servers_that_fail
