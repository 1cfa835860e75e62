"""Live edits as changes: done in the order of the changes they give what they gave in their own."""

from typing import Any

from graphs.models import LiveEdit
from graphs.workingcopy.folding import stretches


def made(person: int, version: int, *operations: dict[str, Any]) -> LiveEdit:
    items = [f"{operation['type']}:{operation['id']}" for operation in operations]
    return LiveEdit(person=person, person_label=str(person), version=version, operations=operations, items=items)


def test_a_node_that_an_edge_was_led_away_from_goes_after_that() -> None:
    edits = [
        made(1, 1, {"action": "update", "type": "node", "id": "root", "old": {"name": "a"}, "new": {"name": "b"}}),
        made(2, 2, {"action": "update", "type": "edge", "id": "e", "old": {"source": "y"}, "new": {"source": "z"}}),
        made(1, 3, {"action": "delete", "type": "node", "id": "y", "record": {"name": "y", "id": 1, "version": 1}}),
    ]
    assert [[edit.version for edit in stretch.edits] for stretch in stretches(edits)] == [[1], [2], [3]]
