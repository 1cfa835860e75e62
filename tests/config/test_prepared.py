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
def app(tmp_path: Path) -> Path:
    """The folder of an application, with a migration."""
    folder = tmp_path / "app"
    (folder / "migrations").mkdir(parents=True)
    (folder / "migrations" / "0001_initial.py").write_text("first")
    return folder


@pytest.fixture
def noted(tmp_path: Path, app: Path) -> Callable[[], bool]:
    """Whether it is left out, after a preparation of a database in which somebody is."""
    User.objects.create(username="somebody")
    prepare(tmp_path, app)
    return lambda: prepared.is_noted(tmp_path, database_url())


def prepare(data_dir: Path, app: Path, url: str = "") -> None:
    prepared.note(data_dir, url or database_url(), [str(app)], prepared.code([str(app)]))


def test_it_is_left_out_where_nothing_changed(noted: Callable[[], bool], tmp_path: Path) -> None:
    assert noted()
    assert not prepared.is_noted(tmp_path / "other", database_url())
    (tmp_path / "prepared").write_text("{}")
    assert not noted()


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


def test_an_empty_database_is_prepared(tmp_path: Path, app: Path) -> None:
    prepare(tmp_path, app)
    assert not prepared.is_noted(tmp_path, database_url())
    Workspace.objects.create(slug="one", name="One")
    prepare(tmp_path, app)
    assert prepared.is_noted(tmp_path, database_url())


@pytest.mark.parametrize("url", ["postgresql://nobody@127.0.0.1:9/none", "pgsql://nobody@127.0.0.1/none"])
def test_a_database_that_cannot_be_asked_is_prepared(
    noted: Callable[[], bool], tmp_path: Path, app: Path, url: str
) -> None:
    assert not prepared.is_noted(tmp_path, url)
    prepare(tmp_path, app, url)
    assert noted()


def test_it_is_not_left_out_where_code_or_a_package_changed(
    noted: Callable[[], bool], tmp_path: Path, app: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    package = tmp_path / "packages" / "Django-5.2.19.dist-info"
    package.mkdir(parents=True)
    monkeypatch.setattr(prepared.sysconfig, "get_path", lambda _name: str(package.parent))
    migration = app / "migrations" / "0001_initial.py"
    changes: list[Callable[[], object]] = [
        lambda: migration.write_text("other"),
        lambda: migration.with_name("0002_later.py").write_text("later"),
        lambda: package.rename(package.with_name("Django-5.2.20.dist-info")),
        lambda: monkeypatch.setenv("DJANGO_SETTINGS_MODULE", "elsewhere.settings"),
    ]
    for change in changes:
        prepare(tmp_path, app)
        assert noted()
        change()
        assert not noted()


def test_another_version_beside_it_has_prepared_nothing_for_this_one(
    noted: Callable[[], bool], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Whose folders are there still, and unchanged."""
    assert noted()
    monkeypatch.setattr(prepared, "HERE", str(tmp_path / "cs-2"))
    assert not noted()


def test_it_looks_at_every_application_and_the_settings() -> None:
    looked_at = [Path(folder) for folder in prepared.folders_of_apps()]
    root = Path(prepared.__file__).parent.parent
    ours = [root / name for name in ("chat", "config", "graphs", "rag", "tests/shop")]
    assert set(ours) <= set(looked_at)
    assert not any("site-packages" in folder.parts for folder in looked_at)
