"""The text of a page, as people would read it. HTML is read by a process of its own, which alone it can bring down."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from threading import BoundedSemaphore

from rag.fetching.connecting import left, too_slow
from rag.fetching.refusals import FetchRefused
from rag.texts.shortening import cut

SECONDS = 8.0
#: Pages that this process has read at the same time; others wait.
AT_ONCE = 2
TITLE_CHARS = 300
_CHILD = Path(__file__).with_name("text_child.py")
_places = BoundedSemaphore(AT_ONCE)
_SPACES = re.compile(r"[^\S\n]+")
_EMPTY_LINES = re.compile(r"\n\s*\n+")
#: What people do not see and what PostgreSQL does not store.
_UNSEEN = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u00ad\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\U000e0000-\U000e007f]"
)


def of_html(html: str, deadline: float) -> tuple[str, str]:
    """The title and the text of a page. Raises `FetchRefused` for one that takes too much to be read."""
    if not _places.acquire(timeout=left(deadline)):
        raise too_slow()
    try:
        done = _run(html.encode("utf-8", "replace"), min(SECONDS, left(deadline)))
    except subprocess.TimeoutExpired:
        raise _unreadable() from None
    finally:
        _places.release()
    if done.returncode:
        raise _unreadable()
    read = json.loads(done.stdout)
    return cut(" ".join(tidy(read["title"]).split()), TITLE_CHARS), tidy(read["text"])


def tidy(text: str) -> str:
    """The text without what nobody sees, and with one space or one empty line where there are many."""
    seen = _UNSEEN.sub("", text.replace("\r\n", "\n").replace("\r", "\n"))
    lines = (line.strip() for line in _SPACES.sub(" ", seen).split("\n"))
    return _EMPTY_LINES.sub("\n\n", "\n".join(lines)).strip()


def _run(html: bytes, seconds: float) -> "subprocess.CompletedProcess[bytes]":
    """The program with as little of this one's environment as Python needs."""
    environment = {name: os.environ[name] for name in ("PATH", "PYTHONPATH") if name in os.environ}
    return subprocess.run(  # noqa: S603 - a program of ours
        [sys.executable, "-P", str(_CHILD)],
        input=html,
        capture_output=True,
        timeout=seconds,
        env=environment,
        check=False,
    )


def _unreadable() -> FetchRefused:
    return FetchRefused("too_big", "The page takes too long to be read.")
