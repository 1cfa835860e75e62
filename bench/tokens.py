"""What the context of a question costs: the tables that a model gets, beside the same nodes and edges as compact JSON.

Measured on the real workflows in `shared/data` beside the project, of each the nodes around its first one.
"""

from collections import Counter, defaultdict, deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from bench.figures import ratio
from bench.shared_data import DATA, absent
from bench.table import Row
from chat.subjects.graphs.rows import edge_row, node_row
from graphs.workflows.interchange.formats import parse
from graphs.workflows.interchange.parsed_graph import Limits, ParsedEdge, ParsedGraph, ParsedNode
from graphs.workflows.interchange.refusals import ImportRefused
from graphs.workflows.sources import EdgeRecord, NodeRecord
from rag.sources.graphs.context import GraphContext, GraphFacts, RelevantEdge, RelevantNode, configured
from rag.sources.graphs.tables import GROUPED_BY, tables_of
from rag.texts.shortening import cut, handles_summary
from rag.texts.tables import as_json, encode, encode_tables
from rag.texts.tokens import count_tokens

FOLDERS = ("n8n-workflows", "node-red")
#: The rows of a context repeat where so many of its nodes have the same type.
REPEATED = 3

Tables = dict[str, list[dict[str, Any]]]


@dataclass(frozen=True)
class Part:
    """Some nodes of a workflow and the edges between them; `sheets` are the names of its sheets by their keys."""

    nodes: tuple[ParsedNode, ...]
    edges: tuple[ParsedEdge, ...]
    sheets: Mapping[str, str]

    @property
    def repeats(self) -> bool:
        return max(Counter(node.type for node in self.nodes).values(), default=0) >= REPEATED


def measure() -> list[Row] | str:
    """Tokens of all workflows together; a sentence where they are not there."""
    parts = parts_of_workflows()
    repeating = [part for part in parts if part.repeats]
    if not parts:
        return absent(f"workflows ({', '.join(FOLDERS)})")
    return [
        _row(f"{len(repeating)} contexts whose rows repeat, beside all fields", repeating, _in_full, _context, 0.5),
        _row(f"{len(parts)} contexts, beside all fields", parts, _in_full, _context),
        _row("their rows, beside the same rows", parts, _rows_as_json, _context, 1.0),
        _row(
            "their edges",
            parts,
            lambda part: as_json(_only(part, "edges")),
            lambda part: _encoded(_only(part, "edges")),
        ),
        _row(
            "their nodes without code and data",
            parts,
            lambda part: as_json(_bare(part)),
            lambda part: _encoded(_bare(part)),
        ),
        _row(
            "results of tools: nodes and edges around one",
            parts,
            lambda part: as_json(_result(part)),
            lambda part: encode(_result(part)),
            1.0,
        ),
    ]


def parts_of_workflows() -> list[Part]:
    return [_around_first(graph) for graph in _workflows()]


def _row(
    what: str,
    parts: Sequence[Part],
    reference: Callable[[Part], str],
    product: Callable[[Part], str],
    target: float | None = None,
) -> Row:
    beside, ours = (sum(count_tokens(written(part)) for part in parts) for written in (reference, product))
    return Row(f"tokens of {what}", beside, ours, ratio(ours, beside), target)


def _workflows() -> Iterator[ParsedGraph]:
    for file in (file for folder in FOLDERS for file in sorted((DATA / folder).glob("*.json"))):
        try:
            yield parse(file.read_bytes(), "auto", Limits(), file.name)
        except ImportRefused:
            continue


def _around_first(graph: ParsedGraph) -> Part:
    """As many nodes as a context has, nearest to the first one; then the other nodes in their order."""
    near: defaultdict[str, list[str]] = defaultdict(list)
    for edge in graph.edges:
        near[edge.source].append(edge.target)
        near[edge.target].append(edge.source)
    nodes = {node.key: node for node in graph.nodes}
    chosen: dict[str, None] = {}
    for start in nodes:
        waiting = deque([start])
        while waiting and len(chosen) < configured().nodes:
            key = waiting.popleft()
            if key not in chosen:
                chosen[key] = None
                waiting.extend(near[key])
    inside = tuple(edge for edge in graph.edges if edge.source in chosen and edge.target in chosen)
    return Part(tuple(nodes[key] for key in chosen), inside, {sheet.key: sheet.name for sheet in graph.sheets})


def _in_full(part: Part) -> str:
    """Every field of the nodes and edges, long ones cut as in a context."""
    nodes = [
        {
            "key": node.key,
            "type": node.type,
            "sheet": node.sheet,
            "name": node.name,
            "process": cut(node.process, configured().process_chars),
            "data": cut(as_json(node.data), configured().data_chars),
            "handles": node.handles,
            "posX": node.pos_x,
            "posY": node.pos_y,
            "width": node.width,
            "height": node.height,
            "version": 1,
        }
        for node in part.nodes
    ]
    edges = [edge_row(_edge_record(edge)) | {"sheet": edge.sheet, "version": 1} for edge in part.edges]
    return as_json({"nodes": nodes, "edges": edges})


def tables(part: Part) -> Tables:
    """What a model is shown of them."""
    nodes = tuple(
        RelevantNode(
            key=node.key,
            name=node.name,
            type=node.type,
            type_name=node.type,
            sheet=node.sheet,
            sheet_name=part.sheets.get(node.sheet, ""),
            process=cut(node.process, configured().process_chars),
            data=cut(as_json(node.data), configured().data_chars) if node.data else "",
            handles=handles_summary(node.handles),
        )
        for node in part.nodes
    )
    edges = tuple(
        RelevantEdge(edge.source, edge.source_handle, edge.target, edge.target_handle, edge.label)
        for edge in part.edges
    )
    return tables_of(GraphContext(GraphFacts("", "", "", (), {}), nodes, edges, ()))


def _encoded(tables: Tables) -> str:
    return encode_tables(tables, GROUPED_BY)


def _context(part: Part) -> str:
    return _encoded(tables(part))


def _rows_as_json(part: Part) -> str:
    return as_json(tables(part))


def _only(part: Part, table: str) -> Tables:
    return {table: tables(part)[table]}


def _bare(part: Part) -> Tables:
    rows = _only(part, "nodes")["nodes"]
    return {"nodes": [{name: value for name, value in row.items() if name not in ("process", "data")} for row in rows]}


def _result(part: Part) -> dict[str, Any]:
    """What `explore_neighborhood` answers."""
    nodes = [node_row(_record(node), {}) | {"distance": 1} for node in part.nodes]
    edges = [edge_row(_edge_record(edge)) for edge in part.edges]
    return {"nodeKey": part.nodes[0].key if part.nodes else "", "nodes": nodes, "edges": edges}


def _record(node: ParsedNode) -> NodeRecord:
    return NodeRecord(
        node.key,
        node.name,
        node.type,
        node.sheet,
        node.process,
        node.data,
        node.handles,
        node.pos_x,
        node.pos_y,
        node.width,
        node.height,
    )


def _edge_record(edge: ParsedEdge) -> EdgeRecord:
    return EdgeRecord(edge.key, edge.source, edge.source_handle, edge.target, edge.target_handle, edge.label)
