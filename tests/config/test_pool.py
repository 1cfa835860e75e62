"""The pool of Django's connections gives out the one that came back last."""

from collections.abc import Iterator
from typing import Any

import pytest
from django.core.exceptions import ImproperlyConfigured
from django.db import connection

from config.database.base import DatabaseWrapper, LastFirst


@pytest.fixture
def pool(db: None) -> Iterator[Any]:
    made = LastFirst(kwargs=connection.get_connection_params(), min_size=3, max_size=3, open=True)
    made.wait()
    yield made
    made.close()


def test_who_comes_alone_is_given_the_same_one_each_time(pool: Any) -> None:
    used = set()
    for _ in range(6):
        used.add(one := pool.getconn())
        pool.putconn(one)
    assert len(used) == 1


def test_who_come_together_are_given_different_ones_and_then_the_last(pool: Any) -> None:
    together = [pool.getconn() for _ in range(3)]
    assert len(set(together)) == 3
    for each in together:
        pool.putconn(each)
    assert [pool.getconn(), pool.getconn()] == [together[2], together[1]]


@pytest.mark.django_db
def test_it_is_that_of_django() -> None:
    of_django: Any = connection
    of_django.ensure_connection()
    assert isinstance(of_django.pool, LastFirst)


def wrapper(pool: Any, **settings: Any) -> Any:
    """Another connection to the database, with these settings; it connects to nothing by itself."""
    own = connection.settings_dict
    return DatabaseWrapper(own | settings | {"OPTIONS": own["OPTIONS"] | {"pool": pool}}, alias="another")


@pytest.fixture
def no_other_pool() -> Iterator[None]:
    yield
    DatabaseWrapper._connection_pools.pop("another", None)


@pytest.mark.usefixtures("no_other_pool")
@pytest.mark.parametrize("pool", [True, {"min_size": 1, "max_size": 2}])
def test_its_options_are_those_of_django(pool: Any) -> None:
    made = wrapper(pool).pool
    assert isinstance(made, LastFirst)
    assert made.max_size == (4 if pool is True else 2), "True means what the library takes by itself"


@pytest.mark.usefixtures("no_other_pool")
@pytest.mark.parametrize("checks", [True, False])
def test_connections_are_checked_if_the_settings_ask_for_it(checks: bool) -> None:
    assert bool(wrapper({"min_size": 1}, CONN_HEALTH_CHECKS=checks).pool._check) == checks


@pytest.mark.usefixtures("no_other_pool")
def test_none_is_made_beside_connections_that_persist() -> None:
    with pytest.raises(ImproperlyConfigured, match="persistent"):
        _ = wrapper({"min_size": 1}, CONN_MAX_AGE=60).pool


@pytest.mark.parametrize("pool", [None, False, {}])
def test_none_is_made_where_none_is_wanted(pool: Any) -> None:
    assert wrapper(pool).pool is None


@pytest.mark.django_db
@pytest.mark.usefixtures("no_other_pool")
def test_a_connection_that_is_dead_is_not_given_out_where_they_are_checked() -> None:
    pool = wrapper({"min_size": 1, "max_size": 1}, CONN_HEALTH_CHECKS=True).pool
    pool.open()
    try:
        one = pool.getconn()
        pool.putconn(one)
        with connection.cursor() as cursor:
            cursor.execute("SELECT pg_terminate_backend(%s, 5000)", [one.info.backend_pid])
        assert pool.getconn().execute("SELECT 1").fetchone() == (1,)
    finally:
        pool.close()
