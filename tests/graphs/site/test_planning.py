import pytest
from django.db import DataError, connection

from graphs.site.planning import execute_anew

pytestmark = pytest.mark.django_db
OFTEN = 12


def test_a_connection_keeps_no_plan_of_it() -> None:
    with connection.cursor() as cursor:
        for number in range(OFTEN):
            execute_anew(cursor, "SELECT %s + 4321", [number])
            assert cursor.fetchone() == (number + 4321,)
            cursor.execute("SELECT %s + 8765", [number])
        cursor.execute("SELECT statement FROM pg_prepared_statements WHERE statement ~ '4321|8765'")
        assert [statement for (statement,) in cursor.fetchall()] == ["SELECT $1 + 8765"]


@pytest.mark.django_db(transaction=True)
def test_others_are_prepared_as_before_also_after_an_error() -> None:
    with connection.cursor() as cursor:
        before = cursor.connection.prepare_threshold
        with pytest.raises(DataError):
            execute_anew(cursor, "SELECT 1 / %s", [0])
        assert cursor.connection.prepare_threshold == before
        assert before is not None
