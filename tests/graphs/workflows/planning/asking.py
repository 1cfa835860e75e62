"""How tests ask for changes: as the wire does."""

from typing import Any

from django.contrib.auth.models import User

from graphs.history import changes
from graphs.history.recording import Applied, Because
from graphs.models import Graph, Origin
from graphs.objects import planning
from graphs.objects.actions import ChangeRefused, parse
from graphs.objects.operations import Operation, Planned, inverses, to_json
from graphs.workflows.exports import export_graph
from tests.graphs.recorded import recorded

Asked = tuple[str, dict[str, Any]]


def plan(graph: Graph, *asked: Asked, reserved: tuple[str, ...] = ()) -> Planned:
    return planning.plan(graph, [parse(name, arguments) for name, arguments in asked], lambda: reserved)


def one(graph: Graph, name: str, /, **arguments: Any) -> Planned:
    return plan(graph, (name, arguments))


def refused(graph: Graph, name: str, /, **arguments: Any) -> str:
    try:
        planned = one(graph, name, **arguments)
    except ChangeRefused as refusal:
        return str(refusal)
    raise AssertionError(planned)


def done(graph: Graph, planned: Planned, by: User | None = None) -> Applied:
    return changes.apply(graph, planned.operations, Because(by, Origin.MANUAL))


def undone(graph: Graph, applied: Applied) -> Applied:
    return changes.apply(graph, inverses(recorded(applied)), Because(None, Origin.ROLLBACK))


def without_versions(graph: Graph) -> dict[str, Any]:
    document = export_graph(graph)
    del document["version"]
    for part in ("nodes", "edges"):
        for item in document[part]:
            del item["version"]
    return document


def shown(operations: tuple[Operation, ...]) -> list[tuple[str, str, str]]:
    """What happens to which items: `("create", "node", "retry")`."""
    return [(found["action"], found["type"], found["id"]) for found in map(to_json, operations)]
