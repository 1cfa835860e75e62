"""How long retrieval takes in one process, nothing cached. With the product's settings:

python -m bench.retrieval_times SCALE

The scale is that of `bench.retrieval` as JSON. It writes one line: the seconds of each time by what was done.
"""

import json
import random
import sys
from math import exp, log
from typing import Any

import django

from bench.history_times import Times, timed

#: Words are used as in a language: the n-th as often as 1 / n.
VOCABULARY = 20_000
NAME_WORDS = 3
CODE_WORDS = 12
EDGES_PER_NODE = 2
#: Edges lead to the first nodes far more often than to others.
POWER = 4
#: The first nodes have the most.
HUBS = 3

_WORDS = """(
    SELECT string_agg('w' || floor(exp(random() * ln({vocabulary})))::int, ' ') FROM generate_series(1, {words} + 0 * n)
)"""
_NODES = """
INSERT INTO graphs_node
    (graph_id, sheet_id, key, name, type, process, data, handles, pos_x, pos_y, version)
SELECT %(graph)s, %(sheet)s, 'n' || n, {name}, 'filter', {code}, '{{}}', '{{}}', 0, 0, 1
FROM generate_series(1, %(size)s) AS n"""
_EDGES = """
INSERT INTO graphs_edge
    (graph_id, sheet_id, key, source_id, source_handle, target_id, target_handle, label, version)
SELECT %(graph)s, %(sheet)s, 'e' || n, %(first)s + floor(random() * %(size)s)::int, 'R-0',
    %(first)s + floor(pow(random(), %(power)s) * %(size)s)::int, 'L-0', '', 1
FROM generate_series(1, %(size)s * %(edges)s) AS n"""


def fill(workspace: Any, size: int) -> Any:
    """A graph whose words and edges follow power laws, with its vectors; the same at every run."""
    from django.core.management import call_command
    from django.db import connection

    graph = workspace.graphs.create(key=f"retrieval-{size}", name=f"{size} nodes")
    sheet = graph.sheets.create(key="main", name="Main")
    name, code = (_WORDS.format(vocabulary=VOCABULARY, words=words) for words in (NAME_WORDS, CODE_WORDS))
    values = {"graph": graph.pk, "sheet": sheet.pk, "size": size, "edges": EDGES_PER_NODE, "power": POWER}
    with connection.cursor() as cursor:
        cursor.execute("SELECT setseed(0.5)")
        cursor.execute(_NODES.format(name=name, code=code), values)
        cursor.execute("SELECT min(id) FROM graphs_node WHERE graph_id = %s", [graph.pk])
        (first,) = cursor.fetchone()
        cursor.execute(_EDGES, values | {"first": first})
        call_command("embed_nodes", graph=graph.key, workspace=workspace.slug, batch=1_000, stdout=sys.stderr)
        for table in ("graphs_node", "graphs_edge", "rag_embedding"):
            cursor.execute(f"VACUUM (ANALYZE) {table}")
    return graph


def questions(count: int) -> list[str]:
    """Rare and common words mixed."""
    chosen = random.Random(7)
    return [
        " ".join(f"w{int(exp(chosen.random() * log(VOCABULARY)))}" for _ in range(chosen.randint(2, 5)))
        for _ in range(count)
    ]


def measure(times: Times, graph: Any, size: int, asked: list[str], repeats: int) -> None:
    from graphs import neighbours
    from rag import expansion, retrieval
    from rag.embeddings.registry import current
    from rag.ranking import DEPTH, SEEDS
    from rag.vector_search import nearest

    embedder = current()
    assert embedder is not None
    vectors = [embedder.embed([question], "question").vectors[0] for question in asked]

    def floors(place: int) -> None:
        seeds = [node for node, _ in nearest(graph.pk, embedder.name, vectors[place], retrieval.FOUND)][:SEEDS]
        neighbours.around(
            graph.pk,
            seeds or [first],
            depth=DEPTH,
            direction="any",
            per_node=expansion.PER_NODE,
            limit=expansion.MAX_NODES,
        )

    first = graph.nodes.order_by("pk").values_list("pk", flat=True)[0]
    for place, question in enumerate(asked):
        hub, leaf = (f"what is n{node}" for node in (1 + place % HUBS, size - place % size))
        for name, work in (
            ("floors", lambda p=place: floors(p)),
            ("retrieval", lambda q=question: retrieval._retrieve(graph, q)),
            ("hub", lambda q=hub: retrieval._retrieve(graph, q)),
            ("leaf", lambda q=leaf: retrieval._retrieve(graph, q)),
        ):
            repeated: Times = {}
            for _ in range(repeats):
                timed(repeated, name, work)
            times.setdefault(f"{name} {size}", []).append(min(repeated[name]))


def main(scale: dict[str, Any]) -> None:
    from graphs.models import Workspace

    times: Times = {}
    workspace = Workspace.objects.create(slug="retrieval", name="Retrieval")
    asked = questions(scale["questions"])
    for size in scale["sizes"]:
        measure(times, fill(workspace, size), size, asked, scale["times"])
    print(json.dumps(times))


if __name__ == "__main__":
    django.setup()
    main(json.loads(sys.argv[1]))
