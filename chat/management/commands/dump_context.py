"""`manage.py dump_context QUERY --object T:K`: what retrieval finds for a question, best first, and why."""

import json
from typing import Any

from django.core.management.base import CommandParser
from toon_format import encode as to_toon

from chat.management.cli_options import add_asking_options, asking
from chat.prompts.question import context_text
from graphs.models import Graph
from graphs.objects.refs import Ref
from rag.embeddings.metering import account_of
from rag.management.quiet import QuietCommand
from rag.sources.graphs.context import RelevantNode
from rag.sources.graphs.retrieve import Found, Why, look_up
from rag.sources.graphs.tables import GROUPED_BY, tables_of
from rag.sources.registry import source_of
from rag.texts.tables import as_json, encode_tables
from rag.texts.tokens import count_tokens


class Command(QuietCommand):
    help = (
        "Shows what of an object the model gets to see for a question; of a graph which nodes, why, and in which size."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("query")
        add_asking_options(parser)

    def handle(self, *args: Any, query: str, **options: Any) -> None:
        member, about = asking(options)
        if isinstance(about, Graph):
            found = look_up(about, query)
            self.stdout.write(_document(query, found) if options["json"] else "\n".join(_lines(found)))
            return
        text = context_text(source_of(about.type).retrieve(member, about, query, account_of(about)))
        told = {
            "query": query,
            "object": str(Ref(about.type, about.key)),
            "text": text,
            "tokens": {"sent": count_tokens(text)},
        }
        self.stdout.write(json.dumps(told, ensure_ascii=False, indent=2) if options["json"] else text)


def _document(query: str, found: Found) -> str:
    context = found.context
    return json.dumps(
        {
            "query": query,
            "graph": context.graph.key,
            "nodes": [{**_row(node), **_reasons(why)} for node, why in _with_why(found)],
            **{name: rows for name, rows in tables_of(context).items() if name != "nodes"},
            "tokens": _tokens(found),
        },
        ensure_ascii=False,
        indent=2,
    )


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
    """Of the same rows in each encoding; `sent` is what the model gets."""
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
