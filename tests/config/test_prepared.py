"""config/prepared.py: a preparation is left out only where it would find nothing to do."""

from collections.abc import Callable
from pathlib import Path

import psycopg
import pytest
from django.contrib.auth.models import User

from config import prepared
from graphs.models import Workspace
from tests.web_process import database_url

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def noted(tmp_path: Path) -> Callable[[], bool]:
    """Whether it is left out, after a preparation of a database in which somebody is."""
    User.objects.create(username="somebody")
    prepared.note(tmp_path, "code", database_url())
    return lambda: prepared.is_noted(tmp_path, "code", database_url())


def test_it_is_left_out_where_nothing_changed(noted: Callable[[], bool], tmp_path: Path) -> None:
    assert noted()
    assert not prepared.is_noted(tmp_path, "other code", database_url())
    assert not prepared.is_noted(tmp_path / "other", "code", database_url())


@pytest.mark.parametrize(
    "change",
    [
        "INSERT INTO django_migrations (app, name, applied) VALUES ('chat', '9999_later', now())",
        "DELETE FROM django_migrations WHERE app = 'rag'",
        "UPDATE django_migrations SET applied = now() WHERE id = (SELECT min(id) FROM django_migrations)",
        "UPDATE pg_extension SET extname = 'gone' WHERE extname = 'vector'",
        "DELETE FROM auth_user",
    ],
)
def test_it_is_not_left_out_where_the_database_changed(noted: Callable[[], bool], change: str) -> None:
    assert noted()
    with psycopg.connect(database_url()) as here:
        before = prepared.state(here)
        here.execute(change)
        assert prepared.state(here) != before
        here.rollback()


def test_an_empty_database_is_prepared(tmp_path: Path) -> None:
    prepared.note(tmp_path, "code", database_url())
    assert not prepared.is_noted(tmp_path, "code", database_url())
    Workspace.objects.create(slug="one", name="One")
    prepared.note(tmp_path, "code", database_url())
    assert prepared.is_noted(tmp_path, "code", database_url())


@pytest.mark.parametrize("url", ["postgresql://nobody@127.0.0.1:9/none", "pgsql://nobody@127.0.0.1/none"])
def test_a_database_that_cannot_be_asked_is_prepared(noted: Callable[[], bool], tmp_path: Path, url: str) -> None:
    assert not prepared.is_noted(tmp_path, "code", url)
    prepared.note(tmp_path, "code", url)
    assert noted()


def test_code_is_another_when_a_file_or_a_package_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    packages, ours = tmp_path / "packages", tmp_path / "ours" / "chat" / "migrations"
    for folder in (packages / "Django-5.2.19.dist-info", ours):
        folder.mkdir(parents=True)
    (ours / "0001_initial.py").write_text("first")
    monkeypatch.setattr(prepared, "BASE_DIR", tmp_path / "ours")
    monkeypatch.setattr(prepared.sysconfig, "get_path", lambda _name: str(packages))
    seen = [prepared.code()]
    assert prepared.code() == seen[0]

    (ours / "0001_initial.py").write_text("other")
    seen.append(prepared.code())
    (ours / "0001_initial.py").rename(ours / "0002_later.py")
    seen.append(prepared.code())
    (packages / "Django-5.2.19.dist-info").rename(packages / "Django-5.2.20.dist-info")
    seen.append(prepared.code())
    monkeypatch.setenv("DJANGO_SETTINGS_MODULE", "elsewhere.settings")
    seen.append(prepared.code())
    assert len(set(seen)) == len(seen)
