import asyncio

import pytest
from django.contrib.auth.models import User
from django.db import OperationalError, ProgrammingError, connection, transaction
from django.test import override_settings
from django.test.utils import CaptureQueriesContext

from chat.engine import available_models, warming
from chat.prompts import versions
from graphs.models import Graph, Membership, Node, NodeType, Object, Sheet
from rag.embeddings import embedding_models
from rag.models import EmbeddingModel
from rag.retrieval import by_vector

pytestmark = pytest.mark.django_db(transaction=True)


def warmed() -> int:
    """How many providers the process has then."""

    async def run() -> int:
        await warming.warm_up()
        count = len(available_models._providers.get(asyncio.get_running_loop(), {}))
        await available_models.close_providers()
        return count

    return asyncio.run(run())


def test_it_builds_the_default_provider_unless_it_is_not_configured() -> None:
    with override_settings(LLM_PROVIDER="demo"):
        assert warmed() == 1
    with override_settings(LLM_PROVIDER="openai"):
        assert warmed() == 0


def test_it_describes_all_tools() -> None:
    versions._digest.cache_clear()
    warmed()
    assert versions._digest.cache_info().currsize == 1


def test_it_loads_what_embeds_questions_unless_the_database_is_away(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = []

    def away() -> None:
        asked.append(1)
        raise OperationalError

    monkeypatch.setattr(embedding_models, "warm_up", away)
    asyncio.run(warming.load_embedder())
    assert asked == [1]


def test_what_a_first_question_reads_is_read_for_nobody(monkeypatch: pytest.MonkeyPatch) -> None:
    EmbeddingModel.objects.create(name=embedding_models.OPENAI, dimensions=8, serves=True)
    monkeypatch.setattr(by_vector, "current", lambda: pytest.fail("nobody pays for a vector of nothing"))
    with transaction.atomic(), CaptureQueriesContext(connection) as asked:
        connection.cursor().execute("SET TRANSACTION READ ONLY")
        warming._read_for_nobody()
    said = " ".join(query["sql"] for query in asked)
    for table in (User, Membership, Graph, Node, Sheet, NodeType):
        assert table._meta.db_table in said


def ran_often() -> list[bool]:
    """Of each statement about graphs that reading for nobody has prepared, whether it ran until its plan may be kept.

    Whether PostgreSQL keeps it follows from what it knows of the tables, which other tests have filled.
    """
    with connection.cursor() as cursor:
        connection.connection.forget_prepared()
        warming._read_for_nobody()
        cursor.execute(
            "SELECT statement ~ 'graphs_(node|edge|sheet)', generic_plans + custom_plans > 5 "
            "FROM pg_prepared_statements"
        )
        return [is_often for is_of_graph, is_often in cursor.fetchall() if is_of_graph]


def test_statements_run_until_plans_may_be_kept_and_are_prepared_as_before_then() -> None:
    connection.ensure_connection()
    before = connection.connection.prepare_threshold
    small = ran_often()
    assert len(small) >= 3
    assert all(small)
    assert connection.connection.prepare_threshold == before > 0


def test_they_run_so_often_for_numbers_of_both_sizes_where_there_are_many_objects(alice: User, nba: Graph) -> None:
    """The driver tells a larger number in another type, and prepares the statement for that by itself."""
    small = ran_often()
    Object.objects.create(pk=2**15, workspace=nba.workspace, type="company", key="last")
    both = ran_often()
    assert len(both) > len(small)
    assert all(both)


def test_nothing_is_prepared_where_nothing_may_be(monkeypatch: pytest.MonkeyPatch) -> None:
    connection.ensure_connection()
    monkeypatch.setattr(connection.connection, "prepare_threshold", None)
    assert ran_often() == []
    assert connection.connection.prepare_threshold is None


def test_a_process_begins_where_that_cannot_be_read(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def not_migrated() -> None:
        raise ProgrammingError

    monkeypatch.setattr(warming, "_read_for_nobody", not_migrated)
    asyncio.run(warming.read_for_nobody())
    assert "nothing was read before the first question: ProgrammingError" in caplog.text
