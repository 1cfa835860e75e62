"""Words of texts and questions, as `Node.search` holds them."""

import re
import unicodedata
from collections.abc import Iterable, Iterator
from itertools import islice
from math import log
from typing import Any

from rag.texts.stop_words import STOP_WORDS

_CAMEL = re.compile(r"([a-z0-9])([A-Z])")
_SEPARATORS = re.compile(r"[\W_]+")
_MARKED = re.compile(r"\{\{node:([^{}]+)\}\}")
_QUOTED = re.compile(r"`([^`]+)`|\"([^\"]+)\"|«([^«»]+)»")
_BARE = re.compile(r"[^\s,;:!?()\[\]{}\"'`’«»]+")

#: A word that is in more of all nodes than this says little.
COMMON = 0.01
#: More words than this make a question no clearer.
MAX_WORDS = 24
#: Longer ones are no words, and too long for PostgreSQL.
MAX_LETTERS = 100
#: More quoted texts than this, or more bare words, are not mentioned, they are listed.
MAX_MENTIONS = 200


def plain(text: str) -> str:
    """The words of a text in lower case with one space between them: `fetchApi` and "Fetch-API" are "fetch api"."""
    apart = _CAMEL.sub(r"\1 \2", unicodedata.normalize("NFC", text))
    return _SEPARATORS.sub(" ", apart).strip().lower()


def named_values(value: Any, name: str) -> Iterator[str]:
    """Each value within a JSON value with its name, in plain words, however deep it lies."""
    if isinstance(value, dict):
        for key, inner in value.items():
            yield from named_values(inner, str(key))
    elif isinstance(value, list):
        for inner in value:
            yield from named_values(inner, name)
    elif value is not None and value is not False and value != "":
        yield plain(f"{name} {'' if value is True else value}")


def search_words(question: str) -> tuple[str, ...]:
    """The words that say what a question is about; of a long question those at both its ends."""
    words = plain(question).split()
    return _at_both_ends((word for word in words if word not in STOP_WORDS and 1 < len(word) <= MAX_LETTERS), MAX_WORDS)


def forms(word: str) -> tuple[str, ...]:
    """How a word may be written in a node: as it is, without the plural's s, without accents."""
    singular = word[:-1] if len(word) > 4 and word.endswith("s") else word
    return tuple(dict.fromkeys([word, singular, _without_accents(word), _without_accents(singular)]))


def beginning(word: str) -> str:
    """What related words begin with: without accents, and without the last two letters of a long word."""
    bare = _without_accents(word)
    return bare[:-2] if len(bare) > 5 else bare


def _without_accents(word: str) -> str:
    if word.isascii():
        return word
    return "".join(char for char in unicodedata.normalize("NFD", word) if not unicodedata.combining(char))


def rarity(holding: int, things: int) -> float:
    """The weight of a word that so many of all things hold, as in BM25: the fewer, the more, and never nothing."""
    return log(1 + (things - holding + 0.5) / (holding + 0.5))


def marked(question: str) -> tuple[str, ...]:
    """The keys that a question marks as keys of nodes: `{{node:KEY}}`."""
    return _at_both_ends((text.strip() for text in _MARKED.findall(question)), MAX_MENTIONS)


def mentions(question: str) -> tuple[str, ...]:
    """Texts of a question that may be keys of nodes: marked keys, quoted texts and bare words with their dashes."""
    quoted = (text.strip() for groups in _QUOTED.findall(question) for text in groups)
    bare = (text.strip(".-") for text in _BARE.findall(question) if text.lower() not in STOP_WORDS)
    ends = [*_at_both_ends(quoted, MAX_MENTIONS), *_at_both_ends(bare, MAX_MENTIONS)]
    return tuple(dict.fromkeys([*marked(question), *ends]))


def _at_both_ends(texts: Iterable[str], count: int) -> tuple[str, ...]:
    """The first and last different texts, so many at most: questions stand before or after what was pasted."""
    every = [text for text in texts if text]
    first = tuple(dict.fromkeys(every))
    if len(first) <= count:
        return first
    begin = first[: count - count // 2]
    last = (text for text in dict.fromkeys(reversed(every)) if text not in begin)
    return (*begin, *reversed([*islice(last, count // 2)]))
