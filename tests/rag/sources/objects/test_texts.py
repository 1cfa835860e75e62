from typing import Any

from graphs.objects.kinds import KINDS, Kind
from rag.embeddings.collections import MAX_CHARS
from rag.sources.objects.collection import object_text
from tests.registered import shops


def record(**values: Any) -> dict[str, Any]:
    return {field.name: None for field in KINDS["product"].fields} | values


def test_the_title_comes_first_and_each_value_has_its_name(kind: Kind) -> None:
    values = {"name": "DeskLamp", "price": "12.50", "data.scores": {"warm": 3, "loud": False}, "parent": "7"}
    assert object_text(kind, record(**values)) == "desk lamp. price 12 50. warm 3"


def test_of_a_long_text_minor_fields_are_cut_first() -> None:
    with shops(minor=("notes",)) as kind:
        text = object_text(kind, record(name="Lamp", notes="n" * MAX_CHARS, **{"data.problem": "too dark"}))
    assert len(text) == MAX_CHARS
    assert text.startswith("lamp. data problem too dark. notes nnn")
