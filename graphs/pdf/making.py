"""Makes a PDF of blocks, part by part, each in a process of its own: no more than a part is in memory."""

import json
import os
import subprocess
import sys
import threading
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from shutil import copyfileobj
from tempfile import TemporaryDirectory
from typing import IO

from graphs.pdf.blocks import Block
from graphs.site.temporary_files import written

#: Characters of a part; its last page may have room left.
PART_CHARS = 120_000
#: How long a part may take, and how long one waits for a document that is being made.
PART_S = 60.0
WAITING_S = 30.0
_ROOT = Path(__file__).resolve().parents[2]
_turn = threading.Lock()


class NotMade(Exception):
    """There is no document: its process failed, was too slow, or another one is being made."""


def pdf(title: str, blocks: Iterable[Block], language: str) -> IO[bytes]:
    """An open file with the document, from its beginning. Raises `NotMade`."""
    with _held(), TemporaryDirectory() as folder:
        parts: list[Path] = []
        first = 1
        for number, part in enumerate(_parts(blocks)):
            target = Path(folder) / f"{number}.pdf"
            data = {"title": title, "language": language.partition("-")[0], "first": first}
            data["blocks"] = [block.to_json() for block in part]
            first += int(_run("part", str(target), given=json.dumps(data)))
            parts.append(target)
        whole = parts[0]
        if len(parts) > 1:
            whole = Path(folder) / "whole.pdf"
            _run("merge", str(whole), *map(str, parts))
        return _copied(whole)


def _parts(blocks: Iterable[Block]) -> Iterator[list[Block]]:
    """The blocks by parts; a document without any has one."""
    part: list[Block] = []
    chars = 0
    for block in blocks:
        if part and chars + len(block.text) > PART_CHARS:
            yield part
            part, chars = [], 0
        part.append(block)
        chars += len(block.text)
    yield part


@contextmanager
def _held() -> Iterator[None]:
    """One document is made at a time."""
    if not _turn.acquire(timeout=WAITING_S):
        raise NotMade("the documents before it take too long")
    try:
        yield
    finally:
        _turn.release()


def _run(*arguments: str, given: str = "") -> str:
    """What a process tells that knows nothing of ours: no environment, no files but the program and the part."""
    try:
        done = subprocess.run(  # noqa: S603 - nothing of it comes from outside
            [sys.executable, "-m", "graphs.pdf.process", *arguments],
            input=given,
            capture_output=True,
            check=True,
            encoding="utf-8",
            timeout=PART_S,
            env={"PATH": os.defpath, "PYTHONPATH": str(_ROOT), "PYTHONUTF8": "1"},
            cwd=_ROOT,
        )
    except subprocess.CalledProcessError as error:
        raise NotMade(error.stderr[-500:]) from error
    except subprocess.TimeoutExpired as error:
        raise NotMade("a part takes too long") from error
    return done.stdout


def _copied(path: Path) -> IO[bytes]:
    """The file as one without a name, which is gone when it is closed."""
    with path.open("rb") as whole:
        return written(lambda file: copyfileobj(whole, file))
