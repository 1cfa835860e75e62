"""The pool of Django's connections gives out the one that came back last."""

from collections.abc import Iterator
from typing import Any

import pytest
from django.db import connection

from config.database.base import LastFirst


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
