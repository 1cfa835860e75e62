import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chat.providers.cleaning import clean, json_object_or_empty, json_object_text, parse_json


@pytest.mark.parametrize(
    ("text", "cleaned"),
    [("plain", "plain"), ("a\x00b", "a\ufffdb"), ("é🏀", "é🏀"), ("a\ud83db", "a\ufffdb"), ("\ude00", "\ufffd")],
)
def test_it_replaces_nul_and_lone_surrogates(text, cleaned):
    assert clean(text) == cleaned


def test_it_joins_the_two_halves_of_a_character():
    assert clean("\ud83d\ude00") == "😀"


@given(st.text(st.characters(codec=None, exclude_categories=())))
def test_it_always_gives_what_postgresql_can_store(text):
    assert "\x00" not in clean(text).encode().decode()


@pytest.mark.parametrize(
    ("data", "value"),
    [
        (b'"\\ud83d"', "\ud83d"),
        (b'"\xff"', "\ufffd"),
        (b'"a\x00b"', "a\x00b"),
        (b'{"a": [1, 2.5, null, true]}', {"a": [1, 2.5, None, True]}),
    ],
)
def test_it_reads_json_that_is_a_little_wrong(data, value):
    assert parse_json(data) == value


@pytest.mark.parametrize(
    "data", [b"", b"{", b"<html>", b"[" * 100_000, b"1" * 10_000, b'{"a":1}{"b":2}', b"\xef\xbb\xbf{}x"]
)
def test_it_refuses_what_is_no_json(data):
    with pytest.raises(ValueError):
        parse_json(data)


TEXTS = st.text(st.characters(codec="utf-8", exclude_characters="\0"))


@given(st.dictionaries(TEXTS, st.integers() | TEXTS))
def test_it_reads_every_object_that_python_writes(value):
    assert json_object_or_empty(json.dumps(value)) == value
    assert json_object_text(json.dumps(value)) == json.dumps(value)


def test_a_backslash_before_the_letters_is_no_nul():
    text = json.dumps({"pattern": "\\u0000"})
    assert json_object_or_empty(text) == {"pattern": "\\u0000"}
    assert json_object_text(text) == text


NO_OBJECTS = [
    *("", "[1]", "null", '{"query": "fe', "[" * 100_000, '{"a": NaN}', '{"a": [-Infinity]}'),
    *('{"a": "\\ud83c"}', '{"a": ["\\u0000"]}', '{"\\\\\\u0000": 1}', '{"a": ' + "9" * 5000 + "}"),
]


@pytest.mark.parametrize("text", NO_OBJECTS)
def test_it_takes_anything_else_for_an_empty_object(text):
    assert json_object_or_empty(text) == {}
    assert json_object_text(text) == "{}"


@pytest.mark.parametrize(
    ("text", "sent"),
    [
        ('{ "query" :"é"}', '{ "query" :"é"}'),
        ('{"query": "two\nlines"}', '{"query": "two\\nlines"}'),
        ("{}", "{}"),
    ],
)
def test_it_sends_back_what_was_written_or_what_it_means(text, sent):
    assert json_object_text(text) == sent
