"""The pool of Django's connections gives out the oldest that rests, and none that the server has closed."""

import select
from collections.abc import Iterator
from itertools import permutations
from typing import Any

import psycopg
import pytest
from django.core.exceptions import ImproperlyConfigured
from django.db import connection

from config.database.base import DatabaseWrapper, OldestFirst, has_not_ended
from tests.chat.engine.driving import until


@pytest.fixture
def pool(db: None) -> Iterator[Any]:
    made = OldestFirst(kwargs=connection.get_connection_params(), min_size=3, max_size=3, open=True)
    made.wait()
    yield made
    made.close()


def test_who_comes_alone_is_given_the_same_one_each_time(pool: Any) -> None:
    used = set()
    for _ in range(6):
        used.add(one := pool.getconn())
        pool.putconn(one)
    assert len(used) == 1


@pytest.mark.parametrize("order", permutations(range(3)))
def test_who_come_together_are_given_different_ones_and_then_the_oldest(pool: Any, order: tuple[int, ...]) -> None:
    together = [pool.getconn() for _ in range(3)]
    assert len(set(together)) == 3
    oldest, middle, youngest = sorted(together, key=lambda each: each._created_at)
    for place in order:
        pool.putconn(together[place])
    assert [pool.getconn(), pool.getconn()] == [oldest, middle]
    pool.putconn(oldest)
    assert [pool.getconn(), pool.getconn()] == [oldest, youngest]


def test_the_youngest_is_closed_where_more_rest_than_are_needed(db: None) -> None:
    pool: Any = OldestFirst(kwargs=connection.get_connection_params(), min_size=1, max_size=3, open=True)
    try:
        together = [pool.getconn() for _ in range(3)]
        by_age = sorted(together, key=lambda each: each._created_at)
        for each in by_age:
            pool.putconn(each)
        while not any(each.closed for each in by_age):
            pool._shrink_pool()
        assert [each.closed for each in by_age] == [False, False, True]
    finally:
        pool.close()


@pytest.mark.django_db
def test_it_is_that_of_django() -> None:
    of_django: Any = connection
    of_django.ensure_connection()
    assert isinstance(of_django.pool, OldestFirst)


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
    assert isinstance(made, OldestFirst)
    assert made.max_size == (4 if pool is True else 2), "True means what the library takes by itself"


@pytest.mark.usefixtures("no_other_pool")
@pytest.mark.parametrize("checks", [True, False])
def test_connections_are_asked_each_time_only_if_the_settings_say_so(checks: bool) -> None:
    made = wrapper({"min_size": 1}, CONN_HEALTH_CHECKS=checks).pool
    assert made._check is (OldestFirst.check_connection if checks else has_not_ended)


@pytest.mark.usefixtures("no_other_pool")
def test_none_is_made_beside_connections_that_persist() -> None:
    with pytest.raises(ImproperlyConfigured, match="persistent"):
        _ = wrapper({"min_size": 1}, CONN_MAX_AGE=60).pool


@pytest.mark.parametrize("pool", [None, False, {}])
def test_none_is_made_where_none_is_wanted(pool: Any) -> None:
    assert wrapper(pool).pool is None


@pytest.mark.django_db
@pytest.mark.usefixtures("no_other_pool")
@pytest.mark.parametrize("checks", [True, False])
def test_connections_that_died_while_they_rested_are_not_given_out(checks: bool) -> None:
    pool = wrapper({"min_size": 3, "max_size": 3}, CONN_HEALTH_CHECKS=checks).pool
    pool.open(wait=True)
    try:
        resting = [pool.getconn() for _ in range(3)]
        for each in resting:
            pool.putconn(each)
        with connection.cursor() as cursor:
            for each in resting:
                cursor.execute("SELECT pg_terminate_backend(%s, 30000)", [each.info.backend_pid])
        given = [pool.getconn() for _ in range(3)]
        assert [each.execute("SELECT 1").fetchone() for each in given] == [(1,)] * 3
    finally:
        pool.close()


@pytest.mark.django_db
@pytest.mark.usefixtures("no_other_pool")
def test_one_to_which_the_server_has_said_something_is_given_out() -> None:
    pool = wrapper({"min_size": 1, "max_size": 1}).pool
    pool.open(wait=True)
    try:
        one = pool.getconn()
        one.execute("LISTEN said")
        pool.putconn(one)
        with psycopg.connect(**connection.get_connection_params() | {"autocommit": True}) as another:
            another.execute("NOTIFY said")
        until(lambda: select.select([one], [], [], 0)[0])
        assert pool.getconn() is one
    finally:
        pool.close()
