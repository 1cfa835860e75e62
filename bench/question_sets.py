"""Questions with the passages that answer them, as `bench.retrieval_quality` reads them from two files."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from pydantic import TypeAdapter, ValidationError
from typing_extensions import TypedDict

#: Mistakes of one file that are told.
TOLD = 5

Content = TypeVar("Content")


class Unreadable(Exception):
    """A file is not what it should be; the message says which, where and why."""


class _Asked(TypedDict):
    """A supporting fact is a title with whatever follows; other fields of a question are not read."""

    question: str
    supporting_facts: list[list[Any]]


_QUESTIONS = TypeAdapter(list[_Asked])
#: A passage of one sentence may be a text.
_CORPUS = TypeAdapter(dict[str, list[str] | str])


@dataclass(frozen=True)
class Question:
    text: str
    gold: frozenset[int]


@dataclass(frozen=True)
class Corpus:
    titles: list[str]
    texts: list[str]


def read(questions: Path, corpus: Path) -> tuple[list[Question], Corpus]:
    """Questions whose supporting facts are in the corpus, and the corpus. Raises `Unreadable`."""
    passages = _read(_CORPUS, corpus)
    places = {title: place for place, title in enumerate(passages)}
    asked = []
    for question in _read(_QUESTIONS, questions):
        titles = (fact[0] for fact in question["supporting_facts"] if fact)
        gold = frozenset(places[title] for title in titles if isinstance(title, str) and title in places)
        if gold and question["question"].strip():
            asked.append(Question(question["question"], gold))
    return asked, Corpus(list(passages), list(map(_text, passages.values())))


def _text(sentences: list[str] | str) -> str:
    return sentences.strip() if isinstance(sentences, str) else " ".join(map(str.strip, sentences))


def _read(adapter: TypeAdapter[Content], file: Path) -> Content:
    try:
        return adapter.validate_json(file.read_bytes().removeprefix(b"\xef\xbb\xbf"))
    except OSError as error:
        raise Unreadable(f"{file} cannot be read: {error.strerror}.") from None
    except ValidationError as error:
        found = error.errors(include_url=False, include_input=False)
        told = [f"    {'.'.join(map(str, each['loc'])) or 'the file'}: {each['msg']}" for each in found[:TOLD]]
        if len(found) > TOLD:
            told.append(f"    and {len(found) - TOLD} more")
        raise Unreadable("\n".join([f"{file} is not what it should be:", *told])) from None
