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


@pytest.fixture
def changed_by_another(connection: Any) -> Iterator[Any]:
    """A connection of Django's kind that has prepared what reads a table, and another one that changes the table."""
    connection.autocommit = True
    with psycopg.connect(**of_django.get_connection_params() | {"autocommit": True}) as another:
        another.execute("CREATE TABLE changed (one varchar(10))")
        try:
            run_often(connection, "SELECT * FROM changed")
            another.execute("ALTER TABLE changed ALTER one TYPE varchar(20)")
            yield connection
        finally:
            connection.rollback()
            another.execute("DROP TABLE changed")


def test_what_another_process_has_outdated_fails_once(changed_by_another: Any) -> None:
    with pytest.raises(psycopg.errors.FeatureNotSupported):
        changed_by_another.execute("SELECT * FROM changed")
    run_often(changed_by_another, "SELECT * FROM changed")
    assert prepared(changed_by_another) == 1, "what was prepared before is gone"


@pytest.mark.parametrize("undo", ["ROLLBACK TO SAVEPOINT here", "ROLLBACK"])
def test_what_another_process_has_outdated_fails_once_in_a_transaction(changed_by_another: Any, undo: str) -> None:
    changed_by_another.execute("BEGIN")
    changed_by_another.execute("SAVEPOINT here")
    with pytest.raises(psycopg.errors.FeatureNotSupported):
        changed_by_another.execute("SELECT * FROM changed")
    changed_by_another.execute(undo)
    run_often(changed_by_another, "SELECT * FROM changed")
    assert prepared(changed_by_another) == 1


def test_a_statement_that_the_server_does_not_know_fails_once(connection: Any) -> None:
    connection.autocommit = True
    run_often(connection, "SELECT 1")
    connection.pgconn.exec_(b"DEALLOCATE ALL")  # As a pooler would.
    with pytest.raises(psycopg.errors.InvalidSqlStatementName):
        connection.execute("SELECT 1")
    run_often(connection, "SELECT 1")


def test_a_rollback_of_nothing_leaves_what_is_known_of_tables(connection: Any) -> None:
    """An empty `atomic()` that raises rolls back where no transaction has begun."""
    connection.autocommit = True
    connection.execute("CREATE TEMPORARY TABLE made (one int)")
    connection.pgconn.exec_(b"DROP TABLE made")
    connection.rollback()
    connection.autocommit = False
    connection.execute("CREATE TEMPORARY TABLE made (one int)")
    run_often(connection, "SELECT * FROM made")
    connection.rollback()
    connection.execute("CREATE TEMPORARY TABLE made (three text)")
    run_often(connection, "SELECT * FROM made")
