"""graphs/history/brief_diffs.py: how much of a large diff lists and events tell."""

from typing import Any

import pytest
from pydantic import TypeAdapter

from graphs.history.brief_diffs import FIELD_CHARS, LINES, MOST_CHARS, brief, chars, counts
from graphs.history.diffs import DiffEntry, diff_of
from graphs.history.first_difference import TEXT_CHARS
from graphs.objects.kinds import KINDS, Field, Kind
from graphs.objects.operations import Create, Delete, Operation, Update
from graphs.objects.refs import Ref
from tests.shop.models import Shop

CODE = "\n".join(f"line {number} of a long text" for number in range(20_000))


def node(key: str) -> Ref:
    return Ref("node", key)


def moves(count: int) -> list[Operation]:
    return [Update(node(f"n{number}"), {"posX": 1.0}, {"posX": 2.0}) for number in range(count)]


def the_field(diff: list[DiffEntry]) -> Any:
    ((found,),) = (entry["fields"] for entry in diff)
    return found


def test_what_is_short_is_whole() -> None:
    diff = diff_of(moves(3))
    assert brief(diff) == diff


def test_of_code_the_first_lines_are_kept_and_all_are_counted() -> None:
    diff = diff_of([Update(node("a"), {"process": "old"}, {"process": CODE})])
    kept, whole = the_field(brief(diff)), the_field(diff)
    assert kept["lines"] == whole["lines"][:LINES]
    assert (kept["cut"], kept["added"], kept["removed"]) == (True, 20_000, 1)
    assert kept["old"] is None is kept["new"]


def test_a_line_without_end_is_cut_too() -> None:
    diff = diff_of([Update(node("a"), {"process": ""}, {"process": "x" * 1_000_000})])
    assert [len(line["text"]) for line in the_field(brief(diff))["lines"]] == [TEXT_CHARS + 1]


def test_of_a_text_the_beginning_is_kept() -> None:
    diff = diff_of([Update(node("a"), {"name": "Fetch"}, {"name": "y" * 9_000})])
    kept = the_field(brief(diff))
    assert (kept["old"], kept["new"], kept["cut"]) == ("Fetch", "y" * TEXT_CHARS + "…", True)


def test_beside_a_long_field_short_ones_stay_as_they_are() -> None:
    diff = diff_of([Update(node("a"), {"name": "Fetch", "process": ""}, {"name": "Get", "process": CODE})])
    ((name, _process),) = (entry["fields"] for entry in brief(diff))
    assert name == diff[0]["fields"][0]


def test_of_many_items_the_first_are_kept_and_all_are_counted() -> None:
    diff = diff_of([*moves(900), Create(Ref("edge", "e"), {"source": "a", "target": "b"}), Delete(node("z"), {})])
    kept = brief(diff)
    assert kept == diff[: len(kept)]
    assert 5 < len(kept) < 900
    assert chars(kept) <= MOST_CHARS + len(kept)
    assert counts(diff) == {"node": {"move": 900, "delete": 1}, "edge": {"create": 1}}


def test_the_first_item_is_kept_however_long_it_is() -> None:
    record = {"name": CODE, "process": CODE, "data": {"a": CODE}, "handles": {"in": [CODE]}, "posX": 1.0, "type": CODE}
    kept = brief(diff_of([Create(node("a"), record)], {node("a"): "L" * 5_000}))
    assert len(kept) == 1
    assert chars(kept) < 2 * MOST_CHARS
    assert all(field.get("cut") or chars(field) <= FIELD_CHARS for field in kept[0]["fields"])


def test_what_stands_somewhere_else_has_moved_by_the_fields_of_its_kind(monkeypatch: pytest.MonkeyPatch) -> None:
    row, column = Field("row", "row", "row", position=True), Field("posX", "pos_x", "x")
    monkeypatch.setitem(KINDS, "box", Kind("box", "box", "row", (row, column), Shop))
    diff = diff_of(
        [
            Update(Ref("box", "a"), {"row": "1"}, {"row": "2"}),
            Update(Ref("box", "b"), {"posX": "1"}, {"posX": "2"}),
            Update(Ref("box", "c"), {"row": "1", "posX": "1"}, {"row": "2", "posX": "2"}),
            Update(Ref("gone", "d"), {"sheet": "1"}, {"sheet": "2"}),
        ]
    )
    assert counts(diff) == {"box": {"move": 1, "update": 2}, "gone": {"update": 1}}


def test_both_are_what_the_document_of_the_api_says() -> None:
    changes = [
        Update(
            node("a"), {"name": "Fetch", "process": "", "data": {}}, {"name": "Get", "process": CODE, "data": {"a": 1}}
        ),
        Create(Ref("edge", "e"), {"source": "a", "target": "b"}),
        Delete(Ref("gone", "7"), {"of": "a kind that nobody knows any more"}),
    ]
    diff = diff_of(changes)
    for each in (diff, brief(diff)):
        TypeAdapter(list[DiffEntry]).validate_python(each, strict=True)


def test_the_first_of_each_kind_says_how_several_are_called() -> None:
    name = {"data.name": "A", "data.problem": "x" * 300}
    folders = [Delete(Ref("folder", str(number)), {"name": f"Folder {number}"}) for number in range(200)]
    cases = [Delete(Ref("usecase", str(number)), name) for number in range(3)]
    kept = brief(diff_of([*folders, *cases]))
    assert len(kept) < 100
    assert (kept[-1]["object"]["type"], kept[-1]["kindPlural"], kept[-1]["fields"]) == ("usecase", "use cases", [])
    assert [entry["object"]["type"] for entry in kept].count("usecase") == 1
    assert chars(kept) < 2 * MOST_CHARS
