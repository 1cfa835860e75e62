"""The line that says a start is ready tells a password only where it is right."""

import hashlib
import stat
from pathlib import Path

import pytest
from django.contrib.auth.hashers import make_password
from django.contrib.auth.models import User

from config import demo_login, startup
from config.terminal import Terminal
from tests.web_process import database_url

#: What a hash costs is no point of these.
pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("quick_passwords")]


@pytest.fixture
def demo() -> User:
    return User.objects.create(username="demo", password=make_password("first"))


def told(data_dir: Path, password: str) -> str:
    """What a start with this password tells."""
    demo_login.find_out(data_dir, database_url(), password)
    site = startup.Site(data_dir, "127.0.0.1", 0, 1, 1, database_url(), "", password, "localhost", 1.0)
    return startup.Ready(site, None, Terminal([]))._login()  # type: ignore[arg-type] # it asks nobody


def test_the_password_of_the_database_is_told(demo: User, tmp_path: Path) -> None:
    assert told(tmp_path, "first") == "demo / first"


def test_another_one_is_not_told(demo: User, tmp_path: Path) -> None:
    assert "DEMO_PASSWORD counts for an empty database only" in told(tmp_path, "second")
    assert "second" not in told(tmp_path, "second")
    assert told(tmp_path, "first") == "demo / first"


def test_one_that_was_changed_is_no_longer_told(demo: User, tmp_path: Path) -> None:
    assert told(tmp_path, "first") == "demo / first"
    demo.set_password("of her own")
    demo.save()
    assert "first" not in told(tmp_path, "first")


@pytest.mark.parametrize("change", [{"is_active": False}, {"username": "somebody"}])
def test_where_nobody_may_sign_in_so_none_is_told(demo: User, tmp_path: Path, change: dict[str, object]) -> None:
    User.objects.filter(pk=demo.pk).update(**change)
    assert "first" not in told(tmp_path, "first")


def test_what_is_known_is_not_found_out_again(demo: User, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert told(tmp_path, "first") == "demo / first"
    monkeypatch.setattr(demo_login, "_fits", lambda password, stored: pytest.fail("it takes a third of a second"))
    assert told(tmp_path, "first") == "demo / first"


@pytest.mark.parametrize("broken", ["", "[]", "x" * 64])
def test_a_broken_note_is_none(demo: User, tmp_path: Path, broken: str) -> None:
    (tmp_path / "demo_login").write_text(broken)
    assert "first" not in told(tmp_path, "second")
    (tmp_path / "demo_login").write_text(broken)
    assert told(tmp_path, "first") == "demo / first"


def test_the_note_is_closed_and_says_nothing_of_the_password(demo: User, tmp_path: Path) -> None:
    tmp_path.joinpath("demo_login").write_text("open to all")
    tmp_path.joinpath("demo_login").chmod(0o644)
    told(tmp_path, "first")
    note = tmp_path / "demo_login"
    assert stat.S_IMODE(note.stat().st_mode) == 0o600
    plain = hashlib.sha256(f"{demo.password}\0first".encode()).hexdigest()
    assert not [each for each in (demo.password, "first", plain) if each in note.read_text()]
