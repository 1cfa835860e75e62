"""Graphs and node types as the API answers with them."""

from datetime import datetime
from typing import Any, Self

from django.db.models import Count, Sum
from django.utils.translation import get_language, gettext

from graphs.api.beginnings import beginnings, first_handles
from graphs.models import Graph, NodeType
from graphs.objects.streams import streams
from graphs.site.api.paging import PageShape
from graphs.site.shapes import AsItIs, Id, Shape
from graphs.workflows.exports import EdgeShape, ExportedNodeType, NodeShape, VersionedSheet, export_graph
from graphs.workflows.imports import ImportedGraph
from graphs.workflows.interchange.refusals import WarningCode
from graphs.workflows.node_types import BUILT_IN, TypeRecord


class NodeTypeShape(ExportedNodeType):
    built_in: bool

    @classmethod
    def of(cls, record: TypeRecord) -> Self:
        """A built-in type in the language of its reader."""
        return cls.from_attributes(
            record,
            display_name=gettext(record.display_name),
            description=gettext(record.description),
            category=gettext(record.category),
            built_in=True,
        )


class CustomNodeType(ExportedNodeType):
    """`cut` names the texts of which only the beginning is here, and handles where only the first ones are."""

    version: int
    untrusted_since: datetime | None
    cut: list[str]

    @classmethod
    def of(cls, row: NodeType) -> Self:
        texts, cut = beginnings({"description": row.description, "process": row.process})
        handles, fewer = first_handles(row.handles)
        return cls.from_attributes(row, **texts, handles=handles, cut=[*cut, *(["handles"] if fewer else [])])


class NodeTypePage(PageShape[CustomNodeType]): ...


class GraphSummary(Shape):
    key: str
    name: str
    description: str
    version: int
    nodes: int
    edges: int
    untrusted_since: datetime | None
    created_at: datetime
    updated_at: datetime
    stream_id: str | None


class GraphPage(PageShape[GraphSummary]): ...


class GraphShape(Shape):
    key: str
    name: str
    description: str
    metadata: dict[str, Any]
    version: int
    untrusted_since: datetime | None
    untrusted_by: str
    sheets: AsItIs[list[VersionedSheet]]
    nodes: AsItIs[list[NodeShape]]
    edges: AsItIs[list[EdgeShape]]
    node_types: AsItIs[list[NodeTypeShape]]
    stream_id: str | None

    @classmethod
    def of(cls, graph: Graph) -> Self:
        """A graph with everything on it and the types that its nodes have."""
        document = export_graph(graph, VersionedSheet)
        del document["format"], document["formatVersion"]
        used = {node["type"] for node in document["nodes"]}
        built_in = [NodeTypeShape.of(BUILT_IN[key]).to_json() for key in BUILT_IN if key in used]
        custom = [node_type | {"builtIn": False} for node_type in document["nodeTypes"]]
        mark = {"untrustedSince": graph.untrusted_since, "untrustedBy": graph.untrusted_by}
        stream_id = streams.of([graph]).get(graph.pk)
        return cls(**document | mark | {"nodeTypes": [*built_in, *custom], "streamId": stream_id})


class ImportWarning(Shape):
    where: str
    message: str
    code: WarningCode


class ImportResult(Shape):
    key: str
    nodes: int
    edges: int
    warnings: list[ImportWarning]
    warning_count: int | None = None
    replaced: bool | None = None
    change_set: Id | None = None

    @classmethod
    def of(cls, done: ImportedGraph) -> Self:
        """The first warnings, with the count of all where they are more; `replaced` where the graph was there before,
        and then the change set, unless all was like this."""
        warnings = [ImportWarning.from_attributes(warning) for warning in done.warnings]
        there = {"replaced": True} if done.replaced else {}
        changed = {"change_set": done.change_set} if done.change_set else {}
        more = {"warning_count": done.warning_count} if done.unsaid else {}
        counts = {"nodes": done.nodes, "edges": done.edges}
        return cls(key=done.graph.key, warnings=warnings, **counts, **more, **there, **changed)


def etag(graph: Graph) -> str:
    """A mark that changes with the graph, whether it is trusted, the node types of its workspace and the language."""
    types = NodeType.objects.filter(workspace=graph.workspace_id).aggregate(count=Count("pk"), versions=Sum("version"))
    changed = int(graph.updated_at.timestamp() * 1_000_000)
    looked_at = "" if graph.untrusted_since is None else "-untrusted"
    return (
        f'"{graph.pk}-{graph.version}-{changed}{looked_at}-{types["count"]}-{types["versions"] or 0}-{get_language()}"'
    )
