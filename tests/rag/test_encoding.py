import json

from hypothesis import given
from hypothesis import strategies as st
from toon_format import decode, encode

from rag.encoding import encode_rows, without_empty_columns

scalars = st.none() | st.booleans() | st.integers(-1000, 1000) | st.text(max_size=20)
values = scalars | st.lists(scalars, max_size=3) | st.dictionaries(st.text(max_size=5), scalars, max_size=3)
rows = st.lists(st.dictionaries(st.sampled_from(["key", "name", "n", "odd key"]), values, max_size=4), max_size=6)


def as_json(name: str, table: list) -> str:
    return json.dumps({name: table}, ensure_ascii=False, separators=(",", ":"))


def test_it_writes_uniform_rows_as_a_table() -> None:
    text = encode_rows("nodes", [{"key": "a", "name": "First"}, {"key": "b", "name": "Second"}])
    assert text == "nodes[2]{key,name}:\n  a,First\n  b,Second"


def test_it_writes_nested_rows_as_json() -> None:
    text = encode_rows("nodes", [{"key": "a", "data": {"x": [1, 2]}}, {"key": "b", "data": {}}])
    assert json.loads(text) == {"nodes": [{"key": "a", "data": {"x": [1, 2]}}, {"key": "b", "data": {}}]}


def test_it_writes_no_rows() -> None:
    assert encode_rows("nodes", []) == "nodes: []"


@given(rows)
def test_it_is_never_longer_than_the_shorter_of_the_two(table: list) -> None:
    text = encode_rows("nodes", table)
    assert len(text) <= min(len(as_json("nodes", table)), len(encode({"nodes": table})))


@given(rows)
def test_it_loses_nothing(table: list) -> None:
    text = encode_rows("nodes", table)
    read = json.loads(text) if text.startswith("{") else decode(text)
    assert read == {"nodes": table}


def test_it_leaves_out_columns_that_are_always_empty() -> None:
    assert without_empty_columns([{"a": "", "b": 1, "c": ""}, {"a": "x", "b": 0, "c": None}]) == [
        {"a": "", "b": 1},
        {"a": "x", "b": 0},
    ]
