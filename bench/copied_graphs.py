"""Puts the made-up graphs of `bench.power_law` into a database by COPY, with vectors and indexes."""

from collections.abc import Iterator
from contextlib import contextmanager

from django.db import connection

from bench import power_law
from bench.power_law import Words
from graphs.models import Graph, Workspace
from graphs.site.accounts import account_of
from rag.embeddings import serving_model, storing, vector_indexes
from rag.embeddings.local import LocalEmbedder
from rag.models import EmbeddedCollection
from rag.sources.graphs import word_indexes
from rag.sources.graphs.nodes import collection_of

_NODES = """
COPY graphs_node (graph_id, sheet_id, key, name, type, process, data, handles, pos_x, pos_y, version) FROM STDIN"""
_EDGES = """
COPY graphs_edge (graph_id, sheet_id, key, source_id, source_handle, target_id, target_handle, label, version)
FROM STDIN"""
#: Of the bench's own PostgreSQL: nobody looks on while the graph is made.
_UNWATCHED = "SET session_replication_role = replica"


def copied(workspace: Workspace, size: int, embedder: LocalEmbedder) -> Graph:
    """The graph of so many nodes, made where it is not there yet."""
    key = f"power-law-{size}"
    graph = Graph.objects.filter(workspace=workspace, key=key).first()
    if graph is None or not EmbeddedCollection.objects.filter(collection=collection_of(graph.pk)).exists():
        Graph.objects.filter(workspace=workspace, key=key).delete()
        with connection.cursor() as cursor, _without_word_index():
            cursor.execute(_UNWATCHED)
            graph = _copy(workspace, key, size, embedder)
            cursor.execute("RESET session_replication_role")
        EmbeddedCollection.objects.create(
            collection=collection_of(graph.pk), model=embedder.name, version=graph.version, fitted=True
        )
    with connection.cursor() as cursor:
        for table in ("graphs_node", "graphs_edge", "rag_embedding"):
            cursor.execute(f"VACUUM (ANALYZE) {table}")
    vector_indexes.fit(collection_of(graph.pk), embedder.name, embedder.dimensions)
    word_indexes.fit(graph.pk, wait=True)
    return graph


def _copy(workspace: Workspace, key: str, size: int, embedder: LocalEmbedder) -> Graph:
    graph = Graph.objects.create(workspace=workspace, key=key, name=f"{size} nodes")
    serving_model.ensure_model(embedder, account_of(graph))
    sheet = graph.sheets.create(key="main", name="Main")
    place = f"{graph.pk}\t{sheet.pk}"
    with connection.cursor() as cursor:
        cursor.execute("SELECT nextval(pg_get_serial_sequence('graphs_node', 'id'))")
        first = cursor.fetchone()[0] + 1
        for some in power_law.nodes(Words(embedder), size):
            with cursor.copy(_NODES) as copy:
                copy.write(
                    "".join(f"{place}\tn{n}\t{name}\tfilter\t{code}\t{{}}\t{{}}\t0\t0\t1\n" for n, name, code in some)
                )
            vectors = some.vectors()
            versions = [
                storing.TargetVersion("node", first + some.first + n, 1, bytes(16)) for n in range(len(vectors))
            ]
            with cursor.copy(storing._COPY) as copy:
                copy.write(storing._rows(collection_of(graph.pk), embedder.name, versions, vectors))
        for number, ends in power_law.edges(size):
            with cursor.copy(_EDGES) as copy:
                copy.write(
                    "".join(
                        f"{place}\te{number + n}\t{first + source}\tR-0\t{first + target}\tL-0\t\t1\n"
                        for n, (source, target) in enumerate(ends)
                    )
                )
    return graph


@contextmanager
def _without_word_index() -> Iterator[None]:
    """GIN indexes are built far faster than they grow."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT indexdef FROM pg_indexes WHERE indexname = 'node_search'")
        (definition,) = cursor.fetchone()
        cursor.execute("DROP INDEX node_search")
        yield
        cursor.execute("SET maintenance_work_mem = '1GB'")
        cursor.execute(definition)
        cursor.execute("RESET maintenance_work_mem")
