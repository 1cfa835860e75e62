"""Finds which things a question calls by their names."""

from collections import defaultdict
from collections.abc import Container, Hashable, Iterable
from typing import TypeVar

from rag.texts.words import marked, mentions, plain, search_words

#: The question marks the key of a thing, `{{node:KEY}}`, or says it, or says its name; the first is surest.
KEY_MARKED = 3
KEY_SAID = 2
NAME_SAID = 1

Id = TypeVar("Id", bound=Hashable)


def said(question: str, things: Iterable[tuple[Id, str, str]], common: Container[str] = ()) -> dict[Id, int]:
    """How the question names each thing (id, key, name): `KEY_MARKED`, `KEY_SAID` or `NAME_SAID`."""
    surely, exactly = frozenset(marked(question)), frozenset(mentions(question))
    found: dict[Id, int] = {}
    phrases: defaultdict[str, list[Id]] = defaultdict(list)
    for thing, key, name in things:
        if key in surely:
            found[thing] = KEY_MARKED
        elif key in exactly:
            found[thing] = KEY_SAID
        elif name in exactly:
            found[thing] = NAME_SAID
        for phrase in {plain(key), plain(name)}:
            phrases[phrase].append(thing)
    rest = f" {plain(question)} "
    # Few of thousands are in the question at all: only of those it is asked whether they are names.
    there = [phrase for phrase in phrases if f" {phrase} " in rest and _is_name(phrase, common)]
    for phrase in sorted(there, key=len, reverse=True):
        if f" {phrase} " in rest:
            rest = rest.replace(f" {phrase} ", " / ")
            for thing in phrases[phrase]:
                found.setdefault(thing, NAME_SAID)
    return found


def _is_name(phrase: str, common: Container[str]) -> bool:
    words = search_words(phrase)
    return len(words) > 1 or (len(words) == 1 and words[0] not in common)
