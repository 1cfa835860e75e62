"""How two texts differ by lines. Lines that stand once in both tie them, so the time grows with their length."""

import difflib
import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Annotated, Literal, NotRequired

from pydantic import Field, with_config
from typing_extensions import TypedDict

#: Unchanged lines that are kept around a change.
CONTEXT = 3
#: Between two ties, this many pairs of lines are compared at most; a longer stretch is shown as replaced, but for what
#: it begins and ends with.
MOST_PAIRS = 250_000
#: And so many in all of a diff: hostile texts have many such stretches.
MOST_PAIRS_OF_ALL = 1_000_000

#: Printable for Python, yet nothing is seen of them: joiners, fillers, selectors of variants, the blank of Braille.
_BLANK = re.compile("[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u2800\u3164\ufe00-\ufe0f\uffa0\U000e0100-\U000e01ef]")
_SEEN_AS_IT_IS = re.compile(r"[^\n\t\x20-\x7e]")

Op = Literal[" ", "-", "+"]


@with_config(extra="forbid")
class DiffLine(TypedDict):
    op: Op
    old: NotRequired[Annotated[int | None, Field(default=None)]]
    new: NotRequired[Annotated[int | None, Field(default=None)]]
    text: str


@dataclass(frozen=True, slots=True)
class Line:
    """One line of a diff: unchanged, removed or added. `old` and `new` are its numbers, from 1."""

    op: Op
    old: int | None
    new: int | None
    text: str

    def to_json(self) -> DiffLine:
        """The line for a page, without the number that it does not have."""
        if self.old is None:
            return {"op": self.op, "new": self.new, "text": self.text}
        if self.new is None:
            return {"op": self.op, "old": self.old, "text": self.text}
        return {"op": self.op, "old": self.old, "new": self.new, "text": self.text}


@dataclass(slots=True)
class Pairs:
    """How many pairs of lines may still be compared of all the texts of a diff."""

    left: int = MOST_PAIRS_OF_ALL


def visible(text: str) -> str:
    """The text with everything that would not be seen, or would turn what is seen around, as `⟦U+202E⟧`."""
    return _SEEN_AS_IT_IS.sub(_shown, text)


def _shown(found: re.Match[str]) -> str:
    char = found[0]
    return char if char.isprintable() and not _BLANK.match(char) else f"⟦U+{ord(char):04X}⟧"


def lines(old: str, new: str, context: int | None = CONTEXT, pairs: Pairs | None = None) -> list[Line]:
    """The lines of both texts, made `visible`; of unchanged ones `context` around each change, or all with None.

    Texts of one diff share their `pairs`.
    """
    whole = list(_compared(_split(old), _split(new), pairs or Pairs()))
    if context is None:
        return whole
    near = {
        kept
        for index, line in enumerate(whole)
        if line.op != " "
        for kept in range(index - context, index + context + 1)
    }
    return [line for index, line in enumerate(whole) if index in near]


def _split(text: str) -> list[str]:
    """The lines, each ended by "\\n" alone. Whatever else looks like an end is shown as what it is."""
    return text.removesuffix("\n").split("\n") if text else []


def _compared(old: Sequence[str], new: Sequence[str], pairs: Pairs) -> Iterator[Line]:
    at_old = at_new = 0
    for tie_old, tie_new in (*_ties(old, new), (len(old), len(new))):
        yield from _between(old, at_old, tie_old, new, at_new, tie_new, pairs)
        if tie_old < len(old):
            yield Line(" ", tie_old + 1, tie_new + 1, visible(old[tie_old]))
        at_old, at_new = tie_old + 1, tie_new + 1


def _ties(old: Sequence[str], new: Sequence[str]) -> list[tuple[int, int]]:
    """The longest rising sequence of lines that stand exactly once in each text."""
    in_old, in_new = Counter(old), Counter(new)
    indexes = {line: index for index, line in enumerate(new) if in_new[line] == 1}
    pairs = [(index, indexes[line]) for index, line in enumerate(old) if in_old[line] == 1 and line in indexes]
    ends: list[int] = []
    best: list[int] = []
    before: list[int | None] = []
    for number, (_index, index_new) in enumerate(pairs):
        length = bisect_left(ends, index_new)
        before.append(best[length - 1] if length else None)
        ends[length : length + 1] = [index_new]
        best[length : length + 1] = [number]
    found = []
    step = best[-1] if best else None
    while step is not None:
        found.append(pairs[step])
        step = before[step]
    return found[::-1]


def _between(
    old: Sequence[str], old_from: int, old_to: int, new: Sequence[str], new_from: int, new_to: int, pairs: Pairs
) -> Iterator[Line]:
    a, b = old[old_from:old_to], new[new_from:new_to]
    asked = len(a) * len(b)
    if not asked or asked > min(MOST_PAIRS, pairs.left):
        blocks = _ends(a, b)
    else:
        pairs.left -= asked
        blocks = difflib.SequenceMatcher(None, a, b, autojunk=False).get_matching_blocks()
    at_a = at_b = 0
    for block in blocks:
        for index in range(at_a, block.a):
            yield Line("-", old_from + index + 1, None, visible(a[index]))
        for index in range(at_b, block.b):
            yield Line("+", None, new_from + index + 1, visible(b[index]))
        for step in range(block.size):
            number_old, number_new = old_from + block.a + step + 1, new_from + block.b + step + 1
            yield Line(" ", number_old, number_new, visible(a[block.a + step]))
        at_a, at_b = block.a + block.size, block.b + block.size


def _ends(a: Sequence[str], b: Sequence[str]) -> list[difflib.Match]:
    """What both begin and end with; between that, all is replaced."""
    shorter = min(len(a), len(b))
    first = next((at for at in range(shorter) if a[at] != b[at]), shorter)
    last = next((at for at in range(shorter - first) if a[-1 - at] != b[-1 - at]), shorter - first)
    return [
        difflib.Match(0, 0, first),
        difflib.Match(len(a) - last, len(b) - last, last),
        difflib.Match(len(a), len(b), 0),
    ]
