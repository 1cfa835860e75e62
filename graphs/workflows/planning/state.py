"""What a plan is computed from: everything that actions name, read once, in at most twelve queries."""

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from typing import Any

from django.db.models import F, Func, Q, Value

from graphs.models import Edge, Graph, Node, NodeType
from graphs.objects.likeness import most_alike
from graphs.objects.preconditions import Stored
from graphs.workflows import rows
from graphs.workflows.kinds import NODE
from graphs.workflows.node_types import BUILT_IN, Handles, custom_types

#: Nodes among which the ones that may have been meant are looked for.
SEARCHED_NODES = 50_000
#: The fields of nodes on drawn sheets.
DRAWN = ("type", "sheet", "name", "handles", "posX", "posY", "width", "height")
#: Keys of types that are named where one does not exist.
NAMED_TYPES = 30


@dataclass(slots=True)
class ToRead:
    """What actions name. Each adds to it before anything is read."""

    nodes: set[str] = field(default_factory=set)
    #: Nodes whose edges matter, too.
    with_edges: set[str] = field(default_factory=set)
    edges: set[str] = field(default_factory=set)
    types: set[str] = field(default_factory=set)
    #: Sheets that would be deleted: all that stands there matters.
    deleted_sheets: set[str] = field(default_factory=set)
    #: Types that would be deleted.
    deleted_types: set[str] = field(default_factory=set)
    #: Keys that new nodes and types are given, and what keys are made of where they are not.
    given: set[str] = field(default_factory=set)
    made_of: set[str] = field(default_factory=set)
    types_made_of: set[str] = field(default_factory=set)
    #: Sheets on which places matter, and nodes whose sheets are such.
    drawn: set[str] = field(default_factory=set)
    drawn_around: set[str] = field(default_factory=set)
    #: Whether places matter on all sheets, and whether the connections there do.
    all_drawn: bool = False
    linked: bool = False

    def node(self, key: str, *, with_edges: bool = False) -> None:
        self.nodes.add(key)
        if with_edges:
            self.with_edges.add(key)


@dataclass(frozen=True, slots=True)
class PlanState:
    """A graph as far as a plan needs it. What is not named is not here."""

    graph_key: str
    #: All of them, in their order.
    sheets: Mapping[str, Stored]
    nodes: Mapping[str, Stored]
    edges: Mapping[str, Stored]
    types: tuple[NodeType, ...]
    #: Handles of the first node of each type that nobody described.
    seen_types: Mapping[str, Handles]
    #: What else could be said where a type does not exist.
    known_types: tuple[str, ...]
    #: Keys of nodes and types that are not free, or that only one action may take.
    taken: frozenset[str]
    taken_types: frozenset[str]
    #: Keys of graphs that use types.
    uses: Mapping[str, tuple[str, ...]]
    #: The nodes of the drawn sheets, with what their boxes need.
    drawn: Mapping[str, Stored]
    #: Source and target of the edges between them, by key.
    links: Mapping[str, tuple[str, str]]
    #: For keys of nodes that do not exist: which ones may be meant.
    meant: Mapping[str, tuple[str, ...]]


