"""Nothing comes in through a file that is larger than by hand, whatever the file's format."""

import json
from typing import Any

import pytest

from graphs.models.workflows import MAX_DESCRIPTION, MAX_NAME
from graphs.objects.strict import MAX_SHORT, MAX_TEXT
from graphs.site.json_values import MAX_JSON_CHARS
from graphs.workflows.interchange.formats import parse
from graphs.workflows.interchange.parsed_graph import Limits
from graphs.workflows.interchange.refusals import ImportRefused
from graphs.workflows.interchange.sizes import MAX_HANDLES, MAX_NODE_TYPES, MAX_SHEETS
from tests.graphs.workflows.interchange.samples import native, native_node

LIMITED = Limits(max_bytes=20_971_520, max_nodes=20_000)


def node_type(number: int, **changes: Any) -> dict[str, Any]:
    return {"key": f"t{number}", "displayName": "T"} | changes


def data_of(length: int) -> dict[str, str]:
    """Data whose JSON takes so many characters."""
    return {"a": "x" * (length - len('{"a": ""}'))}


def handle(number: int = 0, **changes: Any) -> dict[str, Any]:
    return {"id": f"R-{number}", "type": "out"} | changes


def with_handles(*handles: dict[str, Any]) -> dict[str, Any]:
    return native(nodes=[native_node("start"), native_node("end", handles={"R": list(handles)})])


MOST_HANDLES = [handle(n, accept="x" * MAX_SHORT, label="x" * MAX_NAME) for n in range(MAX_HANDLES)]
AT_MOST = native(
    description="x" * MAX_DESCRIPTION,
    metadata=data_of(MAX_JSON_CHARS),
    nodes=[
        native_node("start", process="x" * MAX_TEXT, data=data_of(MAX_JSON_CHARS)),
        native_node("end", handles={"R": MOST_HANDLES}),
    ],
    nodeTypes=[node_type(1, description="x" * MAX_DESCRIPTION, process="x" * MAX_TEXT, handles={"R": MOST_HANDLES})],
)
N8N = {"name": "a", "type": "t", "parameters": {}}
TO_A = {"node": "a", "type": "main", "index": 0}
TOO_LARGE = [
    ("description", native(description="x" * (MAX_DESCRIPTION + 1))),
    ("metadata", native(metadata=data_of(MAX_JSON_CHARS + 1))),
    ("nodes[1].process", native(nodes=[native_node("start"), native_node("end", process="x" * (MAX_TEXT + 1))])),
    ("nodes[1].data", native(nodes=[native_node("start"), native_node("end", data=data_of(MAX_JSON_CHARS + 1))])),
    ("nodes[1].data", native(nodes=[native_node("start"), native_node("end", data={"a": [1e15] * 100_000})])),
    ("nodeTypes[0].description", native(nodeTypes=[node_type(1, description="x" * (MAX_DESCRIPTION + 1))])),
    ("nodeTypes[0].process", native(nodeTypes=[node_type(1, process="x" * (MAX_TEXT + 1))])),
    ("sheets", native(sheets=[{"key": f"s{n}", "name": "S"} for n in range(MAX_SHEETS)] + native()["sheets"])),
    ("nodeTypes", native(nodeTypes=[node_type(number) for number in range(MAX_NODE_TYPES + 1)])),
    ('nodes[1].handles.R[0].id ("End")', with_handles(handle(id=""))),
    ('nodes[1].handles.R[0].label ("End")', with_handles(handle(label="x" * (MAX_NAME + 1)))),
    ('nodes[1].handles.R[0].accept ("End")', with_handles(handle(accept="x" * (MAX_SHORT + 1)))),
    ("nodes[1].handles.R", with_handles(*map(handle, range(MAX_HANDLES + 1)))),
    ("nodes[1].handles", with_handles(handle(), handle())),
    ("nodeTypes[0].handles", native(nodeTypes=[node_type(1, handles={"L": [handle()], "R": [handle()]})])),
    ("nodeTypes[0].handles.R", native(nodeTypes=[node_type(1, handles={"R": [*MOST_HANDLES, handle(100)]})])),
    ("nodes[0].handles.R", [{"id": "1", "type": "function", "z": "", "wires": [[]] * (MAX_HANDLES + 1)}]),
    (
        "nodes[0].handles.R",
        {"name": "n", "nodes": [N8N], "connections": {"a": {"main": [[TO_A]] * (MAX_HANDLES + 1)}}},
    ),
    (
        "nodes[0].data",
        {"name": "n", "connections": {}, "nodes": [{"name": "a", "type": "t", "parameters": data_of(MAX_JSON_CHARS)}]},
    ),
    ("nodes[0].data", [{"id": "1", "type": "function", "z": "", "func": "x", "more": "x" * MAX_JSON_CHARS}]),
]


@pytest.mark.parametrize("limits", [LIMITED, Limits()], ids=["by a door", "by the command"])
def test_what_may_be_made_by_hand_is_read(limits: Limits) -> None:
    assert parse(json.dumps(AT_MOST).encode(), "auto", limits).nodes[0].process == "x" * MAX_TEXT


@pytest.mark.parametrize("limits", [LIMITED, Limits()], ids=["by a door", "by the command"])
@pytest.mark.parametrize(("where", "document"), TOO_LARGE)
def test_what_is_larger_is_refused_by_its_place(where: str, document: Any, limits: Limits) -> None:
    text = json.dumps(document).replace("1000000000000000.0", "1e15")
    with pytest.raises(ImportRefused) as refused:
        parse(text.encode(), "auto", limits)
    assert [problem.where for problem in refused.value.problems] == [where]
