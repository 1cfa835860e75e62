"""`manage.py dump_tools --graph K`: the tools as a model is offered them, those that read with a real call."""

import json
from typing import Any

from django.core.management.base import BaseCommand, CommandParser

from chat.management.asking import add_asking_options, asking
from chat.providers.base import ToolSpec
from chat.tools import registry
from chat.tools.base import ToolContext
from graphs.models import Graph
from rag.tokens import count_tokens


class Command(BaseCommand):
    help = "Shows the tools a model is offered in a conversation about a graph, and what they answer."

    def add_arguments(self, parser: CommandParser) -> None:
        add_asking_options(parser)

    def handle(self, *args: Any, **options: Any) -> None:
        member, graph = asking(options)
        values = _examples(graph)
        specs = registry.specs(member.role, "graph")
        for spec in specs:
            self.stdout.write(self.style.MIGRATE_HEADING(f"--- {spec.name}"))
            self.stdout.write(f"{spec.description}\n{_json(spec.parameters)}")
            if registry.TOOLS[spec.name].kind == "write":
                continue
            example = _json(_arguments(spec, values))
            self.stdout.write(f"{spec.name} {example}")
            parsed = registry.parse(spec.name, example, [each.name for each in specs])
            if isinstance(parsed, registry.CallRefused):
                self.stdout.write(f"  refused: {parsed.message}\n")
                continue
            result = _json(registry.run(parsed, ToolContext(member, graph)))
            self.stdout.write(f"{result}\n{len(result)} characters, about {count_tokens(result)} tokens\n")


def _examples(graph: Graph) -> dict[str, Any]:
    """A value for every argument that a tool may require, from the graph's first connected node."""
    edge = graph.edges.select_related("source", "target").first()
    nodes = [edge.source, edge.target] if edge else list(graph.nodes.all()[:2])
    keys = [node.key for node in nodes] or ["none"]
    return {
        "nodeKey": keys[-1],
        "nodeKeys": keys,
        "typeKey": nodes[-1].type if nodes else "starter",
        "query": nodes[-1].name or keys[-1] if nodes else "start",
    }


def _arguments(spec: ToolSpec, values: dict[str, Any]) -> dict[str, Any]:
    return {name: values[name] for name in spec.parameters.get("required", ())}


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)
