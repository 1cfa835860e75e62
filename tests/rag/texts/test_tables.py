import json
from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from toons import dumps as to_toon

from rag.texts.tables import as_json, decode, encode, encode_tables
from rag.texts.tokens import count_tokens
from tests.decoded_tables import decode_tables

BY = {"nodes": ("type", "sheet"), "edges": ("handle",)}
texts = st.text(max_size=12) | st.sampled_from(
    ["true", "12", "-", "a: b", 'x"y', "null", "rows", "é\n\t", "{", "nodes[1]:"]
)
#: Beyond it a float is no exact number.
EXACT = 2.0**53
scalars = st.booleans() | st.integers() | st.floats(-EXACT, EXACT) | texts
values = scalars | st.lists(scalars, max_size=3) | st.dictionaries(texts, scalars, max_size=3)
columns = st.sampled_from(["type", "sheet", "key", "name", "source", "target", "odd key"])
rows = st.lists(st.dictionaries(columns, values, max_size=5), max_size=7)
ends = st.sampled_from("abcde")
edges = st.lists(st.fixed_dictionaries({"source": ends, "target": ends, "handle": st.sampled_from("xy")}), max_size=12)
tables = st.fixed_dictionaries({}, optional={"nodes": rows, "edges": edges | rows, "odd name": rows})
quickly = settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))


def written(value: Any) -> str:
    """One text for equal JSON, in which 1.0 is 1."""
    return json.dumps(json.loads(json.dumps(value), parse_float=_whole), sort_keys=True)


def _whole(text: str) -> float | int:
    return int(float(text)) if float(text).is_integer() else float(text)


def together(found: dict[str, list[dict[str, Any]]]) -> dict[str, list[str]]:
    """The rows of each table that has some, whatever their order."""
    return {name: sorted(map(written, listed)) for name, listed in found.items() if listed}


@quickly
@given(tables)
def test_every_row_can_be_read_back(given_tables: dict) -> None:
    assert together(decode_tables(encode_tables(given_tables, BY))) == together(given_tables)


@quickly
@given(tables)
def test_it_takes_no_more_tokens_than_the_better_of_the_two(given_tables: dict) -> None:
    kept = {name: listed for name, listed in given_tables.items() if listed}
    best = min(count_tokens(as_json(kept)), count_tokens(to_toon(kept)))
    assert count_tokens(encode_tables(given_tables, BY)) <= best


@quickly
@given(st.dictionaries(texts, values | rows, max_size=4))
def test_any_result_can_be_read_back_and_takes_no_more_tokens_than_the_better_of_the_two(result: dict) -> None:
    text = encode(result)
    assert written(decode(text)) == written(result)
    assert count_tokens(text) <= min(count_tokens(as_json(result)), count_tokens(to_toon(result) or as_json(result)))


@quickly
@given(st.floats(allow_nan=False, allow_infinity=False))
def test_a_float_of_any_size_is_read_back_as_that_float(number: float) -> None:
    assert float(decode(encode({"rows": [{"number": number}] * 9}))["rows"][0]["number"]) == number


def test_rows_that_are_alike_stand_under_one_heading() -> None:
    alike = [{"key": f"step-{n}", "type": "filter", "sheet": "main"} for n in range(6)]
    other = {"key": "end", "type": "return", "sheet": "main"}
    text = encode_tables({"nodes": [*alike, other]}, BY)
    assert text.count("filter") == 1
    assert decode_tables(text) == {"nodes": [*alike, other]}


def test_edges_that_follow_each_other_are_a_path() -> None:
    listed = [{"source": f"step-{n}", "target": f"step-{n + 1}", "handle": "main-0"} for n in range(9)]
    text = encode_tables({"edges": listed}, BY)
    assert text.count("step-4") == 1
    assert decode_tables(text) == {"edges": listed}


def test_what_one_row_lacks_stays_absent() -> None:
    listed = [{"key": "a", "label": "yes"}, {"key": "b"}, {"key": "c", "label": "no"}, {"key": "d"}]
    text = encode_tables({"edges": listed}, {})
    assert text.startswith("edges[4]{key,label}:")
    assert decode_tables(text) == {"edges": listed}


def test_nothing_is_nothing() -> None:
    assert encode_tables({"nodes": [], "edges": []}, BY) in ("", "{}")
    assert decode_tables("") == {}
