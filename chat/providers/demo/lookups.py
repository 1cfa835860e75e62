"""How the demo looks things up: an answer is written as if tools answered at once, and begun anew with each result.

What a tool was not asked yet is raised as `Wanted`. Called by `answers` and `changes`.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, TypeVar

from chat.providers.demo.intents import bare, subject
from chat.providers.demo.phrases import Phrases, plain
from chat.providers.demo.seen import Result, Row

#: Nodes that one search finds.
MAX_HITS = 8
_HERE = re.compile(r"(?:this|ce|cet|cette)(?: \w+)?|it|here|ceci|cela|ici|", re.IGNORECASE)
_NAME = re.compile(r"[A-Za-z_]+:\S+")
_MENTIONABLE = re.compile(r"[^{}\s]+")
_TROUBLE = re.compile(r"err|fail|catch|except|reject|timeout|invalid|echec|échec", re.IGNORECASE)
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Call:
    tool: str
    arguments: Row


class Wanted(Exception):
    """These calls have to be made first, side by side."""

    def __init__(self, calls: Iterable[Call]) -> None:
        self.calls = tuple(calls)


class Unavailable(Exception):
    """A tool that is needed may not be called."""


class Answered(Exception):
    """Nothing more can be done; its text is the answer."""


@dataclass(frozen=True, slots=True)
class Item:
    """A node of the graph at hand, or an object: then its key is "type:key". `row` is what is known of it."""

    key: str
    title: str
    row: Row
    is_node: bool
    edges: tuple[Row, ...] = ()

    def __str__(self) -> str:
        return mention(self.key) if self.is_node else f"**{plain(self.title)}** (`{plain(self.key)}`)"

    @property
    def titled(self) -> str:
        """With its title, of a node, too."""
        return f"{self} ({plain(self.title)})" if self.is_node and self.title not in ("", self.key) else str(self)


@dataclass(frozen=True, slots=True)
class Lookups:
    """What was found out in a turn so far, and what may still be called."""

    results: Sequence[Result]
    offered: frozenset[str]
    at_hand: str
    say: Phrases

    def look(self, *calls: Call) -> list[Row]:
        """What the calls gave. Raises `Wanted` for those that were not made yet, `Unavailable` where they cannot be."""
        found = [self._result(call) for call in calls]
        if missing := [call for call, value in zip(calls, found, strict=True) if value is None]:
            raise Wanted(missing) if all(call.tool in self.offered for call in missing) else Unavailable
        return [value for value in found if value is not None]

    def one(self, tool: str, **arguments: Any) -> Row:
        """What the call gave. Raises as `look` does."""
        return self.look(Call(tool, arguments))[0]

    def _result(self, call: Call) -> Row | None:
        of_tool = (result for result in self.results if result.tool == call.tool)
        return next((one.value for one in of_tool if call.arguments.items() <= one.arguments.items()), None)

    def object(self, name: str) -> Item:
        """The object of this name, "type:key", read. Raises `Answered` where there is none."""
        found = self.one("read_object", object=name)
        if "object" not in found:
            raise Answered(self.say("refused", error=plain(found.get("error"))))
        return object_of(found)

    def here(self) -> Item:
        """What the conversation is about. Raises `Answered` where that is nothing."""
        if self.at_hand:
            return self.object(self.at_hand)
        if "read_graph_overview" not in self.offered:
            raise Answered(self.say("about_nothing"))
        graph = self.one("read_graph_overview")
        return Item(f"graph:{graph.get('key', '')}", str(graph.get("name", "")), graph, is_node=False)

    def find(self, words: str) -> list[Item]:
        """Nodes and objects that these words name or that have them, the best first."""
        query = subject(words)[:200]
        if _NAME.fullmatch(query) and "read_object" in self.offered:
            return [self.object(query)]
        searches = [Call("search_nodes", {"query": query, "maxResults": MAX_HITS})]
        searches += [Call("search_objects", {"query": query})]
        possible = [call for call in searches if call.tool in self.offered or self._result(call) is not None]
        if not query or not possible:
            raise Unavailable
        found = [hit for value in self.look(*possible) for hit in _hits(value)]
        return sorted(found, key=lambda hit: bare(query) not in {bare(hit.key), bare(hit.title)})

    def hits(self) -> list[Item]:
        """All that was found by searching."""
        return [hit for result in self.results if result.tool.startswith("search_") for hit in _hits(result.value)]

    def item(self, words: str) -> Item:
        """What these words name, with all that can be read of it. Raises `Answered` where nothing is found."""
        if _HERE.fullmatch(words.strip()):
            return self.here()
        item = next(iter(self.find(words)), None)
        if item is None:
            raise Answered(self.say("found_nothing", subject=plain(subject(words))))
        if not item.is_node:
            return self.object(item.key)
        both = (Call(tool, {"nodeKey": item.key}) for tool in ("read_node_detail", "list_node_edges"))
        detail, edges = self.look(*both)
        if "node" not in detail:
            raise Answered(self.say("refused", error=plain(detail.get("error"))))
        return replace(item, row=detail["node"], edges=tuple(rows(edges.get("edges"))))

    def items(self, *names: str) -> list[Item]:
        """Those that these words name. Raises as `item` does."""
        return together(partial(self.item, name) for name in names)

    def of_kind(self, words: str, **arguments: str) -> tuple[str, Row]:
        """The kind that these words name and the beginning of its list; the refusal where there is no such kind."""
        parts = subject(words).lower().split()
        singular, plural = "".join(parts).removesuffix("s"), "_".join(parts)
        shown = self.one("list_objects", kind=singular, **arguments)
        if "objects" in shown or singular == plural:
            return singular, shown
        return plural, self.one("list_objects", kind=plural, **arguments)


def together(works: Iterable[Callable[[], T]]) -> list[T]:
    """What each of them gives. What they have to look up is looked up side by side."""
    done, wanted = [], list[Call]()
    for work in works:
        try:
            done.append(work())
        except Wanted as more:
            wanted += [call for call in more.calls if call not in wanted]
    if wanted:
        raise Wanted(wanted)
    return done


def rows(value: Any) -> list[Row]:
    """The rows of a list in a result; none where it has no such list."""
    return [row for row in value if isinstance(row, dict)] if isinstance(value, list) else []


def node_of(row: Row) -> Item:
    return Item(row["key"], row.get("name") or "", row, is_node=True)


def object_of(row: Row) -> Item:
    return Item(row.get("object", ""), str(row.get("title", "")), row, is_node=False)


def mention(key: str) -> str:
    """`{{node:KEY}}`, which the page shows as a link."""
    return f"{{{{node:{key}}}}}" if _MENTIONABLE.fullmatch(key) else plain(key)


def is_for_errors(edge: Row) -> bool:
    return bool(_TROUBLE.search(f"{edge.get('label')} {edge['sourceHandle']} {edge['target']}"))


def _hits(value: Row) -> Iterator[Item]:
    yield from map(node_of, rows(value.get("nodes")))
    yield from map(object_of, rows(value.get("objects")))
