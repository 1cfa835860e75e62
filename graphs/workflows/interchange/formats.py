"""The formats that are read, and which of them a file is. Called by all imports."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import PurePath
from typing import Any, Literal

from django.utils.translation import gettext as _

from graphs.models.workflows import MAX_NAME
from graphs.workflows.interchange import documents, n8n, native, native_parts, node_red, sizes
from graphs.workflows.interchange.parsed_graph import Format, Limits, OnProgress, ParsedGraph, is_native, no_progress
from graphs.workflows.interchange.refusals import refuse

FORMATS: dict[Format, Callable[[Any, Limits], ParsedGraph]] = {
    "native": native.parse,
    "n8n": n8n.parse,
    "node-red": node_red.parse,
}


def parse(
    data: bytes,
    format: Format | Literal["auto"],
    limits: Limits,
    filename: str = "",
    on_progress: OnProgress = no_progress,
) -> ParsedGraph:
    """The graph of a file, whose name it gets if it has none. Raises `ImportRefused` only: what is wrong, and where."""
    text = documents.decoded(data, limits.max_bytes)
    # Of a large file the text is the largest part of what is kept.
    del data
    if limits == Limits() and format in ("auto", "native"):
        in_parts = native_parts.parse(text, on_progress)
        if in_parts is not None:
            sizes.check(in_parts, len(text))
            on_progress(len(text), len(text))
            return in_parts
    document = documents.value_of(text, limited=limits.max_bytes is not None)
    known = detect(document) if format == "auto" else format
    if known != "native" and is_native(document):
        raise refuse("format", _("This is a Countersign graph: read it as format native."))
    parsed = FORMATS[known](document, limits)
    sizes.check(parsed, len(text))
    on_progress(len(text), len(text))
    if known == "native":
        return parsed
    return replace(parsed, name=parsed.name.strip() or _title(filename) or _("Imported workflow"))


def detect(document: Any) -> Format:
    """The format of a document, by what only that format has."""
    if isinstance(document, dict):
        if is_native(document):
            return "native"
        nodes = document.get("nodes")
        if isinstance(nodes, list) and (
            "connections" in document or any(isinstance(node, dict) and "parameters" in node for node in nodes)
        ):
            return "n8n"
        if isinstance(document.get("flows"), list):
            return "node-red"
    if isinstance(document, list) and all(isinstance(entry, dict) and "type" in entry for entry in document):
        return "node-red"
    message = _(
        "This is none of the formats that are read here: a Countersign graph, a workflow of n8n "
        "(an object with nodes and connections) or a flow of Node-RED (a list of entries with id and type)."
    )
    raise refuse("", message)


def _title(filename: str) -> str:
    """The file's name without folders, ending and unprintable characters."""
    stem = PurePath(filename.replace("\\", "/").replace("\0", "")).stem
    return "".join(char for char in stem if char.isprintable()).strip()[:MAX_NAME]
