"""config/forking.py and config/fork_server.py: with small modules in place of what the site loads and runs."""

import io
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import psutil
import pytest

from config import processes, startup
from config.children import Child
from config.forking import ForkServer
from config.processes import _python
from config.supervisor import Supervisor
from config.terminal import Terminal

pytestmark = [
    pytest.mark.processes,
    pytest.mark.skipif(sys.platform != "linux", reason="elsewhere every process is executed"),
]

LOADED = """
import pathlib, time
while not pathlib.Path({room!r}).exists(): time.sleep(0.01)
"""
RUN = """
import os, sys, time
import what_is_shared
print(os.environ["WORD"], sys.argv[1:], os.environ.get("SECRET"), sys.argv[0].endswith("what_runs.py"), flush=True)
if sys.argv[1] == "end": sys.exit(7)
time.sleep(3600)
"""


@pytest.fixture
def loaded() -> str:
    """What is loaded at last."""
    return ""


@pytest.fixture
def room(tmp_path: Path, loaded: str) -> Path:
    """Once this file exists, loading ends."""
    (tmp_path / "what_is_shared.py").write_text(LOADED.format(room=str(tmp_path / "room")) + loaded)
    (tmp_path / "what_runs.py").write_text(RUN)
    return tmp_path / "room"


@pytest.fixture
def out() -> io.StringIO:
    return io.StringIO()


@pytest.fixture
def supervisor(out: io.StringIO) -> Iterator[Supervisor]:
    terminal = Terminal([], out)
    with Supervisor(terminal) as supervisor:
        yield supervisor
    terminal.close()


@pytest.fixture
def forks(room: Path, supervisor: Supervisor, monkeypatch: pytest.MonkeyPatch) -> Iterator[ForkServer]:
    monkeypatch.setattr(processes, "LOADED", "what_is_shared")
    env = {**os.environ, "PYTHONPATH": f"{processes.BASE_DIR}:{room.parent}", "PYTHONUNBUFFERED": "1"}
    forks = ForkServer(env)
    with forks.asked:
        supervisor.begin(processes.fork_server(forks, []), forks.has_ended)
    yield forks
    forks.has_ended()


@pytest.fixture
def start(forks: ForkServer, supervisor: Supervisor) -> Callable[..., Child]:
    def start(*arguments: str) -> Child:
        env = {**forks.env, "WORD": "hello"}
        program = _python("some-1", ["what_runs", *arguments], env, forked_by=forks)
        (keeper,) = supervisor.keep(program)
        assert keeper.child
        return keeper.child

    return start


def wait(supervisor: Supervisor, happened: Callable[[], object]) -> None:
    supervisor.wait_for(lambda: bool(happened()), 30, "It did not happen.")


def name(child: Child) -> str:
    return psutil.Process(child.pid).name() if child.pid else ""


def test_what_is_forked_is_a_child_with_its_own_name_words_and_output(
    start: Callable[..., Child], supervisor: Supervisor, forks: ForkServer, room: Path
) -> None:
    child = start("stay")
    assert child.poll() is None
    room.touch()
    wait(supervisor, lambda: child.tail)
    assert child.tail == "hello ['stay'] None True"
    assert name(child) == "some-1"
    assert psutil.Process(child.pid).ppid() == os.getpid()
    assert os.getsid(child.pid) == child.pid
    forks.close()
    wait(supervisor, lambda: not supervisor._passing)
    assert child.poll() is None
    child.send(signal.SIGTERM)
    wait(supervisor, lambda: child.poll() == -signal.SIGTERM)


def test_its_exit_code_is_known_and_who_comes_after_the_server_is_executed(
    start: Callable[..., Child], supervisor: Supervisor, forks: ForkServer, room: Path
) -> None:
    room.touch()
    child = start("end")
    wait(supervisor, lambda: child.poll() == 7)
    supervisor._keepers.clear()  # It would end again and again.
    forks.close()
    second = start("stay")
    wait(supervisor, lambda: second.tail)
    assert second.tail == "hello ['stay'] None True"
    assert name(second) != "some-1"


@pytest.mark.parametrize(
    ("loaded", "said"),
    [
        ("raise SystemExit('cannot be loaded')", "cannot be loaded"),
        (
            "import threading, time; threading.Thread(target=time.sleep, args=(9,), daemon=True).start()",
            "what is loaded has begun threads: <Thread(Thread-1 (sleep)",
        ),
        ("import socket; kept = socket.socketpair()", "what is loaded has opened 2 sockets"),
    ],
)
def test_where_the_server_cannot_fork_it_is_executed_instead(
    start: Callable[..., Child], supervisor: Supervisor, out: io.StringIO, room: Path, said: str
) -> None:
    child = start("stay")
    room.touch()
    wait(supervisor, lambda: child.poll() == 1)
    wait(supervisor, lambda: said in out.getvalue())
    (room.parent / "what_is_shared.py").write_text("")
    (keeper,) = supervisor._keepers
    wait(supervisor, lambda: keeper.child and keeper.child.tail)


def test_who_is_stopped_before_it_is_there_never_comes(
    start: Callable[..., Child], supervisor: Supervisor, room: Path
) -> None:
    child = start("stay")
    child.send(signal.SIGTERM)
    assert child.poll() == 1
    room.touch()
    other = start("stay")
    wait(supervisor, lambda: other.tail)
    assert child.tail == ""
    assert [name(each) for each in (other, child)] == ["some-1", ""]


NOTHING_RUNS = """
import threading
from django.core import checks
checks.run_checks = lambda: print("looked at the whole site")
import config.loaded
from config import fork_server
from django.db import connections
print(threading.active_count(), connections["default"].connection, connections["default"]._connection_pools)
print(repr(fork_server._not_to_be_forked({0, 1, 2})))
import sys
print([name for name in ("daphne.server", "twisted.internet.reactor") if name in sys.modules])
"""


def test_what_is_loaded_has_no_thread_no_connection_and_no_event_loop(tmp_path: Path) -> None:
    """Which a fork would share, or lose; nor is the whole site looked at."""
    forks = ForkServer(processes.environment(tmp_path, ""))
    with forks.asked:
        env = processes.fork_server(forks, []).env
    forks.has_ended()
    done = subprocess.run([sys.executable, "-c", NOTHING_RUNS], env=env, capture_output=True, text=True)
    assert done.stdout == "1 None {}\n''\n[]\n", done.stderr


def test_who_knows_more_than_the_server_or_counts_is_not_forked(forks: ForkServer, supervisor: Supervisor) -> None:
    env, owner = dict(forks.env), {"DATABASE_OWNER_URL": "postgresql://owner@host/name"}
    (told,) = processes.workers(1, Path("/data"), env | owner, forks)
    (other,) = processes.workers(1, Path("/data"), env, forks)
    (web,) = processes.web(1, 3, 4, 1, processes.without_owner(env | owner), forks)
    assert [each.forked_by for each in (told, other, web)] == [None, forks, forks]
    for name in startup.NOT_FORKED_WITH:
        assert startup._fork_server(env | {name: "given"}, [], supervisor) is None
