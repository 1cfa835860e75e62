"""Signed thinking of the scripted vendors: it says who wrote what, so that they can refuse what is not theirs."""

import hashlib

_MARK = "sealed by "


def seal(model: str, text: str) -> str:
    return f"{_MARK}{model}: {hashlib.sha256(text.encode()).hexdigest()[:16]}"


def is_broken(sealed: str, model: str, text: str) -> bool:
    """Whether it was made by another model or for another text. What is no seal of ours cannot be judged."""
    return sealed.startswith(_MARK) and sealed != seal(model, text)
