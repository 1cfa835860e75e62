"""config/prepare.py: what a start refuses before it touches the database."""

from collections.abc import Iterator

import psycopg
import pytest

from config import prepare
from config.problem import Problem
from tests.registered import shops
from tests.web_process import database_url


@pytest.fixture
def untouched(monkeypatch: pytest.MonkeyPatch) -> None:
    def connect() -> None:
        pytest.fail("It went on to the database.")

    monkeypatch.setattr(prepare, "_connect", connect)


@pytest.mark.usefixtures("untouched")
def test_a_page_without_an_address_is_refused_with_its_sentence() -> None:
    with shops(url="no-such-page"), pytest.raises(Problem) as refused:
        prepare.main()
    assert refused.value.sentence == (
        "product: url='no-such-page' is the name of no address. Name one that takes the key."
    )


@pytest.mark.usefixtures("untouched")
def test_registrations_that_work_are_prepared_for() -> None:
    with shops(url="graph"), pytest.raises(pytest.fail.Exception, match="It went on"):
        prepare.main()


@pytest.fixture
def alone(transactional_db: None) -> Iterator[psycopg.Connection]:
    with psycopg.connect(database_url()) as connection:
        yield connection
        connection.rollback()


def test_a_database_of_this_version_is_taken(alone: psycopg.Connection) -> None:
    prepare._require_known_migrations(alone)


def test_one_that_a_newer_version_migrated_is_refused_with_both_versions(alone: psycopg.Connection) -> None:
    alone.execute("INSERT INTO django_migrations (app, name, applied) VALUES ('chat', '9999_later', now())")
    alone.execute("COMMENT ON TABLE django_migrations IS 'Countersign 7.3.1'")
    with pytest.raises(
        Problem, match=rf"by Countersign 7\.3\.1, and this is Countersign {prepare.version()}, .*chat\.9999"
    ):
        prepare._require_known_migrations(alone)


def test_a_role_that_owns_no_tables_prepares_all_the_same(alone: psycopg.Connection) -> None:
    alone.execute("CREATE ROLE runs_only; GRANT ALL ON ALL TABLES IN SCHEMA public TO runs_only; SET ROLE runs_only")
    with alone.transaction(force_rollback=True):
        prepare._name_version(alone)
    prepare._require_known_migrations(alone)


def test_earlier_migrations_may_have_been_squashed_and_removed(alone: psycopg.Connection) -> None:
    alone.execute("INSERT INTO django_migrations (id, app, name, applied) VALUES (-1, 'chat', '0000_pruned', now())")
    prepare._require_known_migrations(alone)


def test_migrations_of_other_applications_are_theirs(alone: psycopg.Connection) -> None:
    alone.execute("INSERT INTO django_migrations (app, name, applied) VALUES ('shop', '9999_later', now())")
    prepare._require_known_migrations(alone)
