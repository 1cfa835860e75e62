"""With small programs in place of servers; every process here ends with its test."""

import io
import os
import signal
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import psutil
import pytest

from config.children import Program
from config.problem import Problem
from config.supervisor import MOST_DEATHS, Stopped, Supervisor
from config.terminal import Terminal

pytestmark = pytest.mark.processes

FOREVER = "import time\nwhile True: time.sleep(1)"


def python(name: str, code: str, **options: object) -> Program:
    return Program(name, [sys.executable, "-c", code], **options)  # type: ignore[arg-type]


@pytest.fixture
def out() -> io.StringIO:
    return io.StringIO()


@pytest.fixture
def supervisor(out: io.StringIO) -> Iterator[Supervisor]:
    terminal = Terminal(["one", "two"], out)
    with Supervisor(terminal) as supervisor:
        yield supervisor
    terminal.close()


def wait(supervisor: Supervisor, happened: Callable[[], bool]) -> None:
    supervisor.wait_for(happened, 30, "It did not happen.")


def test_it_starts_a_program_again_that_ended(supervisor: Supervisor, tmp_path: Path) -> None:
    starts = tmp_path / "starts"
    (keeper,) = supervisor.keep(python("one", f"open({str(starts)!r}, 'a').write('x')\n{FOREVER}"))
    wait(supervisor, lambda: starts.exists() and starts.read_text() == "x")
    assert keeper.child
    os.kill(keeper.child.pid, signal.SIGKILL)
    wait(supervisor, lambda: starts.read_text() == "xx")


def test_it_gives_up_with_the_last_line(supervisor: Supervisor) -> None:
    supervisor.keep(python("one", "print('first', flush=True)\nexit('the reason')"))
    with pytest.raises(Problem, match=r"one ended 5 times .* the last one: the reason"):
        wait(supervisor, lambda: False)


def test_it_does_not_repeat_what_cannot_work(supervisor: Supervisor) -> None:
    explain = {"no such luck": "Do this instead."}.get
    supervisor.keep(python("one", "exit('no such luck')", explain=explain))
    with pytest.raises(Problem, match=r"^Do this instead\.$"):
        wait(supervisor, lambda: False)


def test_it_waits_for_a_predecessor_without_counting(supervisor: Supervisor, tmp_path: Path) -> None:
    gone = tmp_path / "gone"
    code = f"import pathlib\nif not pathlib.Path({str(gone)!r}).exists(): exit('still there')\n{FOREVER}"
    (keeper,) = supervisor.keep(python("one", code, waits=lambda tail: "still there" in tail))
    wait(supervisor, lambda: keeper.child is None)
    gone.touch()
    wait(supervisor, lambda: keeper.child is not None and psutil.Process(keeper.child.pid).is_running())
    assert keeper.deaths == []


