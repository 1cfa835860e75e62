"""The whole of `manage.py up` with real servers; only the web server is a stand-in."""

import os
import signal
import subprocess
import sys
import time
import urllib.request
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import psutil
import psycopg
import pytest
import redis

from config import local
from tests.config.running import ROOT, STAND_IN, Up

pytestmark = [pytest.mark.processes, pytest.mark.timeout(300)]

Start = Callable[..., Up]
#: All are handled alike.
SIGNALS = [signal.SIGINT, signal.SIGTERM, signal.SIGHUP] if os.environ.get("FULL") else [signal.SIGINT]


def write_something(data_dir: Path) -> None:
    found = local.server_paths(data_dir)
    with psycopg.connect(found.owner_url, autocommit=True) as connection:
        connection.execute("CREATE TABLE IF NOT EXISTS kept (word text)")
        connection.execute("INSERT INTO kept VALUES ('here')")
    redis.Redis.from_url(found.redis_url).set("kept", "here")


def assert_it_is_there(data_dir: Path) -> None:
    found = local.server_paths(data_dir)
    with psycopg.connect(found.owner_url) as connection:
        assert connection.execute("SELECT DISTINCT word FROM kept").fetchall() == [("here",)]
        assert connection.execute("SELECT count(*) FROM pg_extension WHERE extname = 'vector'").fetchone() == (1,)
    assert redis.Redis.from_url(found.redis_url).get("kept") == b"here"


def answer(port: int) -> int:
    """The process that answered on the port."""
    with urllib.request.urlopen(f"http://127.0.0.1:{port}/", timeout=60) as response:
        return int(response.read())


def not_ended(processes: list[psutil.Process]) -> list[psutil.Process]:
    """One that has ended may still be listed: whoever inherited it has not asked yet how."""
    found = []
    for each in processes:
        with suppress(psutil.NoSuchProcess):
            if each.status() != psutil.STATUS_ZOMBIE:
                found.append(each)
    return found


@pytest.mark.faults
@pytest.mark.parametrize("number", SIGNALS)
def test_it_leaves_nothing_behind_when_it_is_stopped(up: Start, number: signal.Signals) -> None:
    running = up("--web", "2", "--workers", "1")
    running.ready()
    assert set(running.children()) == {"bin/postgres", "valkey-server", "web-1", "web-2", "worker-1"}
    family = running.family()
    running.process.send_signal(number)
    assert running.ended() == 0, running.output
    assert "database system is shut down" in running.output
    assert not_ended(family) == []


def test_it_recovers_from_a_kill_with_its_data_and_password(up: Start, data_dir: Path) -> None:
    first = up("--web", "2", "--workers", "1")
    login = first.ready().partition("login:")[2]
    write_something(data_dir)
    family = first.family()
    first.process.kill()
    second = up(*("--port", str(first.port())))
    assert second.ready().partition("login:")[2] == login
    assert psutil.wait_procs(family, timeout=30)[1] == []
    assert_it_is_there(data_dir)


@pytest.mark.parametrize("asked_for", ["", "true"])
def test_postgresql_logs_what_people_wrote_only_if_text_is_asked_for(up: Start, data_dir: Path, asked_for: str) -> None:
    running = up(AI_LOG_TEXT=asked_for)
    running.ready()
    waiting = b"SELECT pg_advisory_xact_lock(1), 'canary of a wait'"
    url = running.let_superuser_in()
    with psycopg.connect(url) as holder, psycopg.connect(url, autocommit=True) as other:
        with pytest.raises(psycopg.DataError):
            other.execute("SELECT 'canary of a value'::int, 'canary of a statement'")
        with pytest.raises(psycopg.errors.UniqueViolation):
            other.execute("CREATE TEMP TABLE once (word text UNIQUE); INSERT INTO once VALUES ('canary'), ('canary')")
        holder.execute("SELECT pg_advisory_xact_lock(1)")
        other.execute("SET deadlock_timeout = '10ms'; SET log_lock_waits = on")
        other.pgconn.send_query(waiting)
        running.wait_until(lambda: "still waiting for ExclusiveLock" in running.output)
        other.cancel_safe()
        assert (stopped := other.pgconn.get_result()) is not None
        assert b"canceling statement due to user request" in stopped.error_message
        assert other.pgconn.get_result() is None
    running.end()
    running.ended()  # All it said is read: what was asked comes on lines of its own, after what came of it.
    told = [word for word in ("a value", "a statement", "a wait", "(word)=(canary)") if word in running.output]
    assert told == (["a value", "a statement", "a wait", "(word)=(canary)"] if asked_for else [])
    assert ("canary" in running.output) is bool(asked_for)


