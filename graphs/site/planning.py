"""Statements that PostgreSQL plans for the values that they come with."""

from typing import Any


def execute_anew(cursor: Any, statement: str, values: Any) -> None:
    """Executes a statement whose plan a connection is not to keep: which is best depends on its values.

    A kept plan knows neither how large one of many graphs is, nor that it has an index of its own.
    """
    driver = cursor.connection
    often, driver.prepare_threshold = driver.prepare_threshold, None
    try:
        cursor.execute(statement, values)
    finally:
        driver.prepare_threshold = often
