import json

import pytest
from django.utils import translation
from hypothesis import given
from hypothesis import strategies as st

from graphs.site.json_input import MAX_DEPTH, REASONS, BadJSON, parse_json, reason

json_values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**63), 2**63)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0")),
    lambda inner: (
        st.lists(inner)
        | st.dictionaries(st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0")), inner)
    ),
)


@given(json_values)
def test_it_reads_whatever_json_can_say(value: object) -> None:
    assert parse_json(json.dumps(value).encode()) == value
    assert parse_json(json.dumps(value, ensure_ascii=False)) == value


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ('{"a": ', "line 1, column 7"),
        ("", "line 1, column 1"),
        ("{'a': 1}", "line 1, column 2"),
        ('{"a": NaN}', "NaN"),
        ("[-Infinity]", "-Infinity"),
        ("[1e999]", "too big"),
        ("[" + "9" * 5000 + "]", "too big"),
        ('{"name": "x\\u0000"}', "name holds"),
        ('{"nodes": [{"name": "\\ud800"}]}', "nodes.0.name holds"),
        ('{"\\u0000": 1}', "the text holds"),
        ('{"a": 1,\n "b": "\0"}', "Line 2"),
        ('["\ud800"]', "Line 1"),
        ('{"a": 1, "b": 2, "a": 3}', "“a” stands twice"),
        ('[{"x": {"y": 1, "y": 1}}]', "“y” stands twice"),
        ("[" * 100_000, "100 levels"),
    ],
)
def test_it_refuses_and_says_where(text: str, says: str) -> None:
    with pytest.raises(BadJSON) as refusal:
        parse_json(text)
    assert says in refusal.value.message


def test_it_refuses_what_is_not_utf_8() -> None:
    with pytest.raises(BadJSON, match="Line 2 is not UTF-8"):
        parse_json(b'{"a":\n "\xff"}')


def test_it_ignores_a_byte_order_mark() -> None:
    assert parse_json(b"\xef\xbb\xbf[1]") == [1]


def test_it_reads_a_whole_surrogate_pair() -> None:
    assert parse_json('"\\ud83d\\ude00"') == "😀"


@pytest.mark.parametrize("inner", ["", "1", '"\\u0041"', '"\\ud83d\\ude00"'])
def test_it_counts_levels_exactly(inner: str) -> None:
    assert parse_json("[" * MAX_DEPTH + inner + "]" * MAX_DEPTH)
    with pytest.raises(BadJSON):
        parse_json("[" * (MAX_DEPTH + 1) + inner + "]" * (MAX_DEPTH + 1))


def test_it_does_not_echo_unprintable_keys() -> None:
    with pytest.raises(BadJSON) as refusal:
        parse_json('{"\\u001b[31m": 1, "\\u001b[31m": 2}')
    assert "\x1b" not in refusal.value.message


@pytest.mark.parametrize(
    "text",
    ["", "{", "[1", "[1,]", '{"a"', '{"a" 1}', '{"a":1,}', '{"a":1 "b"}', '"abc', '"\\x"', '"\\u12"', '"\x01"', "1 2"],
)
def test_what_is_no_json_is_told_in_french(text: str) -> None:
    with pytest.raises(json.JSONDecodeError) as refused:
        json.loads(text)
    assert any(refused.value.msg.startswith(known) for known in REASONS)
    with translation.override("fr"):
        assert reason(refused.value)[:1].islower(), "Python's begin with a capital, our translations do not"
        with pytest.raises(BadJSON, match="Ce n’est pas du JSON") as told:
            parse_json(text)
    assert refused.value.msg not in told.value.message
