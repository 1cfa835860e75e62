"""Where another role runs than the one that owns the tables: who does what, and what is said where one does both."""

from collections.abc import Iterator

import psycopg
import pytest
from django.db import ProgrammingError, connection
from django.utils.translation import override
from pytest_django import Settings

from chat import checks
from config import local
from graphs.models import Graph
from graphs.site import grants, owner
from graphs.workflows.imports import ANALYSED
from rag.sources.graphs import word_indexes
from tests.web_process import database_url
from tests.whole_site import connected_to

pytestmark = pytest.mark.django_db(transaction=True)

#: The sentence that the suite does without elsewhere.
SAID = owner.rights_to_rewrite


@pytest.fixture
def running(settings: Settings) -> Iterator[str]:
    """Django's connection is that of a role that runs; the address of the owner."""
    owners = database_url()
    with psycopg.connect(owners, autocommit=True) as server:
        if not server.execute("SELECT 1 FROM pg_roles WHERE rolname = %s", [local.DATABASE]).fetchone():
            pytest.skip("This PostgreSQL of one's own has no role that runs.")
    with connected_to(database_url(user=local.DATABASE)):
        owner._rights.cache_clear()
        yield owners
    owner._rights.cache_clear()


@pytest.fixture
def large(nba: Graph, monkeypatch: pytest.MonkeyPatch) -> Graph:
    monkeypatch.setattr(word_indexes, "LARGE", 0)
    monkeypatch.setattr(word_indexes, "DROPPED_BELOW", 0)
    return nba


def role() -> str:
    with connection.cursor() as cursor:
        cursor.execute("SELECT current_user")
        return str(cursor.fetchone()[0])


def test_the_owner_builds_the_indexes(large: Graph, running: str, settings: Settings) -> None:
    settings.DATABASE_OWNER_URL = running
    assert word_indexes.fit(large.pk, wait=True)
    assert word_indexes._is_whole(word_indexes.index_name(large.pk))
    assert role() == local.DATABASE
    large.nodes.all().delete()
    assert word_indexes.fit(large.pk, wait=True)
    assert not word_indexes._is_whole(word_indexes.index_name(large.pk))


def test_they_wait_where_nobody_owns_the_tables(large: Graph, running: str) -> None:
    assert not word_indexes.fit(large.pk, wait=True)
    with pytest.raises(ProgrammingError, match="must be owner"), owner.owners_cursor() as cursor:
        cursor.execute("ALTER TABLE graphs_node ADD COLUMN extra text")


def test_a_command_is_the_owner_for_as_long_as_it_takes(running: str, settings: Settings) -> None:
    with owner.as_owner() as another:
        assert (another, role()) == (False, local.DATABASE)
    settings.DATABASE_OWNER_URL = running
    with owner.as_owner() as another:
        assert (another, role()) == (True, psycopg.conninfo.conninfo_to_dict(running)["user"])
    assert role() == local.DATABASE


def test_it_is_said_where_who_runs_could_rewrite_history(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(owner, "rights_to_rewrite", SAID)
    monkeypatch.setattr(owner, "_rights", lambda: (True, True))
    (said,) = checks.problems()
    assert said.startswith("The role of DATABASE_URL is a superuser of PostgreSQL")
    monkeypatch.setattr(owner, "_rights", lambda: (False, True))
    (said,) = checks.problems()
    assert said.startswith("The role of DATABASE_URL owns the tables")
    assert "DATABASE_OWNER_URL" in said


def test_of_two_roles_nothing_is_said(running: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(owner, "rights_to_rewrite", SAID)
    assert owner._rights() == (False, False)
    assert checks.problems() == []


def test_a_superuser_is_known_as_one() -> None:
    owner._rights.cache_clear()
    assert owner._rights() == (True, True)


def test_rights_that_are_more_are_taken(running: str) -> None:
    with connected_to(running), connection.cursor() as cursor:
        cursor.execute(f"GRANT ALL ON graphs_changeset, chat_streamevent, graphs_node TO {local.DATABASE}")
        grants.give(local.DATABASE, ANALYSED)
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT table_name, string_agg(privilege_type, ' ' ORDER BY privilege_type) FROM "
            "information_schema.role_table_grants WHERE grantee = %s AND table_name = ANY(%s) GROUP BY 1 ORDER BY 1",
            [local.DATABASE, ["graphs_changeset", "chat_streamevent", "graphs_node", "django_migrations"]],
        )
        assert cursor.fetchall() == [
            ("chat_streamevent", "INSERT SELECT"),
            ("django_migrations", "SELECT"),
            ("graphs_changeset", "INSERT SELECT"),
            ("graphs_node", "DELETE INSERT SELECT UPDATE"),
        ]


@pytest.mark.parametrize("rights", [(True, False), (False, True)])
def test_what_the_role_may_is_said_in_french(monkeypatch: pytest.MonkeyPatch, rights: tuple[bool, bool]) -> None:
    monkeypatch.setattr(owner, "_rights", lambda: rights)
    assert SAID().startswith("The role of DATABASE_URL")
    with override("fr"):
        assert SAID().startswith("Le rôle de DATABASE_URL")
