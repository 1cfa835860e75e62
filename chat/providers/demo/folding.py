"""Texts without accents and capitals, by which names are compared with words."""

import re
import unicodedata


def folded(text: str) -> str:
    """The text without accents and capitals, as long as before."""
    return "".join(unicodedata.normalize("NFD", character)[0].lower()[:1] for character in text)


def bare(text: str) -> str:
    """The letters and digits alone, without accents and capitals, to compare names with words."""
    return re.sub(r"[\W_]+", "", folded(text))


def words_of(text: str) -> frozenset[str]:
    """The words of a name, without accents and capitals."""
    return frozenset(re.findall(r"[^\W_]+", folded(text)))
