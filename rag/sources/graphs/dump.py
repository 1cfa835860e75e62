"""What retrieval finds of a graph for a question, best first, and why: for people."""

from typing import Any

from toons import dumps as to_toon

from rag.sources.block import Dump
from rag.sources.graphs.context import RelevantNode
from rag.sources.graphs.retrieve import Found, Why
from rag.sources.graphs.tables import GROUPED_BY, tables_of
from rag.texts.tables import as_json, encode_tables
from rag.texts.tokens import count_tokens


def dump_of(question: str, found: Found) -> Dump:
    """The nodes in their order with the reasons for each, what is between them, and the size in each encoding."""
    document = {
        "query": question,
        "graph": found.context.graph.key,
        **tables_of(found.context),
        "nodes": [{**_row(node), **_reasons(why)} for node, why in _with_why(found)],
        "tokens": _tokens(found),
    }
    return Dump(document, "\n".join(_lines(found)))


def _row(node: RelevantNode) -> dict[str, str]:
    return {name: getattr(node, name) for name in ("key", "name", "type", "sheet", "process", "data", "handles")}


def _reasons(why: Why | None) -> dict[str, Any]:
    """Each half of a search by its share of the score; a node that neither found was reached by links alone."""
    if why is None:
        return {"by": ["beginning of the graph"]}
    parts = {"words": why.words, "vector": why.cosine, "links": why.linked}
    by = [*(["name"] if why.named else []), *(name for name, part in parts.items() if part > 0)]
    return {"by": by, "score": round(why.score, 3), **{name: round(part, 3) for name, part in parts.items()}}


def _with_why(found: Found) -> list[tuple[RelevantNode, Why | None]]:
    nodes = found.context.relevant_nodes
    return list(zip(nodes, found.why or [None] * len(nodes), strict=True))


def _tokens(found: Found) -> dict[str, int]:
    """The tokens of the tables in each encoding; `sent` is what the model gets."""
    tables = tables_of(found.context)
    texts = {"json": as_json(tables), "toon": to_toon(tables), "sent": encode_tables(tables, GROUPED_BY)}
    return {name: count_tokens(text) for name, text in texts.items()}


def _lines(found: Found) -> list[str]:
    context = found.context
    graph = context.graph
    return [
        f"graph {graph.key}: {graph.name}; sheets {', '.join(key for key, _ in graph.sheets)}",
        f"\n{len(context.relevant_nodes)} nodes, best first",
        *(
            f"  {node.key}  {node.name!r}  {node.type} ({node.type_name})  sheet {node.sheet}"
            f"  process {len(node.process)}, data {len(node.data)} characters  {node.handles}\n    {_reason(why)}"
            for node, why in _with_why(found)
        ),
        f"\n{len(context.relevant_edges)} edges between them",
        *(
            f"  {edge.source}:{edge.source_handle} -> {edge.target}:{edge.target_handle}  {edge.label}"
            for edge in context.relevant_edges
        ),
        f"\n{len(context.node_types)} node types",
        *(f"  {record.key}  {record.display_name!r}  {record.handles}" for record in context.node_types),
        "\ntokens: " + ", ".join(f"{name} {count}" for name, count in _tokens(found).items()),
    ]


def _reason(why: Why | None) -> str:
    reasons = _reasons(why)
    if why is None:
        return "the question finds nothing: here the graph begins"
    halves = ", ".join(f"{name} {reasons[name]}" for name in ("words", "vector", "links") if reasons[name])
    return f"score {reasons['score']}: {'its name, ' if why.named else ''}{halves}".rstrip(", ")
