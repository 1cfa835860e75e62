import json
from typing import Any

import pytest

from graphs.workflows.interchange.documents import MAX_CONTAINERS, MAX_DEPTH, decoded, value_of
from graphs.workflows.interchange.parsed_graph import Limits
from tests.graphs.workflows.interchange.samples import n8n, n8n_node, native, parsed, refusal


def read(data: bytes) -> Any:
    return value_of(decoded(data), limited=False)


def test_it_reads_utf_8_with_and_without_a_byte_order_mark() -> None:
    assert read(b'\xef\xbb\xbf{"a": "\xc3\xa9"}') == read(b'{"a": "\xc3\xa9"}') == {"a": "é"}


def test_it_names_line_and_column_of_what_is_not_json() -> None:
    [(where, message)] = refusal(b'{\n  "nodes": [,]\n}')
    assert where == "line 2, column 13"
    assert "not JSON" in message


@pytest.mark.parametrize("data", [b'{"nodes": [', b'{"name": "abc', b'[{"id": "a"'])
def test_it_says_that_a_file_was_cut_off(data: bytes) -> None:
    [(where, _message)] = refusal(data)
    assert where.startswith("line 1")


def test_it_says_that_a_file_ends_too_early() -> None:
    assert refusal(b'{"nodes": [')[0][1] == "The file ends before its JSON does."


@pytest.mark.parametrize("data", [b"", b"  \n\t", b"\xef\xbb\xbf"])
def test_it_refuses_an_empty_file(data: bytes) -> None:
    assert refusal(data) == [("", "The file is empty.")]


def test_it_names_byte_and_line_of_a_wrong_encoding() -> None:
    [(where, message)] = refusal('{\n"name": "café"}'.encode("latin-1"))
    assert where == "line 2"
    assert "Byte 14 (0xe9)" in message


def test_it_recognises_utf_16() -> None:
    [(_where, message)] = refusal("{}".encode("utf-16"))
    assert "UTF-16" in message


def test_it_refuses_more_bytes_than_the_limit() -> None:
    data = json.dumps(native()).encode()
    assert parsed(native(), Limits(max_bytes=len(data))).name == "Weather"
    [(where, message)] = refusal(data, Limits(max_bytes=len(data) - 1))
    assert where == ""
    assert str(len(data)) in message


def test_it_reads_a_hundred_levels() -> None:
    assert read(b"[" * MAX_DEPTH + b"]" * MAX_DEPTH)


@pytest.mark.parametrize("levels", [101, 900, 100_000])
@pytest.mark.parametrize(("opening", "closing"), [(b"[", b"]"), (b'{"a":', b"}")])
def test_it_refuses_more_than_a_hundred_levels(levels: int, opening: bytes, closing: bytes) -> None:
    [(where, message)] = refusal(b"\n" + opening * levels + b"1" + closing * levels)
    assert where == f"line 2, column {100 * len(opening) + 1}"
    assert "100 levels" in message


def test_it_does_not_count_brackets_in_texts_as_levels() -> None:
    assert read(json.dumps(["[" * 500, '\\"' + "{" * 500]).encode())


def test_it_can_read_again_what_the_deepest_foreign_file_becomes() -> None:
    deep: list = []
    for _level in range(MAX_DEPTH - 5):
        deep = [deep]
    graph = parsed(n8n(n8n_node("Set", parameters={"a": deep})))
    assert parsed(native(nodes=[{"key": "a", "type": "t", "sheet": "main", "data": graph.nodes[0].data}], edges=[]))


@pytest.mark.parametrize("text", [r"a\u0000b", r"\ud800", r"x\udfff", r"\ude00\ud83d"])
def test_it_names_the_place_of_a_text_that_cannot_be_stored(text: str) -> None:
    data = json.dumps(native()).replace("Start", text).encode()
    [(where, message)] = refusal(data)
    assert where == "nodes[0].name"
    assert "NUL" in message


def test_it_names_the_object_whose_key_cannot_be_stored() -> None:
    data = json.dumps(native(metadata={"a": [{"KEY": 1}]})).replace("KEY", r"\u0000").encode()
    assert refusal(data)[0][0] == "metadata.a[0]"


def test_it_refuses_a_raw_nul() -> None:
    assert refusal(b'{"name": "a\0b"}')[0][0] == "line 1, column 12"


def test_it_reads_pairs_of_surrogates() -> None:
    assert read(rb'["\ud83d\ude00"]') == ["😀"]


def test_it_names_a_key_that_occurs_twice() -> None:
    [(where, message)] = refusal(b'{"nodes": [{"a": 1}, {"name": 1, "name": 2}]}')
    assert where == "nodes[1]"
    assert '"name"' in message


def test_it_finds_a_doubled_key_inside_a_value_that_was_replaced() -> None:
    assert refusal(b'{"a": {"x": 1, "x": 2}, "a": 3}')[0][0] == ""


@pytest.mark.parametrize("number", ["NaN", "Infinity", "-Infinity", "1e400", "-1e999", "9" * 401])
def test_it_names_the_line_of_a_number_that_cannot_be_stored(number: str) -> None:
    [(where, _message)] = refusal(f'{{"text": "{number}",\n"a": {number}}}'.encode())
    assert where == "line 2, column 6"


def test_it_reads_numbers_as_the_database_gives_them_back() -> None:
    assert read(b"[1, 1.0, 1.50, -0.0, 1e3, 1e-7]") == [1, 1.0, 1.5, 0.0, 1000.0, 1e-7]
    assert [repr(value) for value in read(b"[-0.0, 1e20, 1.5e300]")] == ["0.0", str(10**20), str(int(1.5e300))]


def test_it_limits_lists_and_objects_only_where_it_limits_bytes() -> None:
    data = b"[" + b"[]," * MAX_CONTAINERS + b"1]"
    assert "lists and objects" in refusal(data, Limits(max_bytes=len(data)))[0][1]


def test_it_reports_at_most_twenty_problems() -> None:
    problems = refusal(b"[" + b'{"a": 1, "a": 1},' * 50 + b"1]")
    assert len(problems) == 21
    assert "may be more" in problems[-1][1]


def test_it_shows_no_invisible_characters_of_the_file() -> None:
    [(_where, message)] = refusal(b'{"\\u001b[31m": 1, "\\u001b[31m": 2}')
    assert "\\u001b[31m" in message
    assert "\x1b" not in message
