"""Random change sets of one graph, by two conversations and a person, and what the graph looks like after each."""

from dataclasses import dataclass, field
from typing import Any

from hypothesis import strategies as st

from graphs.history import changes
from graphs.history.recording import Applied, Because
from graphs.models import Graph, Node, Origin
from graphs.objects.operations import Create, Delete, Operation, Record, Update
from graphs.objects.refs import Ref
from graphs.workflows import rows as graph_rows
from graphs.workflows.exports import as_json, export_graph
from tests.graphs.workflows.interchange.strategies import objects, texts

CAUSES = [(), ("message:1", "session:A"), ("message:2", "session:A"), ("message:3", "session:B")]
numbers = st.floats(-1e6, 1e6).map(lambda number: number or 0.0)
VALUES: dict[str, st.SearchStrategy[Any]] = {
    "name": texts, "process": texts, "data": objects, "posX": numbers, "posY": numbers, "width": st.none() | numbers,
}  # fmt: skip
ACTIONS = ["node", "node", "node", "new", "connect", "label", "disconnect", "remove"]


@dataclass
class Story:
    """`pictures` are by version; `applied` are the change sets in their order."""

    graph: Graph
    pictures: dict[int, str] = field(default_factory=dict)
    states: list[dict[Ref, Record]] = field(default_factory=list)
    applied: list[Applied] = field(default_factory=list)

    @property
    def version(self) -> int:
        return Graph.objects.values_list("version", flat=True).get(pk=self.graph.pk)

    def look(self) -> None:
        self.pictures[self.version] = picture(self.graph)


def picture(graph: Graph) -> str:
    """Everything of a graph but its versions: what an export says, the order of rows, the words that search finds."""
    document = export_graph(Graph.objects.get(pk=graph.pk))
    del document["version"]
    for part in ("nodes", "edges"):
        for item in document[part]:
            del item["version"]
    return as_json(document) + str(list(Node.objects.filter(graph=graph).order_by("id").values_list("id", "search")))


def state(graph: Graph) -> dict[Ref, Record]:
    nodes = graph_rows.nodes(graph)
    edges = graph_rows.edges(graph, touching=[stored.id for stored in nodes.values()])
    return {stored.item: stored.record for part in (nodes, edges) for stored in part.values()}


def after(before: dict[Ref, Record], operations: list[Operation]) -> dict[Ref, Record]:
    """Operations done to a state that fits them."""
    now = dict(before)
    for operation in operations:
        match operation:
            case Create(item, record):
                assert item not in now
                now[item] = {name: value for name, value in record.items() if name not in {"id", "version"}}
            case Delete(item, _):
                del now[item]
            case Update(item, old, new):
                assert {name: now[item][name] for name in old} == old
                now[item] = now[item] | new
    return now


def happen(draw: Any, graph: Graph, steps: int) -> Story:
    """So many change sets, each of one to three actions."""
    story = Story(graph)
    story.look()
    story.states.append(state(graph))
    for number in range(steps):
        now = state(graph)
        operations: list[Operation] = []
        for part in range(draw(st.integers(1, 3))):
            more = _action(draw, after(now, operations), f"{number}-{part}")
            operations += more
        causes = draw(st.sampled_from(CAUSES))
        origin = Origin.CHAT if causes else Origin.MANUAL
        done = changes.apply(graph, operations, Because(None, origin, causes=causes))
        story.applied.append(done)
        story.states.append(state(graph))
        story.look()
    return story


def _action(draw: Any, now: dict[Ref, Record], new_key: str) -> list[Operation]:
    nodes = sorted(item for item in now if item.type == "node")
    edges = sorted(item for item in now if item.type == "edge")
    action = draw(st.sampled_from(ACTIONS))
    if action == "node" and nodes:
        item = draw(st.sampled_from(nodes))
        name = draw(st.sampled_from(sorted(VALUES)))
        return [Update(item, {name: now[item][name]}, {name: draw(VALUES[name])})]
    if action == "connect" and nodes:
        ends = {"source": draw(st.sampled_from(nodes)).key, "target": draw(st.sampled_from(nodes)).key}
        return [
            Create(Ref("edge", new_key), {**ends, "sourceHandle": "", "targetHandle": "", "label": "", "sheet": "main"})
        ]
    if action == "label" and edges:
        item = draw(st.sampled_from(edges))
        return [Update(item, {"label": now[item]["label"]}, {"label": draw(texts)})]
    if action == "disconnect" and edges:
        item = draw(st.sampled_from(edges))
        return [Delete(item, now[item])]
    if action == "remove" and nodes:
        item = draw(st.sampled_from(nodes))
        hanging = [edge for edge in edges if item.key in (now[edge]["source"], now[edge]["target"])]
        return [*(Delete(edge, now[edge]) for edge in hanging), Delete(item, now[item])]
    record = {
        "type": "html", "sheet": "main", "name": draw(texts), "process": "", "data": draw(objects), "handles": {},
        "posX": draw(numbers), "posY": 0.0, "width": None, "height": None,
    }  # fmt: skip
    return [Create(Ref("node", new_key), record)]
