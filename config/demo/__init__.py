"""The demo graphs of an empty database: native files with the node types that they use. `seed_demo` imports them."""

from pathlib import Path

from graphs.models import Object, Workspace
from graphs.workflows.imports import import_graph
from graphs.workflows.interchange.formats import parse
from graphs.workflows.interchange.parsed_graph import Limits

_FILES = Path(__file__).parent


def import_demo(workspace: Workspace, key: str) -> Object:
    """The demo graph of that key, with the types that the workspace lacks; its history begins with the import."""
    parsed = parse((_FILES / f"{key}.json").read_bytes(), "native", Limits())
    return import_graph(workspace, parsed, key, trusted=True).graph