def test_what_passes_ends_nothing_once_everything_has_begun(
    supervisor: Supervisor, out: io.StringIO, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """However often it dies meanwhile; at the beginning the advice ends the start."""
    monkeypatch.setattr("config.supervisor.PASSES_S", 0.05)
    room, starts, runs = tmp_path / "room", tmp_path / "starts", tmp_path / "runs"
    code = (
        f"import pathlib\nopen({str(starts)!r}, 'a').write('x')\n"
        f"if not pathlib.Path({str(room)!r}).exists(): exit('the disk is full')\n"
        f"pathlib.Path({str(runs)!r}).touch()\n{FOREVER}"
    )
    full = python("one", code, passes=lambda tail: "full" in tail, explain=lambda tail: "Free some space.")
    supervisor.has_begun = True
    (keeper,) = supervisor.keep(full)
    wait(supervisor, lambda: starts.exists() and len(starts.read_text()) > MOST_DEATHS + 1)
    assert out.getvalue().count("until it can run: the disk is full") == 1
    room.touch()
    wait(supervisor, runs.exists)
    assert keeper.child is not None
    assert keeper.child.poll() is None

    room.unlink()
    supervisor.has_begun = False
    supervisor.keep(full)
    with pytest.raises(Problem, match=r"^Free some space\.$"):
        wait(supervisor, lambda: False)


def test_lines_that_are_hidden_are_neither_shown_nor_kept(supervisor: Supervisor, out: io.StringIO) -> None:
    said = "PANIC:  full\\nSTATEMENT:  SELECT\\n\\tcanary\\nLOG:  done\\n\\tof it"
    program = python("one", f"print('{said}', flush=True)\n{FOREVER}", hides=lambda line: line.startswith("STATEMENT"))
    (keeper,) = supervisor.keep(program)
    wait(supervisor, lambda: "of it" in out.getvalue())  # kept first
    assert keeper.child is not None
    for text in (keeper.child.tail, out.getvalue()):
        assert "PANIC:  full" in text
        assert "canary" not in text
        assert "STATEMENT" not in text


def test_it_starts_a_program_once_it_may(supervisor: Supervisor) -> None:
    allowed: list[bool] = []
    (keeper,) = supervisor.keep(python("one", FOREVER), once=lambda: bool(allowed))
    supervisor.pause()
    assert keeper.child is None
    allowed.append(True)
    supervisor.pause()
    assert keeper.child is not None


def test_it_stops_the_youngest_first(tmp_path: Path) -> None:
    order = tmp_path / "order"
    code = (
        "import signal, sys\n"
        "def end(*_): open({path!r}, 'a').write({name!r}); sys.exit()\n"
        "signal.signal(signal.SIGTERM, end)\n"
        "print('up', flush=True)\n"
    )
    terminal = Terminal([])
    with Supervisor(terminal) as supervisor:
        for name in ("a", "b", "c"):
            (keeper,) = supervisor.keep(python(name, code.format(path=str(order), name=name) + FOREVER))
            wait(supervisor, lambda child=keeper.child: child is not None and child.tail == "up")
    assert order.read_text() == "cba"


def test_it_kills_what_does_not_stop(tmp_path: Path) -> None:
    deaf = f"import signal\nsignal.signal(signal.SIGTERM, signal.SIG_IGN)\nprint('deaf', flush=True)\n{FOREVER}"
    with Supervisor(Terminal([])) as supervisor:
        (keeper,) = supervisor.keep(python("one", deaf, stop=((signal.SIGTERM, 0.1),)))
        child = keeper.child
        assert child
        wait(supervisor, lambda: child.tail == "deaf")
    assert child.poll() == -signal.SIGKILL


def test_it_does_not_wait_after_a_second_request(supervisor: Supervisor) -> None:
    deaf = f"import signal\nsignal.signal(signal.SIGTERM, signal.SIG_IGN)\nprint('deaf', flush=True)\n{FOREVER}"
    (keeper,) = supervisor.keep(python("one", deaf, stop=((signal.SIGTERM, 3600),)))
    child = keeper.child
    assert child
    wait(supervisor, lambda: child.tail == "deaf")
    supervisor.stop_on_request()
    supervisor.stop_on_request()
    with pytest.raises(Stopped):
        supervisor.pause()


def test_it_returns_code_and_last_lines_of_a_single_run(supervisor: Supervisor) -> None:
    assert supervisor.run(python("one", "print('a')\nprint('b')\nexit(3)")) == (3, "a\nb")


PARENT = """
import sys, time
sys.path.insert(0, {base!r})
from config.children import Child, Program
from config.terminal import Terminal
sys.platform = {platform!r}
child = Child(Program("x", [sys.executable, "-c", {code!r}]), Terminal([]))
print(child.pid, flush=True)
time.sleep(3600)
"""


@pytest.mark.parametrize("platform", ["linux", "darwin"])
def test_it_takes_its_processes_with_it_when_it_is_killed(platform: str) -> None:
    """On Linux the kernel does it, elsewhere the guardian."""
    if platform == "linux" and sys.platform != "linux":
        pytest.skip("only Linux sends a signal when a parent dies")
    base = str(Path(__file__).resolve().parents[2])
    code = PARENT.format(base=base, platform=platform, code=FOREVER)
    parent = psutil.Popen([sys.executable, "-c", code], stdout=-1)
    first = psutil.Process(int(parent.stdout.readline()))
    deadline = time.monotonic() + 30
    while not any(process.cmdline()[1:2] == ["-c"] for process in family(first)):
        assert time.monotonic() < deadline
        time.sleep(0.05)
    children = family(first)
    assert len(children) == (1 if platform == "linux" else 2)
    parent.kill()
    parent.wait()
    assert psutil.wait_procs(children, timeout=30)[1] == []


def family(first: psutil.Process) -> list[psutil.Process]:
    return [first, *first.children(recursive=True)]
