"""Reads a native file part by part, to save memory. What it cannot read is left to `native.parse`, which says why."""

import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from graphs.site.json_values import ESCAPED_UNSTORABLE, MAX_DEPTH
from graphs.site.json_walk import deeper_than
from graphs.workflows.interchange import documents, native
from graphs.workflows.interchange.parsed_graph import OnProgress, ParsedEdge, ParsedGraph, ParsedNode
from graphs.workflows.interchange.refusals import ImportRefused

#: Nodes or edges that are checked together.
PART = 1_000
_SPACE = re.compile(r"[ \t\n\r]*")


class _Unusual(Exception):
    """The file is read as a whole."""


def parse(text: str, on_progress: OnProgress) -> ParsedGraph | None:
    """The graph of a native file; None if the file is no native one or has any mistake."""
    nodes: list[ParsedNode] = []
    edges: list[ParsedEdge] = []
    reader = _Reader(text, on_progress)
    try:
        if ESCAPED_UNSTORABLE.search(text):
            return None
        document = reader.document(
            {
                "nodes": lambda items: nodes.extend(native.parse_nodes(items)),
                "edges": lambda items: edges.extend(native.parse_edges(items)),
            }
        )
        return native.parse_rest(document, nodes, edges) if nodes else None
    except (_Unusual, ImportRefused, documents.Unacceptable, ValueError, RecursionError):
        return None


class _Reader:
    """Goes through the text of a file once."""

    def __init__(self, text: str, on_progress: OnProgress) -> None:
        self._text = text
        self._at = 0
        self._on_progress = on_progress
        self._decoder = documents.decoder(_object)

    def document(self, parts: Mapping[str, Callable[[list[Any]], None]]) -> dict[str, Any]:
        """The object that the file is, with empty lists where `parts` got what stood there."""
        found: dict[str, Any] = {}
        for _ in self._between("{", "}"):
            key = self._value()
            if not isinstance(key, str) or key in found:
                raise _Unusual
            self._take(":")
            if key in parts and self._next() == "[":
                self._in_parts(parts[key])
                found[key] = []
            else:
                found[key] = self._value()
                _check_depth(found[key])
        if self._next():
            raise _Unusual
        return found

    def _in_parts(self, take: Callable[[list[Any]], None]) -> None:
        part: list[Any] = []
        for _ in self._between("[", "]"):
            part.append(self._value())
            if len(part) == PART:
                _check_depth(part)
                take(part)
                part = []
                self._on_progress(self._at, len(self._text))
        _check_depth(part)
        take(part)

    def _between(self, opening: str, closing: str) -> Iterator[None]:
        """Stops before each of the values that commas separate; who asks reads them."""
        self._take(opening)
        if self._next() != closing:
            yield
            while self._next() == ",":
                self._at += 1
                yield
        self._take(closing)

    def _value(self) -> Any:
        self._next()
        value, self._at = self._decoder.raw_decode(self._text, self._at)
        return value

    def _take(self, char: str) -> None:
        if self._next() != char:
            raise _Unusual
        self._at += 1

    def _next(self) -> str:
        """The next character that is no space; empty at the end."""
        match = _SPACE.match(self._text, self._at)
        assert match is not None
        self._at = match.end()
        return self._text[self._at : self._at + 1]


def _object(items: list[tuple[str, Any]]) -> dict[str, Any]:
    value = dict(items)
    if len(value) < len(items):
        raise _Unusual
    return value


def _check_depth(member: Any) -> None:
    """Refuses a member of the document that is nested too deeply; the document is a level itself."""
    if deeper_than(MAX_DEPTH + documents.WRAPPING - 1, member):
        raise _Unusual