def test_it_recovers_from_stale_files(up: Start, data_dir: Path) -> None:
    """As after a power cut: the number in PostgreSQL's file belongs to some other process now."""
    where = local.server_paths(data_dir)
    first = up()
    first.ready()
    write_something(data_dir)
    first.end()
    (where.postgres_data / "postmaster.pid").write_text("1\n")
    for stale in (where.postgres_socket, where.valkey_socket, data_dir / "up.lock"):
        stale.write_text("")
    up().ready()
    assert_it_is_there(data_dir)


def test_it_prepares_the_database_again_only_where_something_changed(up: Start, data_dir: Path) -> None:
    def start() -> str:
        running = up()
        running.ready()
        running.end()
        return running.output

    start()
    assert "prepare" not in start()
    url = local.server_paths(data_dir).owner_url
    running = up()
    running.ready()
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute("INSERT INTO django_migrations (app, name, applied) VALUES ('gone', '0001_gone', now())")
    running.end()
    assert "No migrations to apply." in start()
    assert "prepare" not in start()


def test_it_starts_a_dead_process_again(up: Start, data_dir: Path) -> None:
    running = up()
    port = running.port()
    write_something(data_dir)
    web, postgres = running.children()["web-1"], running.children()["bin/postgres"]
    assert answer(port) == web.pid
    web.kill()
    running.wait_until(lambda: "web-1 ended (signal 9); it is started again." in running.output)
    assert answer(port) != web.pid
    postgres.kill()
    running.wait_until(lambda: running.output.count("ready to accept connections") == 2)
    assert_it_is_there(data_dir)


def test_it_says_who_has_the_data_folder(up: Start) -> None:
    first = up()
    first.ready()
    second = up()
    assert second.ended() == 1
    assert f"already runs on the data folder {first.data_dir} (process {first.process.pid})" in second.output
    assert "Traceback" not in second.output


def test_it_says_that_the_port_is_taken(up: Start, taken_port: int) -> None:
    refused = up("--port", str(taken_port))
    assert refused.ended() == 1
    assert f"Port {taken_port} on 127.0.0.1 is taken by another program." in refused.output
    assert "Traceback" not in refused.output


def test_it_refuses_data_of_another_major_version(up: Start, tmp_path: Path) -> None:
    (tmp_path / "postgres").mkdir()
    (tmp_path / "postgres" / "PG_VERSION").write_text("16\n")
    refused = up(folder=tmp_path)
    assert refused.ended() == 1
    assert "were written by PostgreSQL 16; this is PostgreSQL 18." in refused.output
    assert "Traceback" not in refused.output


def test_it_names_the_variables_that_do_not_fit(up: Start) -> None:
    refused = up(TOOL_ROUNDS="many", DATABASE_URL="postgresql://:canary/secret@host:5432/x")
    assert refused.ended() == 1
    assert "DATABASE_URL: is no address" in refused.output
    assert "TOOL_ROUNDS: " in refused.output
    assert "Traceback" not in refused.output
    assert "canary" not in refused.output


WHO_STARTS_IT = """
import subprocess, sys
print(subprocess.Popen([sys.executable, *sys.argv[1:]], stdout=subprocess.DEVNULL).pid, flush=True)
sys.stdin.read()
"""


def test_it_ends_with_who_started_it_also_while_it_starts(data_dir: Path) -> None:
    (data_dir / "up.lock").unlink(missing_ok=True)
    command = [sys.executable, "-c", WHO_STARTS_IT, *STAND_IN, "--with-parent", "--port", "0", "--workers", "0"]
    ours = {name: os.environ[name] for name in os.environ if name not in ("DATABASE_URL", "REDIS_URL")}
    parent = subprocess.Popen(
        command, cwd=ROOT, env=ours | {"DATA_DIR": str(data_dir)}, stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    assert parent.stdout
    started = psutil.Process(int(parent.stdout.readline()))
    while not (data_dir / "up.lock").exists():
        assert started.is_running()
        time.sleep(0.01)
    parent.kill()
    parent.wait()
    try:
        started.wait(timeout=60)
    finally:
        if started.is_running():
            started.kill()


def test_it_says_that_a_valkey_of_ones_own_cannot_be_reached(up: Start) -> None:
    refused = up(REDIS_URL="redis://127.0.0.1:9/0")
    assert refused.ended() == 1
    assert "Cannot reach the Valkey or Redis of REDIS_URL" in refused.output
    assert "Traceback" not in refused.output


def test_it_says_that_a_database_of_ones_own_cannot_be_reached() -> None:
    env = {**os.environ, "DATABASE_URL": "postgresql://nobody@127.0.0.1:9/none"}
    refused = subprocess.run([sys.executable, "-m", "config.prepare"], env=env, capture_output=True, text=True)
    assert refused.returncode == 1
    assert "Cannot reach the database" in refused.stderr
    assert "Traceback" not in refused.stderr
