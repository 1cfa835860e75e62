"""What must hold of the logs of a run: I10 (no secret, no unhandled traceback) and I9's part (no content of anybody).

`tests/checker.py` says when this is called.
"""

import re
from collections.abc import Collection

from graphs.models import Workspace
from tests.captures import canary_of

#: Classes of exceptions whose traceback may stand in a log, each with the reason. Keep it short.
ALLOWED: dict[str, str] = {}

_TRACEBACK = re.compile(r"Traceback \(most recent call last\):")
#: The line that ends a traceback: the first one that is not indented.
_LAST_LINE = re.compile(r"([A-Za-z_][\w.]*)(?::|$)")


def check_logs(text: str, secrets: Collection[str]) -> None:
    """I10: none of the secrets, no traceback of a class that is not allowed; and no workspace's canary (I9)."""
    found = [secret for secret in secrets if secret in text]
    assert not found, f"secrets in the logs: {[_around(text, secret) for secret in found]}"
    spoken = [slug for slug in Workspace.objects.values_list("slug", flat=True) if canary_of(slug) in text]
    assert not spoken, f"content in the logs: {[_around(text, canary_of(slug)) for slug in spoken]}"
    for name, traceback in tracebacks(text):
        assert name in ALLOWED, f"a traceback of {name} in the logs:\n{traceback}"


def tracebacks(text: str) -> list[tuple[str, str]]:
    """Every traceback with the name of its exception's class; "" for one that was cut off by a kill."""
    starts = [match.start() for match in _TRACEBACK.finditer(text)]
    return [_traceback(text[start:]) for start in starts]


def _traceback(text: str) -> tuple[str, str]:
    lines = text.splitlines()
    for number, line in enumerate(lines[1:], 2):
        if line and not line.startswith((" ", "|", "+")):
            ending = _LAST_LINE.match(line)
            name = ending[1].rpartition(".")[2] if ending else ""
            return name, "\n".join(lines[:number])
    return "", text


def _around(text: str, word: str) -> str:
    """The line in which it stands, without the word itself."""
    return next(line for line in text.splitlines() if word in line).replace(word, "…")
