"""JSON for people: as `json` indents it while it is as deep as people read, and never much longer than its values."""

import json
from typing import Any

import pytest
from django.contrib.auth.models import User
from hypothesis import given
from hypothesis import strategies as st

from graphs.history import diffs
from graphs.models import UseCase, Workspace
from graphs.objects.kinds import KINDS
from graphs.site.readable_json import DEEPEST, beginning, readable
from tests.cast import signed_in
from tests.graphs.history.test_many_conflicts import edited, made

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda held: st.lists(held, max_size=4) | st.dictionaries(st.text(), held, max_size=4),
    max_leaves=12,
)


def nested(depth: int, value: Any) -> Any:
    for _ in range(depth):
        value = [value]
    return value


def depth_of(value: Any) -> int:
    held = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return 1 + max(map(depth_of, held), default=0) if isinstance(value, dict | list) else 0


@given(VALUES)
def test_it_is_what_json_indents(value: Any) -> None:
    if depth_of(value) <= DEEPEST:
        assert readable(value) == json.dumps(value, ensure_ascii=False, indent=2)
        assert readable(value, sort_keys=True) == json.dumps(value, ensure_ascii=False, indent=2, sort_keys=True)
    assert json.loads(readable(value)) == value


def test_what_is_deeper_is_one_line() -> None:
    text = readable(nested(DEEPEST, [1, {"a": [2]}]))
    assert text.splitlines()[DEEPEST].strip() == '[1, {"a": [2]}]'


def test_it_does_not_outgrow_its_value() -> None:
    value = nested(90, [0] * 10_000)
    assert len(json.dumps(value, indent=2)) > 50 * len(json.dumps(value))
    assert len(readable(value)) < 2 * len(json.dumps(value))
    assert len(readable(nested(DEEPEST - 2, [0] * 10_000))) < 8 * len(json.dumps(value))


def test_of_a_long_one_the_beginning_is_told() -> None:
    assert beginning({"a": 1}, 100) == readable({"a": 1})
    assert beginning(["x" * 50] * 1_000, 100) == readable(["x" * 50] * 1_000)[:100] + "\n…"


@pytest.mark.django_db
def test_pages_and_differences_are_no_longer_than_what_they_show(demo_workspace: Workspace, alice: User) -> None:
    (header,) = made(demo_workspace, 1)
    value = nested(90, [0] * 100_000)
    edited([header], None, "x")
    row = UseCase.objects.get()
    row.data["own"] = value
    row.save()
    page = signed_in(alice).get(f"/use-cases/{header.key}/?workspace=demo").content
    assert b"own" in page
    assert len(page) < 5 * len(json.dumps(value))
    field = next(each for each in KINDS["usecase"].fields if each.form == "json")
    assert len(diffs._text(field, value)) < 2 * len(json.dumps(value))
