import json
from difflib import SequenceMatcher
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graphs.objects import patches
from graphs.objects.actions import ChangeRefused
from graphs.objects.patches import merged, patched, patched_data
from graphs.objects.strict import DataPatch, Patch

CODE = "const a = 1;\nconst b = 2;\nif (a) {\n  return b;\n}\nreturn a;\n"


def patch(search: str, replace: str, code: str = CODE) -> str:
    return patched(code, [Patch(search=search, replace=replace)], "fetch")


def refusal(search: str, code: str = CODE) -> str:
    with pytest.raises(ChangeRefused) as refused:
        patch(search, "x", code)
    return str(refused.value)


def test_what_occurs_once_is_replaced() -> None:
    assert patch("const b = 2;", "const b = 3;") == CODE.replace("2", "3")


def test_patches_follow_one_another() -> None:
    patches = [Patch(search="a = 1", replace="a = 7"), Patch(search="a = 7", replace="a = 8")]
    assert "a = 8" in patched(CODE, patches, "fetch")


def test_what_occurs_more_than_once_is_refused_with_the_lines() -> None:
    assert "lines 4, 6" in refusal("return")
    assert "lines 1, 1" in refusal("aa", "aaa")


def test_what_does_not_occur_is_refused_with_the_nearest_place() -> None:
    message = refusal("if (a) {\n    return c;\n}")
    assert "processPatches[0]" in message
    assert "line 3" in message
    assert "if (a) {\n  return b;\n}" in message


def test_nothing_alike_is_said_plainly() -> None:
    assert "nor anything like it" in refusal("SELECT 1")
    assert "nor anything like it" in refusal("x", "")


def test_carriage_returns_are_kept() -> None:
    code = CODE.replace("\n", "\r\n")
    assert patch("{\n  return b;\n}", "{\n  return 5;\n}", code) == code.replace("return b", "return 5")


def test_a_long_text_is_searched_in_a_moment() -> None:
    code = "\n".join(f"call_{number}(argument, {number % 7});" for number in range(20_000))
    assert "line 4000" in refusal("call_3999(argument, 22);", code)


DATA = {"a/b": {"~": ["x", {"text": "one two"}]}, "n": 1}


def test_a_text_in_the_data_is_patched_where_it_is() -> None:
    after = patched_data(DATA, [DataPatch(path="/a~1b/~0/1/text", search="two", replace="three")], "n")
    assert after == {"a/b": {"~": ["x", {"text": "one three"}]}, "n": 1}
    assert DATA["a/b"] == {"~": ["x", {"text": "one two"}]}
    assert patched_data(["x"], [DataPatch(path="/0", search="x", replace="")], "n") == [""]


@pytest.mark.parametrize("path", ["/", "/n", "/n/x", "/a~1b/~0/2", "/a~1b/~0/-1", "/a~1b/~0/x", "/a~1b", "/gone/1"])
def test_a_path_to_no_text_is_refused(path: str) -> None:
    with pytest.raises(ChangeRefused, match="no text at"):
        patched_data(DATA, [DataPatch(path=path, search="x", replace="")], "n")


@pytest.mark.parametrize(
    ("value", "patch", "result"),
    json.loads(
        """[
        [{"a": "b"}, {"a": "c"}, {"a": "c"}], [{"a": "b"}, {"b": "c"}, {"a": "b", "b": "c"}],
        [{"a": "b"}, {"a": null}, {}], [{"a": "b", "b": "c"}, {"a": null}, {"b": "c"}],
        [{"a": ["b"]}, {"a": "c"}, {"a": "c"}], [{"a": "c"}, {"a": ["b"]}, {"a": ["b"]}],
        [{"a": {"b": "c"}}, {"a": {"b": "d", "c": null}}, {"a": {"b": "d"}}],
        [{"a": [{"b": "c"}]}, {"a": [1]}, {"a": [1]}], [["a", "b"], ["c", "d"], ["c", "d"]],
        [{"a": "b"}, ["c"], ["c"]], [{"a": "foo"}, null, null], [{"a": "foo"}, "bar", "bar"],
        [{"e": null}, {"a": 1}, {"e": null, "a": 1}], [[1, 2], {"a": "b", "c": null}, {"a": "b"}],
        [{}, {"a": {"bb": {"ccc": null}}}, {"a": {"bb": {}}}]
        ]"""
    ),
)
def test_merge_patches_are_those_of_the_standard(value: Any, patch: Any, result: Any) -> None:
    assert merged(value, patch) == result


values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=3),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from("abc"), inner, max_size=3),
    max_leaves=8,
)


@given(values, values)
def test_a_merge_patch_applied_twice_does_nothing_more(value: Any, patch: Any) -> None:
    once = merged(value, patch)
    assert merged(once, patch) == once


@pytest.mark.parametrize(
    ("text", "search", "nearest"),
    [
        ("return players.filter(p => p.games_played >= 10 && p.active);", "games_played >= 11", "games_played >= 10"),
        (
            "a = 1\n" + "x" * 500 + " if (total > limit) stop(); " + "y" * 500,
            "if (total >= limit)",
            "if (total > limit)",
        ),
        ("z" * 1_000_000, "games_played >= 11", None),
        (("w " * 40_000 + "\n") * 20, "games_played >= 11", None),
    ],
)
def test_the_nearest_place_may_be_within_a_line(text: str, search: str, nearest: str | None) -> None:
    with pytest.raises(ChangeRefused) as refused:
        patched(text, [Patch(search=search, replace="x")], "node")
    if nearest is None:
        assert "nor anything like it" in str(refused.value)
    else:
        assert nearest in str(refused.value)


def test_what_is_alike_everywhere_is_compared_within_bounds(monkeypatch: pytest.MonkeyPatch) -> None:
    pairs = 0

    class Counted(SequenceMatcher[str]):
        def find_longest_match(self, *args: Any, **named: Any) -> Any:
            nonlocal pairs
            found: Any = self
            pairs += sum(len(found.b2j.get(character, ())) for character in found.a)
            return super().find_longest_match(*args, **named)

        def ratio(self) -> float:
            raise AssertionError("it takes the cube of what it compares where that repeats itself")

    monkeypatch.setattr(patches, "SequenceMatcher", Counted)
    with pytest.raises(ChangeRefused):
        patched(("a b " * 600 + "\n") * 30, [Patch(search="a c " * 600, replace="x")], "node")
    assert 0 < pairs <= patches.COMPARED_PAIRS


def test_a_line_end_that_does_not_occur_is_near_nothing() -> None:
    with pytest.raises(ChangeRefused, match="nor anything like it"):
        patched("", [Patch(search="\n", replace="x")], "node")
