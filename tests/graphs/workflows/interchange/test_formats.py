import json
from typing import Any

import pytest

from graphs.workflows.interchange.formats import parse
from graphs.workflows.interchange.parsed_graph import Limits
from graphs.workflows.interchange.refusals import ImportRefused
from tests.graphs.workflows.interchange.samples import n8n, n8n_node, native, parsed, refusal

FLOW = [{"id": "a", "type": "inject", "wires": [[]]}]


@pytest.mark.parametrize(
    ("document", "expected"),
    [(native(), "native"), (n8n(n8n_node("A")), "n8n"), ({"nodes": [n8n_node("A")]}, "n8n"), (FLOW, "node-red")],
)
def test_it_detects_the_format(document: Any, expected: str) -> None:
    assert parsed(document).format == expected


@pytest.mark.parametrize("document", [{}, {"nodes": [{}]}, {"a": 1}, [1], ["a"], [{"id": 1}], 5, "text", None, True])
def test_it_says_what_it_reads_where_it_cannot_tell_the_format(document: Any) -> None:
    [(where, message)] = refusal(document)
    assert where == ""
    assert "n8n" in message
    assert "Node-RED" in message


@pytest.mark.parametrize("format", ["native", "n8n", "node-red"])
@pytest.mark.parametrize("document", [native(), n8n(n8n_node("A")), FLOW])
def test_it_refuses_a_file_of_another_format_than_the_one_named(format: Any, document: Any) -> None:
    data = json.dumps(document).encode()
    if parsed(document).format == format:
        assert parse(data, format, Limits()).format == format
    else:
        with pytest.raises(ImportRefused):
            parse(data, format, Limits())


@pytest.mark.parametrize(
    ("filename", "name"),
    [
        ("my flow.json", "my flow"),
        ("C:\\Users\\me\\flow.json", "flow"),
        ("../../etc/passwd", "passwd"),
        ("a\x00b\x1bc\n.json", "abc"),
        ("x" * 500 + ".json", "x" * 200),
        ("", "Imported workflow"),
        ("\x01.json", "Imported workflow"),
    ],
)
def test_it_names_a_foreign_graph_after_its_file(filename: str, name: str) -> None:
    assert parsed(FLOW, filename=filename).name == name


def test_it_leaves_the_name_of_a_native_graph_alone() -> None:
    assert parsed(native(name=""), filename="x.json").name == ""
