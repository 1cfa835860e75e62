"""What a connection has prepared stays when a transaction is rolled back, unless tables were made or changed in it."""

from collections.abc import Iterator
from typing import Any

import psycopg
import pytest
from django.db import connection as of_django

from config.database.prepared import Connection

OFTEN = 6


@pytest.fixture
def connection(db: None) -> Iterator[Any]:
    made = Connection.connect(**of_django.get_connection_params())
    made.prepare_threshold = OFTEN - 1
    yield made
    made.close()


def run_often(connection: Any, statement: str) -> None:
    for _ in range(OFTEN):
        connection.execute(statement)


def prepared(connection: Any) -> int:
    """How many statements the server has prepared for it, but for this one."""
    return int(connection.execute("SELECT count(*) FROM pg_prepared_statements", prepare=False).fetchone()[0])


def test_it_is_that_of_django(db: None) -> None:
    of_django.ensure_connection()
    assert isinstance(of_django.connection, Connection)


def test_a_rollback_leaves_what_was_prepared_before_it_and_in_it(connection: Any) -> None:
    run_often(connection, "SELECT 1")
    connection.commit()
    run_often(connection, "SELECT 2")
    connection.rollback()
    assert prepared(connection) == 2
    run_often(connection, "SELECT 1")
    assert prepared(connection) == 2, "it is not prepared again"


def test_a_rollback_to_a_savepoint_leaves_it(connection: Any) -> None:
    run_often(connection, "SELECT 1")
    connection.execute("SAVEPOINT here")
    with pytest.raises(psycopg.errors.DivisionByZero):
        connection.execute("SELECT 1 / 0")
    connection.execute("ROLLBACK TO SAVEPOINT here")
    assert prepared(connection) == 1


@pytest.mark.parametrize("undo", ["ROLLBACK TO SAVEPOINT here", "ROLLBACK"])
def test_what_names_a_table_that_was_made_is_forgotten_with_it(connection: Any, undo: str) -> None:
    """A statement that the server keeps would tell other columns than it was prepared for, and be refused."""
    connection.execute("CREATE TEMPORARY TABLE made (one int)")
    connection.commit()
    connection.execute("SAVEPOINT here")
    connection.execute("ALTER TABLE made ADD COLUMN two int")
    run_often(connection, "SELECT * FROM made")
    connection.execute(undo)
    run_often(connection, "SELECT * FROM made")
    connection.execute("DROP TABLE made")
    connection.execute("CREATE TEMPORARY TABLE made (three text)")
    run_often(connection, "SELECT * FROM made")
    connection.rollback()
    run_often(connection, "SELECT * FROM made")


def test_a_changed_table_is_forgotten_at_once(connection: Any) -> None:
    connection.execute("CREATE TEMPORARY TABLE made (one int)")
    run_often(connection, "SELECT * FROM made")
    connection.execute("ALTER TABLE made ADD COLUMN two int")
    assert prepared(connection) == 0
    run_often(connection, "SELECT * FROM made")


def test_a_table_that_was_made_outdates_nothing_else(connection: Any) -> None:
    run_often(connection, "SELECT 1")
    connection.execute("CREATE TEMPORARY TABLE made (one int)")
    assert prepared(connection) == 1
    connection.rollback()
    run_often(connection, "SELECT 2")
    connection.rollback()
    assert prepared(connection) == 1, "only the first rollback took a table away"


def test_after_everything_was_discarded_nothing_is_taken_for_prepared(connection: Any) -> None:
    connection.autocommit = True
    run_often(connection, "SELECT 1")
    connection.execute("DISCARD ALL")
    run_often(connection, "SELECT 1")
    assert prepared(connection) == 1
