"""How the demo looks things up: an answer is written as if tools answered at once, and begun anew with each result.

What a tool was not asked yet is raised as `Wanted`.
"""

import json
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeVar

from chat.providers.demo.folding import bare, words_of
from chat.providers.demo.naming import called, meant
from chat.providers.demo.seen import KnownKind, Row, Seen
from chat.providers.demo.sentences import Phrases, plain, subject

#: The tool that brings those for objects.
LOAD = "load_object_tools"
#: Nodes that one search finds.
MAX_HITS = 8
#: Names that are said where none is the one that was meant.
MAX_NEAREST = 5
_KINDS = r"(?P<{0}>company|folder|use case|(?:executive )?summary|entreprise|dossier|cas d['’]usage|synth[èe]se)"
_HERE = re.compile(
    rf"(?:this|ce|cet|cette)(?: {_KINDS.format('this')}| \w+)?"
    rf"|(?:the|our|my|le|la|l['’]|notre|mon) ?{_KINDS.format('the')}|it|he|she|il|elle|here|ceci|cela|ici|",
    re.IGNORECASE,
)
_NAME = re.compile(r"(?!node:)[A-Za-z_]+:\S+")
_MENTIONABLE = re.compile(r"[^{}\s]+")
#: A handle as results write it: its id and its direction.
HANDLE = re.compile(r"(\S+) (in|out)\(")
_TROUBLE = re.compile(r"err|fail|catch|except|reject|timeout|invalid|echec|échec", re.IGNORECASE)
S = TypeVar("S")
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class PlannedCall:
    tool: str
    arguments: Row


class Wanted(Exception):
    """These calls have to be made first, side by side."""

    def __init__(self, calls: Iterable[PlannedCall]) -> None:
        self.calls = tuple(calls)


class Unavailable(Exception):
    """A tool that is needed may not be called."""


class Answered(Exception):
    """Nothing more can be done; this phrase is the answer."""

    def __init__(self, phrase: str, **parts: object) -> None:
        self.phrase, self.parts = phrase, parts


@dataclass(frozen=True, slots=True)
class Item:
    """A node of the graph at hand, or an object: then its key is "type:key". `row` is what is known of it.

    `said` is how answers name it.
    """

    key: str
    title: str
    is_node: bool
    said: str
    row: Row
    edges: Sequence[Row] = ()

    @property
    def fields(self) -> Row:
        """The values of an object by the names of their fields; those of the data of a node."""
        try:
            fields = json.loads(self.row.get("data", "")) if self.is_node else self.row.get("fields")
        except ValueError:  # there are none, or they were cut
            return {}
        return fields if isinstance(fields, dict) else {}

    @property
    def title_field(self) -> str:
        """The field of an object that has its title."""
        return next((name for name, value in self.fields.items() if value == self.title), "name")

    def __str__(self) -> str:
        return self.said

    @property
    def titled(self) -> str:
        """Its name with its title, also of a node."""
        return f"{self} ({plain(self.title)})" if self.is_node and self.title not in ("", self.key) else str(self)


