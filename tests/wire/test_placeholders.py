"""What the record blanks, and what it must not."""

import uuid

import pytest

from tests.wire.placeholders import Placeholders

ONE, OTHER = str(uuid.uuid4()), str(uuid.uuid4())


def test_who_comes_again_has_the_same_number() -> None:
    put = Placeholders().put
    told = put({"id": ONE, "stream": f"session_{ONE}", "next": f"/x/{OTHER}?cursor=abc&limit=2", "graph": "graph_12"})
    assert told == {
        "id": "<uuid 1>", "stream": "session_<uuid 1>", "next": "/x/<uuid 2>?cursor=<cursor>&limit=2",
        "graph": "graph_<id 1>",
    }  # fmt: skip
    assert list(told) == ["id", "stream", "next", "graph"]


def test_the_type_and_the_form_stay_visible() -> None:
    put = Placeholders().put
    assert put({"id": 7, "old": {"id": "7"}}) == {"id": "<int: row>", "old": {"id": "7"}}
    assert put("2026-11-23T22:00:47.500000+00:00") == "<time>"
    assert put("2026-11-23T22:00:47.500Z") == "<time ms Z>"


def test_tokens_of_prompts_depend_on_the_ids_in_them() -> None:
    told = Placeholders().put({"promptTokens": 4606, "completionTokens": 5, "cachedTokens": 0})
    assert told == {"promptTokens": "<int: tokens>", "completionTokens": 5, "cachedTokens": 0}
    assert Placeholders().put({"promptTokens": 0}) == {"promptTokens": 0}


@pytest.mark.parametrize("value", ["fetch-api", "call_1", "graph_key", "2026-11-23", 7, 7.0, True, None, "about 7", ""])
def test_everything_else_stays(value: object) -> None:
    assert Placeholders().put({"value": value}) == {"value": value}