def load(graph: Graph, wanted: ToRead, reserved: Callable[[], Collection[str]]) -> PlanState:
    """Reads what is wanted. `reserved` gives keys that new nodes do not get."""
    sheets = rows.sheets(graph)
    if wanted.deleted_sheets:
        _want_all_on(graph, wanted)
    nodes = rows.nodes(graph, wanted.nodes) if wanted.nodes else {}
    ends = [nodes[key].id for key in wanted.with_edges if key in nodes]
    edges = rows.edges(graph, wanted.edges, ends) if wanted.edges or ends else {}
    types = custom_types(graph.workspace_id).filter(key__in=wanted.types).order_by("pk") if wanted.types else ()
    undescribed = wanted.types - {each.key for each in types} - BUILT_IN.keys()
    seen = {}
    if undescribed:
        first = Node.objects.filter(graph=graph, type__in=undescribed).order_by("type", "id").distinct("type")
        seen = dict(first.values_list("type", "handles"))
    known_types: tuple[str, ...] = ()
    if undescribed - seen.keys():
        own = custom_types(graph.workspace_id).order_by("key").values_list("key", flat=True)
        known_types = (*BUILT_IN, *own[:NAMED_TYPES])
    around = {nodes[key].record["sheet"] for key in wanted.drawn_around if key in nodes}
    drawn_sheets = set(sheets) if wanted.all_drawn else (wanted.drawn | around) & set(sheets)
    on_sheets = Node.objects.filter(graph=graph, sheet__key__in=drawn_sheets).order_by("id")
    drawn = rows.stored(NODE, on_sheets, DRAWN) if drawn_sheets else {}
    taken = _like(graph.nodes, wanted.made_of) if wanted.made_of else frozenset()
    of_workspace = NodeType.objects.filter(workspace_id=graph.workspace_id)
    taken_types = _like(of_workspace, wanted.types_made_of) if wanted.types_made_of else frozenset()
    missing = wanted.nodes - nodes.keys() - wanted.given
    return PlanState(
        graph_key=graph.key,
        sheets=sheets,
        nodes=nodes,
        edges=edges,
        types=tuple(types),
        seen_types=seen,
        known_types=known_types,
        taken=taken.union(wanted.given, reserved() if wanted.made_of or wanted.given else ()),
        taken_types=taken_types | BUILT_IN.keys(),
        uses=_uses(graph, wanted.deleted_types) if wanted.deleted_types else {},
        drawn=drawn,
        links=_links(graph, drawn) if drawn and wanted.linked else {},
        meant=_meant(graph, missing) if missing else {},
    )


def _want_all_on(graph: Graph, wanted: ToRead) -> None:
    """Adds what stands on the sheets that would go, and the sources of edges that only stand there."""
    there = {"graph": graph, "sheet__key__in": wanted.deleted_sheets}
    for key in Node.objects.filter(**there).values_list("key", flat=True):
        wanted.node(key, with_edges=True)
    for key, source in Edge.objects.filter(**there).values_list("key", "source__key"):
        wanted.edges.add(key)
        wanted.node(source)


def _like(items: Any, wanted: set[str]) -> frozenset[str]:
    """The wanted keys that items have, also with a number behind them."""
    base = Func(F("key"), Value("-[0-9]+$"), Value(""), function="regexp_replace")
    found = items.alias(base=base).filter(Q(key__in=wanted) | Q(base__in=wanted))
    return frozenset(found.values_list("key", flat=True))


def _uses(graph: Graph, types: set[str]) -> dict[str, tuple[str, ...]]:
    used = Node.objects.filter(graph__workspace_id=graph.workspace_id, type__in=types).order_by("type", "graph__key")
    found: dict[str, tuple[str, ...]] = {}
    for type_key, graph_key in used.values_list("type", "graph__key").distinct():
        found[type_key] = (*found.get(type_key, ()), graph_key)
    return found


def _links(graph: Graph, drawn: Mapping[str, Stored]) -> dict[str, tuple[str, str]]:
    """The edges between drawn nodes. Joined here: PostgreSQL takes half a minute where its statistics are stale."""
    keys = {stored.id: key for key, stored in drawn.items()}
    edges = Edge.objects.filter(graph=graph).order_by("id").values_list("key", "source_id", "target_id")
    return {key: (keys[source], keys[target]) for key, source, target in edges if source in keys and target in keys}


def _meant(graph: Graph, missing: set[str]) -> dict[str, tuple[str, ...]]:
    """Nodes of this name, or with a key that is nearly the same."""
    found = Node.objects.filter(graph=graph).order_by("id").values_list("key", "name")
    known = list(found[:SEARCHED_NODES])
    same: dict[str, dict[str, None]] = {}
    for key, name in known:
        for text in (key, name):
            same.setdefault(_loosely(text), {})[key] = None
    keys = [key for key, _name in known]
    return {key: tuple(list(same.get(_loosely(key), ()))[:3] or most_alike(key, keys)) for key in sorted(missing)[:5]}


def _loosely(text: str) -> str:
    return text.casefold().replace("_", "-").replace(" ", "-")
