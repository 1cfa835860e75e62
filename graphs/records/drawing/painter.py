"""Asks for drawings: of what was drawn lately they are kept, others come from a process that draws (`process.py`)."""

import json
import os
import subprocess
import sys
import threading
from collections import OrderedDict
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from graphs.records.drawing.scene import Scene

#: Drawings that a process keeps, of about 50 kB each.
KEPT = 32
#: How long one drawing may take, and how long a request waits for those before it.
DRAWING_S = 20.0
WAITING_S = 10.0
#: Requests that may wait at once: each holds a thread of the web process.
WAITING = 8
_ROOT = Path(__file__).resolve().parents[3]


class NotDrawn(Exception):
    """The drawing did not come: the process failed, was too slow, or too many wait for it."""


class Painter:
    """One process that draws, started when it is needed, one drawing at a time."""

    def __init__(self) -> None:
        self._process: subprocess.Popen[bytes] | None = None
        self._turn = threading.Lock()
        self._places = threading.BoundedSemaphore(WAITING)
        self._kept: OrderedDict[str, bytes] = OrderedDict()

    def svg(self, scene: Scene) -> bytes:
        """The drawing of a scene. Raises `NotDrawn`."""
        asked = scene.to_json()
        if (known := self._kept.get(asked)) is None:
            known = self._ask("svg", asked)
            self._kept[asked] = known
            while len(self._kept) > KEPT:
                with suppress(KeyError):  # another thread may have taken the last one
                    self._kept.popitem(last=False)
        return known

    def png(self, scene: Scene) -> bytes:
        """The picture of a scene. Raises `NotDrawn`."""
        return self._ask("png", json.dumps(self.svg(scene).decode()))

    def close(self) -> None:
        """Ends the process that draws, if there is one."""
        process, self._process = self._process, None
        if process:
            process.kill()
            process.communicate()

    def _ask(self, what: str, line: str) -> bytes:
        request = f"{what} {line}\n".encode()
        with self._held():
            try:
                if self._process is not None:
                    with suppress(BrokenPipeError):  # it has ended, because nobody asked for so long, or by a picture
                        return _answered(self._process, request)
                    self.close()
                self._process = _started()
                return _answered(self._process, request)
            except OSError as error:
                self.close()
                raise NotDrawn("the process that draws has ended, or takes too long") from error

    @contextmanager
    def _held(self) -> Iterator[None]:
        """The process is this thread's alone meanwhile."""
        if not self._places.acquire(blocking=False):
            raise NotDrawn("too many wait for a drawing")
        try:
            if not self._turn.acquire(timeout=WAITING_S):
                raise NotDrawn("the drawings before it take too long")
            try:
                yield
            finally:
                self._turn.release()
        finally:
            self._places.release()


def _started() -> "subprocess.Popen[bytes]":
    """A process that draws, which knows nothing of ours: no environment, no files but the program."""
    return subprocess.Popen(
        [sys.executable, "-m", "graphs.records.drawing.process"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        env={"PATH": os.defpath, "PYTHONPATH": str(_ROOT)},
        cwd=_ROOT,
    )


def _answered(process: "subprocess.Popen[bytes]", request: bytes) -> bytes:
    """What the process answers.

    Raises `BrokenPipeError` where it is gone, `TimeoutError` where it takes too long, after which it is gone, too,
    and `NotDrawn` where it could not draw this.
    """
    assert process.stdin is not None
    assert process.stdout is not None
    given_up = threading.Event()

    def give_up() -> None:
        given_up.set()
        process.kill()

    late = threading.Timer(DRAWING_S, give_up)
    late.start()
    try:
        process.stdin.write(request)
        process.stdin.flush()
        how, _space, length = process.stdout.readline().decode().partition(" ")
        content = process.stdout.read(int(length or 0))
    finally:
        late.cancel()
    if given_up.is_set():
        raise TimeoutError("the drawing takes too long")
    if not length or len(content) < int(length):
        raise BrokenPipeError("the answer ends before its end")
    if how != "done":
        raise NotDrawn(content.decode(errors="replace")[:500])
    return content


painter = Painter()
