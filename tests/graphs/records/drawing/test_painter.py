"""Drawings come from a process of their own, which may be gone at any moment."""

import os
import signal
import struct
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from xml.etree import ElementTree

import pytest

from graphs.records.drawing import painter as module
from graphs.records.drawing.painter import NotDrawn, Painter
from tests.graphs.records.drawing.scenes import mark, scene


@pytest.fixture
def painter() -> Iterator[Painter]:
    made = Painter()
    yield made
    made.close()


def pid_of(painter: Painter) -> int:
    assert painter._process is not None
    return painter._process.pid


def test_it_draws_and_paints(painter: Painter) -> None:
    assert painter.svg(scene([mark("a")])).startswith(b"<svg")
    assert painter.png(scene([mark("a")])).startswith(b"\x89PNG")


def size_of(picture: bytes) -> tuple[int, int]:
    """The pixels of a PNG."""
    wide, high = struct.unpack(">II", picture[16:24])
    return wide, high


def test_a_picture_has_two_pixels_for_each_unit(painter: Painter) -> None:
    shown = scene([mark("a")], "narrow")
    box = ElementTree.fromstring(painter.svg(shown)).get("viewBox", "")
    assert size_of(painter.png(shown)) == tuple(2 * int(side) for side in box.split()[2:])


@pytest.mark.parametrize("letters", ["ab", "éÉ", "жя", "日本", "안녕", "של", "مر"])
def test_a_picture_has_the_letters_of_names(painter: Painter, letters: str) -> None:
    """Of letters for which there is no font all are the same box."""
    one, other = (painter.png(scene([mark("a", name=name * 3)])) for name in (letters, letters[::-1]))
    assert one != other


def test_a_picture_ends_the_process_and_what_the_library_keeps(painter: Painter) -> None:
    painter.png(scene([mark("a")]))
    assert painter._process is not None
    assert painter._process.wait(timeout=60) == 0
    assert painter.svg(scene([mark("b")])).startswith(b"<svg")


def test_who_asks_for_drawings_does_not_load_the_library() -> None:
    loaded = subprocess.run(
        [sys.executable, "-c", "import sys; import graphs.records.drawing.painter; print('typst' in sys.modules)"],
        capture_output=True, text=True, check=True, cwd=Path(module.__file__).resolve().parents[3],
    )  # fmt: skip
    assert loaded.stdout.strip() == "False"


def test_what_was_drawn_lately_is_not_drawn_again(painter: Painter) -> None:
    first = painter.svg(scene([mark("a")]))
    painter.close()
    assert painter.svg(scene([mark("a")])) is first
    assert painter._process is None


def test_it_keeps_no_more_than_so_many(painter: Painter, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "KEPT", 2)
    for name in "abc":
        painter.svg(scene([mark(name)]))
    assert len(painter._kept) == 2


def test_a_process_that_was_killed_is_followed_by_another(painter: Painter) -> None:
    painter.svg(scene([mark("a")]))
    first = pid_of(painter)
    os.kill(first, signal.SIGKILL)
    assert painter.svg(scene([mark("b")])).startswith(b"<svg")
    assert pid_of(painter) != first


def test_one_that_cannot_be_drawn_is_refused_and_the_next_is_drawn(painter: Painter) -> None:
    with pytest.raises(NotDrawn):
        painter._ask("svg", "{}")
    assert painter.svg(scene([mark("a")])).startswith(b"<svg")


def test_one_that_takes_too_long_is_given_up(painter: Painter, monkeypatch: pytest.MonkeyPatch) -> None:
    painter.svg(scene([mark("a")]))
    os.kill(pid_of(painter), signal.SIGSTOP)
    stuck = pid_of(painter)
    monkeypatch.setattr(module, "DRAWING_S", 0.2)
    with pytest.raises(NotDrawn):
        painter.svg(scene([mark("b")]))
    assert not Path(f"/proc/{stuck}").exists()


def test_who_would_wait_too_long_is_refused(painter: Painter, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "WAITING_S", 0.05)
    with painter._turn, pytest.raises(NotDrawn):
        painter.svg(scene([mark("a")]))


def test_more_than_so_many_do_not_wait(painter: Painter) -> None:
    for _place in range(module.WAITING):
        assert painter._places.acquire(blocking=False)
    with pytest.raises(NotDrawn):
        painter.svg(scene([mark("a")]))
    painter._places.release()
    assert painter.svg(scene([mark("a")])).startswith(b"<svg")


def test_several_at_once_get_each_their_own(painter: Painter) -> None:
    found: dict[str, bytes] = {}

    def draw(name: str) -> None:
        found[name] = painter.svg(scene([mark(name, told=f"told {name}")]))

    threads = [threading.Thread(target=draw, args=(name,)) for name in "abcdef"]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert all(f"told {name}".encode() in found[name] for name in "abcdef")


def test_it_ends_when_nobody_asks_and_with_who_started_it() -> None:
    started = module._started()
    assert started.stdin is not None
    started.stdin.close()
    assert started.wait(timeout=60) == 0
    program = "from graphs.records.drawing.process import main; main(idle_s=0.1)"
    idle = subprocess.Popen([sys.executable, "-c", program], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    until = time.monotonic() + 60
    while idle.poll() is None and time.monotonic() < until:
        time.sleep(0.05)
    assert idle.poll() == 0
    idle.communicate()


def test_it_is_told_nothing_of_our_environment(monkeypatch: pytest.MonkeyPatch, painter: Painter) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-secret")
    painter.svg(scene([mark("a")]))
    assert b"sk-secret" not in Path(f"/proc/{pid_of(painter)}/environ").read_bytes()
