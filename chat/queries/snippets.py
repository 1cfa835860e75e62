"""What is shown of a text that was found: the place of its words, without marks, objects by their titles."""

import re
from collections.abc import Iterable, Iterator, Mapping
from itertools import chain
from typing import Any

from chat.queries.links import MENTION, Link
from chat.searching.messages import around, place_of
from graphs.objects.kinds import is_object
from graphs.objects.refs import Ref
from graphs.pdf.markdown import blocks_of

#: Characters before and behind the first of the words within which its paragraph begins and ends.
NEAR_CHARS = 2_000
#: An object by its name alone, as people and models write it.
_NAME = re.compile(r"(?<![\w:/])([a-z]\w{0,29}):(\w[\w-]{0,99})", re.ASCII)


def part_with(text: str, words: str) -> str:
    """The lines around the first of the words: what is shown is taken from there."""
    at = place_of(text, words)
    first = max(at - NEAR_CHARS, 0)
    line = text.find("\n", first, at) if first else -1
    return text[line + 1 if line >= 0 else first : at + NEAR_CHARS]


def named_in(parts: Iterable[str]) -> set[Ref]:
    """The objects that are written of."""
    found = chain.from_iterable((*MENTION.finditer(part), *_NAME.finditer(part)) for part in parts)
    return {ref for each in found if is_object((ref := Ref(*each.groups())).type)}


def snippet(part: str, words: str, links: Mapping[Ref | None, Link], *, markdown: bool) -> str:
    """What is shown of a part that holds the words."""
    if markdown:
        part = "\n".join(block.text for block in blocks_of(part))

    def called(found: re.Match[str]) -> str:
        ref = Ref(*found.groups())
        title = links[ref].title if ref in links else ""
        return title or (ref.key if found.re is MENTION else found[0])

    return around(_NAME.sub(called, MENTION.sub(called, part)), words)


def texts_of(value: Any) -> str:
    """The texts and numbers in a value, without the names of its fields."""
    return " · ".join(_leaves(value))


def _leaves(value: Any) -> Iterator[str]:
    match value:
        case None | bool() | "":
            return
        case dict():
            for each in value.values():
                yield from _leaves(each)
        case list():
            for each in value:
                yield from _leaves(each)
        case _:
            yield str(value)
