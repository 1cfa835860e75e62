"""How long `manage.py import_graph` takes beside a bare COPY of the same rows. With the product's settings:

python -m bench.import_times SCALE

The scale is that of `bench.imports` as JSON. Both begin with empty tables and take turns. It writes one line: the
seconds of each by what was done, and how much memory the largest import took.
"""

import json
import resource
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import django

from bench.history_times import Times, timed
from bench.systems import ROOT

WORKSPACE = "demo"
KEY = "imported"
_COLUMNS = {
    "graphs_node": "id, graph_id, sheet_id, key, name, type, process, data, handles, pos_x, pos_y, version",
    "graphs_edge": "id, graph_id, sheet_id, key, source_id, source_handle, target_id, target_handle, label, version",
}
_BLOCK = 1_000_000


def write(file: Path, size: int) -> None:
    """A native file with the graph of so many nodes."""
    with file.open("w") as opened:
        for text in _pieces(size):
            opened.write(text)


def _pieces(size: int) -> Iterator[str]:
    from bench import power_law
    from rag.embeddings.embedding_models import LOCAL_MODEL
    from rag.embeddings.local import LocalEmbedder

    head = {"format": "countersign.graph", "formatVersion": 1, "name": "Imported"}
    yield json.dumps(head)[:-1] + ', "sheets": [{"key": "main", "name": "Main"}], "nodes": ['
    for some in power_law.nodes(power_law.Words(LocalEmbedder(LOCAL_MODEL)), size):
        rows = (
            {"key": f"n{n}", "sheet": "main", "type": "filter", "name": name, "process": code, "posX": n, "posY": 0.5}
            for n, name, code in some
        )
        yield ", " * bool(some.first) + ", ".join(map(json.dumps, rows))
    yield '], "edges": ['
    for first, ends in power_law.edges(size):
        rows = (
            {"key": f"e{n}", "sheet": "main", "source": f"n{source}", "sourceHandle": "R-0", "target": f"n{target}",
             "targetHandle": "L-0"}
            for n, (source, target) in enumerate(ends, first)
        )  # fmt: skip
        yield ", " * bool(first) + ", ".join(map(json.dumps, rows))
    yield "]}"


def measure(times: Times, size: int, folder: Path) -> None:
    """One turn: the import, then the same rows once more by COPY."""
    from django.db import connection

    from graphs.models import Graph

    file = folder / "graph.json"
    write(file, size)
    command = [sys.executable, "manage.py", "import_graph", str(file), "--workspace", WORKSPACE, "--key", KEY]
    _empty()
    timed(times, f"import {size}", lambda: subprocess.run(command, cwd=ROOT, check=True, stdout=subprocess.DEVNULL))
    for table, columns in _COLUMNS.items():
        with (
            (folder / table).open("wb") as written,
            connection.cursor() as cursor,
            cursor.copy(f"COPY {table} ({columns}) TO STDOUT (FORMAT BINARY)") as copy,
        ):
            for block in copy:
                written.write(block)
    _empty()
    timed(times, f"copy {size}", lambda: _copy_back(folder))
    _empty()
    Graph.objects.filter(key=KEY).delete()


def _copy_back(folder: Path) -> None:
    from django.db import connection, transaction

    with transaction.atomic(), connection.cursor() as cursor:
        for table, columns in _COLUMNS.items():
            with (
                (folder / table).open("rb") as rows,
                cursor.copy(f"COPY {table} ({columns}) FROM STDIN (FORMAT BINARY)") as copy,
            ):
                while block := rows.read(_BLOCK):
                    copy.write(block)


def _empty() -> None:
    from django.db import connection

    with connection.cursor() as cursor:
        cursor.execute("TRUNCATE graphs_node, graphs_edge")
        cursor.execute("CHECKPOINT")


def main(scale: dict[str, Any]) -> None:
    times: Times = {}
    with tempfile.TemporaryDirectory(prefix="countersign-bench-", dir="/tmp") as folder:
        for size in scale["sizes"]:
            for _ in range(scale["rounds"]):
                measure(times, size, Path(folder))
    memory = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024
    print(json.dumps({"times": times, "memory": memory}))


if __name__ == "__main__":
    django.setup()
    main(json.loads(sys.argv[1]))
