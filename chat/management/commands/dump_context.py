"""`manage.py dump_context QUERY --graph K`: what retrieval finds for a question, best first."""

from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from graphs.management.workspace_option import add_workspace_option, chosen_workspace
from rag.context import GraphContext
from rag.retrieval import retrieve


class Command(BaseCommand):
    help = "Shows which nodes, edges and types of a graph the model gets to see for a question."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("query")
        parser.add_argument("--graph", required=True, help="key of the graph")
        add_workspace_option(parser)

    def handle(self, *args: Any, query: str, graph: str, **options: Any) -> None:
        workspace = chosen_workspace(options["workspace"])
        found = workspace.graphs.filter(key=graph).first()
        if found is None:
            raise CommandError(f'There is no graph "{graph}" in the workspace "{workspace.slug}".')
        self.stdout.write("\n".join(_lines(retrieve(found, query))))


def _lines(context: GraphContext) -> list[str]:
    graph = context.graph
    return [
        f"graph {graph.key}: {graph.name}; sheets {', '.join(key for key, _ in graph.sheets)}",
        f"\n{len(context.relevant_nodes)} nodes, best first",
        *(
            f"  {node.key}  {node.name!r}  {node.type} ({node.type_name})  sheet {node.sheet}"
            f"  process {len(node.process)}, data {len(node.data)} characters  {node.handles}"
            for node in context.relevant_nodes
        ),
        f"\n{len(context.relevant_edges)} edges between them",
        *(
            f"  {edge.source}:{edge.source_handle} -> {edge.target}:{edge.target_handle}  {edge.label}"
            for edge in context.relevant_edges
        ),
        f"\n{len(context.node_types)} node types",
        *(f"  {record.key}  {record.display_name!r}  {record.handles}" for record in context.node_types),
    ]
