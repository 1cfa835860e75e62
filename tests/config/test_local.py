import errno
import os
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from config import local, startup
from config.problem import Problem


def test_it_names_sockets_in_the_data_folder(tmp_path: Path, as_ordinary_user: None) -> None:
    found = local.server_paths(tmp_path)
    assert found.database_url == f"postgresql://countersign:{found.password}@/countersign?host={tmp_path}/socket"
    assert found.owner_url == (
        f"postgresql://countersign_owner:{found.owner_password}@/countersign?host={tmp_path}/socket"
    )
    assert found.password != found.owner_password
    assert found.redis_url == f"unix://{tmp_path}/valkey/valkey.sock?db=0"


@pytest.mark.parametrize("name", ["x" * 200, "with space", "où", "a?b", "a%20b"])
@pytest.mark.parametrize("root", [True, False])
def test_it_keeps_socket_paths_short_and_plain(monkeypatch: pytest.MonkeyPatch, name: str, root: bool) -> None:
    monkeypatch.setattr("os.geteuid", lambda: 0 if root else 1000)
    where = local.server_paths(Path("/somewhere") / name)
    for socket in (where.postgres_socket, where.valkey_socket):
        assert len(str(socket).encode()) <= local.SOCKET_PATH_LIMIT
        assert str(socket).isascii()
        assert not set(str(socket)) & set(" ?%")
    assert where == local.server_paths(Path("/somewhere") / name)
    assert where.postgres_socket != local.server_paths(Path("/somewhere/else") / name).postgres_socket


def test_it_moves_roots_data_out_of_a_folder_that_others_cannot_enter(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("os.geteuid", lambda: 0)
    monkeypatch.setattr(local, "SYSTEM_DIR", tmp_path / "system")
    closed = tmp_path / "closed"
    closed.mkdir(mode=0o700)
    assert local.server_paths(closed).postgres_home.parent == tmp_path / "system"


def test_it_leaves_data_where_they_are_when_permissions_change(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("os.geteuid", lambda: 0)
    monkeypatch.setattr(local, "SYSTEM_DIR", tmp_path / "system")
    closed = tmp_path / "closed"
    (closed / "postgres").mkdir(parents=True)
    closed.chmod(0o700)
    assert local.server_paths(closed).postgres_home == closed


def test_it_makes_a_secret_once_and_keeps_it_to_the_owner(tmp_path: Path) -> None:
    first = local.secret(tmp_path / "data", "secret_key")
    assert local.secret(tmp_path / "data", "secret_key") == first
    assert local.secret(tmp_path / "data", "other") != first
    assert len(first) >= 50
    assert len(set(first)) >= 5
    assert stat.S_IMODE((tmp_path / "data" / "secret_key").stat().st_mode) == 0o600
    assert sorted(path.name for path in (tmp_path / "data").iterdir()) == ["other", "secret_key"]


@pytest.mark.parametrize("mode", [0o604, 0o644, 0o666, 0o701])
def test_it_takes_no_secret_that_others_may_read(tmp_path: Path, mode: int) -> None:
    local.secret(tmp_path, "secret_key")
    (tmp_path / "secret_key").chmod(mode)
    with pytest.raises(Problem, match=r"Others may read .*secret_key.*chmod 600"):
        local.secret(tmp_path, "secret_key")
    assert local.secret(tmp_path, "secret_key", closed=False)
    for closed in (0o400, 0o640):
        (tmp_path / "secret_key").chmod(closed)
        assert local.secret(tmp_path, "secret_key")


def test_it_remembers_the_first_value_it_is_given(tmp_path: Path) -> None:
    assert local.secret(tmp_path, "demo_password", first="sésame") == "sésame"
    assert local.secret(tmp_path, "demo_password", first="other") == "sésame"
    assert local.secret(tmp_path, "demo_password") == "sésame"


def test_it_replaces_an_empty_secret(tmp_path: Path) -> None:
    (tmp_path / "secret_key").touch(mode=0o600)
    assert local.secret(tmp_path, "secret_key") == (tmp_path / "secret_key").read_text()
    assert (tmp_path / "secret_key").read_text()


def test_it_says_what_to_do_when_the_data_folder_is_a_file(tmp_path: Path) -> None:
    (tmp_path / "data").touch()
    with pytest.raises(Problem, match=r"data folder .* or name another folder with DATA_DIR"):
        local.secret(tmp_path / "data", "secret_key")


def test_it_says_what_to_do_when_the_disk_is_full(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object, **__: object) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr("tempfile.mkstemp", full)
    with pytest.raises(Problem, match="is full"):
        local.secret(tmp_path, "secret_key")


@pytest.mark.parametrize(
    ("url", "celery_url"),
    [
        ("unix:///run/valkey.sock?db=3", "redis+socket:///run/valkey.sock?virtual_host=3"),
        ("unix:///run/valkey.sock", "redis+socket:///run/valkey.sock?virtual_host=0"),
        ("unix://user:word@/run/valkey.sock?db=1", "redis+socket://user:word@/run/valkey.sock?virtual_host=1"),
        ("redis://host:6379/1", "redis://host:6379/1"),
        ("rediss://host:6379/1", "rediss://host:6379/1"),
    ],
)
def test_it_spells_addresses_for_celery(url: str, celery_url: str) -> None:
    assert local.celery_url(url) == celery_url


def test_the_folder_of_the_metrics_is_made_or_refused_by_its_name(tmp_path: Path) -> None:
    local.require_metrics_folder(tmp_path / "some" / "folder")
    local.require_metrics_folder(tmp_path / "some" / "folder")
    assert list((tmp_path / "some" / "folder").iterdir()) == []
    (tmp_path / "file").touch()
    for wrong in (tmp_path / "file", tmp_path / "file" / "folder"):
        with pytest.raises(Problem, match="PROMETHEUS_MULTIPROC_DIR"):
            local.require_metrics_folder(wrong)


def test_settings_and_the_start_refuse_a_folder_that_cannot_be_used(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").touch()
    wrong = {"PROMETHEUS_MULTIPROC_DIR": str(tmp_path / "file"), "METRICS_TOKEN": "x" * 16, "DATA_DIR": str(tmp_path)}
    for name, value in wrong.items():
        monkeypatch.setenv(name, value)
    with pytest.raises(Problem, match="PROMETHEUS_MULTIPROC_DIR"):
        startup._room_for_metrics(tmp_path)
    command = [sys.executable, "-c", "import config.settings"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert done.stderr.startswith("The processes cannot count in the folder of PROMETHEUS_MULTIPROC_DIR")
    assert subprocess.run(command, env=os.environ | {"METRICS_TOKEN": ""}, check=False).returncode == 0
