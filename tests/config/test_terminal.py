import io
import threading

import pytest

from config.terminal import BACKLOG, Terminal


class Tty(io.StringIO):
    def isatty(self) -> bool:
        return True


class Blocked(io.StringIO):
    """Nobody reads it until `free` is set."""

    def __init__(self) -> None:
        super().__init__()
        self.free = threading.Event()

    def write(self, text: str) -> int:
        self.free.wait(30)
        return super().write(text)


def test_it_prefixes_lines_to_one_width() -> None:
    out = io.StringIO()
    terminal = Terminal(["web-1", "beat"], out)
    terminal.line("web-1", "hello")
    terminal.line("beat", "tick")
    terminal.say("Ready: here")
    terminal.close()
    assert out.getvalue() == "web-1 | hello\nbeat  | tick\nReady: here\n"


def test_it_colours_only_a_terminal_that_wants_it(monkeypatch: pytest.MonkeyPatch) -> None:
    def written(out: io.StringIO) -> str:
        terminal = Terminal(["web"], out)
        terminal.line("web", "x")
        terminal.close()
        return out.getvalue()

    monkeypatch.delenv("NO_COLOR", raising=False)
    assert written(Tty()) == "\x1b[36mweb |\x1b[0m x\n"
    assert written(io.StringIO()) == "web | x\n"
    monkeypatch.setenv("NO_COLOR", "1")
    assert written(Tty()) == "web | x\n"


def test_it_lets_no_process_control_the_terminal() -> None:
    out = io.StringIO()
    terminal = Terminal(["web"], out)
    terminal.line("web", "a\x1b[2Jb\x07")
    terminal.close()
    assert out.getvalue() == "web | a[2Jb\n"


def test_it_makes_nobody_wait_for_a_slow_reader() -> None:
    out = Blocked()
    terminal = Terminal(["web"], out)
    for number in range(BACKLOG + 100):
        terminal.line("web", str(number))
    out.free.set()
    terminal.close()
    terminal.say("never written")
    assert "lines were left out here" in out.getvalue()
