"""Data between two marks that it cannot imitate, so that no row or text looks like an instruction or like a person."""

import hashlib

#: 96 bits: a text that holds its own mark cannot be found by trying, as it could with half as many.
MARK_CHARS = 24


def fenced(about: str, body: str, holds: str = "data") -> str:
    """The body between marks made of its own digest, under a line that says what it is."""
    mark = hashlib.sha256(body.encode()).hexdigest()[:MARK_CHARS]
    return f"[{about}]\n<{holds} {mark}>\n{body}\n</{holds} {mark}>"
