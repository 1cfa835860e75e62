"""The nodes of a graph as a collection: which of them changed, what they say, and when the worker is to be woken."""

import json
from collections.abc import Iterator, Sequence
from typing import Any

from django.db import connection, transaction
from django.db.models import CharField, QuerySet, Value
from django.db.models.functions import Cast, Concat
from django.db.models.signals import post_save
from django.dispatch import receiver

from graphs.history.recording import Applied, changed
from graphs.models import Graph, LiveEdit, Modification, Node, Revision, Workspace
from graphs.site.accounts import account_of
from graphs.workflows.kinds import NODE
from graphs.workflows.listing import graph_in
from rag.embeddings.collections import MAX_CHARS, Targets, TargetText, in_pages
from rag.embeddings.waking import wake
from rag.sources.graphs import word_indexes
from rag.texts.words import named_values, plain

FAMILY = "graph"
#: The fields of a node that its text is made of; its key only counts where it has no name, and keys do not change.
CONTENT = ("name", "type", "process", "data", "handles")
#: Settings get no more than this of it, so that code is seen too.
DATA_CHARS = 1_000
#: What has a text to embed when it changes: a field of a node, or a node that came.
_TEXTS = frozenset((NODE.name, field) for field in ("", *CONTENT))

_READ = """
SELECT id, version, key, name, type, left(process, %s), data, handles
FROM graphs_node WHERE id = ANY(%s) AND graph_id = %s ORDER BY id
"""


def collection_of(graph_id: int) -> str:
    """The name of the collection of a graph's nodes."""
    return f"{FAMILY}:{graph_id}"


def collection_named(workspace: Workspace, key: str) -> str:
    """The name of the collection of the nodes of a workspace's graph. Raises `NotFound`."""
    return collection_of(graph_in(workspace, key).pk)


def node_text(key: str, name: str, type_: str, process: str, data: Any, handles: Any) -> str:
    """Name, type, labels, settings and the beginning of the code in plain words, the most telling first."""
    own = name if name.strip() else key
    labels = " ".join(_labels(handles))
    settings = ". ".join(named_values(data, ""))[:DATA_CHARS]
    parts = [plain(own), plain(type_), plain(labels), settings, plain(process[:MAX_CHARS])]
    return ". ".join(filter(None, parts))[:MAX_CHARS]


def _labels(handles: Any) -> Iterator[str]:
    for points in handles.values() if isinstance(handles, dict) else ():
        for point in points if isinstance(points, list) else ():
            if isinstance(point, dict) and point.get("label"):
                yield str(point["label"])


class GraphNodes:
    """The nodes of one graph."""

    table = Node._meta.db_table

    def __init__(self, graph: Graph) -> None:
        self.name = collection_of(graph.pk)
        self.label = graph.title
        self.account = account_of(graph)
        self._graph = graph

    def settled_version(self) -> int:
        """The version up to which the history tells. Live edits get there when they are saved, as later versions."""
        unsaved = LiveEdit.objects.filter(object=self._graph, saved_at=None).order_by("version")
        first = unsaved.values_list("version", flat=True).first()
        return min(self._graph.version, (first or self._graph.version + 1) - 1)

    def size(self) -> int:
        """How many nodes the graph has."""
        return self._graph.nodes.count()

    def all_targets(self, most: int) -> Iterator[Targets]:
        """All nodes, in the order of their ids."""
        return in_pages(self._graph.nodes.all(), NODE.name, most)

    def changed_since(self, version: int, most: int) -> Iterator[Targets]:
        """The nodes that the history names, and those that were edited live."""
        since = Revision.objects.filter(type=Graph.TYPE, object=self._graph.pk, version__gt=version)
        # Also what was only moved: the vector that was being made meanwhile was not stored.
        modified = Modification.objects.filter(
            change_set__in=since.values("change_set"), type=Graph.TYPE, object=self._graph.pk, kind=NODE.name
        ).exclude(action=Modification.Action.DELETE)
        live = LiveEdit.objects.filter(object=self._graph, version__gt=version).values_list("items", flat=True)
        # What was edited live and taken back before it was saved is in no history.
        edited = (name.partition(":") for items in live for name in items)
        nodes_edited = (key for kind, _, key in edited if kind == NODE.name)
        keys = sorted({*modified.values_list("key", flat=True), *nodes_edited})
        for start in range(0, len(keys), most):
            nodes = self._graph.nodes.filter(key__in=keys[start : start + most])
            yield Targets(NODE.name, list(nodes.values_list("pk", flat=True)))

    def read(self, targets: Targets) -> list[TargetText]:
        """The texts of nodes."""
        with connection.cursor() as cursor:
            cursor.execute(_READ, [MAX_CHARS, list(targets.ids), self._graph.pk])
            rows: Sequence[Any] = cursor.fetchall()
        return [
            TargetText(id_, version, node_text(key, name, type_, process, json.loads(data), json.loads(handles)))
            for id_, version, key, name, type_, process, data, handles in rows
        ]

    def fit(self, *, wait: bool) -> bool:
        """Builds or drops the graph's index of words."""
        return word_indexes.fit(self._graph.pk, wait=wait)


class GraphFamily:
    """The nodes of each graph are a collection."""

    def discover(self) -> None:
        """Does nothing: a graph is known from its beginning."""

    def versions(self, workspace_id: int | None) -> QuerySet[Any, tuple[str, int]]:
        """The versions of all graphs, or of those of a workspace."""
        graphs = Graph.objects.order_by() if workspace_id is None else Graph.objects.filter(workspace=workspace_id)
        return graphs.values_list(Concat(Value(f"{FAMILY}:"), Cast("pk", CharField())), "version")

    def open(self, number: int) -> GraphNodes | None:
        """The nodes of the graph with this primary key."""
        graph = Graph.objects.filter(pk=number).first()
        return GraphNodes(graph) if graph else None

    def drop_forgotten(self) -> None:
        """Drops the indexes of words of graphs that are gone."""
        word_indexes.drop_forgotten()


@receiver(post_save, sender=Graph)
def wake_for_new_graph(created: bool, raw: bool = False, **_kwargs: Any) -> None:
    if created and not raw:
        transaction.on_commit(wake)


@receiver(changed)
def wake_for_change(change: Applied, **_kwargs: Any) -> None:
    """Wakes nobody for edges, places and sizes."""
    if not change.touched.isdisjoint(_TEXTS):
        transaction.on_commit(wake)
