"""What a source answers to a question."""

from dataclasses import dataclass
from typing import Any

from graphs.objects.refs import Ref


@dataclass(frozen=True, slots=True)
class Block:
    """What a model is shown: the heading says what the body is, and stands alone if there is no body.

    `read` are the names of the objects that it is of.
    """

    heading: str
    body: str = ""
    read: frozenset[Ref] = frozenset()


@dataclass(frozen=True, slots=True)
class Dump:
    """What is found for a question, for people: as a JSON document, and as text."""

    document: dict[str, Any]
    text: str
