"""Two texts beside each other: what went stands beside what came in its place, marked where a line differs."""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby, zip_longest
from typing import Literal

from graphs.history import code_diff
from graphs.history.code_diff import DiffLine, Line

#: Rows of one field; a text of ten thousand lines is shown as a whole only where somebody asks for it.
MOST_ROWS = 400
_TOKEN = re.compile(r"\w+|\s+|.", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Span:
    """A piece of a line; `marked` where the other side has something else in its place."""

    text: str
    marked: bool = False


@dataclass(frozen=True, slots=True)
class Side:
    """A line on one side; `parts` together are its text."""

    number: int | None
    parts: tuple[Span, ...]


@dataclass(frozen=True, slots=True)
class Row:
    """A line of the page. A "folded" one stands for `folded` lines that are not shown."""

    change: Literal["same", "changed", "old", "new", "folded"]
    old: Side | None = None
    new: Side | None = None
    folded: int = 0


def side_by_side(old: str, new: str, whole: bool = False) -> list[Row]:
    """The rows of two texts; with `whole` nothing is folded."""
    if whole:
        return list(_paired(code_diff.lines(old, new, context=None)))
    count = old.removesuffix("\n").count("\n") + 1 if old else 0
    rows = list(_with_folds(_paired(code_diff.lines(old, new)), count))
    if len(rows) > MOST_ROWS:
        rows[MOST_ROWS:] = [Row("folded", folded=sum(row.folded or 1 for row in rows[MOST_ROWS:]))]
    return rows


def beginning(lines: Sequence[DiffLine], count: int) -> list[Row]:
    """The rows of the first of so many lines, and one that stands for the rest."""
    rows = list(_paired(Line(line["op"], line.get("old"), line.get("new"), line["text"]) for line in lines))
    return [*rows, Row("folded", folded=count - len(lines))] if count > len(lines) else rows


def _paired(lines: Iterable[Line]) -> Iterator[Row]:
    for same, group in groupby(lines, key=lambda line: line.op == " "):
        if same:
            yield from (Row("same", _side(line.old, line.text), _side(line.new, line.text)) for line in group)
        else:
            changed = list(group)
            gone = [line for line in changed if line.op == "-"]
            yield from _replaced(gone, [line for line in changed if line.op == "+"])


def _replaced(gone: Sequence[Line], come: Sequence[Line]) -> Iterator[Row]:
    for old, new in zip_longest(gone, come):
        if old is None:
            yield Row("new", None, _side(new.new, new.text, marked=True))
        elif new is None:
            yield Row("old", _side(old.old, old.text, marked=True), None)
        else:
            before, after = _marked(old.text, new.text)
            yield Row("changed", Side(old.old, before), Side(new.new, after))


def _side(number: int | None, text: str, marked: bool = False) -> Side:
    return Side(number, (Span(text, marked),) if text else ())


def _marked(old: str, new: str) -> tuple[tuple[Span, ...], tuple[Span, ...]]:
    """Two lines with the stretch marked in which they differ, from the first word that does to the last."""
    olds, news = _TOKEN.findall(old), _TOKEN.findall(new)
    begin = _same(olds, news)
    end = _same(olds[begin:][::-1], news[begin:][::-1])
    return _parts(olds, begin, len(olds) - end), _parts(news, begin, len(news) - end)


def _same(left: Sequence[str], right: Sequence[str]) -> int:
    """How many of the first tokens are the same."""
    shorter = min(len(left), len(right))
    return next((index for index in range(shorter) if left[index] != right[index]), shorter)


def _parts(tokens: Sequence[str], begin: int, end: int) -> tuple[Span, ...]:
    pieces = ((tokens[:begin], False), (tokens[begin:end], True), (tokens[end:], False))
    return tuple(Span("".join(piece), marked) for piece, marked in pieces if piece)


def _with_folds(rows: Iterable[Row], count: int) -> Iterator[Row]:
    """A row for every stretch of unchanged lines that was left out; the old side, of `count` lines, tells where."""
    seen = 0
    for row in rows:
        if row.old and row.old.number:
            if left_out := row.old.number - 1 - seen:
                yield Row("folded", folded=left_out)
            seen = row.old.number
        yield row
    if left_out := count - seen:
        yield Row("folded", folded=left_out)
