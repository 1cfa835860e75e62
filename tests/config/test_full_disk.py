"""A full disk ends a start with its reason, the folder and what to do, whichever process met it."""

import errno
import os
import shutil
import sys
from pathlib import Path

import pytest

from config import local, postgres, processes, startup, valkey
from config.children import Program
from config.problem import Problem
from config.supervisor import Supervisor
from config.terminal import Terminal

OF_POSTGRES = 'django.db.utils.OperationalError: could not extend file "base/16388/1259": No space left on device'
OF_SYSTEM = "OSError: [Errno 28] No space left on device: '/data/beat-schedule.dat'"


@pytest.fixture
def env(tmp_path: Path, as_ordinary_user: None, monkeypatch: pytest.MonkeyPatch) -> dict[str, str]:
    monkeypatch.delenv("DATABASE_URL", raising=False)
    return processes.environment(tmp_path, "")


def programs(env: dict[str, str]) -> list[Program]:
    return [processes.prepare(env), *processes.web(1, 3, 4, 1, env), *processes.workers(1, Path(env["DATA_DIR"]), env)]


@pytest.mark.parametrize("said", [OF_POSTGRES, OF_SYSTEM, "OSError: [Errno 122] Disk quota exceeded: '/data/x'"])
def test_each_process_of_ours_says_so_and_is_tried_again_later(env: dict[str, str], said: str) -> None:
    for program in programs(env):
        told = program.explain(f"Traceback\n{said}\nHINT:  Check free disk space.")
        assert told is not None
        assert told.startswith(f"The disk that holds {env['DATA_DIR']} is full ({said}). Free at least 200 MB"), told
        assert program.passes(said)
        assert program.explain("ValueError: no") is None
        assert not program.passes("ValueError: no")


def test_the_disk_of_a_database_of_ones_own_is_another_one(env: dict[str, str]) -> None:
    elsewhere = env | {"DATABASE_URL": "postgresql:///mine"}
    for program in programs(elsewhere):
        told = program.explain(OF_POSTGRES)
        assert told == f"The disk of the database in DATABASE_URL is full ({OF_POSTGRES}). Free some space there."
        assert env["DATA_DIR"] in (program.explain(OF_SYSTEM) or "")


def test_servers_quote_their_last_line(tmp_path: Path, as_ordinary_user: None) -> None:
    where = local.server_paths(tmp_path)
    line = "PANIC:  could not write to file: No space left on device"
    for told in (postgres.explain(f"{line}\nLOG:  done", where), valkey.explain(f"{line}\n", where)):
        assert told is not None
        assert told.startswith(f"The disk that holds {tmp_path}")
        assert f"is full ({line}). Free at least 200 MB" in told


@pytest.mark.processes
def test_a_preparation_that_fails_for_it_says_so(env: dict[str, str], monkeypatch: pytest.MonkeyPatch) -> None:
    program = processes.prepare(env)

    def ends_with(said: str) -> str:
        failing = Program("prepare", [sys.executable, "-c", f"exit({said!r})"], explain=program.explain)
        monkeypatch.setattr(processes, "prepare", lambda _env: failing)
        terminal = Terminal(["prepare"])
        with Supervisor(terminal) as supervisor, pytest.raises(Problem) as ended:
            startup._prepare(env, supervisor)
        terminal.close()
        return ended.value.sentence

    assert OF_POSTGRES in ends_with(f"{OF_POSTGRES}\nHINT:  Check free disk space.")
    told = ends_with(
        "psycopg.errors.X: no such thing\nLINE 1: SELECT\n        ^\nHINT:  Perhaps another.\nDETAIL:  None."
    )
    assert told.startswith("The database could not be prepared: psycopg.errors.X: no such thing\n")


def test_it_is_no_traceback_where_metrics_find_no_room(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("METRICS_TOKEN", "0123456789abcdef")
    monkeypatch.delenv("PROMETHEUS_MULTIPROC_DIR", raising=False)

    def full(path: Path, *_: object, **__: object) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), str(path))

    monkeypatch.setattr(Path, "mkdir", full)
    with pytest.raises(Problem, match=r"is full \(.*No space left on device: '.*metrics'\)\. Free"):
        startup._room_for_metrics(tmp_path)


def test_what_could_not_be_copied_for_it_is_no_matter_of_rights(tmp_path: Path) -> None:
    error = shutil.Error([("/from", "/to", "[Errno 28] No space left on device: '/to'")])
    told = local.no_access(tmp_path, error)
    assert f"The disk that holds {tmp_path} is full" in told
    assert "read and write access" not in told