@dataclass(frozen=True, slots=True)
class Lookups:
    """What was found out in a turn so far, and what may still be called.

    `by_name` is set where only what is called so is meant, as for changes, not what a search finds.
    """

    seen: Seen
    say: Phrases
    by_name: bool = False

    def look(self, *calls: PlannedCall) -> list[Row]:
        """What the calls gave. Raises `Wanted` for those that were not made yet, `Unavailable` where they cannot be."""
        found = [self._result(call) for call in calls]
        if missing := [call for call, value in zip(calls, found, strict=True) if value is None]:
            self.require(call.tool for call in missing)
            raise Wanted(missing)
        return [value for value in found if value is not None]

    def require(self, tools: Iterable[str]) -> None:
        """Goes on where all these tools may be called. Raises `Unavailable`, or `Wanted` to load them."""
        if not self.seen.offered.issuperset(tools):
            raise Wanted([PlannedCall(LOAD, {})]) if self.can_load else Unavailable

    @property
    def can_load(self) -> bool:
        """Whether tools for objects beside the graph would come if they were asked for."""
        return LOAD in self.seen.offered and "list_objects" not in self.seen.offered

    def one(self, tool: str, **arguments: Any) -> Row:
        """What one call gave. Raises `Wanted` if it was not made yet, `Unavailable` where it cannot be."""
        return self.look(PlannedCall(tool, arguments))[0]

    def _result(self, call: PlannedCall) -> Row | None:
        of_tool = (result for result in self.seen.results if result.tool == call.tool)
        return next((one.value for one in of_tool if call.arguments == one.arguments), None)

    def object(self, name: str) -> Item:
        """The object of this name, "type:key", read. Raises `Answered` where there is none."""
        found = self.one("read_object", object=name)
        if "object" not in found:
            raise Answered("refused", error=plain(found.get("error")))
        return self.as_item(found)

    def require_field(self, item: Item, field: str) -> None:
        """Goes on where an object can have a field, which says nothing yet. Raises `Answered` where it cannot."""
        found = self.one("read_object", object=item.key, fields=[field])
        if "object" not in found:
            raise Answered("refused", error=plain(found.get("error")))

    def _here_as(self, words: str) -> Item:
        """What is at hand or holds that, of the kind that is said. Raises `Answered` where that is nothing."""
        kind, (own, _colon, key) = meant("kinds", words), self.seen.at_hand.partition(":")
        if kind in ("", own) or not own:
            return self.here()
        if (kind, own) == ("executive_summary", "folder"):
            return self.object(f"{kind}:{key}")
        above = (str(row["object"]) for row in rows(self.given.get("above")))
        if found := next((name for name in above if name.startswith(f"{kind}:")), ""):
            return self.object(found)
        raise Answered("not_here", item=self.named(self.seen.at_hand), kind=called("kinds", kind, self.say.language))

    def here(self) -> Item:
        """What the conversation is about. Raises `Answered` where that is nothing."""
        if self.seen.at_hand:
            return self.object(self.seen.at_hand)
        if "read_graph_overview" not in self.seen.offered:
            raise Answered("about_nothing")
        graph = self.one("read_graph_overview")
        return self.as_item(graph | {"object": f"graph:{graph.get('key', '')}", "title": graph.get("name", "")})

    @property
    def given(self) -> Row:
        """All that the data of the question says of the object at hand."""
        found: Row = {}
        for table in self.seen.tables:
            found |= table
        return found

    def as_given(self, words: str) -> Item:
        """What these words name: at hand as the question's data gives it, if that is whole; else what `item` finds."""
        row, name = self.given, bare(subject(words))
        fields = row.get("fields")
        here, own = _HERE.fullmatch(words.strip()), self.seen.at_hand.partition(":")[0]
        is_meant = name == bare(str(row.get("title")))
        if here:
            is_meant = meant("kinds", here["this"] or here["the"] or "") in ("", own)
        if not is_meant or not isinstance(fields, dict) or row.get("object") != self.seen.at_hand:
            return self.item(words)
        is_cut = any(isinstance(value, str) and value.endswith("…") for value in fields.values())
        return self.item(words) if is_cut else self.as_item(row)

    def exactly(self, words: str) -> Item:
        """What is called as these words say, or is at hand. Raises `Answered` where nothing is, or several are."""
        return replace(self, by_name=True).as_given(words)

    def find(self, words: str) -> list[Item]:
        """Nodes and objects that these words name or that have them, the best first."""
        query = subject(words)[:200]
        if _NAME.fullmatch(query) and (self.can_load or "read_object" in self.seen.offered):
            return [self.object(query)]
        nodes = PlannedCall("search_nodes", {"query": query, "maxResults": MAX_HITS})
        searches = nodes, PlannedCall("search_objects", {"query": query})
        possible = [call for call in searches if call.tool in self.seen.offered or self._result(call) is not None]
        if not query or not possible:
            raise Unavailable
        return sorted(
            self._items(self.look(*possible)), key=lambda hit: bare(query) not in {bare(hit.key), bare(hit.title)}
        )

    def is_called(self, item: Item, words: str) -> bool:
        """Whether these words are the name of an item, or words of it."""
        return bool(_HERE.fullmatch(words.strip()) or self._called(words, [item]))

    def _called(self, words: str, hits: Sequence[Item]) -> list[Item]:
        """Those of the hits whose key or title these words are; else those that have each of them there."""
        name = subject(words)
        kind, after = self._kind_before(name)
        of_kind = [hit for hit in hits if hit.key.startswith(f"{kind}:")] if kind else [*hits]
        for some, wanted in ((hits, bare(name)), (of_kind, bare(after))):
            if equal := [hit for hit in some if wanted in {bare(hit.key), bare(hit.title)}]:
                return equal
        said = words_of(after)
        return [hit for hit in of_kind if said and said <= words_of(f"{hit.key.partition(':')[2]} {hit.title}")]

    def _kind_before(self, name: str) -> tuple[str, str]:
        """The kind that a name begins with, and what comes after: "the folder Warehouse"."""
        parts = name.split()
        ends = (end for end in (1, 2) if len(parts) > end)
        found = ((self.kind_called(" ".join(parts[:end])), " ".join(parts[end:])) for end in ends)
        return next((each for each in found if each[0]), ("", name))

    def hits(self) -> list[Item]:
        """All that was found by searching."""
        return self._items(result.value for result in self.seen.results if result.tool.startswith("search_"))

    def item(self, words: str) -> Item:
        """What these words name, with all that can be read of it. Raises `Answered` where nothing is found."""
        if found := _HERE.fullmatch(words.strip()):
            return self._here_as(found["this"] or found["the"] or "")
        hits = self.find(words)
        meant = self._called(words, hits) if self.by_name else hits
        if not meant:
            self.require(["search_objects"] if self.can_load else [])  # it may be beside the graph
            nearest = self.say.joined([hit.titled for hit in hits[:MAX_NEAREST]])
            raise Answered("none_called" if hits else "found_nothing", subject=plain(subject(words)), names=nearest)
        if self.by_name and len(meant) > 1:
            several = self.say.joined([hit.titled for hit in meant])
            raise Answered("several_called", subject=plain(subject(words)), names=several)
        item = meant[0]
        if not item.is_node:
            return self.object(item.key)
        both = (PlannedCall(tool, {"nodeKey": item.key}) for tool in ("read_node_detail", "list_node_edges"))
        detail, edges = self.look(*both)
        if "node" not in detail:
            raise Answered("refused", error=plain(detail.get("error")))
        return self.as_item(detail["node"], rows(edges.get("edges")))

    def named_node(self, words: str) -> Item:
        """The node whose key or name these words are, as the question's data gives it; else what `item` finds."""
        name = bare(subject(words))
        entries = (entry for table in self.seen.tables for entry in rows(table.get("nodes")))
        given = [row for entry in entries for row in rows(entry.get("rows", [entry]))]
        named = [row for row in given if name in {bare(str(row.get("key"))), bare(row.get("name") or "")}]
        return self.as_item(named[0]) if name and len(named) == 1 else self.item(words)

    def of_kind(self, words: str, **arguments: str) -> tuple[str, Row]:
        """The kind that these words name and the beginning of its list; the refusal where there is no such kind."""
        parts = subject(words).lower().split()
        known = self.kind_called(words)
        for kind in (known,) if known else ("".join(parts).removesuffix("s"), "_".join(parts)):
            shown = self.one("list_objects", kind=kind, **arguments)
            if "objects" in shown:
                break
        return kind, shown

    def kind_called(self, words: str) -> str:
        """The kind that was told of and that these words name, as one or as many; "" where they name none."""
        said, kind = bare(subject(words)), meant("kinds", subject(words))
        names = {bare(name): name for name in self.seen.kinds} | ({said: kind} if kind in self.seen.kinds else {})
        forms = (said, said.removesuffix("s"), f"{said.removesuffix('ies')}y")
        return next((names[form] for form in forms if form in names), "")

    def ordered(self, item: Item, *others: Item) -> list[str]:
        """The names of the fields that items have, in the order of their kind; what a title is alone is left out."""
        kind = self.kind_of(item.key)
        names = list(dict.fromkeys(name for each in (item, *others) for name in each.fields))
        known = {name: at for at, name in enumerate(kind.fields if kind else ())}
        titles = {kind.title} if kind and len(names) > 1 else set()
        return sorted((name for name in names if name not in titles), key=lambda name: known.get(name, len(known)))

    def kind_of(self, name: str) -> KnownKind | None:
        """What was told of the kind of an object, "type:key"."""
        return self.seen.kinds.get(name.partition(":")[0])

    def as_item(self, row: Row, edges: Sequence[Row] = ()) -> Item:
        """The item that a row of a result tells of."""
        is_node = "object" not in row
        key, title = (row.get(name) or "" for name in (("key", "name") if is_node else ("object", "title")))
        return Item(key, title, is_node, mention(key) if is_node else self.named(key, title), row, edges)

    def named(self, name: str, title: str = "") -> str:
        """`{{type:key}}`, which the page shows as a link; where the kind has no page, the title and the name."""
        kind = self.kind_of(name)
        if _MENTIONABLE.fullmatch(name) and (kind is None or kind.has_page):
            return f"{{{{{name}}}}}"
        return f"**{plain(title)}** (`{plain(name)}`)" if title else plain(name)

    def _items(self, values: Iterable[Row]) -> list[Item]:
        found = (row for value in values for row in rows(value.get("nodes")) + rows(value.get("objects")))
        return [self.as_item(row) for row in found]


def together(work: Callable[[S], T], parts: Iterable[S]) -> list[T]:
    """What the work gives for each of them. What has to be looked up for them is looked up side by side."""
    done, wanted = [], list[PlannedCall]()
    for part in parts:
        try:
            done.append(work(part))
        except Wanted as more:
            wanted += [call for call in more.calls if call not in wanted]
    if wanted:
        raise Wanted(wanted)
    return done


def rows(value: Any) -> list[Row]:
    """The rows of a list in a result; none where it has no such list."""
    return [row for row in value if isinstance(row, dict)] if isinstance(value, list) else []


def mention(key: str) -> str:
    """`{{node:KEY}}`, which the page shows as a link."""
    return f"{{{{node:{key}}}}}" if _MENTIONABLE.fullmatch(key) else plain(key)


def is_for_errors(edge: Row) -> bool:
    return bool(_TROUBLE.search(f"{edge.get('label')} {edge['sourceHandle']} {edge['target']}"))
